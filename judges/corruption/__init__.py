"""Controlled corruption: texts made wrong in one place, and traces made to fail in one way, with the truth.

Two uses: more training rows for the cheap scorers, and canaries that show whether a running system still
finds what it should. Everything is pure and takes its dice as an argument; Chinese and English are equals.

* a text: `corrupt(text, random, contexts)` or one kind of `CORRUPTIONS`; see `change.Change`;
* a trace: `traces.make.make_trace(material, pool, failure, random)`;
* canaries: `traces.build_canaries.build_canaries(trace, pool, random, marker=…)`.
"""

from judges.corruption.change import Change, Kind
from judges.corruption.corrupt import CORRUPTIONS, corrupt, corrupt_each

__all__ = ["CORRUPTIONS", "Change", "Kind", "corrupt", "corrupt_each"]
