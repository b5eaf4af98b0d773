"""Check digits: what makes a number of many digits one of a person, a company or a bank."""

from __future__ import annotations

from typing import Final

_ID_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECKS: Final = "10X98765432"
_CREDIT: Final = "0123456789ABCDEFGHJKLMNPQRTUWXY"
_CREDIT_WEIGHTS: Final = (1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28)
_PROVINCES: Final = frozenset(
    "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81"
    " 82 83".split()
)
_DAYS: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_IBAN_LENGTHS: Final = {
    country: int(length)
    for country, length in (
        pair.split(":")
        for pair in (
            "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 BY:28 CH:21 CR:22 CY:28 CZ:24"
            " DE:22 DK:18"
            " DO:28 EE:20 EG:29 ES:24 FI:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HR:21 HU:28"
            " IE:22 IL:23"
            " IQ:23 IS:26 IT:27 JO:30 KW:30 KZ:20 LB:28 LC:32 LI:21 LT:20 LU:20 LV:21 LY:25 MC:27 MD:24"
            " ME:22 MK:19"
            " MR:27 MT:31 MU:30 NL:18 NO:15 PK:24 PL:28 PS:29 PT:25 QA:29 RO:24 RS:22 SA:24 SC:31 SE:24"
            " SI:19 SK:24"
            " SM:27 ST:25 SV:28 TL:23 TN:24 TR:26 UA:29 VA:22 VG:24 XK:20"
        ).split()
    )
}


def is_birthday(digits: str) -> bool:
    """Whether YYYYMMDD is a day on which somebody alive may have been born."""
    year, month, day = int(digits[:4]), int(digits[4:6]), int(digits[6:8])
    return 1900 <= year <= 2035 and 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]


def is_resident_shape(number: str) -> bool:
    """Whether 18 characters begin with a province of China and hold a birthday: 1 of 50,000 numbers does.

    The check digit is not asked for: people mistype their numbers too.
    """
    return len(number) == 18 and number[:2] in _PROVINCES and is_birthday(number[6:14])


def is_resident_id(number: str) -> bool:
    """Whether 18 characters are a resident id of China (GB 11643-1999: ISO 7064 MOD 11-2)."""
    if not is_resident_shape(number):
        return False
    total = sum(int(digit) * weight for digit, weight in zip(number[:17], _ID_WEIGHTS, strict=True))
    return _ID_CHECKS[total % 11] == number[17].upper()


def is_old_resident_id(number: str) -> bool:
    """Whether 15 digits are a resident id of China as given out before 1999 (no check digit)."""
    return len(number) == 15 and number[:2] in _PROVINCES and is_birthday("19" + number[6:12])


def is_social_security(number: str) -> bool:
    """Whether nine digits in groups of 3, 2, 4 may be a social security number of the United States."""
    return (
        number[:3] not in ("000", "666")
        and number[0] != "9"
        and number[4:6] != "00"
        and number[-4:] != "0000"
    )


def is_credit_code(code: str) -> bool:
    """Whether 18 characters are a unified social credit code (GB 32100-2015: MOD 31)."""
    code = code.upper()
    if len(code) != 18 or any(character not in _CREDIT for character in code):
        return False
    values = [_CREDIT.index(character) for character in code]
    total = sum(value * weight for value, weight in zip(values, _CREDIT_WEIGHTS, strict=False))
    return (31 - total % 31) % 31 == values[17]


def is_luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0 and len(set(digits)) > 1


def is_iban(code: str) -> bool:
    """Whether letters and digits without blanks are an account number after ISO 13616 (MOD 97-10)."""
    code = code.upper()
    if _IBAN_LENGTHS.get(code[:2]) != len(code) or not (code.isascii() and code.isalnum()):
        return False
    turned = code[4:] + code[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1
