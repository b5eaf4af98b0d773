"""The simulated traffic: known rates, reproducible, varied, and silent about its own truth."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import orjson
import pytest

from schemas.formats import Unreadable, decoder
from schemas.taxonomy import FAILURES, HEALTHY
from schemas.trace import LateFeedback, Trace
from stream.demo.traffic import Kind, Message, Traffic, Truth
from stream.demo.world import DECK, SPIKE_DECK, SPIKE_PROMPT, SPIKE_TENANT

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def run(seed: int, count: int, spike_from: int | None = None) -> list[Message]:
    traffic = Traffic(seed, clock=lambda: NOON)
    messages = []
    for number in range(count):
        messages += traffic.next(spiking=spike_from is not None and number >= spike_from)
    return messages + traffic.flush()


@pytest.fixture(scope="module")
def messages() -> list[Message]:
    return run(seed=11, count=3000, spike_from=1500)


@pytest.fixture(scope="module")
def traces(messages: list[Message]) -> list[tuple[Trace, Truth]]:
    return [(Trace.model_validate_json(m.value), m.truth) for m in messages if m.truth]


def test_the_same_seed_gives_the_same_bytes_and_another_seed_gives_others() -> None:
    assert run(5, 200) == run(5, 200)
    assert run(5, 200) != run(6, 200)


def test_each_class_comes_at_its_rate_in_both_languages() -> None:
    sent = [m.truth for m in run(seed=3, count=2000) if m.truth]
    for language in ("en", "zh"):
        counts = Counter(t.failure for t in sent if t.language == language)
        total = counts.total()
        for name, percent in DECK.items():
            assert abs(counts[name] - total * percent / 100) <= DECK[name] / 5, (language, name)


def test_a_hundred_traces_already_hold_every_class() -> None:
    assert {m.truth.failure for m in run(seed=1, count=120) if m.truth} == {HEALTHY, *FAILURES}


def test_the_spike_changes_one_tenant_after_its_release_and_nobody_else(
    traces: list[tuple[Trace, Truth]],
) -> None:
    def share(spiking: bool, tenant: bool) -> float:
        kinds = [
            truth.failure
            for trace, truth in traces
            if truth.spiking is spiking and (truth.tenant == SPIKE_TENANT) is tenant
        ]
        return kinds.count("hallucination") / len(kinds)

    assert share(spiking=True, tenant=True) == pytest.approx(SPIKE_DECK["hallucination"] / 100, abs=0.05)
    assert share(spiking=False, tenant=True) == pytest.approx(DECK["hallucination"] / 100, abs=0.03)
    assert share(spiking=False, tenant=False) == pytest.approx(DECK["hallucination"] / 100, abs=0.02)
    for trace, truth in traces:
        assert trace.release is not None
        assert (trace.release.prompt == SPIKE_PROMPT) is truth.spiking


def test_nothing_in_a_trace_says_what_was_injected(traces: list[tuple[Trace, Truth]]) -> None:
    """No label, no gold, no telling id; and every class has the same keys."""
    shapes = set()
    for trace, truth in traces:
        assert trace.gold is None
        assert not trace.unknown
        body = trace.model_dump_json()
        assert f'"{truth.failure}"' not in body
        assert f'"{truth.kind}"' not in body
        shapes.add(tuple(trace.model_dump()))
        assert len(trace.trace_id) == 32
    assert len(shapes) == 1


def test_lengths_latencies_and_scores_do_not_give_the_class_away(traces: list[tuple[Trace, Truth]]) -> None:
    """Healthy and hallucinating traces look alike in everything but their words."""

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    looks: dict[str, list[float]] = {}
    for name in (HEALTHY, "hallucination"):
        of = [trace for trace, truth in traces if truth.failure == name]
        looks[name] = [
            mean([len(t.answer or "") for t in of]),
            mean([t.generation.latency_ms or 0 for t in of if t.generation]),
            mean([len(t.retrieval.chunks or []) for t in of if t.retrieval]),
            mean([(t.retrieval.chunks or [])[0].score or 0 for t in of if t.retrieval]),
        ]
    for healthy, other in zip(looks[HEALTHY], looks["hallucination"], strict=True):
        assert other == pytest.approx(healthy, rel=0.3)


def test_texts_are_many_and_sizes_realistic(
    messages: list[Message], traces: list[tuple[Trace, Truth]]
) -> None:
    assert len({trace.answer for trace, _ in traces}) > 900
    assert len({trace.question for trace, _ in traces}) > 1200
    sizes = sorted(len(m.value) for m in messages if m.truth)
    assert 1500 < sizes[len(sizes) // 2] < 4500
    chunks = [len(t.retrieval.chunks) for t, _ in traces if t.retrieval and t.retrieval.chunks]
    assert sum(4 <= n <= 6 for n in chunks) > 0.9 * len(chunks)


def test_every_class_shows_all_its_kinds_in_both_languages(traces: list[tuple[Trace, Truth]]) -> None:
    kinds = Counter((truth.failure, truth.kind, truth.language) for _, truth in traces)
    expected = {
        "rewrite_failure": {"missing", "unchanged", "wrong_entity"},
        "empty_recall": {"no_chunks", "blank_chunks", "below_min_score"},
        "poor_retrieval": {"related", "irrelevant"},
        "hallucination": {"contradicted", "number", "invented"},
        "over_refusal": {"plain", "soft", "partial", "safety", "clarifying", "redirecting"},
        "system_error": {
            "generation_error", "retrieval_error", "cut_off", "empty_answer", "loop", "template",
            "garbled_chunks",
        },
    }  # fmt: skip
    for failure, names in expected.items():
        for name in names:
            for language in ("en", "zh"):
                assert kinds[failure, name, language], (failure, name, language)


def test_empty_recall_is_what_it_says(traces: list[tuple[Trace, Truth]]) -> None:
    for trace, truth in traces:
        retrieval = trace.retrieval
        assert retrieval is not None
        if truth.kind == "no_chunks":
            assert retrieval.chunks == []
        elif truth.kind == "blank_chunks":
            assert retrieval.chunks
            assert not any((chunk.text or "").strip() for chunk in retrieval.chunks)
        elif truth.kind == "below_min_score":
            assert retrieval.chunks
            assert retrieval.min_score is not None
            assert all((chunk.score or 0) < retrieval.min_score for chunk in retrieval.chunks)


def test_a_changed_number_is_in_no_chunk(traces: list[tuple[Trace, Truth]]) -> None:
    """Spot check of the mutation: some number of the answer is nowhere in the chunks."""
    import re

    changed = [trace for trace, truth in traces if truth.kind == "number"]
    assert changed
    for trace in changed:
        assert trace.retrieval is not None
        context = " ".join(chunk.text or "" for chunk in trace.retrieval.chunks or [])
        known = set(re.findall(r"[\d:.,]*\d", context))
        plain = re.sub(r"\[\d+]|【\d+】|\*\*", "", trace.answer or "")
        assert set(re.findall(r"[\d:.,]*\d", plain)) - known, trace.answer


def test_poor_retrieval_leaves_out_the_sentence_that_answers() -> None:
    from stream.demo.kinds import write_poor_retrieval

    traffic = Traffic(2, clock=lambda: NOON)
    for desk in traffic._desks.values():
        for _ in range(40):
            draft = write_poor_retrieval(desk)
            for number in draft.case.asked.support:
                answering = draft.case.article.text[number]
                assert all(answering not in piece.text for piece in draft.pieces or ())


def test_broken_messages_are_unreadable_each_in_another_way(messages: list[Message]) -> None:
    decode = decoder("auto")
    broken = [m for m in messages if m.kind is Kind.BROKEN]
    assert len(broken) >= 12
    reasons = set()
    for message in broken:
        (read,) = decode(message.value)
        assert isinstance(read, Unreadable), message.value[:80]
        reasons.add(read.reason)
    assert len(reasons) >= 4


def test_late_feedback_names_a_trace_that_was_sent_and_comes_apart_from_it(messages: list[Message]) -> None:
    decode = decoder("auto")
    ids = {m.trace_id for m in messages if m.truth}
    late = [m for m in messages if m.kind is Kind.FEEDBACK]
    assert len(late) > 200
    for message in late:
        (read,) = decode(message.value)
        assert isinstance(read, LateFeedback)
        assert read.trace_id in ids


def test_some_feedback_comes_before_its_trace_and_most_after(messages: list[Message]) -> None:
    place = {m.trace_id: number for number, m in enumerate(messages) if m.truth}
    early = [n < place[m.trace_id] for n, m in enumerate(messages) if m.kind is Kind.FEEDBACK]
    assert 0 < sum(early) < len(early) / 2


def test_repeats_are_the_same_bytes_again(messages: list[Message]) -> None:
    first = {m.trace_id: m.value for m in messages if m.truth}
    repeats = [m for m in messages if m.kind is Kind.REPEAT]
    assert repeats
    assert all(first[m.trace_id] == m.value for m in repeats)


def test_the_key_is_the_conversation_else_the_trace(messages: list[Message]) -> None:
    for message in messages:
        if message.truth:
            body = orjson.loads(message.value)
            assert message.key == (body["conversation_id"] or body["trace_id"])
