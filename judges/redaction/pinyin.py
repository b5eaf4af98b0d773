"""Chinese names in Latin letters (Hanyu Pinyin): Zhang Wei, Li Xiaoming, Wei Zhang."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from judges.redaction.vocabulary import english_words

_FAMILIES: Final = frozenset(
    "wang li zhang liu chen yang huang zhao wu zhou xu sun ma zhu hu guo lin he gao luo zheng liang xie"
    " song tang deng feng cao zeng peng xiao cai pan tian dong yuan jiang lu su ye jia wei xue yan yu du"
    " dai xia fu zhong ren fan liao zou xiong jin hao kong bai cui kang mao qiu qin shi gu hou shao meng"
    " wan duan lei qian yin chang qiao lai gong wen pang lan yao tan shen han cheng ding dou ouyang sima"
    " zhuge shangguan situ nie ge qi mei zhuang xin guan zhan ning ou qu xiang chai bian".split()
)
_AMBIGUOUS: Final = frozenset(
    "he ma sun song pan tan fan long man ren wen wan lu he yu gong bai su lin lai yin lan shi gu fu du"
    " mei min ping ning can ge xin ou".split()
)
_TOWNS: Final = frozenset(
    {("hong", "kong"), ("xi", "an"), ("yun", "nan"), ("shan", "dong"), ("guang", "dong"), ("tai", "wan")}
)
_SYLLABLE: Final = (
    r"(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?(?:iang|iong|uang|ueng|ang|eng|ing|ong|ian|iao|uai|uan|van|ai"
    r"|ei|ao|ou|an|en|in|un|ia|ie|iu|ua|ui|uo|ue|ve|a|o|e|i|u|v|er)"
)
_GIVEN: Final = re.compile(rf"{_SYLLABLE}(?:[-']?{_SYLLABLE})?", re.IGNORECASE)


def is_pinyin_name(words: Sequence[str]) -> bool:
    """Whether two capitalised words are a Chinese family name and given name, in either order."""
    first, second = (word.lower() for word in words[:2])
    if any(not word[0].isupper() or word.isupper() for word in words[:2]):
        return False
    if (first, second) in _TOWNS:
        return False
    return _is_name(first, second) or (_is_name(second, first) and first not in english_words())


def _is_name(family: str, given: str) -> bool:
    if family not in _FAMILIES or not _GIVEN.fullmatch(given) or len(given) < 2:
        return False
    if given in english_words():
        return False
    return family not in _AMBIGUOUS or len(given) >= 4
