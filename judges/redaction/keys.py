"""Secrets: whoever reads them may act in somebody's name. And addresses of machines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from judges.redaction.cues import find_cues
from judges.redaction.fold import Folded
from judges.redaction.kinds import IP, KEY
from judges.redaction.spans import Item
from judges.redaction.zones import touches, zones

_BLOCK: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----")
_BLOCK_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}-----")
_BODY: Final = re.compile(r"[A-Za-z0-9+/=\s:,-]{0,8192}")
"""What a key without its last line is made of."""
_PREFIXES: Final = {
    "sk-": r"(?:ant-|proj-|or-|svcacct-)?[\w-]{16,200}",
    "sk_": r"(?:live_|test_)?[0-9A-Za-z]{16,120}",
    "rk_": r"(?:live_|test_)?[0-9A-Za-z]{16,120}",
    "pk_": r"(?:live_|test_)?[0-9A-Za-z]{16,120}",
    "whsec_": r"[0-9A-Za-z+/=]{16,120}",
    "ghp_": r"[0-9A-Za-z]{20,255}",
    "gho_": r"[0-9A-Za-z]{20,255}",
    "ghu_": r"[0-9A-Za-z]{20,255}",
    "ghs_": r"[0-9A-Za-z]{20,255}",
    "ghr_": r"[0-9A-Za-z]{20,255}",
    "github_pat_": r"\w{22,255}",
    "glpat-": r"[\w-]{20,64}",
    "AKIA": r"[0-9A-Z]{16}",
    "ASIA": r"[0-9A-Z]{16}",
    "AIza": r"[\w-]{30,45}",
    "ya29.": r"[\w-]{20,400}",
    "xoxa-": r"[\w-]{10,250}",
    "xoxb-": r"[\w-]{10,250}",
    "xoxe-": r"[\w-]{10,250}",
    "xoxp-": r"[\w-]{10,250}",
    "xoxr-": r"[\w-]{10,250}",
    "xoxs-": r"[\w-]{10,250}",
    "xapp-": r"[\w-]{10,250}",
    "npm_": r"[0-9A-Za-z]{30,40}",
    "pypi-": r"[\w-]{16,250}",
    "hf_": r"[0-9A-Za-z]{20,64}",
    "SG.": r"[\w-]{16,64}\.[\w-]{16,64}",
    "LTAI": r"[0-9A-Za-z]{12,24}",
    "AKID": r"[0-9A-Za-z]{13,40}",
    "dop_v1_": r"[0-9a-f]{40,64}",
    "shpat_": r"[0-9a-f]{32}",
    "sq0": r"[a-z]{3}-[\w-]{22,64}",
    "EAAC": r"[0-9A-Za-z]{30,250}",
    "gsk_": r"[0-9A-Za-z]{20,80}",
    "nvapi-": r"[\w-]{20,100}",
    "tvly-": r"[\w-]{16,64}",
    "r8_": r"[0-9A-Za-z]{30,50}",
    "sntrys_": r"[\w+/=-]{20,255}",
    "lsv2_": r"\w{20,100}",
    # never beyond the next place that begins in the same way, or each place would read to the end
    "eyJ": r"(?:(?![_-]eyJ)[\w-]){8,4000}+\.[\w-]{4,8000}+(?:\.[\w-]{0,2000}+)?",
    "AAAAB3Nza": r"[0-9A-Za-z+/=]{40,2000}",
}
"""How keys of known issuers begin, and go on."""
_ISSUED: Final = {
    prefix: re.compile(r"(?<![0-9A-Za-z])" + re.escape(prefix) + rest, re.ASCII)
    for prefix, rest in _PREFIXES.items()
}
_BOT: Final = re.compile(r"(?<![0-9A-Za-z])\d{8,10}:AA[\w-]{30,36}", re.ASCII)
_IN_ADDRESS: Final = re.compile(r"://(?P<value>[^\s/@\"'<>:]{0,128}+:[^\s@\"'<>]{1,128}+)@")
_PARAMETERS: Final = (
    "token", "key", "apikey", "secret", "sig", "signature", "password", "passwd", "pwd", "auth", "code",
    "session",
    "sessionid", "sid", "ticket", "credential", "jwt",
)  # fmt: skip
_PARAMETER: Final = re.compile(r"=(?P<value>[^\s&#\"'<>,;]{4,2000})")
_LABELS_EN: Final = (
    "key", "secret", "token", "password", "passwd", "pwd", "passcode", "passphrase", "pass", "pin", "pin"
    " code", "otp",
    "cvv", "cvv2", "cvc", "session_id", "session id", "sessionid", "cookie", "credential", "credentials",
    "pw",
    "access_key_id", "access key id", "accesskey", "accesskeyid", "apikey", "secretkey", "secretid",
    "clientsecret",
    "accesstoken", "verification code", "security code", "confirmation code", "one-time code", "login"
    " code", "jwt",
    "authentication code", "auth code", "2fa code", "sms code", "authorization", "bearer", "x-api-key",
    "webhook",
)  # fmt: skip
_LABELS_ZH: Final = (
    "密码", "口令", "密钥", "秘钥", "私钥", "令牌", "验证码", "校验码", "动态码", "安全码", "提取码",
    "授权码",
    "激活码", "暗号", "安全代码", "key", "token", "secret", "secretid", "accesskey", "pwd", "password",
)  # fmt: skip
_LABELLED: Final = re.compile(
    r"[\"']?\)?\s{0,2}(?:(?:for|of|to|on)\s(?:[\w-]{1,16}\s){1,3})?"
    r"(?:[:=]{1,2}>?|是|为|改成了?|换成了?|设为|设成|设置为|重置[为成]|重设[为成]|[(]|"
    r"(?:is|was)(?:\snow)?(?:\s(?:set|reset|changed)\sto)?(?![a-z]))?"
    r"[:=]?[\s\"'`“”「」]{0,4}(?:bearer |basic |token )?"
    r"(?P<value>[A-Za-z0-9!@#$%^&*_+~./?=-]{3,100})",
    re.IGNORECASE | re.ASCII,
)
_PIECES: Final = re.compile(
    r"\s{0,2}(?::|=|是|为|is(?![a-z]))?\s{0,2}(?P<value>\d{3}[ -]\d{3,4})(?![\w-])", re.IGNORECASE | re.ASCII
)
"""A code in two parts, as it is read from a telephone."""
_FAR: Final = re.compile(
    r"[^!-~\n]{1,8}(?P<value>(?=[!-~]{0,20}[0-9])(?=[!-~]{0,20}[A-Za-z])(?=[!-~]{0,20}[!@#$%^&*])[!-~]{6,40})"
)
"""A password with a letter, a digit and a sign, some Chinese characters behind the word for it."""
_NEEDS_SIGN: Final = re.compile(
    r"[:=(\"'`]|是|为|成|(?<![a-z])(?:is|was|to)(?![a-z])|bearer|basic", re.IGNORECASE
)
_SHORT: Final = re.compile(r"(?:cvv2?|cvc|pin|otp|code|安全码|验证码|提取码)$", re.IGNORECASE)
_REST: Final = re.compile(r"[A-Za-z0-9!@#$%^&*_+~./?=-]+")
"""Of a secret longer than what is looked at to see whether it is one."""
_DIGIT: Final = re.compile(r"[0-9]")
_SIGN: Final = re.compile(r"[!@#$%^&*+~]")
_PASSWORD: Final = re.compile(r"(?:password|passwd|pwd|passphrase|passcode|密码|口令)$", re.IGNORECASE)
_COUNTS: Final = re.compile(
    r"[\s-]?(?:bits?|bytes?|chars?|characters?|digits?|words?|days?|hours?|minutes?|seconds?|tokens?|位"
    r"|个|字|秒|分钟|天|次|元)",
    re.IGNORECASE,
)
_NEXT: Final = re.compile(r"&[\w-]{1,32}=")
"""The next parameter of an address."""
_NUMBER: Final = re.compile(r"[^\w.-]|\d{1,3}(?:bit|位|个|s|ms|min)?", re.IGNORECASE)
_IP4: Final = re.compile(
    r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w-]|\.\d)", re.ASCII
)
_IP6: Final = re.compile(
    r"(?<![\w:.])(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4}){1,6}(?![\w:])", re.ASCII | re.IGNORECASE
)
_NOT_PUBLIC: Final = re.compile(
    r"(?:0|10|127|22[4-9]|23\d|24\d|25[0-5])\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\."
)
_VERSIONED: Final = re.compile(
    r"(?:版本|固件|内核|驱动|ver(?:sion)?|v|release|build|firmware|chrome|section|§)[\s:.]{0,3}(?:is |为"
    r"|是)?$",
    re.IGNORECASE,
)
_TOLD: Final = re.compile(
    r"(?:ip|ipv4|client|remote|host|server|peer|from|addr|address|node|ssh|来自|登录|地址|服务器|主机"
    r"|访问|从|user|连接|ping|节点)[^\n\d]{0,12}$",
    re.IGNORECASE,
)


def find_keys(folded: Folded) -> Iterator[Item]:
    """Every secret with the mark of its issuer, or that the words before it give away."""
    text = folded.text
    yield from _find_blocks(text)
    for prefix, pattern in _ISSUED.items():
        place = text.find(prefix)
        while place >= 0:
            match = pattern.match(text, place)
            if match:
                yield Item(KEY, *match.span())
            place = text.find(prefix, match.end() if match else place + len(prefix))
    if ":AA" in text:
        for match in _BOT.finditer(text):
            yield Item(KEY, *match.span())
    if "://" in text:
        for match in _IN_ADDRESS.finditer(text):
            yield Item(KEY, *match.span("value"))
    if "=" in text:
        yield from _find_parameters(folded)
    yield from _find_labelled(folded)


def _find_parameters(folded: Folded) -> Iterator[Item]:
    done = 0
    for place in sorted(find_cues(folded.low, _PARAMETERS)):
        if place >= done and (match := _PARAMETER.match(folded.text, place)):
            done = match.end()
            yield Item(KEY, *match.span("value"))


def _find_labelled(folded: Folded) -> Iterator[Item]:
    text, done = folded.text, 0
    labels = _LABELS_EN if folded.low.isascii() else _LABELS_EN + _LABELS_ZH
    for place in sorted(find_cues(folded.low, labels)):
        if place < done:
            continue  # a label within a secret
        if plain := _plain_secret(text, place):
            done = plain.end("value")
            yield Item(KEY, *plain.span("value"))
            continue
        match = _LABELLED.match(text, place)
        if match and _is_secret(text, place, match):
            start = match.start("value")
            rest = _REST.match(text, match.end())
            done = rest.end() if rest else match.end()
            yield Item(KEY, start, start + len(_trimmed(text[start:done])))


def _plain_secret(text: str, end: int) -> re.Match[str] | None:
    """What is a secret by its shape behind a label that ends at a place."""
    if _SHORT.search(text, max(0, end - 4), end):
        return _PIECES.match(text, end)
    return _FAR.match(text, end) if _PASSWORD.search(text, max(0, end - 10), end) else None


def _trimmed(value: str) -> str:
    value = _NEXT.split(value, maxsplit=1)[0]
    return value.rstrip(".,?") if len(value) > 4 else value


def _is_secret(text: str, end: int, match: re.Match[str]) -> bool:
    """A word of letters alone is more often a word than a secret, and a small number a length."""
    value = _trimmed(match["value"])
    if value.isdigit() and 3 <= len(value) <= 8 and _SHORT.search(text, max(0, end - 4), end):
        return True
    if value.rstrip("!").isalpha() or _NUMBER.fullmatch(value) or "://" in value:
        return False
    signed = bool(_NEEDS_SIGN.search(text, end, match.start("value")))
    if value.isdigit():
        if _COUNTS.match(text, match.start("value") + len(value)):
            return False
        return signed or (len(value) >= 4 and "\u4e00" <= text[end - 1] <= "\u9fff")
    if _DIGIT.search(value):
        return signed or len(value) >= 4
    if value.count("-") >= 2 and _PASSWORD.search(text, max(0, end - 10), end):
        return signed  # correct-horse-battery
    return signed and bool(_SIGN.search(value)) and len(value) >= 6


def _find_blocks(text: str) -> Iterator[Item]:
    place = 0
    while (place := text.find("-----BEGIN", place)) >= 0:
        begin = _BLOCK.match(text, place)
        if begin is None:
            place += 10
            continue
        body = _BODY.match(text, begin.end())
        end = body.end() if body else begin.end()
        last = _BLOCK_END.search(text, max(begin.end(), end - 80), end + 80)
        yield Item(KEY, place, last.end() if last else end)
        place = last.end() if last else end


def find_ips(folded: Folded) -> Iterator[Item]:
    """Public addresses of machines, where words before them say so: four numbers may be a version."""
    text = folded.text
    if text.count(".") >= 3:
        for match in (
            m for start, end in zones(text) for m in _IP4.finditer(text, start, min(len(text), end + 1))
        ):
            before = text[max(0, match.start() - 24) : match.start()]
            if (
                not touches(text, match.start())
                and _TOLD.search(before)
                and not _NOT_PUBLIC.match(match[0])
                and not _VERSIONED.search(before)
            ):
                yield Item(IP, *match.span())
    if text.count(":") >= 3:
        for match in _IP6.finditer(text):
            if "::" in match[0] or match[0].count(":") == 7:
                yield Item(IP, *match.span())
