"""What was found of labels and traces, wherever it came from, and the examples that it makes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from judges.distillation.examples import (
    Example,
    Vote,
    combine_votes,
    judged_beside,
    language_of,
    level_weights,
)
from schemas.trace import Trace


@dataclass(slots=True)
class Gathered:
    """Votes and traces by trace_id. A trace comes from the first place that has it."""

    votes: defaultdict[str, list[Vote]] = field(default_factory=lambda: defaultdict(list))
    traces: dict[str, Trace] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    """By reason: labels that teach nothing."""

    def examples(self) -> list[Example]:
        """One example a trace with a label, ordered by time and trace_id: the same input, the same order."""
        labels = level_weights(
            {
                trace_id: label
                for trace_id, votes in self.votes.items()
                if trace_id in self.traces and (label := combine_votes(votes)) is not None
            }
        )
        self.left_out["labels cancel each other out, or say nothing of hallucination or class"] += sum(
            trace_id in self.traces and trace_id not in labels for trace_id in self.votes
        )
        found = [
            Example(
                self.traces[trace_id],
                label,
                self.groups.get(trace_id),
                judged_beside(self.votes[trace_id]),
            )
            for trace_id, label in labels.items()
        ]
        return sorted(found, key=lambda e: (e.at.timestamp() if e.at else 0.0, e.trace.trace_id))

    def keep_languages(self, languages: Sequence[str]) -> None:
        """Forget traces in other languages (none given: keep all)."""
        if languages:
            other = [i for i, t in self.traces.items() if language_of(t) not in languages]
            self.left_out[f"another language than {', '.join(languages)}"] += len(other)
            for trace_id in other:
                del self.traces[trace_id]

    def missing(self) -> Iterator[str]:
        """Labelled traces that are not there yet."""
        return (trace_id for trace_id in self.votes if trace_id not in self.traces)


__all__ = ["Gathered"]
