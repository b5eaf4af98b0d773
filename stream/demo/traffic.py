"""The simulated traffic: a stream of messages, and the truth about each, which never travels in them.

The same seed and clock give the same bytes. Nothing in a trace says what was injected: ids are random,
and the truth stays with whoever asked for the traffic.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from random import Random
from typing import Any, Final

import orjson

from schemas.taxonomy import HEALTHY
from stream.demo.draft import Desk, Draft
from stream.demo.kinds import WRITERS
from stream.demo.knowledge import load_library
from stream.demo.phrases import load_phrases
from stream.demo.shelf import Shelf
from stream.demo.world import APPS, DECK, SPIKE_DECK, SPIKE_TENANT, TENANTS, Tenant, release_of

_FEEDBACK_SHARE = 0.12
_REPEAT_SHARE = 0.01
_BROKEN_EVERY = (40, 110)
_FEEDBACK_LATER_BY = (1, 150)


class Kind(StrEnum):
    """What a message is."""

    TRACE = "trace"
    FEEDBACK = "feedback"
    REPEAT = "repeat"
    """A trace once more, byte for byte: brokers redeliver."""
    BROKEN = "broken"
    """No trace at all; a dead letter is expected."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What was injected into one trace."""

    failure: str
    """A class of the taxonomy, or `healthy`."""
    kind: str
    language: str
    tenant: str
    spiking: bool
    """Whether it came from the spike's tenant after its release."""
    topic: str = ""
    """Id of the article that it asks about; `lack-…` where there is none, the same in both languages."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message to publish. `truth` is set for traces alone."""

    kind: Kind
    key: str
    value: bytes
    trace_id: str | None = None
    truth: Truth | None = None


