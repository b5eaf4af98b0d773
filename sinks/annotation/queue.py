"""The queue as annotators meet it: claim, label or skip, arbitrate, and see how far they agree.

    queue = AnnotationQueue(client, LeaseBook(Path("leases.sqlite")), clock)
    for claimed in queue.claim("li", 3):
        queue.label(claimed.lease_id, "li", Annotation(failure="healthy"))

A label is a row in ClickHouse first, and ends the lease then: whoever is killed in between has labelled, and
the lease expires. Every method may raise SinkError and LeaseFileError beside what it names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from judges.annotation.concord import Concord, measure_all
from judges.annotation.order import Standing, in_order
from judges.annotation.redacting import redact_said
from judges.annotation.votes import State, Vote
from schemas.annotation import Annotation, AnnotationItem, ItemRole, annotation_row
from schemas.row import encode
from sinks.annotation.errors import NoSuchItem, NotInConflict, SelfReview
from sinks.annotation.leases import Candidate, Lease, LeaseBook
from sinks.annotation.reading import Case, reach_back, read_cases, read_items, with_votes
from sinks.annotation.stats import Stats, count_up
from sinks.clickhouse.client import ClickHouse

SAVING_S: Final = 60.0
"""A lease lasts at least so long while its label is being stored."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How the queue is kept."""

    control_share: float = 0.1
    """Of what is handed out: drawn by chance alone."""
    half_life_s: float = 3 * 86_400.0
    """In which a case is worth half."""
    max_age_days: float = 30.0
    arbiter_weight: float = 3.0
    """What the last word weighs for whoever learns from labels; a vote weighs 1."""
    guideline: str = ""
    """Version of the guideline that annotators go by."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """One case in an annotator's hands."""

    item: AnnotationItem
    lease_id: str
    expires_at: datetime
    annotator: str

    def as_dict(self, *, blind: bool = False) -> dict[str, Any]:
        """Plain values, as JSON takes them. `blind`: without what scorer and judges said."""
        return {
            "lease_id": self.lease_id,
            "expires_at": self.expires_at.isoformat(),
            "annotator": self.annotator,
            **self.item.as_facts(blind=blind),
        }


@dataclass(frozen=True, slots=True)
class Conflict:
    """A case whose votes contradict each other."""

    item: AnnotationItem
    votes: tuple[Vote, ...]
    about: tuple[str, ...]
    """The questions that they contradict each other in."""


