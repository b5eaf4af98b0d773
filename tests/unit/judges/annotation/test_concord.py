"""Agreement as it grows: kappa of each two, alpha of all, from votes alone."""

from __future__ import annotations

import pytest

from judges.agreement.figure import Gap
from judges.annotation.concord import measure_all, measure_concord
from judges.annotation.votes import Vote
from schemas.annotation import Annotation, ItemRole


def votes(**said: str) -> list[Vote]:
    return [Vote(name, Annotation(failure=failure)) for name, failure in said.items()]  # type: ignore[arg-type]


AGREED = {f"a{n}": votes(li="healthy", kim="healthy") for n in range(4)}
FAILING = {f"b{n}": votes(li="hallucination", kim="hallucination") for n in range(4)}
APART = {f"c{n}": votes(li="healthy", kim="hallucination") for n in range(2)}


def test_nobody_has_agreed_with_anybody_yet() -> None:
    found = measure_concord({"a": votes(li="healthy")})
    assert found.kappa.value is None
    assert found.kappa.reason is Gap.NO_ITEMS
    assert found.pairs == ()


def test_kappa_is_one_of_two_who_never_disagree_and_falls_with_each_conflict() -> None:
    perfect = measure_concord({**AGREED, **FAILING})
    assert perfect.kappa.value == pytest.approx(1.0)
    worse = measure_concord({**AGREED, **FAILING, **APART})
    # Observed 0.8; by chance 0.6 * 0.4 + 0.4 * 0.6 = 0.48.
    assert worse.kappa.value == pytest.approx((0.8 - 0.48) / (1 - 0.48))
    assert worse.alpha.value is not None
    assert worse.alpha.value < 1
    assert worse.kappa.n == 10


def test_the_two_who_share_most_cases_stand_for_kappa() -> None:
    more = {"x": votes(li="healthy", ann="hallucination")}
    found = measure_concord({**AGREED, **FAILING, **more})
    assert [(pair.first, pair.second, pair.n) for pair in found.pairs] == [("kim", "li", 8), ("ann", "li", 1)]


def test_arbitrations_and_skips_are_no_votes() -> None:
    arbitrated = [
        *votes(li="healthy", kim="hallucination"),
        Vote("boss", Annotation(failure="healthy"), ItemRole.ARBITRATION),
        Vote("ann", None, ItemRole.SKIP),
    ]
    found = measure_concord({"a": arbitrated})
    assert [(pair.first, pair.second) for pair in found.pairs] == [("kim", "li")]


def test_agreement_is_measured_in_every_question_that_decides() -> None:
    found = measure_all({**AGREED, **FAILING})
    assert set(found) == {"failure", "hallucination", "should_refuse"}
    assert found["hallucination"].kappa.value == pytest.approx(1.0)
    assert found["should_refuse"].kappa.value is None
    assert found["failure"].as_dict()["kappa"]["n"] == 8
