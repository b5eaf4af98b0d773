"""Chinese words that stand before and behind names of people."""

from __future__ import annotations

from typing import Final

TITLES: Final = frozenset(
    "先生 女士 小姐 太太 夫人 同学 老师 教授 博士 院士 医生 大夫 护士 护工 律师"
    " 法官 检察官 警官 民警 主任 局长 处长 科长 部长 书记 主席 副总 经理 总监 总裁"
    " 总经理 董事 董事长 校长 院长 班长 师傅 工程师 会计 秘书 队长 店长 组长 站长"
    " 厂长 镇长 村长 县长 市长 省长 区长 乡长 阿姨 叔叔 大哥 大姐 大叔 大妈 大爷"
    " 奶奶 爷爷 客服 专员 顾问 助理 记者 教练 导演 房东 老板 同志 先森 医师 药师"
    " 讲师 辅导员 班主任 法务 主管 副主任".split()
)
PERSONAL: Final = frozenset("先生 女士 小姐 太太 夫人 阿姨 叔叔 大哥 大姐 大叔 大妈 大爷 奶奶 爷爷".split())
"""Titles that are put behind a surname and little else."""
JOINS: Final = frozenset("和与及、跟同诉")
"""What stands between two people: whoever stands beside a person is most likely one as well."""
OF_SOMEBODY: Final = frozenset(
    "身份 电话 手机 邮箱 卡号 账号 工号 学号 住址 地址 病历 名下 家里 家属 本人".split()
)
"""What somebody has, and is written right behind the name."""
PLACES_IN: Final = frozenset("里上下内")
"""Behind a thing, these end what is said of a place in it."""
SHORT_TITLES: Final = frozenset("总工姐哥叔姨婶爷董局处导队嫂妈爸老")
AFTER_SHORT: Final = frozenset(
    "的说在让要给和、讲去来是已刚问也把将跟对请有没就与会不今昨明上下你您我她他那这又"
)
"""Behind a short title, one of these must follow, or no Chinese character at all."""
SAYS: Final = frozenset(
    "提供 一起 说 表示 认为 指出 介绍 反馈 反映 透露 告诉 强调 回复 答复 提出 要求 建议 询问"
    " 来电 来信 投诉 报告 提交 负责 审批 签字 签名 签署 签收 陈述 主诉 申请 称 写道"
    " 补充 确认 解释 跟进 处理 发言 回忆 反应 本人 你好 您好 讲 问过 交代 通知 同意"
    " 主持".split()
)
"""What people do, and the word for it stands right behind the name."""
LINKS_BEFORE: Final = frozenset(
    "查归判诉替与托雇欠催换选投和与及跟同由给找请让把被对向据听问从为将叫经派替帮比等、或并而但因的了是在到约见陪接送于以当至致咱即使"
)
WITH_PEOPLE: Final = frozenset("请让帮替跟找给由问叫派约陪谢判劝骂催嫁娶")
"""What is done with people more often than with things."""
LINKS_AFTER: Final = frozenset(
    "帮让约签登值发的在和与及跟是已未会要想去来把被将给也都不就没昨今明上下刚曾于从向对提因所又还可能同为到有由等诉转借"
    "领填用并或才正则这那你您我他她们"
)
VERBS_AFTER: Final = frozenset(
    "回了吗呢吧看打问先再写做拿送找等开修接买换办退补仍报值只早晚周跑走坐住查没应总常老"
)
"""What else a sentence goes on with behind whoever does something."""
BEFORE: Final = frozenset(
    "我叫 我是 名字是 名字叫 名字 叫做 叫作 名叫 姓名 全名 真名 户名 开户名 账户名"
    " 联系人 收件人 收货人 寄件人 发件人 收信人 签收人 申请人 经办人 负责人 当事人"
    " 委托人 受托人 代理人 法定代表人 法人代表 法人 户主 车主 业主 持卡人 监护人 投保人"
    " 被保险人 受益人 继承人 乘客 乘机人 入住人 旅客 学生 家长 学员 作者 译者 主编"
    " 导师 老师 同学 先生 女士 小姐 本人 抄送 主送 患者 病人 病患 家属 客户 用户"
    " 会员 员工 职工 雇员 同事 领导 上司 下属 邻居 朋友 好友 室友 房东 租客 住户"
    " 出租人 承租人 买方 卖方 甲方 乙方 丙方 原告 被告 证人 被害人 嫌疑人 上诉人 律师"
    " 法官 经理 主任 主管 总监 总裁 董事长 校长 院长 科长 处长 局长 部长 书记 主席"
    " 医生 大夫 护士 主治医师 医师 教授 博士 师傅 司机 保安 保洁 快递员 外卖员 配送员"
    " 客服 专员 顾问 助理 秘书 记者 教练 导演 编辑 工程师 设计师 会计 出纳 财务 人事"
    " 行政 法务 采购 销售 运维 研发 测试 班主任 辅导员 队长 组长 店长 站长 面试官"
    " 候选人 应聘者 讲师 嘉宾 选手 责任人 审批人 审核人 评审人 报销人 提交人 发起人"
    " 创建人 修改人 操作人 值班人 接口人 对接人 爸爸 妈妈 父亲 母亲 我爸 我妈 爷爷"
    " 奶奶 外公 外婆 哥哥 姐姐 弟弟 妹妹 儿子 女儿 丈夫 妻子 老公 老婆 爱人 孩子"
    " 孙子 孙女 叔叔 阿姨 舅舅 姑姑 表哥 表姐 表弟 表妹 老板 博主 网友 群友 队友"
    " 团长 班长 工友 战友 校友 亲爱的 尊敬的 敬爱的 感谢 谢谢 联系 转告 通知 询问"
    " 问一下 问问 问下 判令 判决 归还 起诉 举报 投诉 表扬 提醒 回访 替换 顶替 接替 找到 见到"
    " 遇到 碰到 换成 改成 请教 拜托 麻烦 转账给 汇款给 授权 委托 任命 推荐 移除 添加 邀请"
    " 指派给 分配给"
    " 交给 转给 发给 抄送给 艾特 您好 你好 hi hello name user @ 部 组"
    " 科 室 处 姓".split()
)
"""Ends in one of these: what follows is most likely a person."""
LONGEST_BEFORE: Final = max(map(len, BEFORE))
SOUNDS: Final = (
    "翰京保罕斐路滕赖叙皓朋哲杉茜蓓姬茵嘉露悉苔涅禄伦茹敏津日嫩番汗玉素拜别毕其"
    "阿艾爱安奥巴贝比彼伯博布查达戴丹德迪杜多恩尔法菲费弗夫福冈盖哥戈格古哈海汉赫亨华怀霍基吉加杰金卡凯坎"
    "康考科克肯库拉莱兰朗劳勒雷里利莉林隆卢鲁罗洛马玛迈曼梅蒙米密莫姆穆纳娜内尼诺牛帕佩皮普奇乔切琼热瑞若"
    "萨塞桑瑟森沙莎舍圣史斯思苏索塔泰坦汤特托瓦万威维韦温沃乌西希肖谢辛雅亚扬耶叶伊易因英尤约泽扎詹珍朱兹"
    "佐顿廷亭登根丝图翁儿娅黛薇琳洁弥俄埃丽妮娃买提江孜努依肉合力再吐逊木都牙甫麦巧措卓次仁旺堆平央宗珠敦"
    "什蒂芬吾蕾艳奎恰宾勃茨代道丁董范冯高贡顾郭豪贾简姜捷柯寇昆黎李连列琉默南欧庞彭坡柴秦让荣赛珊申孙唐陶"
    "田屠魏武席夏休徐许薛雪延杨于余芝周"
)
"""Characters that names of other languages are written with."""
