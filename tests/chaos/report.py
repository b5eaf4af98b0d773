"""What many rounds showed, as a table for people."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks._documents import put
from tests.chaos.checking import Outcome


def show(outcomes: Sequence[Outcome], seconds: float) -> str:
    """A table: how often each fault struck, alone or with others, and what held."""
    if not outcomes:
        return "no round was run"
    rounds: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        for fault in outcome.faults:
            rounds[fault].append(outcome)
    lines = [
        "| fault | rounds | with others | all held | rows inserted again | settled after, s (median, most) |",
        "|---|---|---|---|---|---|",
    ]
    for fault, struck in sorted(rounds.items(), key=lambda item: (-len(item[1]), item[0])):
        together = sum(1 for outcome in struck if len(outcome.faults) > 1)
        held = sum(1 for outcome in struck if not outcome.wrong)
        again = sum(outcome.again for outcome in struck)
        settled = [outcome.settled_s for outcome in struck]
        lines.append(
            f"| {fault} | {len(struck)} | {together} | {held} | {again} "
            f"| {median(settled):.1f}, {max(settled):.1f} |"
        )
    return f"{_sum_up(outcomes, seconds)}\n\n" + "\n".join(lines)


def _sum_up(outcomes: Sequence[Outcome], seconds: float) -> str:
    brokers = Counter(outcome.broker for outcome in outcomes)
    wrong = [outcome for outcome in outcomes if outcome.wrong]
    said = [
        f"{len(outcomes)} rounds ({', '.join(f'{n} on {name}' for name, n in brokers.most_common())}), "
        f"seeds {', '.join(sorted({outcome.seed for outcome in outcomes}))}, {seconds / 60:.0f} minutes: "
        f"{len(outcomes) - len(wrong)} held.",
        f"{sum(o.published for o in outcomes):,} traces and {sum(o.unreadable for o in outcomes):,} "
        f"unreadable messages published, {sum(o.judged for o in outcomes):,} traces judged, "
        f"{sum(o.again for o in outcomes):,} rows inserted again, "
        f"{sum(o.offsets_checked for o in outcomes):,} committed rows held against the table amid the work.",
    ]
    said += [f"Round {o.number} of seed {o.seed} did not hold: {'; '.join(o.wrong)}." for o in wrong]
    return "\n".join(said)


def write_report(path: Path, outcomes: Sequence[Outcome], seconds: float) -> None:
    """Put the table into a document: between its marks, or at the end where there are none."""
    put(path, "make chaos", "chaos", show(outcomes, seconds))


__all__ = ["show", "write_report"]
