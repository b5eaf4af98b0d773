"""Golden sets: questions whose answers people agreed on, by version. Pure, but for reading and writing files.

golden = load(Path("golden/helpdesk.jsonl"))
golden.version, golden.parent, golden.quotas
for case in golden.cases: case.question, case.kind, case.gold_chunk_ids, case.minima
"""

from __future__ import annotations

from judges.golden.case import CaseRefused, GoldenCase, Kind, Turn, read_case
from judges.golden.file import GoldenFileBroken, Problem, Reading, dump, load, read, save
from judges.golden.golden_set import NAME, WANTED, GoldenSet, Quota, in_order, version_of

__all__ = [
    "NAME", "WANTED", "CaseRefused", "GoldenCase", "GoldenFileBroken", "GoldenSet", "Kind", "Problem",
    "Quota", "Reading", "Turn", "dump", "in_order", "load", "read", "read_case", "save", "version_of",
]  # fmt: skip
