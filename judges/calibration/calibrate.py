"""Each judge against people, over all traces and by language, and whether its verdicts may correct rates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import numpy as np

from judges.agreement import Agreement, Figure, Gap, Pairs, measure_pairs, pair_up
from judges.agreement.bootstrap import RESAMPLES
from judges.calibration.consensus import Truth, agree_on
from judges.calibration.labels import About, JudgeKey, Label, Said
from judges.calibration.measures import MEASURES, Measure

ALL: Final = ""
"""Stands for all languages together."""


class Shortfall(StrEnum):
    """Why a judge is not calibrated, beside the gaps that leave no kappa at all."""

    BELOW = "below_min_kappa"
    FEW_LABELS = "too_few_labels"


@dataclass(slots=True, frozen=True)
class Bar:
    """What a judge must reach, in each language of its own."""

    min_kappa: float = 0.7
    min_labels: int = 50


@dataclass(slots=True, frozen=True)
class Measured:
    """One judge, one measure, one language (empty: all)."""

    key: JudgeKey
    measure: str
    language: str
    decides: bool
    agreement: Agreement
    """People first (rows of the confusion), the judge second."""
    traffic: Figure
    """Kappa as it would be over the traffic: items of sheets, weighted back by their probabilities."""
    effective_n: float
    """How many equally weighted items those are worth (Kish): far below their number, mind the interval."""
    shortfall: str
    """A `Shortfall` or `Gap`; empty where the judge is calibrated."""

    @property
    def calibrated(self) -> bool:
        """Whether its verdicts count for this measure, in this language."""
        return not self.shortfall

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as JSON takes them."""
        key = self.key
        return {
            "judge": key.judge,
            "model": key.model,
            "rubric": key.rubric,
            "rubric_version": key.rubric_version,
            "measure": self.measure,
            "language": self.language or None,
            "decides": self.decides,
            "calibrated": self.calibrated,
            "shortfall": self.shortfall or None,
            **self.agreement.as_dict(),
            "traffic_kappa": self.traffic.as_dict(),
            "effective_n": self.effective_n,
        }


@dataclass(slots=True)
class Calibration:
    """Everything that was measured."""

    measured: list[Measured] = field(default_factory=list)
    people: dict[str, Truth] = field(default_factory=dict)
    """By measure: what people say, and how far they agree among themselves."""
    left_out: Counter[str] = field(default_factory=Counter)

    def findings(self) -> list[Measured]:
        """What a person must know of: judges below the bar in a measure that rates are made of."""
        return [one for one in self.measured if one.decides and not one.calibrated]


def calibrate(
    labels: Iterable[Label],
    said: Iterable[Said],
    about: Mapping[str, About],
    bar: Bar,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Calibration:
    """Compare every judge with people in every measure that both speak of."""
    labels, about = list(labels), _complete(dict(about), labels)
    by_key: defaultdict[JudgeKey, dict[str, Said]] = defaultdict(dict)
    for one in said:
        by_key[one.key][one.trace_id] = one
    found = Calibration()
    for measure in MEASURES:
        truth = agree_on(measure, labels, about, seed=seed, resamples=resamples)
        if not truth.values:
            continue
        found.people[measure.name] = truth
        for key in sorted(by_key, key=str):
            both = {
                trace_id: one
                for trace_id, one in by_key[key].items()
                if trace_id in truth.values and measure.of_said(one) is not None
            }
            for language in _languages(both, about) if both else ():
                some = {i: one for i, one in both.items() if language in (ALL, _language(i, one, about))}
                found.measured.append(
                    _measure(key, measure, language, some, truth, about, bar, seed, resamples)
                )
    judged = {trace_id for verdicts in by_key.values() for trace_id in verdicts}
    labelled = {label.trace_id for label in labels}
    found.left_out["labelled, but no judge has judged it"] = len(labelled - judged)
    found.left_out["judged, but nobody has labelled it"] = len(judged - labelled)
    return found


def _measure(
    key: JudgeKey,
    measure: Measure,
    language: str,
    said: Mapping[str, Said],
    truth: Truth,
    about: Mapping[str, About],
    bar: Bar,
    seed: int,
    resamples: int,
) -> Measured:
    ids = sorted(said)
    agreement = measure_pairs(
        _pairs(ids, said, truth, about, measure), ranked=measure.ranked, seed=seed, resamples=resamples
    )
    weights = {i: weight for i in ids if (weight := _weight(said[i], about.get(i))) is not None}
    traffic = measure_pairs(
        _pairs(list(weights), said, truth, about, measure, list(weights.values())),
        seed=seed,
        resamples=resamples,
    ).kappa
    return Measured(
        key,
        measure.name,
        language,
        measure.decides,
        agreement,
        traffic,
        _effective(list(weights.values())),
        _shortfall(agreement, bar),
    )


def _pairs(
    ids: list[str],
    said: Mapping[str, Said],
    truth: Truth,
    about: Mapping[str, About],
    measure: Measure,
    weights: list[float] | None = None,
) -> Pairs:
    return pair_up(
        [truth.values[i] for i in ids],
        [measure.of_said(said[i]) for i in ids],
        measure.classes,
        clusters=[about.get(i, About()).conversation or i for i in ids],
        weights=weights,
    )


def _shortfall(agreement: Agreement, bar: Bar) -> str:
    if agreement.n < bar.min_labels:
        return Shortfall.FEW_LABELS
    if agreement.kappa.value is None:
        return agreement.kappa.reason or Gap.ONE_CLASS
    return Shortfall.BELOW if agreement.kappa.value < bar.min_kappa else ""


def _weight(said: Said, about: About | None) -> float | None:
    """How many traces of the traffic this one stands for; null where nobody knows."""
    if about is None or about.sheet_probability is None or said.sample_probability is None:
        return None
    return 1.0 / (said.sample_probability * about.sheet_probability)


def _effective(weights: list[float]) -> float:
    if not weights:
        return 0.0
    values = np.array(weights)
    return float(values.sum() ** 2 / (values**2).sum())


def _complete(about: dict[str, About], labels: list[Label]) -> dict[str, About]:
    """A label may know the language of a trace that the store has forgotten."""
    for label in labels:
        known = about.get(label.trace_id, About())
        if label.language and not known.language:
            about[label.trace_id] = About(label.language, known.conversation, known.sheet_probability)
    return about


def _language(trace_id: str, said: Said, about: Mapping[str, About]) -> str:
    return about.get(trace_id, About()).language or said.language


def _languages(said: Mapping[str, Said], about: Mapping[str, About]) -> list[str]:
    return [ALL, *sorted({_language(i, one, about) for i, one in said.items()} - {ALL})]


__all__ = ["ALL", "Bar", "Calibration", "Measured", "Shortfall", "calibrate"]
