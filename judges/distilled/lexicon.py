"""Closed word classes of Chinese and English, as flags on tokens.

Only function words, negations, number words and the like: words that a language has a fixed set of.
Wording of refusals and of follow-ups lives with the scorers that read it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from judges.distilled import codepoints as cp
from judges.distilled.tokens import Keys, Tokens, pair, value_keys, word_key

STOP, NEGATION, PRONOUN, HEDGE = 1, 2, 4, 8

_STOP_EN = """
a an the and or but if then else so as of at by for with about against between into through during before
after above below to from up down in out on off over under again further once here there when where why how
all any both each few more most other some such only own same than too very can will just should now is am
are was were be been being have has had having do does did doing would could may might must shall i me my we
our you your he him his she her it its they them their this that these those what which who whom whose also
however therefore thus while because until since per via upon within without not no nor don't doesn't didn't
isn't aren't wasn't weren't can't cannot won't wouldn't couldn't shouldn't haven't hasn't hadn't it's i'm i'd
you're we're they're that's there's what's let's yes please one s t
based given according provided passage passages document documents context mentioned following answer question
""".split()
_STOP_ZH = "的了是在和与及或被把将对于为以其这那有也就都而并且等个中上下之吗呢吧啊呀么着过地得到从向由给让使但又还很更最所者啦嘛"
_NEGATION_EN = """
not no never none neither nor without cannot can't won't don't doesn't didn't isn't aren't wasn't weren't
wouldn't couldn't shouldn't haven't hasn't hadn't unable nothing nobody nowhere lacks lack fails fail failed
refuses refused denies denied prohibited forbidden excluded excludes except
""".split()
_NEGATION_ZH = "不没無无未非勿"
_NOT_NEGATION_ZH = ("不仅 不过 不断 不少 不同 不久 不但 不管 不论 不如 不止 不只 不得不 无论 无非 非常 未来 不错 不断 "
                    "不妨 不禁 不约 莫不 无不 并非不 不愧 不料 不单 不光 不久 无线 非洲 无疑").split()
_PRONOUN_EN = "it its this that these those they them their he she him her his hers one ones there former latter".split()
_HEDGE_EN = """
may might could possibly perhaps probably likely about approximately roughly around nearly almost typically
usually generally often sometimes
""".split()

NUMBER_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1000,
    "million": 1_000_000, "twice": 2, "thrice": 3,
}  # fmt: skip

OPPOSITES_EN = """
more/less more/fewer higher/lower above/below over/under before/after increase/decrease increased/decreased
increases/decreases maximum/minimum most/least largest/smallest first/last always/never all/none allow/prohibit
allowed/prohibited include/exclude included/excluded includes/excludes up/down open/closed opens/closes
start/end starts/ends before/since earlier/later early/late good/bad best/worst positive/negative true/false
free/paid optional/required optional/mandatory enabled/disabled enable/disable left/right north/south
east/west male/female mother/father son/daughter husband/wife win/lose won/lost buy/sell accept/reject
accepted/rejected approve/reject approved/rejected import/export internal/external upper/lower morning/evening
day/night hot/cold old/new young/old long/short fast/slow strong/weak rise/fall rose/fell gain/loss
""".split()
OPPOSITES_ZH = """
高/低 多/少 大/小 上/下 前/后 早/晚 增/减 升/降 涨/跌 内/外 开/关 进/出 买/卖 胜/负 快/慢 长/短 新/旧 强/弱 左/右
东/西 南/北 男/女 正/负 允许/禁止 支持/反对 增加/减少 提高/降低 上升/下降 上涨/下跌 最高/最低 最大/最小 最多/最少
超过/低于 高于/低于 大于/小于 以上/以下 之前/之后 以前/以后 包括/不包括 必须/可选 免费/收费 启用/禁用 首次/再次
成功/失败 同意/拒绝 通过/否决 全部/部分 所有/部分 买家/卖家 进口/出口 收入/支出 盈利/亏损 积极/消极
""".split()

_BITS = 16
_SHIFT = np.uint64(64 - _BITS)


class Lexicon:
    """A small hash table from keys to flags, looked up for whole arrays at once."""

    def __init__(self, flags: dict[int, int]) -> None:
        self._keys = np.zeros(1 << _BITS, dtype=np.uint64)
        self._flags = np.zeros(1 << _BITS, dtype=np.int64)
        self._rest: dict[int, int] = {}
        for key, flag in flags.items():
            slot = key >> (64 - _BITS)
            if self._flags[slot]:
                self._rest[key] = flag
            else:
                self._keys[slot], self._flags[slot] = key, flag

    def look_up(self, keys: Keys) -> npt.NDArray[np.int64]:
        """The flags of each key; 0 for keys that are not in the lexicon."""
        slots = (keys >> _SHIFT).astype(np.int64)
        found: npt.NDArray[np.int64] = np.where(self._keys[slots] == keys, self._flags[slots], 0)
        for key, flag in self._rest.items():
            found[keys == np.uint64(key)] = flag
        return found


def bigram_key(text: str) -> int:
    """The key of a pair of Chinese characters, as `units` makes it."""
    left, right = (np.array([word_key(c)], dtype=np.uint64) for c in text[:2])
    return int(pair(left, right)[0])


def _word_flags() -> dict[int, int]:
    flags: dict[int, int] = {}
    for words, flag in (
        (_STOP_EN, STOP),
        (_STOP_ZH, STOP),
        (_NEGATION_EN, NEGATION),
        (_NEGATION_ZH, NEGATION),
        (_PRONOUN_EN, PRONOUN),
        (_HEDGE_EN, HEDGE),
    ):
        for word in words:
            key = word_key(word)
            flags[key] = flags.get(key, 0) | flag
    return flags


WORDS = Lexicon(_word_flags())
_FALSE_NEGATION = Lexicon({bigram_key(w): 1 for w in _NOT_NEGATION_ZH if len(w) == 2})
_NUMBERS = Lexicon({word_key(w): i + 1 for i, w in enumerate(NUMBER_WORDS)})
_NUMBER_VALUES = [float(v) for v in NUMBER_WORDS.values()]
_NUMBER_KEYS = value_keys(_NUMBER_VALUES)


def read_number_words(tokens: Tokens) -> None:
    """Turn "three" into the number 3, in place: its key, and an entry in `values`."""
    index = _NUMBERS.look_up(tokens.word)
    spelled = np.flatnonzero(index)
    if not len(spelled):
        return
    which = index[spelled] - 1
    tokens.key[spelled] = _NUMBER_KEYS[which]
    tokens.number[spelled] = len(tokens.values) + np.arange(len(spelled))
    tokens.kind[spelled] = cp.DIGIT
    tokens.values.extend((_NUMBER_VALUES[i],) for i in which.tolist())


def word_flags(tokens: Tokens) -> npt.NDArray[np.int64]:
    """`STOP`, `NEGATION` … of each token; 不 in 不仅 or 非 in 非常 negates nothing."""
    flags = WORDS.look_up(tokens.word)
    negative = np.flatnonzero((flags & NEGATION).astype(bool) & (tokens.kind == cp.HAN))
    if len(negative):
        following = np.minimum(negative + 1, len(tokens.word) - 1)
        harmless = _FALSE_NEGATION.look_up(pair(tokens.word[negative], tokens.word[following])) > 0
        flags[negative[harmless]] &= ~NEGATION
    return flags
