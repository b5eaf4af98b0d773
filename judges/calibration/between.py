"""Judges against each other, over the traces that both have judged: where they differ, people should look."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from judges.agreement import Agreement, measure_pairs, pair_up
from judges.agreement.bootstrap import RESAMPLES
from judges.calibration.labels import About, JudgeKey, Said
from judges.calibration.measures import MEASURES


@dataclass(slots=True, frozen=True)
class Between:
    """Two judges, one measure, one language (empty: all)."""

    first: JudgeKey
    second: JudgeKey
    measure: str
    language: str
    agreement: Agreement

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as JSON takes them."""
        return {
            "first": str(self.first),
            "second": str(self.second),
            "measure": self.measure,
            "language": self.language or None,
            **self.agreement.as_dict(),
        }


def compare_judges(
    said: Iterable[Said],
    about: Mapping[str, About],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> list[Between]:
    """Every two judges that share a trace, in every measure that both speak of, and by language."""
    by_key: defaultdict[JudgeKey, dict[str, Said]] = defaultdict(dict)
    for one in said:
        by_key[one.key][one.trace_id] = one
    found = []
    for first, second in combinations(sorted(by_key, key=str), 2):
        shared = sorted(by_key[first].keys() & by_key[second].keys())
        spoken = {i: about.get(i, About()).language or by_key[first][i].language for i in shared}
        for measure in MEASURES:
            both = [
                i
                for i in shared
                if measure.of_said(by_key[first][i]) is not None
                and measure.of_said(by_key[second][i]) is not None
            ]
            for language in ("", *sorted({spoken[i] for i in both} - {""})) if both else ():
                some = [i for i in both if language in ("", spoken[i])]
                pairs = pair_up(
                    [measure.of_said(by_key[first][i]) for i in some],
                    [measure.of_said(by_key[second][i]) for i in some],
                    measure.classes,
                    clusters=[about.get(i, About()).conversation or i for i in some],
                )
                agreement = measure_pairs(pairs, ranked=measure.ranked, seed=seed, resamples=resamples)
                found.append(Between(first, second, measure.name, language, agreement))
    return found


__all__ = ["Between", "compare_judges"]
