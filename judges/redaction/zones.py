"""Where a text holds numbers, and what the words before a number say that it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_ZONE: Final = re.compile(r"[0-9][0-9 \t().+/_·-]{3,}")
_BEFORE: Final = 28
_THINGS: Final = (
    "订单 单号 运单 快递 物流 工单 流水 流水号 交易号 发票 票号 型号 料号 物料 编码 条码 条形码 货号 批号"
    " 批次 版本 产品 商品 零件 备件 部件 序列号 合同 标准号"
    " 专利 图号 文号 编号 错误码 代码 端口 固件 设备号 机型 尺寸 价格 金额 库存 数量 总计 国标 时间戳"
    " 邮政编码 余额 总额 序号 案号 铭牌 条目 页码"
).split()
_THINGS_EN: Final = (
    "orders? invoice tracking shipment ticket case part model sku serial s/n sn p/n pn upc ean gtin asin"
    " isbn issn doi imei vin"
    " version ver build firmware batch lot item product error code ref reference transaction txn po rma"
    " patent revision rev"
    " commit port timestamp epoch price total usd qty quantity catalog catalogue cas job run pid bug rfc"
    " pages? rows? lines?"
).split()
_OF_A_THING: Final = re.compile(
    rf"(?:{'|'.join(_THINGS)}|(?<![A-Za-z])(?:{'|'.join(_THINGS_EN)}))"
    r"(?:[ _-]?(?:number|numbers|num|no|id|nr|#))?[.#]{0,2}(?:号码|号|码)?[\s:=#\"'(\[为是]{0,5}"
    r"(?:is|was)?\s{0,2}[A-Za-z]{0,6}[-_/]?$",
    re.IGNORECASE,
)


def zones(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of digits and of what is written between digits; all numbers of a text lie in one."""
    for match in _ZONE.finditer(text):
        start, end = match.span()
        while start and match.start() - start < 2 and text[start - 1] in "+(":
            start -= 1
        yield start, end


def before(text: str, start: int) -> str:
    """The words before a place."""
    return text[max(0, start - _BEFORE) : start]


def is_of_a_thing(words: str) -> bool:
    """Whether words end in one for numbers of things (orders, parts, versions), not of people."""
    return bool(_OF_A_THING.search(words))


def touches(text: str, start: int) -> bool:
    """Whether a letter, digit, point or dash stands right before a place: something longer began there."""
    return start > 0 and (_joins(text[start - 1]) or text[start - 1] in ".-")


def is_joined(text: str, start: int, end: int) -> bool:
    """Whether letters or digits touch a stretch, so that it is part of something longer."""
    left = text[start - 1] if start else " "
    right = text[end] if end < len(text) else " "
    return _joins(left) or _joins(right)


def _joins(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")
