"""Words without one of which nobody declines: a first look, in one pass over a folded answer.

Most answers have few and are soon done with. A cue says nothing yet; it only chooses the sentences that
are read word by word.
"""

from __future__ import annotations

import re
from functools import lru_cache

_NEGATIONS = (
    r"n(?:'t\b|o[tnr]?\b|one\b|othing|either|ever\b|/a)"
    r"|un(?:able|clear|aware|sure|certain|known|a[nv]|spec)"
)
_CHINESE = (
    "[无不没未难暂缺恕拒查超敏隐违密请麻换只空存太]|能否|可否|可以再|能不能|有限|过少|爱莫|"
    "答案|断|漏|违反|仅限|限于|掌握|得先|需要先|被要求|别的|其他|需要更多|需要您|需要你|有点"
)
_RARE = (
    "cannot|cant |dont |doesnt |didnt |isnt |wont |declin|refus|beyond|outside|out of|lack|insufficien|"
    "inadequate|incomplete|too |limited|uncertain|impossible|difficult|hard to|could you|can you|would you|"
    "please|silent|more info|more detail|more context|inconclusive|pass on|idk|dunno|can only|could only|"
    "i wish|fail|against|violat|breach|prevent|prohibit|forbid|inappropriate|unethical|irresponsib|"
    "unfamiliar|"
    "irrelevant|unrelated|leave|confidential|'s guess|else|blank|better off|only able|empty|omit|stop|wrong|"
    "exceed|question is|zero|mute|off limits|off-limits|over my|above my|my area|need access|i need|need to|"
    "restricted|confined|left out|missing|absent|break|cuts|quiet"
)
_COMMON_CUES = re.compile(f"{_NEGATIONS}|{_CHINESE}")
_RARE_WORDS = _RARE.split("|")


@lru_cache(maxsize=64)
def find_cues(text: str) -> tuple[int, ...]:
    """Where the cues of a folded text begin, in order. Remembered, because an answer is asked for twice."""
    places = [match.start() for match in _COMMON_CUES.finditer(text)]
    # One pattern of all cues would be ten times as slow: few letters can begin a common one.
    for word in _RARE_WORDS:
        place = text.find(word)
        while place >= 0:
            places.append(place)
            place = text.find(word, place + len(word))
    return tuple(sorted(places))