class AnnotationQueue:
    """The queue of one database. `clock` is the time in UTC."""

    def __init__(
        self,
        client: ClickHouse,
        leases: LeaseBook,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        rules: Rules = Rules(),
    ) -> None:
        self._client, self._leases, self._clock, self._rules = client, leases, clock, rules

    # --- one case at a time ---

    def claim(
        self,
        annotator: str,
        n: int = 1,
        *,
        languages: Collection[str] = (),
        reasons: Collection[str] = (),
        lasts_s: float | None = None,
    ) -> list[Claimed]:
        """Up to `n` cases that nobody else holds and this annotator has no say in yet, the next first.

        `languages` and `reasons` narrow the choice (empty: all); `lasts_s`: for work elsewhere, in place of
        the usual time. An empty list: nothing is left. Raises
        TooManyHeld.
        """
        cases = self.cases()
        fitting = _narrow(cases, languages, reasons)
        candidates = self._candidates(fitting, cases)
        leases = self._leases.grant(candidates, annotator, n, lasts_s)
        return self._with_items(leases)

    def held_by(self, annotator: str) -> list[Claimed]:
        """What this annotator holds already: after a reload or a restart."""
        return self._with_items(self._leases.held_by(annotator))

    def heartbeat(self, lease_id: str, annotator: str) -> datetime:
        """Prolong a lease; returns its new end. Raises LeaseLost, NotYours."""
        return self._leases.heartbeat(lease_id, annotator).expires_at

    def release(self, lease_id: str, annotator: str) -> None:
        """Give a case back without a word. Raises LeaseLost, NotYours."""
        self._leases.end(lease_id, annotator, said=False)

    def label(self, lease_id: str, annotator: str, said: Annotation, *, source: str = "console") -> None:
        """Store what the annotator says, then end the lease. Raises LeaseLost, NotYours, NoSuchItem."""
        self._say(lease_id, annotator, said, ItemRole.VOTE, source)

    def skip(self, lease_id: str, annotator: str, *, source: str = "console") -> None:
        """This annotator cannot tell: others get the case. Raises LeaseLost, NotYours, NoSuchItem."""
        self._say(lease_id, annotator, None, ItemRole.SKIP, source)

    def vote(self, item_id: str, annotator: str, said: Annotation | None, *, source: str = "import") -> None:
        """Store what was said without a lease: what comes back in a file. Said again, the last word counts.

        `said` null is a skip. Raises NoSuchItem, SelfReview.
        """
        self.vote_all([(self.case(item_id), annotator, said)], source=source)

    def vote_all(
        self, votes: Sequence[tuple[Case, str, Annotation | None]], *, source: str = "import"
    ) -> None:
        """The same for many in one insert, each case and annotator once. Raises SelfReview: none stored."""
        for case, annotator, _ in votes:
            if had_last_word(case, annotator):
                raise SelfReview(f"{annotator} had the last word on {case.item.item_id}, and has no vote.")
        rows = [
            self._row(said, case.item, who, ItemRole.SKIP if said is None else ItemRole.VOTE, source, None)
            for case, who, said in votes
        ]
        if rows:
            self._client.insert_raw("annotations", b"\n".join(rows))
        for case, annotator, _ in votes:
            self._leases.said(case.item.item_id, annotator)

    # --- the whole ---

    def item(self, item_id: str) -> AnnotationItem:
        """A whole case. Raises NoSuchItem."""
        found = read_items(self._client, [item_id]).get(item_id)
        if found is None:
            raise NoSuchItem(f"There is no case {item_id!r} in the queue.")
        return found

    def items(self, ids: Sequence[str]) -> list[AnnotationItem]:
        """Whole cases in that order, as far as they exist."""
        found = read_items(self._client, ids)
        return [found[item_id] for item_id in ids if item_id in found]

    def cases_of(self, ids: Sequence[str]) -> dict[str, Case]:
        """Whole cases with what was said of them, by id, as far as they exist."""
        return {case.item.item_id: case for case in with_votes(self._client, self.items(ids))}

    def case(self, item_id: str) -> Case:
        """A whole case with what was said of it. Raises NoSuchItem."""
        return with_votes(self._client, [self.item(item_id)])[0]

    def cases(self) -> list[Case]:
        """All cases within the age limit, the newest first, without payloads, with their votes."""
        return read_cases(self._client, reach_back(self._clock(), self._rules.max_age_days))

    def next_items(
        self, n: int, *, languages: Collection[str] = (), reasons: Collection[str] = ()
    ) -> list[AnnotationItem]:
        """The `n` cases that come next, whole, whoever asks; nothing is claimed. Narrowed as by `claim`."""
        cases = self.cases()
        order = self._order(_narrow(cases, languages, reasons), cases)[:n]
        found = read_items(self._client, order)
        return [found[item_id] for item_id in order if item_id in found]

    def stats(self) -> Stats:
        """How many cases are where, by reason, stage, language and annotator."""
        return count_up(self.cases(), self._leases.held(), self._clock())

    def agreement(self) -> dict[str, Concord]:
        """How far annotators agree, by question: `failure`, `hallucination`, `should_refuse`."""
        return measure_all({case.item.item_id: case.votes for case in self.cases()})

    # --- conflicts ---

    def conflicts(self) -> list[Conflict]:
        """Cases whose votes contradict each other, the most valuable first, whole."""
        found = [case for case in self.cases() if case.outcome.state is State.CONFLICT]
        found.sort(key=lambda case: (-case.item.value, case.item.item_id))
        items = read_items(self._client, [case.item.item_id for case in found])
        return [
            Conflict(items.get(case.item.item_id, case.item), case.votes, case.outcome.disagreements)
            for case in found
        ]

    def arbitrate(self, item_id: str, arbiter: str, said: Annotation, *, source: str = "console") -> None:
        """The last word, by somebody who had none before. Raises NoSuchItem, NotInConflict, SelfReview."""
        case = self.case(item_id)
        if case.outcome.state is not State.CONFLICT:
            raise NotInConflict(
                f"The votes of {item_id} are {case.outcome.state.value}: nothing to arbitrate."
            )
        if arbiter in case.outcome.voters:
            raise SelfReview(f"{arbiter} has voted on {item_id}: somebody else must have the last word.")
        self._store(said, case.item, arbiter, ItemRole.ARBITRATION, source, None)
        self._leases.said(item_id, arbiter)

    def close(self) -> None:
        """Let the file and the connections go."""
        self._leases.close()
        self._client.close()

    # --- within ---

    def _order(self, cases: Sequence[Case], all_cases: Sequence[Case]) -> list[str]:
        now = self._clock()
        taken = [case for case in all_cases if case.votes and not is_open(case)]
        return in_order(
            [standing_of(case, now) for case in cases],
            self._rules.control_share,
            self._rules.half_life_s,
            [standing_of(case, now) for case in taken],
        )

    def _candidates(self, cases: Sequence[Case], all_cases: Sequence[Case]) -> Iterable[Candidate]:
        known = {case.item.item_id: case for case in cases}
        for item_id in self._order(cases, all_cases):
            case = known[item_id]
            voters = frozenset(vote.annotator for vote in case.votes)
            yield Candidate(item_id, voters, case.item.votes_wanted - case.counted)

    def _with_items(self, leases: Sequence[Lease]) -> list[Claimed]:
        items = read_items(self._client, [lease.item_id for lease in leases])
        return [
            Claimed(items[lease.item_id], lease.lease_id, lease.expires_at, lease.annotator)
            for lease in leases
            if lease.item_id in items
        ]

    def _say(
        self, lease_id: str, annotator: str, said: Annotation | None, role: ItemRole, source: str
    ) -> None:
        lease = self._leases.heartbeat(lease_id, annotator, SAVING_S)
        item = self.item(lease.item_id)
        seconds = (self._clock() - lease.granted_at).total_seconds()
        self._store(said, item, annotator, role, source, seconds)
        self._leases.end(lease_id, annotator, said=True)

    def _store(
        self,
        said: Annotation | None,
        item: AnnotationItem,
        annotator: str,
        role: ItemRole,
        source: str,
        seconds: float | None,
    ) -> None:
        self._client.insert_raw("annotations", self._row(said, item, annotator, role, source, seconds))

    def _row(
        self,
        said: Annotation | None,
        item: AnnotationItem,
        annotator: str,
        role: ItemRole,
        source: str,
        seconds: float | None,
    ) -> bytes:
        row = annotation_row(
            redact_said(said) if said else None,
            item,
            annotator,
            self._clock(),
            role=role,
            weight=self._rules.arbiter_weight if role is ItemRole.ARBITRATION else 1.0,
            guideline=self._rules.guideline,
            seconds=seconds,
            source=source,
        )
        return encode(row)


def _narrow(cases: Sequence[Case], languages: Collection[str], reasons: Collection[str]) -> list[Case]:
    """The open ones of these languages and reasons; empty: of any."""
    return [
        case
        for case in cases
        if is_open(case)
        and (not languages or case.item.language in languages)
        and (not reasons or case.item.reason in reasons)
    ]


def had_last_word(case: Case, annotator: str) -> bool:
    """Whether somebody arbitrated a case: then they have no vote on it."""
    return any(vote.annotator == annotator and vote.role is ItemRole.ARBITRATION for vote in case.votes)


def is_open(case: Case) -> bool:
    """Whether somebody may still get it."""
    return not case.item.withdrawn and case.outcome.state is State.OPEN


def standing_of(case: Case, now: datetime) -> Standing:
    """As far as the order goes."""
    item = case.item
    return Standing(
        item_id=item.item_id,
        value=item.value,
        age_s=(now - item.created_at).total_seconds(),
        stage=item.first_failed_stage,
        failure=item.failure,
        cluster=item.cluster,
        control=item.control,
        votes=case.counted,
    )


__all__ = [
    "AnnotationQueue", "Claimed", "Conflict", "Rules", "Stats", "had_last_word", "is_open", "standing_of",
]  # fmt: skip
