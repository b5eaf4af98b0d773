"""Units by family, smallest first. Units of one size are synonyms."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: its size within the family, and its written forms (all units of a family list alike)."""

    size: float
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Units that measure one thing. `exact`: capitals matter (mW and MW)."""

    name: str
    units: tuple[Unit, ...]
    chinese: bool = False
    exact: bool = False
    unless: str = ""
    """A pattern that must not follow."""
    pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        forms = sorted({f for unit in self.units for f in unit.forms}, key=lambda f: (-len(f), f))
        written = "|".join(map(re.escape, forms))
        edge = rf"(?:{written})" if self.chinese else rf"(?:{written})(?![A-Za-z0-9])"
        unless = rf"(?!{self.unless})" if self.unless else ""
        flags = re.NOFLAG if self.exact or self.chinese else re.IGNORECASE
        object.__setattr__(self, "pattern", re.compile(edge + unless, flags))


def _family(name: str, table: str, **options: bool | str) -> Family:
    """A family from lines of `size form form …`; `_` in a form is a space."""
    units = []
    for line in table.strip().splitlines():
        size, *forms = line.split()
        units.append(Unit(float(size), tuple(f.replace("_", " ") for f in forms)))
    chinese, exact = bool(options.get("chinese")), bool(options.get("exact"))
    return Family(name, tuple(units), chinese, exact, str(options.get("unless", "")))


FAMILIES: tuple[Family, ...] = (
    _family(
        "time",
        """
        1 second seconds
        60 minute minutes
        3600 hour hours
        86400 day days
        604800 week weeks
        2592000 month months
        31536000 year years
        """,
    ),
    _family("days", "1 calendar_days\n1.4 business_days\n1.4 working_days\n7 weeks"),
    _family("time", "0.001 ms\n1 s\n60 min\n3600 h", exact=True),
    _family(
        "time",
        """
        1 秒 秒钟 秒 秒内
        60 分钟 分钟 分钟 分钟内
        3600 小时 小时 个小时 小时内
        86400 天 天 天 日内
        604800 周 周 个星期 周内
        2592000 个月 个月 个月 个月内
        31536000 年 年 年 年内
        """,
        chinese=True,
        unless="年|级|代|度|份|龄|轻|底|初|末|岁|边|围|期|报|会|假|数",
    ),
    _family(
        "days",
        "86400 个自然日 自然日\n120000 个工作日 工作日\n604800 周 周\n2592000 个月 个月",
        chinese=True,
        unless="年",
    ),
    _family(
        "length",
        """
        0.001 millimeter millimeters millimetre millimetres
        0.01 centimeter centimeters centimetre centimetres
        0.0254 inch inches inch inches
        0.3048 foot feet foot feet
        1 meter meters metre metres
        1000 kilometer kilometers kilometre kilometres
        1609 mile miles mile miles
        """,
    ),
    _family("length", "0.001 mm\n0.01 cm\n1 m\n1000 km", exact=True),
    _family(
        "length",
        "0.001 毫米\n0.01 厘米\n1 米\n500 里\n1000 公里\n1000 千米\n1609 英里",
        chinese=True,
        unless="饭|粉|面|程|拉|兰|老|字|其|弄|面|头|线|左右岸",
    ),
    _family(
        "area",
        "1 square_meters square_metres\n10000 hectares hectares\n1000000 square_kilometers square_kilometres",
    ),
    _family("area", "1 平方米\n667 亩\n10000 公顷\n1000000 平方公里", chinese=True),
    _family("weight", "0.001 milligrams\n1 grams\n28 ounces\n453 pounds\n1000 kilograms\n1000000 tons"),
    _family("weight", "0.001 mg\n1 g\n1000 kg", exact=True),
    _family(
        "weight", "0.001 毫克\n1 克\n500 斤\n1000 公斤\n1000 千克\n1000000 吨", chinese=True, unless="拉|位"
    ),
    _family("volume", "0.001 milliliters millilitres\n1 liters litres\n3.785 gallons gallons"),
    _family("volume", "0.001 毫升\n1 升\n1000 立方米", chinese=True, unless="级|学|职|值|高|降|至|到"),
    _family("data", "1 KB\n1000 MB\n1000000 GB\n1000000000 TB", exact=True),
    _family("speed", "1 Kbps\n1000 Mbps\n1000000 Gbps", exact=True),
    _family("frequency", "1 Hz\n1000 kHz\n1000000 MHz\n1000000000 GHz", exact=True),
    _family("power", "1 W\n1000 kW\n1000000 MW", exact=True),
    _family("voltage", "0.001 mV\n1 V\n1000 kV", exact=True),
    _family("charge", "1 mAh\n1000 Ah", exact=True),
    _family("temperature", "1 °C ℃\n2 °F ℉", exact=True),
    _family("temperature", "1 摄氏度\n2 华氏度", chinese=True),
    _family("temperature", "1 degrees_Celsius\n2 degrees_Fahrenheit", exact=True),
    _family("currency", "0.9 euros\n1 dollars\n7 yuan\n150 yen"),
    _family("currency", "0.9 EUR\n1 USD\n7 CNY", exact=True),
    _family(
        "currency",
        "1 日元\n20 元\n20 块钱\n130 美元\n140 欧元\n160 英镑",
        chinese=True,
        unless="素|旦|器|件|老|首|宵|组|年|月|人民币|起家",
    ),
)
"""All that stands behind a number."""

RATES: tuple[Family, ...] = (
    _family(
        "rate",
        (
            "1 per_hour per_hour\n24 per_day per_day\n168 per_week per_week\n720 per_month per_month\n8760 "
            "per_year per_year"
        ),
    ),
    _family("rate", "1 hourly\n24 daily\n168 weekly\n720 monthly\n8760 yearly\n8760 annually"),
    _family(
        "rate",
        (
            "24 every_day each_day\n168 every_week each_week\n720 every_month each_month\n8760 every_year "
            "each_year"
        ),
    ),
    _family(
        "rate", "1 每小时 每小时\n24 每天 每日\n168 每周 每周\n720 每月 每月\n8760 每年 每年", chinese=True
    ),
)
"""How often: these need no number before them."""
