"""English words and phrases that exclude each other."""

from __future__ import annotations

import re

_TABLE = """
at least/at most; more than/less than; no more than/no less than; greater than/less than; higher than/lower than
larger than/smaller than; longer than/shorter than; older than/younger than; faster than/slower than; better than/worse than
earlier than/later than; maximum/minimum; maximise/minimise; maximize/minimize; increase/decrease; increased/decreased
increases/decreases; increasing/decreasing; rise/fall; rises/falls; rose/fell; gained/lost; won/lost; wins/loses
allow/prohibit; allowed/prohibited; allows/prohibits; permitted/forbidden; include/exclude; includes/excludes; included/excluded
including/excluding; accept/reject; accepts/rejects; accepted/rejected; approve/reject; approved/rejected; enable/disable
enables/disables; enabled/disabled; required/optional; mandatory/voluntary; available/unavailable
safe/unsafe; able/unable; likely/unlikely; successful/unsuccessful; successfully/unsuccessfully
compatible/incompatible; dependent/independent; correct/incorrect; visible/invisible
public/private; internal/external; permanent/temporary; permanently/temporarily; automatic/manual
automatically/manually; positive/negative; import/export; imports/exports; imported/exported; upload/download
buyer/seller; buyers/sellers; employer/employee; lender/borrower; winner/loser; parent/child; husband/wife; father/mother
son/daughter; brother/sister; male/female; men/women; northern/southern; eastern/western; north of/south of; east of/west of
ascending/descending; begins/ends; began/ended; before/after; prior to/following; earliest/latest; highest/lowest
largest/smallest; longest/shortest; oldest/youngest; fastest/slowest; cheapest/most expensive; best/worst
strength/weakness; advantage/disadvantage; advantages/disadvantages; benefits/drawbacks; inside/outside; indoor/outdoor
indoors/outdoors; warm/cold; hot/cold; wet/dry; cheap/expensive; dangerous/harmless; alive/dead
agreed/disagreed; agrees/disagrees; supporters/opponents; guilty/innocent; guilty/not guilty; married/unmarried
online/offline; encrypted/unencrypted; refundable/non-refundable; taxable/tax-free; locked/unlocked; lock/unlock
install/uninstall; connect/disconnect; connected/disconnected; subscribe/unsubscribe; attach/detach; gain/loss; profit/loss
income/expenses; domestic/foreign; urban/rural; majority/minority; everyone/no one; everything/nothing
up to/at least; early in/late in; high-quality/low-quality; large number of/small number of; strong/weak; above the/below the
"""
PAIRS_EN: tuple[tuple[str, str], ...] = tuple(
    (pair.split("/")[0].strip(), pair.split("/")[1].strip())
    for line in _TABLE.strip().splitlines()
    for pair in line.split(";")
    if pair.strip()
)
_NOTHING = re.compile(r"(?!)")
_DEGREES = (
    r"(?= (?:expensive|common|likely|popular|efficient|effective|accurate|reliable|severe|stable|important|difficult|"
    r"complex|powerful|sensitive|frequent)(?:ly)?\b)"
)
_COUNTS = r"(?= (?:\d+|an?|two|three|five|seven|ten|thirty) )"
_FREE = r"free(?= (?:for|to)\b|[.,;]|$)"

PATTERNS_EN: tuple[tuple[re.Pattern[str], str, re.Pattern[str]], ...] = (
    (re.compile(r"\bover(?= [$€£]?\d)"), "under", re.compile(r"\bunder\b")),
    (re.compile(r"\bunder(?= [$€£]?\d)"), "over", re.compile(r"\bover\b")),
    (re.compile(rf"\bwithin{_COUNTS}"), "after", re.compile(r"\bafter\b")),
    (re.compile(rf"\bmore{_DEGREES}"), "less", _NOTHING),
    (re.compile(rf"\bless{_DEGREES}"), "more", _NOTHING),
    (re.compile(r"(?<=\d )or (?:more|above|older)\b"), "or less", _NOTHING),
    (re.compile(r"(?<=\d )or (?:less|fewer|below|younger)\b"), "or more", _NOTHING),
    (re.compile(rf"(?:(?<=\bis )|(?<=\bbe )|(?<=\bare )){_FREE}"), "paid", _NOTHING),
    (re.compile(r"\bfree of charge\b"), "subject to a charge", _NOTHING),
    (re.compile(r"(?:(?<=\bis )|(?<=\bbe )|(?<=\bare ))open\b(?! to)"), "closed", re.compile(r"\bclosed\b")),
    (re.compile(r"(?:(?<=\bis )|(?<=\bbe )|(?<=\bare ))closed\b"), "open", re.compile(r"\bopen\b")),
)
"""(pattern, what takes its place, what the sentence must not hold): words that need their company."""
