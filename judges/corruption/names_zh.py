"""Names in Chinese text: titles and quotes, organisations by their suffix, people by surname or by ·."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TITLED = re.compile(r"《([^《》\n]{1,30})》")
_QUOTED = re.compile(r"[“「]([^“”「」\n，。！？；]{2,12})[”」]")
_QUOTED_FIRST = re.compile(
    r"(?:名为|叫做|叫作|称为|点击|选择|进入|打开|推出|启动|发布|开启|关闭|使用|项目|计划|功能)$"
)
_QUOTED_LAST = re.compile(
    r"(?:计划|行动|工程|项目|活动|模式|政策|方案|奖|系列|会议|展|大赛|功能|按钮|页面|选项|套餐|服务|指数"
    r"|菜单|品牌)"
)
_SUFFIXES = {
    "company": "公司|集团|银行",
    "school": "大学|学院|中学|小学|学校|幼儿园",
    "office": "委员会|办公室|管理局|公安局|税务局|法院|检察院|研究院|研究所|协会|基金会|联合会|派出所",
    "hospital": "医院|卫生院|诊所",
    "site": "机场|火车站|博物馆|图书馆|体育馆|广场|公园|大桥|码头",
}
_ORGANISATIONS = tuple(
    (kind, re.compile(rf"([\u4e00-\u9fff]{{2,8}}?)(?:{suffix})")) for kind, suffix in _SUFFIXES.items()
)
_LEADING = re.compile(
    r"^.*(?:[在是由从向与和对把被为于到的了及或该本此等给跟随据经至自去]|位于|来自|根据|按照|通过|前往|包括"
    r"|加入|隶属)(?=[\u4e00-\u9fff]{2})"
)
_BARE = re.compile(
    r"(?:[本该贵我母子分总某各全家这那]|一家|有限|股份|当地|所有|其他|国家|人民|中级|高级|最高|附属|责任"
    r"|第[一二三四五六七八九十])*"
)
_VAGUE = re.compile(r"(?:[该各本此类些]|多家|几家|有关|相关|部分|项目)$|^(?:期间|目前|营区|推动|原|全国)")
_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶"
    "阎余潘杜戴夏钟汪田"
    "任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
)
_TITLES = (
    "先生|女士|教授|博士|院士|主任|局长|部长|书记|主席|总统|总理|经理|医生|老师|律师|记者|导演|同学|警官"
    "|总裁|董事长|总监|校长|院长|市长|省长|县长"
)
_SAYS = "说|表示|认为|指出|称|介绍|透露|告诉|强调|坦言|解释|回忆"
_PERSON = re.compile(
    rf"(?<![\u4e00-\u9fff])[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}?(?={_TITLES}|{_SAYS}|[（(]|，(?:男|女)，)"
)
_TITLED_PERSON = re.compile(
    rf"(?:{_TITLES})([{_SURNAMES}](?!{_SAYS})[\u4e00-\u9fff]{{1,2}}?)(?={_SAYS}|[，。、；：（]|在|对|于"
    r"|的|和|与|将|已|是|负责|领导)"
)
_SOUNDS = (
    "阿艾爱安奥巴贝比彼伯博布查达戴丹德迪杜多恩尔法菲费弗夫福冈盖哥戈格古哈海汉赫亨华怀霍基吉加杰金卡凯"
    "坎康考科克肯库拉莱兰朗劳勒雷里利莉林隆卢鲁罗洛马玛迈曼梅蒙米密莫姆穆纳娜内尼诺牛帕佩皮普奇乔切琼热"
    "瑞若萨塞桑瑟森"
    "沙莎舍圣史斯思苏索塔泰坦汤特托瓦万威维韦温沃乌西希肖谢辛雅亚扬耶叶伊易因英尤约泽扎詹珍朱兹佐顿廷亭"
    "登根丝图翁儿娅黛薇琳洁弥俄埃丽妮娃"
)
_FOREIGN = re.compile(rf"[{_SOUNDS}]{{1,6}}(?:·[{_SOUNDS}]{{1,8}})+")


def find_chinese_names(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of each name."""
    for match in _TITLED.finditer(text):
        yield *match.span(1), "title"
    for match in _QUOTED.finditer(text):
        named = _QUOTED_LAST.match(text, match.end()) or _QUOTED_LAST.search(match[1][-2:])
        if named or _QUOTED_FIRST.search(text[: match.start()][-4:]):
            yield *match.span(1), "quoted"
    for kind, pattern in _ORGANISATIONS:
        for match in pattern.finditer(text):
            leading = _LEADING.match(match[1])
            stem = match[1][leading.end() :] if leading else match[1]
            if len(stem) >= 2 and not _BARE.fullmatch(stem) and not _VAGUE.search(stem):
                yield match.end(1) - len(stem), match.end(), kind
    for match in _PERSON.finditer(text):
        yield *match.span(), "person-han"
    for match in _TITLED_PERSON.finditer(text):
        yield *match.span(1), "person-han"
    for match in _FOREIGN.finditer(text):
        yield *match.span(), "person-abroad"
