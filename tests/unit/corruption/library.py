"""A small bilingual knowledge base: what the traces of these tests are made of. All of it is invented."""

from __future__ import annotations

from judges.corruption.traces import Material, Pool

_EN = (
    (
        "How long does the Aurora lamp last?",
        "The Aurora lamp is made of steel and glass. Its battery lasts 30 hours on the low setting. "
        "Charging takes 4 hours with the supplied cable.",
        "The battery of the Aurora lamp lasts 30 hours on the low setting.",
    ),
    (
        "When can I cancel a course?",
        "Courses at the Harbour School start every Monday at 9:00 am. A course can be cancelled until "
        "14 days before it starts. "
        "After that, half of the fee is due unless a doctor's note is sent.",
        "You can cancel a course until 14 days before it starts. After that, half of the fee is due.",
    ),
    (
        "What does a parcel to Norway cost?",
        "Parcels within the country cost 5 euros. Parcels to Norway cost 18 euros and take 6 working days. "
        "Parcels above 20 kg are not accepted.",
        "A parcel to Norway costs 18 euros and takes 6 working days.",
    ),
    (
        "Who approves travel above the limit?",
        "Trips are booked in the travel tool. The team lead approves trips up to 800 euros; the finance "
        "director approves "
        "anything above. Some trips may be refused in December.",
        "The finance director approves trips above 800 euros; some trips may be refused in December.",
    ),
    (
        "Does the R7 router support mesh?",
        "The R7 router has four ports and two antennas. It supports mesh networks with up to 6 other "
        "routers. "
        "The R5 router does not support mesh.",
        "Yes, the R7 router supports mesh networks with up to 6 other routers.",
    ),
    (
        "How do I reset the Brisk kettle?",
        "The Brisk kettle holds 1.7 liters. To reset it, first unplug the kettle, then hold the lid "
        "button for 10 seconds. "
        "The lamp turns green when it is done.",
        "First unplug the kettle, then hold the lid button for 10 seconds.",
    ),
    (
        "When was the museum founded?",
        "The Linden Museum was founded in 1921 by Maria Weber. It is open daily except on Mondays. "
        "Most rooms are accessible by wheelchair.",
        "The Linden Museum was founded in 1921 by Maria Weber.",
    ),
    (
        "Can guests use the garage?",
        "The garage is open from 6:00 to 22:00. Guests can use it only if they have a day pass, which "
        "costs 7 euros. "
        "Bicycles are parked free of charge.",
        "Guests can use the garage only if they have a day pass.",
    ),
    (
        "How often are backups made?",
        "Backups are made every 6 hours and kept for 35 days. A restore must be requested before noon. "
        "Usually it takes less than 2 hours.",
        "Backups are made every 6 hours and kept for 35 days.",
    ),
    (
        "Which countries does the roaming plan cover?",
        "The roaming plan covers France, Spain and Italy. It includes 5 GB of data per month. "
        "Calls from other countries cost 1 euro per minute.",
        "The roaming plan covers France, Spain and Italy, and it includes 5 GB of data per month.",
    ),
)
_ZH = (
    (
        "极光台灯能用多久？",
        "极光台灯由钢和玻璃制成。低亮度下电池可以使用30小时。使用附带的线充电需要4小时。",
        "极光台灯在低亮度下可以使用30小时。",
    ),
    (
        "课程什么时候可以取消？",
        (
            "海港学校的课程每周一上午9点开课。课程可以在开课14天之前取消。逾期取消的收取一半费用，除非提供医"
            "院证明。"
        ),
        "课程可以在开课14天之前取消，逾期取消的收取一半费用。",
    ),
    (
        "寄挪威的包裹多少钱？",
        "国内包裹每件5元。寄往挪威的包裹每件180元，需要6个工作日。超过20公斤的包裹不予受理。",
        "寄往挪威的包裹每件180元，需要6个工作日。",
    ),
    (
        "超标的差旅由谁审批？",
        (
            "差旅在差旅系统中预订。800元以下的由部门主管审批，800元以上的由财务总监审批。部分差旅在12月可能"
            "会被拒绝。"
        ),
        "800元以上的差旅由财务总监审批，部分差旅在12月可能会被拒绝。",
    ),
    (
        "R7路由器支持组网吗？",
        "R7路由器有四个接口和两根天线。R7路由器支持与最多6台路由器组网。R5路由器不支持组网。",
        "支持，R7路由器支持与最多6台路由器组网。",
    ),
    (
        "轻风水壶怎么复位？",
        "轻风水壶的容量为1.7升。复位时请先拔下电源，再长按壶盖按钮10秒。完成后指示灯变为绿色。",
        "请先拔下电源，再长按壶盖按钮10秒。",
    ),
    (
        "菩提博物馆是哪年建立的？",
        "菩提博物馆由沈柏年教授于1921年建立。除周一外，每天开放。大部分展厅可以通行轮椅。",
        "菩提博物馆由沈柏年教授于1921年建立。",
    ),
    (
        "访客可以使用车库吗？",
        "车库开放时间为6点至22点。访客只有购买日票才能使用车库，日票7元。自行车免费停放。",
        "访客只有购买日票才能使用车库，日票7元。",
    ),
    (
        "备份多久做一次？",
        "备份每6小时做一次，保留35天。恢复申请须在中午之前提交。通常在2小时内完成。",
        "备份每6小时做一次，保留35天。",
    ),
    (
        "漫游套餐覆盖哪些国家？",
        "漫游套餐覆盖法国、西班牙和意大利。漫游套餐每月包含5GB流量。在其他国家通话每分钟1元。",
        "漫游套餐覆盖法国、西班牙和意大利，每月包含5GB流量。",
    ),
)
_FOLLOW_UPS = {
    "en": (
        "How long does it take to charge?",
        "Charging takes 4 hours with the supplied cable.",
        "How long does the Aurora lamp take to charge?",
    ),
    "zh": ("那充电要多久？", "使用附带的线充电需要4小时。", "极光台灯充电要多久？"),
}
LANGUAGES = ("en", "zh")


def load_materials(language: str) -> list[tuple[Material, Pool]]:
    """Ten clear questions and a follow-up, each with everything else as its pool."""
    rows = _EN if language == "en" else _ZH
    made = [(Material(language, q, (text,), answer), _pool(rows, text)) for q, text, answer in rows]
    question, answer, rewrite = _FOLLOW_UPS[language]
    before = made[0][0]
    history = ((before.question, before.answer),)
    made.append((Material(language, question, before.chunks, answer, history, rewrite), made[0][1]))
    return made


def _pool(rows: tuple[tuple[str, str, str], ...], text: str) -> Pool:
    return Pool(
        passages=tuple(other for _, other, _ in rows if other != text),
        questions=tuple(question for question, other, _ in rows if other != text),
    )
