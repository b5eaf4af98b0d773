"""Cases and labels out into files, and labels from files in: JSON lines of our own, and Label Studio's tasks.

A line of ours is one label, or a case that nobody said anything of yet:

    {"item_id": "i-…", "trace_id": "t-1", "annotator": "li", "role": "vote", "at": "…", "label": {…},
     "language": "zh", "case": {the trace, redacted}}

What comes back is told apart entry by entry. The same file twice stores nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson
from pydantic import ValidationError

from judges.annotation.redacting import redact_said
from judges.annotation.votes import Vote
from schemas.annotation import Annotation, AnnotationItem, ItemRole
from sinks.annotation import AnnotationQueue, NoSuchItem, QueueRefusal, SelfReview
from sinks.annotation.queue import had_last_word
from sinks.annotation.reading import Case
from stream.annotation.label_studio import Unreadable, is_task, read_result, task_of, who_of
from stream.annotation.label_studio.tasks import NO_ANSWER
from stream.annotation.push import Refused, read_pushed

SOURCE: Final = "import"
PAGE: Final = 500
"""Labels looked up and stored at once."""


@dataclass(slots=True)
class Taken:
    """What became of a file."""

    stored: int = 0
    skipped: int = 0
    """Cases that an annotator cannot tell of."""
    blank: int = 0
    """Cases that nothing was said of."""
    known: int = 0
    """Labels that were there already, word for word."""
    refused: list[Refused] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Said:
    """One label on its way in."""

    at: int
    """Which entry of the file, from 1."""
    item_id: str
    annotator: str
    said: Annotation | None
    role: ItemRole


def json_lines(cases: Iterable[Case], *, with_votes: bool) -> Iterator[bytes]:
    """One line a label, or a case without one."""
    for case in cases:
        about = {
            "language": case.item.language,
            "reason": case.item.reason,
            "case": dict(case.item.trace),
        }
        votes = _redacted(case.votes) if with_votes else ()
        for vote in votes or (None,):
            yield orjson.dumps(_line(case.item, vote) | about)


def label_studio_tasks(cases: Iterable[Case], *, with_votes: bool) -> list[dict[str, Any]]:
    """The cases as Label Studio imports them."""
    return [task_of(case.item, _redacted(case.votes) if with_votes else ()) for case in cases]


def take(queue: AnnotationQueue, data: bytes, annotator: str = "") -> Taken:
    """Store the labels of a file; what cannot be stored is named. Raises SinkError, LeaseFileError.

    `annotator`: whoever said all of it; empty: whoever the file names.
    """
    taken = Taken()
    saying: list[_Said] = []
    for number, entry in read_pushed(data):
        item_id = ""
        try:
            if isinstance(entry, str):
                raise Unreadable(entry)
            is_foreign = is_task(entry)
            item_id = str((entry["data"] if is_foreign else entry).get("item_id") or "")
            if is_foreign:
                said = list(_read_task(entry, number, item_id, annotator, taken))
            else:
                said = list(_read_line(entry, number, item_id, annotator))
            if said and not item_id:
                raise Unreadable("no item_id: it is no case of this queue")
            taken.blank += not said
            saying += said
        except Unreadable as error:
            taken.refused.append(Refused(number, item_id, str(error)))
    for start in range(0, len(saying), PAGE):
        _store(queue, saying[start : start + PAGE], taken)
    taken.refused.sort(key=lambda one: one.at)
    return taken


def _redacted(votes: Iterable[Vote]) -> list[Vote]:
    """Labels are redacted when they are stored; those of sheets were not."""
    return [replace(vote, said=redact_said(vote.said)) if vote.said else vote for vote in votes]


def _line(item: AnnotationItem, vote: Vote | None) -> dict[str, Any]:
    ids = {"item_id": item.item_id, "trace_id": item.trace_id}
    if vote is None:
        return {**ids, "annotator": None, "role": ItemRole.VOTE.value, "label": None}
    label = vote.said.model_dump(mode="json", exclude_defaults=True) if vote.said else None
    said = {"annotator": vote.annotator, "role": vote.role.value, "at": vote.at.isoformat(), "label": label}
    return {**ids, **said, **({"skip": True} if vote.role is ItemRole.SKIP else {})}


def _read_line(entry: Mapping[str, Any], number: int, item_id: str, annotator: str) -> Iterator[_Said]:
    role = entry.get("role") or ItemRole.VOTE.value
    if role not in set(ItemRole):
        raise Unreadable(f"role {str(role)[:40]!r} is none of {', '.join(ItemRole)}")
    skip = entry.get("skip") is True or role == ItemRole.SKIP
    if not skip and entry.get("label") is None:
        return
    who = _who(annotator or str(entry.get("annotator") or ""))
    if skip:
        yield _Said(number, item_id, who, None, ItemRole.SKIP)
        return
    try:
        said = Annotation.model_validate(entry["label"])
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Unreadable(f"{where}: {first['msg']}".lstrip(": ")) from None
    yield _Said(number, item_id, who, said, ItemRole(role))


def _read_task(
    task: Mapping[str, Any], number: int, item_id: str, annotator: str, taken: Taken
) -> Iterator[_Said]:
    """The annotations of a task; one that is wrong is named and leaves the others."""
    answer = task["data"].get("answer")
    text = answer if isinstance(answer, str) and answer != NO_ANSWER else ""
    for annotation in task.get("annotations") or ():
        try:
            if not isinstance(annotation, dict):
                raise Unreadable("an annotation is no object")
            who = _who(annotator or who_of(annotation))
            if annotation.get("was_cancelled") is True:
                yield _Said(number, item_id, who, None, ItemRole.SKIP)
                continue
            said = read_result(annotation.get("result"), text)
        except Unreadable as error:
            taken.refused.append(Refused(number, item_id, str(error)))
            continue
        if said is not None:
            last_word = annotation.get("role") == ItemRole.ARBITRATION
            yield _Said(number, item_id, who, said, ItemRole.ARBITRATION if last_word else ItemRole.VOTE)


def _store(queue: AnnotationQueue, saying: Sequence[_Said], taken: Taken) -> None:
    """A page of labels: votes in one insert, last words one by one."""
    cases = queue.cases_of(sorted({one.item_id for one in saying}))
    votes: dict[tuple[str, str], tuple[Case, str, Annotation | None]] = {}
    for one in saying:
        case = cases.get(one.item_id)
        try:
            if case is None:
                raise NoSuchItem(f"There is no case {one.item_id!r} in the queue.")
            if any(_same(vote, one) for vote in case.votes):
                taken.known += 1
            elif one.role is ItemRole.ARBITRATION and one.said is not None:
                queue.arbitrate(one.item_id, one.annotator, one.said, source=SOURCE)
                taken.stored += 1
            elif had_last_word(case, one.annotator):
                raise SelfReview(f"{one.annotator} had the last word on {one.item_id}, and has no vote.")
            else:
                votes[one.item_id, one.annotator] = (case, one.annotator, one.said)
        except QueueRefusal as error:
            taken.refused.append(Refused(one.at, one.item_id, str(error)))
    queue.vote_all(list(votes.values()), source=SOURCE)
    skipped = sum(said is None for _, _, said in votes.values())
    taken.skipped += skipped
    taken.stored += len(votes) - skipped


def _same(vote: Vote, one: _Said) -> bool:
    """Word for word. A row says of hallucination what its class and claims imply, and is redacted."""
    said = one.said and redact_said(one.said.model_copy(update={"hallucination": one.said.is_hallucination}))
    return (vote.annotator, vote.role, vote.said) == (one.annotator, one.role, said)


def _who(name: str) -> str:
    plain = " ".join(name.split())[:100]
    if not plain:
        raise Unreadable("nobody is named as the annotator (--annotator)")
    return plain


__all__ = ["Taken", "json_lines", "label_studio_tasks", "take"]
