"""Where Chinese sentences can be negated, and where a negation can be taken away.

Chinese verbs carry no ending that tells them from nouns, so each verb comes with what must not stand
beside it: 会 is a verb in 会自动续费 and none in 会员 or 社会.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.corruption.change import Site

_BLOCKED = frozenset("不没未无莫非勿别仅只")
_ASKS = re.compile(r"(?:如果|若|假如|要是|倘若|一旦|是否|能否|可否|除非|即使|只有)[^，。；！？,;!?]*$")

_AFFIRMED: tuple[tuple[str, str, str, str], ...] = (
    # (what must not stand before, verb, what must not follow, the negated verb)
    (
        "不并也就只但还都凡要于总更或别像算真若即而正便倒可硬老国旧自先如",
        "是",
        "否|非|的?[，。；！？]|因为|由于|指的|为了|以",
        "不是",
    ),
    ("不都也才就只仅还均便亦", "可以", "[，。；！？]", "不可以"),
    (
        "不可功性智只才技职效节太阳官热动势机万各贤潜本核电储产性异体无",
        "能",
        "力|量|源|耗|否|见度|干|手|级|效|动|不|吃|工|人|源|者",
        "不能",
    ),
    ("不只才未", "能够", "[，。；！？]", "不能"),
    (
        "谈合洽盟不社机议协大开委学工国商晚聚体领约省都集例年常宴峰董事教公运庙误照",
        "会",
        (
            "议|员|计|谈|面|场|长|话|见|费|展|所|馆|社|晤|考|诊|同|审|旗|意|师|上|后|期|址|不|合|战|徽|刊|客"
            "|籍|务|堂|稽|[，。；！？、和与及的]"
        ),
        "不会",
    ),
    (
        "不的术供得到予援位寻求广持大力与和及、兼",
        "支持",
        "者|率|下|度|人|的|和|、|[，。；！？]|力|性|不",
        "不支持",
    ),
    ("不的没有无被未", "需要", "的|[，。；！？]|不", "不需要"),
    ("不不", "必须", "品|的|[，。；！？]|不", "不必"),
    ("不相反响适供顺对感照效答呼", "应当", "不", "不应当"),
    ("不理相", "应该", "不", "不应该"),
    ("不未获被经得到", "允许", "值|的|不|[，。；！？]", "不允许"),
    ("不所内", "包含", "的|物|不|[，。；！？]", "不包含"),
    ("不所内", "包括", "但|的|不|[，。；！？]", "不包括"),
    ("不所", "属于", "的|不|[，。；！？]", "不属于"),
    ("不", "适用于", "的", "不适用于"),
    ("不普", "适合", "的|[，。；！？]", "不适合"),
    ("不所特", "具有", "的", "不具有"),
    ("不所", "具备", "的|[，。；！？]", "不具备"),
    ("不的", "影响", "力|的|到?了|因素|范围|者|、|和|[，。；！？]|下|最|着|深", "不影响"),
    ("不未的已", "收取", "的|了|方", "不收取"),
    ("不的相", "依赖", "性|的|于?[，。；！？]|关系", "不依赖"),
    (
        "患不没已所共特常原拥含享持占具设留保公国私固现仅只还所享稀富兼据约自少附没",
        "有",
        (
            "效|关|限|些|时|人|的|望|利|助|着|意|色|机|名|趣|力|用|害|毒|序|线|没|可能|所|益|期|偿|余|待|损"
            "|必要|过|点|了|如|幸|违|权|责|无|不|待|[，。；！？]"
        ),
        "没有",
    ),
    ("不早而业", "已经", "[，。；！？]|[^，。；！？]*了", "尚未"),
    ("不早而业自", "已", "经|知|有|故|婚|久|然|不|往|成年|[，。；！？]|[^，。；！？]*了", "未"),
    (
        "不即必终行",
        "将",
        (
            "\\d|[一二两三]|军|来|近|就|士|领|帅|不|会|要|[^，。；！？]{1,14}(?:改为|设为|放|送|交|作为|变"
            "|提高|从|与|和)"
        ),
        "不会",
    ),
    ("不没未", "成功", "的|率|人|后|者|、|和|[，。；！？]|之|案", "未能"),
)
_AFFIRM = tuple(
    (re.compile(rf"(?<![{before}]){verb}(?!{after})"), negated) for before, verb, after, negated in _AFFIRMED
)

_TAKE_AWAY: tuple[tuple[str, str], ...] = (
    (
        (
            r"并?(?:不|没有|未)(?=(?:支持|需要|允许|包含|包括|属于|适用|适合|具有|具备|影响|收取|依赖|存在"
            r"|提供|参与|涉及|显示|享受|计入|接受|保证|负责|承担|退还|出现|使用|采用))"
        ),
        "",
    ),
    (
        (
            r"(?<!能)(?<!会)(?<!得)并?不(?=(?:能|会|可以|是|必须|应该|应当)(?!不|再|断|够?[，。；！？]|仅"
            r"|一定|只|但))"
        ),
        "",
    ),
    (r"(?<!并)无法(?!律|则|院|规)", "可以"),
    (r"(?:无需|无须|不必|不用|毋需|毋须)(?!说|要)", "需要"),
    (r"不得(?!不|已|了|而|知|体|志|法|到)", "可以"),
    (r"(?:禁止|严禁|不准|不许)(?!令|的)", "允许"),
    (r"(?<!还)(?<!从)(?<!并)没有(?!办法|[，。；！？]|什么|关系|一个|人)", "有"),
    (r"(?:尚未|从未|并未|还未|仍未)(?=[\u4e00-\u9fff]{2})", "已"),
    (
        (
            r"(?<![尚从并还仍前])未(?=(?:通过|完成|公布|获得|公开|达到|参加|发现|经|能|收到|采取|宣布|披露"
            r"|签署|实现|启用|出席|进入|被|使用|按|超过))"
        ),
        "已",
    ),
    (r"(?<=[\u4e00-\u9fff])从不(?=[\u4e00-\u9fff])", "总是"),
    (r"不再(?=[\u4e00-\u9fff])(?!见)", "仍然"),
    (r"暂不(?=[\u4e00-\u9fff])", "已"),
)
_REMOVALS = tuple((re.compile(pattern), other) for pattern, other in _TAKE_AWAY)


def find_negated_zh(text: str) -> Iterator[Site]:
    """Negations that can be taken away.

    >>> [s.options for s in find_negated_zh("本机无法联网。")]
    [('可以',)]
    """
    for pattern, other in _REMOVALS:
        for match in pattern.finditer(text):
            if not _in_condition(text, match.start()):
                yield Site(*match.span(), (other,), "affirmed")


def find_affirmed_zh(text: str) -> Iterator[Site]:
    """Verbs that can be negated.

    >>> [s.options for s in find_affirmed_zh("会员会自动续费。")]
    [('不会',)]
    """
    for pattern, negated in _AFFIRM:
        for match in pattern.finditer(text):
            before = text[max(0, match.start() - 1) : match.start()]
            if before not in _BLOCKED and not _in_condition(text, match.start()):
                yield Site(*match.span(), (negated,), "negated")


def _in_condition(text: str, start: int) -> bool:
    return _ASKS.search(text[max(0, start - 40) : start]) is not None
