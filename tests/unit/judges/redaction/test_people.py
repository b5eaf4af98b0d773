"""Names of people, and words that only look like one."""

from __future__ import annotations

import pytest

from tests.unit.judges.redaction.cases import taken, values

CHINESE = [
    ("我叫李明,想退货", ["李明"]),
    ("我是赵丽娜", ["赵丽娜"]),
    ("帮我查一下周建平的工资条", ["周建平"]),
    ("请转给财务部孙倩", ["孙倩"]),
    ("由陈立新和吴晓燕共同完成", ["陈立新", "吴晓燕"]),
    ("王先生您好", ["王"]),
    ("这是张总交代的", ["张"]),
    ("小李,报表发我一下", ["李"]),
    ("找老王要钥匙", ["王"]),
    ("刘姐说可以报销", ["刘"]),
    ("诸葛清远博士主讲", ["诸葛清远"]),
    ("买买提·艾合买提已经签字", ["买买提·艾合买提"]),
    ("次仁·卓玛的请假条", ["次仁·卓玛"]),
    ("联系人:胡一菲", ["胡一菲"]),
    ("姓名 高大山 性别 男", ["高大山"]),
    ("患者马小跳,男,10岁", ["马小跳"]),
    ("原告:方鸿渐", ["方鸿渐"]),
    ("抄送给林徽之、梁思永", ["林徽之", "梁思永"]),
    ("昨天陈晨没打卡", ["陈晨"]),
    ("郑爽的订单要取消", ["郑爽"]),
    ("聯絡人:陳怡君", ["陳怡君"]),
    ("經理張志豪負責審批", ["張志豪"]),
    ("何老师在吗", ["何"]),
    ("我妈妈叫秦桂芳", ["秦桂芳"]),
    ("秦明:好的,收到", ["秦明"]),
    ("员工罗翔申请调岗", ["罗翔"]),
    ("给曹雪芹先生寄一份", ["曹雪芹"]),
    ("司机师傅姓崔,电话联系", ["崔"]),
    ("高翔和向明都没来", ["高翔", "向明"]),
    ("应女士来过", ["应"]),
    ("跟小凡说一下", ["小凡"]),
    ("扎西负责压测", ["扎西"]),
    ("学号2021310557的温岚请假", ["温岚"]),
    ("系统里计春燕的学历少一页", ["计春燕"]),
]
ENGLISH = [
    ("My name is Laura Palmer.", ["Laura Palmer"]),
    ("I am Tom Hardy and I need help", ["Tom Hardy"]),
    ("Contact Ms. Ortega about it", ["Ortega"]),
    ("Dr. Amara Nwosu signed the form", ["Amara Nwosu"]),
    ("please ask Priyanka about the logs", ["Priyanka"]),
    ("Regards,\nEleanor Vance", ["Eleanor Vance"]),
    ("Thanks,\nKwame", ["Kwame"]),
    ("Assigned to: Bjorn Halvorsen", ["Bjorn Halvorsen"]),
    ("cc: Maria Silva, Chen Jing, Omar Haddad", ["Maria Silva", "Chen Jing", "Omar Haddad"]),
    ("The claimant, Walter Hargrove, moved away", ["Walter Hargrove"]),
    ("Liu Xiaobo wrote it", ["Liu Xiaobo"]),
    ("Xiaoming Li and Wei Zhang agreed", ["Xiaoming Li", "Wei Zhang"]),
    ("Hello Mr. and Mrs. Thornton", ["Thornton"]),
    ("my name is peter parker", ["peter parker"]),
    ("this is samantha from accounting", ["samantha"]),
    ("Did Alejandro approve it?", ["Alejandro"]),
    ("Jean-Pierre Dubois called", ["Jean-Pierre Dubois"]),
    ("Ludwig van Houten is the owner", ["Ludwig van Houten"]),
    ("C. S. Whitfield wrote the memo", ["C. S. Whitfield"]),
    ("Sean O'Reilly's laptop", ["Sean O'Reilly"]),
    ("Patient: Gladys Pemberton", ["Gladys Pemberton"]),
    ("Jordan Ellis asked for a refund", ["Jordan Ellis"]),
    ("user=Heather Quinn", ["Heather Quinn"]),
    ("Smith, Deborah", ["Smith", "Deborah"]),
    ("Hope said the charger is hot", ["Hope"]),
    ("On Tuesday Faith reported a leak", ["Faith"]),
    ("May Chen from payroll called", ["May Chen"]),
    ("In Whitlock v. Perez the court agreed", ["Whitlock", "Perez"]),
    ("my wife jen paid", ["jen"]),
    ("Why was Ngozi Adebayo's claim denied?", ["Ngozi Adebayo"]),
]
LEFT = [
    "高兴地通知您,方案已经通过",
    "任何问题都可以联系客服",
    "金额和数量都要填写",
    "安全设置在哪里",
    "马上处理,温度正常",
    "方便的话请回复",
    "成功率和召回率怎么算",
    "石油价格上涨",
    "白色和黄色有什么区别",
    "连接超时怎么办",
    "计算机应用基础",
    "常用功能都在首页",
    "于是我们重新部署了一遍",
    "经理级别以上才能审批",
    "老师傅带新员工的制度",
    "小米手机和老年机",
    "总经理办公室在几楼",
    "明天时间充裕",
    "向量数据库的索引类型",
    "余额不足请充值",
    "路由器连不上网",
    "申请人应当在三十日内提出",
    "联系人信息不完整",
    "康复训练需要多久",
    "易用性测试报告",
    "Visual Studio Code crashes",
    "The Quick Start Guide",
    "Open the Settings Page",
    "Machine Learning with Apache Spark",
    "Dear Customer, thank you",
    "Thanks, Support Team",
    "Best Practices for Prompt Engineering",
    "Mark the item as done. Will do.",
    "May I ask about Grant funding in June?",
    "Austin and Jordan are places",
    "Contact Us or call Customer Service",
    "Red Hat Enterprise Linux 9.3",
    "Monday, Tuesday and Friday",
    "Hong Kong and New York are hubs",
    "I am Not sure. I'm Done.",
    "Named Entity Recognition",
    "Ask Product Management",
    "From London to Paris via Brussels",
    "He can swim and Sun rises",
    "Long Range Planning",
    "St. Louis Arch",
    "John Deere parts",
    "The Johnson & Johnson recall",
    "May is warm. Will Jenkins fail?",
    "Kafka and Cassandra run apart",
    "安卓和鸿蒙的冷藏室应用",
    "温控器安装包校验失败",
    "谢谢高清画质的帮助",
]


@pytest.mark.parametrize(("text", "names"), CHINESE)
def test_a_chinese_name_is_taken_out(text: str, names: list[str]) -> None:
    assert values(text, "person") == names


@pytest.mark.parametrize(("text", "names"), ENGLISH)
def test_a_name_in_latin_letters_is_taken_out(text: str, names: list[str]) -> None:
    assert values(text, "person") == names


@pytest.mark.parametrize("text", LEFT)
def test_what_is_nobodys_name_stays(text: str) -> None:
    assert taken(text) == []