class Traffic:
    """Simulated traffic: `next(spiking=False)` gives the messages of one more question."""

    def __init__(self, seed: int, clock: Callable[[], datetime] | None = None) -> None:
        self._random = Random(seed)
        self._now = clock or (lambda: datetime.now(UTC))
        self._decks: dict[tuple[str, str, bool], list[str]] = defaultdict(list)
        self._desks = {
            (app.name, language): Desk(
                app,
                load_library(language),
                load_phrases(language),
                Shelf(load_library(language), app, self._random),
                self._random,
            )
            for app in APPS.values()
            for language in ("en", "zh")
        }
        self._asked = 0
        self._next_broken = self._random.randint(10, 30)
        self._broken = 0
        self._waiting: list[tuple[int, int, Message]] = []

    def next(self, *, spiking: bool = False) -> list[Message]:
        """One more question: its trace, and what else is due (late feedback, a repeat, broken bytes)."""
        self._asked += 1
        trace = self._trace(spiking)
        messages = self._feedback(trace)
        messages += [trace]
        if self._random.random() < _REPEAT_SHARE:
            messages.append(Message(Kind.REPEAT, trace.key, trace.value, trace.trace_id))
        if self._asked >= self._next_broken:
            messages.append(self._break(trace))
            self._next_broken += self._random.randint(*_BROKEN_EVERY)
        return messages + list(self._due())

    def flush(self) -> list[Message]:
        """The late feedback that is still to come."""
        return [heapq.heappop(self._waiting)[2] for _ in range(len(self._waiting))]

    def traces(self, count: int) -> Iterator[Message]:
        """Traces alone, without spike, feedback, repeats or broken messages."""
        for _ in range(count):
            yield self._trace(spiking=False)

    def _trace(self, spiking: bool) -> Message:
        tenant = self._random.choices(TENANTS, [t.share for t in TENANTS])[0]
        language = "zh" if self._random.random() < tenant.chinese else "en"
        changed = spiking and tenant.name == SPIKE_TENANT
        failure = self._deal(tenant, language, changed)
        draft = WRITERS[failure](self._desks[tenant.app, language])
        trace_id = f"{self._random.getrandbits(128):032x}"
        body = self._body(trace_id, tenant, language, draft, spiking)
        truth = Truth(failure, draft.kind, language, tenant.name, changed, draft.case.article.id)
        key = body["conversation_id"] or trace_id
        return Message(Kind.TRACE, key, orjson.dumps(body), trace_id, truth)

    def _deal(self, tenant: Tenant, language: str, changed: bool) -> str:
        deck = self._decks[tenant.name if changed else "", language, changed]
        if not deck:
            shares = SPIKE_DECK if changed else DECK
            deck += [name for name, share in shares.items() for _ in range(share // 5)]
            self._random.shuffle(deck)
        return deck.pop()

    def _body(
        self, trace_id: str, tenant: Tenant, language: str, draft: Draft, spiking: bool
    ) -> dict[str, Any]:
        random, app = self._random, APPS[tenant.app]
        in_conversation = bool(draft.history) or random.random() < 0.4
        return {
            "schema_version": 1,
            "trace_id": trace_id,
            "timestamp": self._now().astimezone(UTC).isoformat(timespec="milliseconds"),
            "app": app.name,
            "tenant": tenant.name,
            "environment": "prod",
            "intent": None,
            "language": language if random.random() < 0.8 else None,
            "release": release_of(tenant, spiking=spiking),
            "conversation_id": f"c-{random.getrandbits(48):012x}" if in_conversation else None,
            "turn": len(draft.history) + 1,
            "history": [
                {"role": role, "content": content}
                for turn in draft.history
                for role, content in zip(("user", "assistant"), turn, strict=True)
            ],
            "question": draft.question,
            "rewritten_query": draft.rewritten,
            "retrieval": self._retrieval(tenant, language, draft),
            "generation": self._generation(tenant, draft),
            "answer": draft.answer,
            "feedback": self._opinion(draft.kind == "healthy") if random.random() < 0.05 else None,
        }

    def _retrieval(self, tenant: Tenant, language: str, draft: Draft) -> dict[str, Any]:
        app, random = APPS[tenant.app], self._random
        min_score = app.min_score
        shelf = self._desks[app.name, language].shelf
        chunks = None if draft.pieces is None else shelf.number(draft.pieces)
        if draft.below_min_score and chunks:
            min_score = 0.45
            for chunk in chunks:
                chunk["score"] = round(random.uniform(0.12, 0.42), 4)
            chunks.sort(key=lambda chunk: -chunk["score"])
            for rank, chunk in enumerate(chunks, 1):
                chunk["rank"] = rank
        return {
            "top_k": app.top_k,
            "min_score": min_score,
            "latency_ms": round(random.lognormvariate(3.8, 0.5), 1),
            "error": draft.retrieval_error,
            "prompt_context": None,
            "chunks": chunks,
        }

    def _generation(self, tenant: Tenant, draft: Draft) -> dict[str, Any]:
        random = self._random
        first = round(random.lognormvariate(5.4, 0.4), 1)
        return {
            "model": APPS[tenant.app].generator,
            "finish_reason": draft.finish_reason,
            "latency_ms": round(first + random.lognormvariate(6.6, 0.5), 1),
            "ttft_ms": first,
            "input_tokens": 250 + sum(len(piece.text) // 2 for piece in draft.pieces or ()),
            "output_tokens": max(1, len(draft.answer or "") // 2),
            "cost_usd": round(random.uniform(0.0004, 0.004), 6),
            "error": draft.generation_error,
        }

    def _feedback(self, trace: Message) -> list[Message]:
        """Late feedback on some traces: mostly queued for later, now and then ahead of its trace."""
        if trace.trace_id is None or trace.truth is None or self._random.random() >= _FEEDBACK_SHARE:
            return []
        body = {
            "trace_id": trace.trace_id,
            "timestamp": (self._now() + timedelta(seconds=self._random.randint(1, 90))).isoformat(),
            "feedback": self._opinion(trace.truth.failure == HEALTHY),
        }
        message = Message(Kind.FEEDBACK, trace.key, orjson.dumps(body), trace.trace_id)
        if self._random.random() < 0.1:
            return [message]
        due = self._asked + self._random.randint(*_FEEDBACK_LATER_BY)
        heapq.heappush(self._waiting, (due, len(self._waiting) + self._asked * 1000, message))
        return []

    def _due(self) -> Iterator[Message]:
        while self._waiting and self._waiting[0][0] <= self._asked:
            yield heapq.heappop(self._waiting)[2]

    def _opinion(self, healthy: bool) -> dict[str, Any]:
        """Users are often right, and often not."""
        rating = 1 if self._random.random() < (0.8 if healthy else 0.35) else -1
        mood = "good" if rating > 0 else "bad"
        comments = load_phrases(self._random.choice(("en", "zh"))).comments[mood]
        comment = self._random.choice(comments) if self._random.random() < 0.3 else None
        return {"rating": rating, "comment": comment}

    def _break(self, trace: Message) -> Message:
        """Bytes that are no trace, each time in another way."""
        way = _BROKEN[self._broken % len(_BROKEN)]
        self._broken += 1
        return Message(Kind.BROKEN, f"broken-{self._broken}", way(trace.value, self._random))


def _without_id(value: bytes, _: Random) -> bytes:
    body = orjson.loads(value)
    del body["trace_id"]
    return orjson.dumps(body)


def _with_list_question(value: bytes, random: Random) -> bytes:
    body = {**orjson.loads(value), "trace_id": f"{random.getrandbits(128):032x}"}
    return orjson.dumps({**body, "question": [body["question"]]})


_BROKEN: Final[tuple[Callable[[bytes, Random], bytes], ...]] = (
    lambda value, random: value[: random.randint(20, len(value) - 20)],
    _without_id,
    lambda _, random: b"ERROR upstream closed the connection " + str(random.randint(100, 999)).encode(),
    lambda value, _: value.decode().encode("utf-16"),
    _with_list_question,
    lambda _, random: b"[1, 2, %d]" % random.randint(3, 9),
)

__all__ = ["Kind", "Message", "Traffic", "Truth"]
