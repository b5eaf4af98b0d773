"""Chinese questions without their topic: 陪产假有几天？ → 它有几天？, 套餐外流量怎么收费？ → 那怎么收费？"""

from __future__ import annotations

import re

_ASKS = (
    "怎么|怎样|如何|多久|多长|多少|几|什么|哪|何时|是否|能否|可否|能不能|可不可以|会不会|有没有|是不是|要不要"
)
_SAYS = (
    "最[多少长高低大]|可以|能(?!力|源|量)|要(?!求|点)|需要|是(?!否)|有(?!效|关|限)|支持|应该|会(?!员|议)|在(?!线)"
    "|由|属于|为|叫"
    "|的(?:有效期|价格|面积|人口|首都|作者|创始人)"
)
_TOPIC = re.compile(
    r"^(?:请问|想问一下|问一下)?(?P<topic>[\u4e00-\u9fffA-Za-z0-9“”《》·-]{2,14}?)"
    rf"(?P<rest>(?:{_ASKS}|{_SAYS}).*)$"
)
_ASKED = re.compile(rf"{_ASKS}|吗|呢")
_EVERY = re.compile(r"(?:每[天日周月年次]|一[天周年次]|最多|最少|现在|目前)$")
_NO_TOPIC = re.compile(
    r"^(?:我|你|您|他|她|它|这|那|如果|为什么|怎|如何|什么|哪|谁|几|多|是|有|能|可以|请|想|要|在|从|对|用|当"
    r"|把|被|给)|.*(?:我|您|你|不|没|如果|的时候|[从补给了去到就都还也应须必起前后里中上下])$|.*(?:我|您|你"
    r"|不|没|如果)"
)


def leave_out_zh(question: str) -> list[tuple[str, str]]:
    """Ways to ask without the topic that the question opens with, each with the topic.

    >>> leave_out_zh("陪产假有几天？")
    [('它有几天？', '陪产假')]
    >>> leave_out_zh("套餐外流量怎么收费？")
    [('那怎么收费？', '套餐外流量')]
    """
    match = _TOPIC.match(question.strip())
    if match is None or _NO_TOPIC.match(match["topic"]) or not _ASKED.search(match["rest"]):
        return []
    topic, rest = _EVERY.sub("", match["topic"].strip("“”《》")), match["rest"]
    pronoun = "那" if re.match(_ASKS, rest) else "它"
    return [(pronoun + rest, topic)]
