"""Chinese names: a surname and one or two characters that people give to children, where a name may stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from judges.redaction.kinds import PERSON
from judges.redaction.spans import Item

SURNAMES: Final = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金"
    "陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文庞樊兰殷施陶洪翟安颜倪严牛温芦季俞章鲁葛伍韦申尤毕聂焦向柳邢路岳齐梅莫庄辛管祝左涂谷祁时舒"
    "耿牟卜詹关苗凌费纪靳盛童欧甄项曲成游阳裴席卫查屈鲍位覃霍翁隋植甘景薄单包司柏宁柯阮桂闵解强柴华车冉房边辜吉饶刁瞿戚丘古米池滕晋苑邬臧畅宫来嵺苟全褚廉简娄盖符"
    "奚木穆党燕郎邸冀谈姬屠连郜晏栾郁商蒙计喻揭窦迟宇敖糜鄢冷卓花仇艾蓝都巩稽井练仲乐虞卞封竺冼原官衣楚佟栗匡宗应台巫鞠僧桑荆谌银扬明沙薄伏岑习胥保和蔺"
    "闫肖佘麦占付代仝阚占亓逄"
)
COMPOUND: Final = (
    "欧阳|司马|上官|诸葛|司徒|东方|慕容|尉迟|皇甫|公孙|令狐|宇文|长孙|夏侯|轩辕|端木|独孤|南宫|闻人|澹台"
)
GIVEN: Final = frozenset(
    "伟芳娜秀英敏静丽强磊军洋勇艳杰娟涛明超霞平刚桂文辉玲玉萍红鹏飞梅鑫波斌莉宇浩凯健俊帆雪荣旭宁龙建国华春兰"
    "志海林峰云燕婷晓亮欣佳琳慧颖雨晨阳阔博思远轩梓涵子怡诗若嘉泽昊天一诺可心依然奕辰睿哲宏毅凤琴翠珍淑惠莲菊香"
    "美兴旺富贵福成庆德仁义礼智信忠孝廉安康乐永长胜利民生东南西北立新光大中正学武才良善清洁冰冬秋夏雷震山川江河湖"
    "楠桐柏松竹榕菲蕾薇萱莹瑶瑾瑜璐琪琦琼珊瑞琰珂璇妍娇娴婉姝妮媛婧嫣姗钰铭锋锐钧锦银鸣凡先启帅彬彦彤悦恒恩悠惟"
    "昌昕晖晗晟景晶朋朗杨柳森楚欢歌源润淇渊溪滢潇澜炜烨焕然熙爽牧珩甜皓盈真知祥禄禹程稳竣笑简维绍翔翰耀聪芬芝苗茜"
    "茹荷蓉蓓薛衡诚语谦豪贤赫超越跃轶达迪逸邦郁鑫长雅雯霄青韵韬顺颜飒馨骏骁高鸿鹤麟黎沐宸钊栋梁权根宝发财喜连彪虎"
    "豹全有才亚非男女亭仪伦佑作侠保信修伯仲叔季元克兆光冠军劲勤升卓印友发叶君吉向启咏哲喆园坤城培基壮夫奇奎如姣孟"
    "守宗定宣宪宾家尚展岩岚岳峻崇川州巍师希帆平广庭延弘强彩征心怀性恺悟情戈振挺捷敬昆易星智曼朝本来树桦梦楷欧正殿"
    "毓水汉汝沛沁泉泓洁津洪浪涌淼游湘满滨潮灵灿炎炳煜照牛犇玄王玮珏琛璞甫田申略白百盛相石硕磐祖禾秉穆竞章童竹笛策"
    "粤纯纲经结绮继缨群羽翌肖胤臣舒航船艺花芃芊芷苏茂范莎莘菁萌蒙蓝蔚蕊虹衍裕观言誉诺谷贝贞赐赞起路辰迎进通道遥郎"
    "野铁锡镇闯闻阁陆陶际隆雁雄霆霖靖音领风飚食馥驰骥魁鲁鲲鹃"
)
_TITLES = (
    "先生|女士|小姐|太太|夫人|同学|老师|教授|博士|院士|医生|大夫|护士|律师|法官|警官|主任|局长|处长|科长|部长|书记|主席|经理|总监|总裁|董事长|校长|院长|班长|师傅|工程师"
    "|会计|秘书|队长|店长|组长|站长|阿姨|叔叔|大哥|大姐|奶奶|爷爷|女士|美女|帅哥|客服|专员|顾问|助理|记者|教练|导演"
)
_S = f"(?:{COMPOUND}|[{SURNAMES}])"
_TITLED = re.compile(
    rf"(?<![\u4e00-\u9fff])(?P<far>{_S}[\u4e00-\u9fff]{{0,2}}?)(?={_TITLES})|(?P<near>{_S}[\u4e00-\u9fff]{{0,2}}?)(?={_TITLES})"
)
_INTRODUCED = re.compile(
    rf"(?:我叫|我是|我的名字是|名字叫|名叫|名字是|叫做|姓名|名字|联系人|收件人|收货人|寄件人|申请人|患者|病人|客户|用户|员工|同事|姓名为|签名|经办人|负责人|当事人|法定代表人|法人|户主|持卡人|监护人|紧急联系人|投保人|被保险人|乘客|乘机人|入住人|学生|家长|作者|老师|同学|先生|女士|本人|开户名|户名|抄送|发件人|致)[:\s是为叫]{{0,3}}(?P<name>{_S}[\u4e00-\u9fff]{{1,2}})"
)
_NAME = re.compile(rf"(?:{COMPOUND})[\u4e00-\u9fff]{{1,2}}|[{SURNAMES}][\u4e00-\u9fff]{{2}}")


def find_chinese(text: str) -> Iterator[Item]:
    """Every Chinese name."""
    for match in _TITLED.finditer(text):
        group = match.lastgroup or "near"
        yield Item(PERSON, *match.span(group))
    for match in _INTRODUCED.finditer(text):
        yield Item(PERSON, *match.span("name"))
    for match in _NAME.finditer(text):
        if all(character in GIVEN for character in match[0][1:]):
            yield Item(PERSON, *match.span())
