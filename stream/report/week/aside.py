"""What stands beside the rates: error budgets, what was not measured, and the judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from console.drawing import draw_interval
from console.figures import Figure
from judges.intervals import wilson
from schemas.taxonomy import HEALTHY, MEASURED, UNSEEN
from stream.report.blocks import Block, Cell, Table, Text
from stream.report.figures import count, minute, rate
from stream.report.week.budgets import Spent, spent_budgets
from stream.report.week.failures import mean_cell
from stream.report.week.records import DAYS, Kappa, Same, Week
from stream.report.week.records import Spent as JudgeSpent
from stream.report.words import Words

_BURN_TOP = 3.0
"""Where the scale of burn rates ends, unless one is higher."""


def budget_blocks(week: Week, say: Words) -> Iterator[Block]:
    """How fast each budget burnt."""
    spent = [*spent_budgets(week)]
    if not spent:
        yield Text(say("week.no_budget"))
        return
    top = max(_BURN_TOP, *(one.high or 0.0 for one in spent))
    names = ("measure", "app", "budget", "this_week", "burn")
    yield Table(
        tuple(say(f"week.{name}") for name in names),
        [_budget_row(one, top, say) for one in spent],
        right=frozenset((2,)),
    )
    yield Text(say("week.burn_is"), "quiet")


def not_measured_blocks(week: Week, say: Words) -> Iterator[Block]:
    """How many traces faithfulness could not be measured of, and why; and what could not be read at all."""
    coverage: Counter[str] = Counter()
    blind = 0
    for one in week.counts:
        if one.day >= DAYS:
            coverage[one.coverage] += one.traces
            blind += one.traces if one.failure == HEALTHY and one.coverage in UNSEEN else 0
    total = coverage.total()
    if total:
        rows = sorted(coverage.items(), key=lambda each: (-each[1], each[0]))
        yield Table(
            (say("week.coverage"), say("week.faithfulness_is"), say("week.traces"), say("gaps.share")),
            [
                [
                    say.of("coverage", name),
                    say("week.measured") if name in MEASURED else Cell(say("not_measured"), "quiet"),
                    count(n),
                    _share(n, total, say),
                ]
                for name, n in rows
            ],
            right=frozenset((2,)),
        )
        yield Text(say("week.blind", n=count(blind)), "quiet")
    if week.dead:
        named = ", ".join(f"{reason} {count(n)}" for reason, n in week.dead.items())
        yield Text(say("week.dead", n=count(sum(week.dead.values())), reasons=named))
    else:
        yield Text(say("week.no_dead"), "quiet")


def judge_blocks(week: Week, say: Words) -> Iterator[Block]:
    """What judges cost, how far they agree with the scorer, and with people."""
    judges = week.judges
    if not judges.spent:
        yield Text(say("week.no_judge"))
    else:
        same = {(one.judge, one.model): one for one in judges.same}
        names = ("judge", "judged", "judge_failed", "cost", "same_class")
        yield Table(
            tuple(say(f"week.{name}") for name in names),
            [_judge_row(one, same.get((one.judge, one.model)), say) for one in judges.spent],
            right=frozenset((1, 2, 3)),
        )
        total = sum(one.cost_usd for one in judges.spent)
        yield Text(say("week.spent", usd=f"{total:,.2f}"))
    if judges.kappas:
        heads = ("judge", "measure", "language", "kappa", "labels", "counts", "measured_at")
        yield Table(
            tuple(say(f"week.{name}") for name in heads),
            [_kappa_row(one, say) for one in judges.kappas],
            right=frozenset((4,)),
        )
    else:
        yield Text(say("week.no_kappa"), "quiet")


def _budget_row(one: Spent, top: float, say: Words) -> Sequence[Cell | str]:
    burn: Cell = Cell(say("not_measured"), "quiet")
    if one.burn is not None and one.low is not None and one.high is not None and one.mean is not None:
        figure = Figure(one.burn / top, one.low / top, one.high / top, one.mean.traces)
        burn = Cell(
            f"×{one.burn:.2f}",
            "bad" if one.low > 1 else "good" if one.high < 1 else "",
            more=(f"[{one.low:.2f}, {one.high:.2f}]",),
            picture=draw_interval(figure, bar=1 / top, width=120),
        )
    return [
        say.of("measure", one.measure),
        one.app or say("week.all_traffic"),
        f"{one.budget:.1%}",
        mean_cell(one.measure, one.mean, say),
        burn,
    ]


def _share(n: int, total: int, say: Words) -> Cell:
    interval = wilson(n, total)
    return rate(n / total, interval.low, interval.high, say)


def _judge_row(one: JudgeSpent, same: Same | None, say: Words) -> Sequence[Cell | str]:
    more = (say("week.over_budget", n=count(one.over_budget)),) if one.over_budget else ()
    price = (say("week.without_price", n=count(one.without_price)),) if one.without_price else ()
    agreement = (
        rate(None, None, None, say) if same is None
        else rate(same.value, same.interval.low, same.interval.high, say, n=same.n)
    )  # fmt: skip
    return [
        Cell(one.judge, more=(one.model,)),
        Cell(count(one.judged), more=(say("week.calls", n=count(one.calls)),)),
        Cell(count(one.failed), more=more),
        Cell(f"${one.cost_usd:,.2f}", more=price),
        agreement,
    ]


def _kappa_row(one: Kappa, say: Words) -> Sequence[Cell | str]:
    value = Cell(say("not_measured"), "quiet")
    if one.value is not None:
        figure = Figure(one.value, one.low, one.high, one.n)
        interval = "" if one.low is None or one.high is None else f"[{one.low:.2f}, {one.high:.2f}]"
        drawn = draw_interval(figure, low=-0.2, high=1.0, width=110)
        value = Cell(f"{one.value:.2f}", more=(interval,), picture=drawn)
    return [
        Cell(one.judge, more=(one.model,)),
        say.of("measure", one.measure),
        one.language or say("week.all_languages"),
        value,
        count(one.n),
        Cell(say("week.calibrated"), "good") if one.calibrated else Cell(say("week.not_calibrated"), "quiet"),
        minute(one.at),
    ]


__all__ = ["budget_blocks", "judge_blocks", "not_measured_blocks"]
