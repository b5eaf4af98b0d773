"""Secrets: whoever reads them may act in somebody's name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.redaction.kinds import IP, KEY
from judges.redaction.spans import Item

_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|CERTIFICATE)[A-Z ]{0,10}-----")
_BLOCK_END = re.compile(r"-----END [A-Z0-9 ]{0,40}-----")
_ISSUED = re.compile(
    r"(?<![0-9A-Za-z])(?:sk-(?:ant-|proj-|or-|svcacct-)?[\w-]{16,200}|(?:sk|rk|pk|whsec)_(?:live_|test_)?[0-9A-Za-z]{16,120}|gh[pousr]_[0-9A-Za-z]{20,255}|github_pat_\w{22,255}|glpat-[\w-]{20,64}"
    r"|A(?:KIA|SIA|GPA|ROA|IDA)[0-9A-Z]{16}|AIza[\w-]{35}|ya29\.[\w-]{20,400}|xox[abeoprs]-[\w-]{10,250}|xapp-[\w-]{10,250}|npm_[0-9A-Za-z]{36}|pypi-[\w-]{16,250}|hf_[0-9A-Za-z]{20,64}"
    r"|SG\.[\w-]{16,64}\.[\w-]{16,64}|LTAI[0-9A-Za-z]{12,24}|AKID[0-9A-Za-z]{13,40}|dop_v1_[0-9a-f]{64}|shpat_[0-9a-f]{32}|sq0[a-z]{3}-[\w-]{22,64}|EAAC[0-9A-Za-z]{30,250}|gsk_[0-9A-Za-z]{20,80}|nvapi-[\w-]{20,100}|tvly-[\w-]{16,64}|r8_[0-9A-Za-z]{30,50}"
    r"|eyJ[\w-]{8,2000}\.[\w-]{4,4000}(?:\.[\w-]{0,1000})?|\d{8,10}:AA[\w-]{30,36})",
    re.ASCII,
)
_AUTHORIZED = re.compile(r"\b(?:bearer|basic)\s{1,3}(?P<value>[\w.~+/=-]{12,2000})", re.IGNORECASE | re.ASCII)
_IN_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}://(?P<value>[^\s/@\"'<>]{1,128}:[^\s@\"'<>]{1,128})@", re.IGNORECASE
)
_IN_QUERY = re.compile(
    r"[?&;](?:[\w-]{0,24}[_-])?(?:token|key|apikey|api_key|secret|sig|signature|password|passwd|pwd|auth|code|session|sessionid|sid|ticket|credential|access_key)=(?P<value>[^\s&#\"'<>]{4,2000})",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:(?<![A-Za-z])(?:[\w-]{0,24}[_-])?(?:api[ _-]?key|apikey|secret(?:[ _-]?(?:access[ _-]?)?key)?|client[ _-]?secret|access[ _-]?key(?:[ _-]?(?:id|secret))?|access[ _-]?token|auth[ _-]?token|refresh[ _-]?token|token|private[ _-]?key|password|passwd|pwd|passcode|passphrase|pass|pin(?: code)?|otp|cvv2?|cvc|session[ _-]?id|cookie"
    r"|(?:verification|security|confirmation|one-time|login|auth(?:entication)?) code)"
    r"|密码|口令|密钥|秘钥|令牌|验证码|校验码|动态码|安全码|提取码|授权码|激活码)"
    r"[\"']?\s{0,2}(?:(?:for|of|to)\s(?:\w{1,16}\s){1,3})?(?:[:=]|是|为|改成了?|设为|设置为|重置为|(?:is|was)(?:\s(?:set|reset|changed)\sto)?(?![a-z]))[:=]?[\s\"'`“”「「]{0,4}"
    r"(?P<value>[A-Za-z0-9!@#$%^&*_+~./=?-]{3,512})",
    re.IGNORECASE | re.ASCII,
)
_CODE = re.compile(
    r"(?:验证码|校验码|动态码|提取码|OTP|PIN|CVV|passcode)\s?(?P<value>\d{3,8})(?!\d)", re.IGNORECASE
)
_IP4 = re.compile(
    r"(?<![\w.-])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w-]|\.\d)", re.ASCII
)
_IP_WORDS = re.compile(
    r"(?<![A-Za-z])(?:ip|ipv4|client|remote|host|from|来自|登录|地址|user)[^\n]{0,14}$", re.IGNORECASE
)


def find_keys(text: str) -> Iterator[Item]:
    """Every secret with the mark of its issuer, or that the words before it give away."""
    yield from _find_blocks(text)
    for match in _ISSUED.finditer(text):
        yield Item(KEY, *match.span())
    for pattern in (_AUTHORIZED, _IN_QUERY, _CODE):
        for match in pattern.finditer(text):
            yield Item(KEY, *match.span("value"))
    if "://" in text:
        for match in _IN_ADDRESS.finditer(text):
            yield Item(KEY, *match.span("value"))
    for match in _NAMED.finditer(text):
        if _is_secret(match["value"]):
            yield Item(KEY, *match.span("value"))


def _is_secret(value: str) -> bool:
    """A word of letters alone is more often a word than a password."""
    return any(not character.isalpha() for character in value.rstrip(".,!?"))


def _find_blocks(text: str) -> Iterator[Item]:
    if "-----BEGIN" not in text:
        return
    place = 0
    while match := _BLOCK.search(text, place):
        end = _BLOCK_END.search(text, match.end())
        place = end.end() if end else len(text)
        yield Item(KEY, match.start(), place)


def find_ips(text: str) -> Iterator[Item]:
    """Public addresses of machines, where the words before them say so: four numbers may also be a version."""
    for match in _IP4.finditer(text):
        if _IP_WORDS.search(text[max(0, match.start() - 24) : match.start()]):
            yield Item(IP, *match.span())
