"""One release against another: the mix is held fixed, and intervals hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest

from stream.report.compare import Arms, Comparison, Stratum, arms_of, compare, is_comparable, is_worse
from stream.watch.records import Floats, Measure

EN: Stratum = ("helpdesk", "en", "", "s-1")
ZH: Stratum = ("helpdesk", "zh", "", "s-1")


def sums_of(values: Floats, conversations: Floats | None = None) -> Floats:
    """Sums N to N2 of one measure from traces; each is a conversation unless told otherwise."""
    groups = np.arange(len(values)) if conversations is None else conversations.astype(int)
    n, y = np.bincount(groups).astype(float), np.bincount(groups, weights=values)
    return np.array([n.sum(), y.sum(), (values**2).sum(), (y * y).sum(), (y * n).sum(), (n * n).sum()])


def rate(n: int, bad: int) -> Floats:
    return sums_of(np.r_[np.ones(bad), np.zeros(n - bad)])


def arms(a: dict[Stratum, Floats], b: dict[Stratum, Floats]) -> Arms:
    """The same sums for every measure."""
    return arms_of(
        {stratum: np.tile(sums, (len(Measure), 1)) for stratum, sums in a.items()},
        {stratum: np.tile(sums, (len(Measure), 1)) for stratum, sums in b.items()},
    )


def compared(a: dict[Stratum, Floats], b: dict[Stratum, Floats], margin: float = 0.0) -> Comparison:
    return compare(arms(a, b), margin)[0]


def test_a_rate_that_rose_in_every_kind_of_traffic_is_worse() -> None:
    one = compared({EN: rate(1000, 50), ZH: rate(1000, 100)}, {EN: rate(1000, 100), ZH: rate(1000, 150)})
    assert one.verdict == "worse"
    assert one.difference == pytest.approx(0.05)
    assert one.low is not None
    assert one.surely_low is not None
    assert 0 < one.surely_low < one.low < 0.05


def test_a_rate_that_fell_is_better() -> None:
    assert compared({EN: rate(1000, 150)}, {EN: rate(1000, 80)}).verdict == "better"


def test_more_traffic_of_the_difficult_kind_is_no_change() -> None:
    a = {EN: rate(3000, 60), ZH: rate(1000, 200)}
    b = {EN: rate(1000, 20), ZH: rate(3000, 600)}
    one = compared(a, b)
    assert one.verdict == "no clear difference"
    assert one.difference == pytest.approx(0.0, abs=1e-9)
    assert one.by_mix == pytest.approx(0.09)
    assert one.a is not None
    assert one.b is not None
    assert (one.a.raw, one.b.raw) == pytest.approx((0.065, 0.155))


def test_a_shift_to_the_easy_kind_does_not_hide_that_it_got_worse() -> None:
    """Simpson's paradox: worse in both kinds, and better on the whole."""
    a = {EN: rate(1000, 20), ZH: rate(3000, 600)}
    b = {EN: rate(3000, 180), ZH: rate(1000, 260)}
    one = compared(a, b)
    assert one.b is not None
    assert one.a is not None
    assert one.b.raw < one.a.raw
    assert one.verdict == "worse"


def test_a_kind_that_only_one_release_has_is_left_out_and_told() -> None:
    one = compared({EN: rate(1000, 50)}, {EN: rate(1000, 50), ZH: rate(250, 200)})
    assert one.verdict == "no clear difference"
    assert one.compared == pytest.approx((1.0, 0.8))
    assert one.strata == 1


def test_another_scorer_is_not_compared_with() -> None:
    other = (*EN[:-1], "s-2")
    found = compare(arms({EN: rate(1000, 50)}, {other: rate(1000, 400)}))
    assert {one.verdict for one in found} == {"not comparable"}
    assert not is_comparable(found)
    assert not is_worse(found)


def test_few_traces_say_nothing_however_bad_they_are() -> None:
    assert compared({EN: rate(1000, 50)}, {EN: rate(12, 12)}).verdict == "too few traces"


def test_many_traces_of_few_conversations_are_few() -> None:
    long = sums_of(np.repeat([1.0, 0.0, 1.0, 0.0, 0.0], 100), np.repeat(np.arange(5), 100))
    assert compared({EN: rate(1000, 50)}, {EN: long}).verdict == "too few traces"


def test_turns_that_share_their_fate_make_the_interval_wider() -> None:
    values = np.repeat(np.r_[np.ones(60), np.zeros(340)], 3)
    alone, together = sums_of(values), sums_of(values, np.repeat(np.arange(400), 3))
    a = {EN: rate(3000, 300)}
    plain, shared = compared(a, {EN: alone}), compared(a, {EN: together})
    assert plain.high is not None
    assert plain.low is not None
    assert shared.high is not None
    assert shared.low is not None
    assert (shared.high - shared.low) > 1.3 * (plain.high - plain.low)
    assert shared.difference == plain.difference


def test_a_clear_rise_within_the_margin_is_not_called_worse() -> None:
    a, b = {EN: rate(200_000, 10_000)}, {EN: rate(200_000, 10_600)}
    assert compared(a, b).verdict == "worse"
    assert compared(a, b, margin=0.005).verdict == "no clear difference"


def test_none_of_many_has_an_interval_that_is_no_point() -> None:
    one = compared({EN: rate(500, 0)}, {EN: rate(500, 0)})
    assert one.difference == 0.0
    assert one.high is not None
    assert 0.002 < one.high < 0.02
    assert one.verdict == "no clear difference"


def test_a_rise_in_correct_refusals_alone_blames_nobody() -> None:
    found = arms({EN: rate(1000, 50)}, {EN: rate(1000, 50)})
    number = list(Measure).index(Measure.CORRECT_REFUSAL)
    found.b[0, number] = rate(1000, 300)
    comparisons = compare(found)
    assert comparisons[number].verdict == "worse"
    assert not is_worse(comparisons)


@pytest.mark.parametrize(("strata", "of_a", "of_b"), [(3, 1200, 1200), (40, 1200, 1200), (12, 4000, 250)])
def test_the_interval_holds_the_truth_as_often_as_it_says(strata: int, of_a: int, of_b: int) -> None:
    rng = np.random.default_rng(strata)
    kinds: list[Stratum] = [("a", "en", f"i{number}", "s") for number in range(strata)]
    rates = rng.uniform(0.01, 0.25, strata)
    held = 0
    for _ in range(400):
        sums = []
        for shift, traces in ((0.0, of_a), (0.03, of_b)):
            sizes = rng.poisson(rng.dirichlet(np.ones(strata)) * traces) + 1
            sums.append(
                {
                    kind: rate(int(n), int(rng.binomial(n, p + shift)))
                    for kind, n, p in zip(kinds, sizes, rates, strict=True)
                }
            )
        one = compared(sums[0], sums[1])
        assert one.low is not None
        assert one.high is not None
        held += one.low <= 0.03 <= one.high
    assert 0.92 <= held / 400 <= 0.985


def test_of_equal_releases_one_in_twenty_is_called_worse_or_better_at_most() -> None:
    """All measures together: the interval is widened for that."""
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(300):
        a, b = (np.array([rate(800, int(rng.binomial(800, 0.08))) for _ in Measure]) for _ in range(2))
        found = compare(arms_of({EN: a}, {EN: b}))
        wrong += any(one.verdict in ("worse", "better") for one in found)
    assert wrong / 300 <= 0.09
