"""What several retrievals, rewrites, tools, failures and missing roots come to."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.assembly import NotRag, Segments, assemble
from schemas.formats.span import Event, Span
from schemas.trace import LateFeedback, Trace
from tests.unit.schemas.formats.spans import convert, span, texts


def chain(name: str, given: Any, came: Any = None, **more: Any) -> Span:
    output = {"output.value": came} if came is not None else {}
    return span(
        name, also={"openinference.span.kind": "CHAIN", "input.value": given, **output}, lasts=20, **more
    )


def search(at: float, parent: Span, query: str, *found: str, **more: Any) -> Span:
    documents = [{"id": text[:3], "text": text} for text in found]
    kind = {"openinference.span.kind": "RETRIEVER", "input.value": query}
    return span(f"search {at}", at, parent=parent, also={**kind, "retrieval.documents": documents}, **more)


def model(at: float, parent: Span, asked: Any, said: str | None = None, **more: Any) -> Span:
    messages = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
    reply = {"llm.output_messages": [{"role": "assistant", "content": said}]} if said else {}
    kind = {"openinference.span.kind": "LLM", "llm.input_messages": messages, "llm.model_name": "m"}
    return span(f"model {at}", at, parent=parent, also={**kind, **reply, **more.pop("also", {})}, **more)


ONE, TWO, THREE = "one: files up to 2 GB", "two: versions for 30 days", "three: invoices by mail"


def test_a_rewrite_is_what_was_searched_instead_of_the_question() -> None:
    root = chain("rag", "And on the free plan?", "2 GB.")
    trace = convert(
        root,
        model(1, root, "And on the free plan?", "How large may files be on the free plan?"),
        search(2, root, "How large may files be on the free plan?", ONE),
        model(3, root, f"{ONE}\nAnd on the free plan?", "2 GB."),
    )
    assert trace.question == "And on the free plan?"
    assert trace.rewritten_query == "How large may files be on the free plan?"
    assert trace.answer == "2 GB."


def test_all_passages_that_the_last_generation_saw_count_once_in_its_order() -> None:
    root = chain("agent", "q?", "done")
    trace = convert(
        root,
        search(1, root, "first", TWO, ONE),
        search(2, root, "second", ONE, THREE),
        model(3, root, f"[1] {ONE}\n[2] {TWO}\n[3] {THREE}\nq?", "done"),
    )
    assert texts(trace) == [ONE, TWO, THREE]
    assert trace.rewritten_query == "first"


def test_passages_that_were_left_out_of_the_prompt_do_not_count() -> None:
    root = chain("rag", "q?", "a")
    trace = convert(
        root, search(1, root, "q?", ONE, TWO, THREE), model(2, root, f"{THREE}\n\n{ONE}\nq?", "a")
    )
    assert texts(trace) == [THREE, ONE]


def test_where_the_prompt_shows_none_of_them_all_passages_count() -> None:
    root = chain("rag", "q?", "a")
    trace = convert(root, search(1, root, "q?", ONE, TWO), model(2, root, "q?", "a"))
    assert texts(trace) == [ONE, TWO]


def test_of_nested_retrievers_the_outer_one_counts() -> None:
    root = chain("rag", "q?", "a")
    outer = search(1, root, "q?", TWO, lasts=3)
    trace = convert(root, outer, search(1.5, outer, "q?", ONE, TWO, THREE), model(5, root, "q?", "a"))
    assert texts(trace) == [TWO]


def test_a_reranker_replaces_what_it_was_given() -> None:
    root = chain("rag", "q?", "a")
    kept = [{"document": {"id": "two", "content": TWO, "score": 1.5}}]
    ranks = span(
        "rerank",
        2,
        parent=root,
        also={
            "openinference.span.kind": "RERANKER",
            "reranker.query": "q?",
            "reranker.output_documents": kept,
        },
    )
    trace = convert(root, search(1, root, "q?", ONE, TWO), ranks, model(3, root, "q?", "a"))
    assert texts(trace) == [TWO]
    assert trace.retrieval is not None
    assert [(c.score, c.rerank_score) for c in trace.retrieval.chunks or ()] == [(1.5, 1.5)]


@pytest.mark.parametrize(
    "kept",
    [
        {"kept": ["two", "one"], "scores": [0.9, 0.1]},
        {"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]},
    ],
)
def test_a_reranker_that_names_ids_or_places_gets_the_texts(kept: dict[str, Any]) -> None:
    root = chain("rag", "q?", "a")
    trace = convert(
        root,
        search(1, root, "q?", ONE, TWO),
        span("rerank", 2, parent=root, also=kept),
        model(3, root, "q?", "a"),
    )
    assert texts(trace) == [TWO, ONE]


def test_a_search_that_was_tried_again_has_not_failed() -> None:
    root = chain("rag", "q?", "a")
    broken = search(1, root, "q?", error="timeout")
    trace = convert(root, broken, search(2, root, "q?", ONE), model(3, root, "q?", "a"))
    assert trace.retrieval is not None
    assert trace.retrieval.error is None
    assert texts(trace) == [ONE]


def test_an_error_an_empty_result_and_none_recorded_are_three_things() -> None:
    root = chain("rag", "q?")
    failed = convert(root, search(1, root, "q?", error="index down"))
    assert failed.retrieval is not None
    assert (failed.retrieval.error, failed.retrieval.chunks) == ("index down", None)
    empty = convert(root, search(1, root, "q?"), model(2, root, "q?", "a"))
    assert texts(empty) == []
    silent = span(
        "search", 1, parent=root, also={"openinference.span.kind": "RETRIEVER", "input.value": "q?"}
    )
    unknown = convert(root, silent, model(2, root, "q?", "a"))
    assert unknown.retrieval is not None
    assert (unknown.retrieval.error, unknown.retrieval.chunks) == (None, None)
    assert convert(root, model(2, root, "q?", "a")).retrieval is None


def test_a_failed_model_is_a_failed_generation_and_its_ancestors_are_not_asked() -> None:
    stack = Event(
        "exception", 1, {"exception.message": "429 Too Many Requests", "exception.type": "RateLimit"}
    )
    root = chain("rag", "q?", error="RateLimit('429')\nTraceback …")
    trace = convert(root, search(1, root, "q?", ONE), model(2, root, "q?", error="x", events=(stack,)))
    assert trace.generation is not None
    assert trace.generation.error == "429 Too Many Requests"
    assert trace.answer is None
    assert (trace.extra or {}).get("ragpulse_unrecorded") is None


def test_an_application_that_gave_up_without_a_model_is_a_failure_too() -> None:
    root = chain("rag", "q?", error="KeyError: 'docs'")
    trace = convert(root, search(1, root, "q?", ONE))
    assert trace.generation is not None
    assert trace.generation.error == "KeyError: 'docs'"


def test_a_fallback_answer_stands_beside_the_error() -> None:
    root = chain("rag", "q?", "Sorry, try again.")
    trace = convert(root, search(1, root, "q?", error="down"))
    assert trace.answer == "Sorry, try again."
    assert trace.retrieval is not None
    assert trace.retrieval.error == "down"


def test_calls_of_models_after_the_answer_are_not_the_answer() -> None:
    root = chain("rag", "q?", "It is 2 GB.")
    title = model(4, root, "Give this conversation a title", "File sizes", also={"llm.token_count.prompt": 3})
    judge = span("judge", 5, parent=root, also={"openinference.span.kind": "EVALUATOR"})
    graded = model(5.1, judge, "Is it faithful?", "yes")
    answered = model(2, root, "q?", "It is 2 GB.", also={"llm.token_count.prompt": 90})
    trace = convert(root, search(1, root, "q?", ONE), answered, title, judge, graded)
    assert trace.answer == "It is 2 GB."
    assert trace.generation is not None
    assert trace.generation.input_tokens == 90


def test_without_a_root_the_topmost_step_speaks_and_the_trace_is_marked() -> None:
    gone = span("edge")
    web = span("POST /chat", parent=gone, lasts=30)
    root = chain("rag", "q?", "a", parent=web)
    trace = convert(web, root, search(1, root, "q?", ONE), model(2, root, "q?", "a"))
    assert (trace.question, trace.answer) == ("q?", "a")
    assert (trace.extra or {})["ragpulse_incomplete"] == "no_root"


def test_two_libraries_around_one_call_complete_each_other() -> None:
    root = chain("rag", "q?", "a")
    outer = model(2, root, "q?", "a")
    inner = span(
        "chat",
        2.1,
        parent=outer,
        also={
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "asked",
            "gen_ai.usage.input_tokens": 7,
        },
    )
    generation = convert(root, outer, inner).generation
    assert generation is not None
    assert (generation.model, generation.input_tokens) == ("asked", 7)


def test_a_plain_search_tool_is_the_retrieval_of_an_agent() -> None:
    root = span(
        "agent", also={"openinference.span.kind": "AGENT", "input.value": "q?", "output.value": "a"}, lasts=9
    )
    tool = span(
        "search_kb",
        1,
        parent=root,
        also={
            "openinference.span.kind": "TOOL",
            "tool.name": "search_kb",
            "input.value": '{"query": "files"}',
            "output.value": f"[1] {ONE}",
        },
    )
    trace = convert(root, tool, model(2, root, "q?", "a"))
    assert trace.rewritten_query == "files"
    assert trace.retrieval is not None
    assert (trace.retrieval.chunks, trace.retrieval.prompt_context) == (None, f"[1] {ONE}")


def test_a_tool_that_searches_nothing_is_no_retrieval() -> None:
    root = span(
        "agent", also={"openinference.span.kind": "AGENT", "input.value": "q?", "output.value": "a"}, lasts=9
    )
    tool = span(
        "get_weather",
        1,
        parent=root,
        also={
            "openinference.span.kind": "TOOL",
            "tool.name": "get_weather",
            "input.value": "{}",
            "output.value": "sunny",
        },
    )
    assert convert(root, tool, model(2, root, "q?", "a")).retrieval is None


def test_web_requests_and_indexing_are_no_traces_of_ours() -> None:
    for spans in (
        [span("GET /health")],
        [span("embed", also={"openinference.span.kind": "EMBEDDING", "embedding.model_name": "e"})],
        [span("INSERT", also={"db.system": "postgresql", "db.statement": "INSERT …"})],
    ):
        found = assemble(spans)
        assert isinstance(found, NotRag)
        assert found.reason == "no_retrieval_no_generation"


def test_a_users_word_becomes_feedback_and_a_metric_stays_an_evaluation() -> None:
    def result(name: str, **more: Any) -> Event:
        return Event("gen_ai.evaluation.result", 1, {"gen_ai.evaluation.name": name, **more})

    events = (
        result(
            "user_feedback",
            **{"gen_ai.evaluation.score.label": "thumbs_down", "gen_ai.evaluation.explanation": "wrong"},
        ),
        result("faithfulness", **{"gen_ai.evaluation.score.value": 0.4}),
    )
    trace = convert(chain("rag", "q?", "a", events=events))
    assert trace.feedback is not None
    assert (trace.feedback.rating, trace.feedback.comment) == (-1, "wrong")
    assert [e["name"] for e in (trace.extra or {})["evaluations"]] == ["user_feedback", "faithfulness"]


def test_feedback_alone_is_late_feedback() -> None:
    score = {"name": "user-thumbs", "value": 1, "dataType": "BOOLEAN", "source": "API"}
    found = assemble([span("score", also={"langfuse.score": score})])
    assert isinstance(found, LateFeedback)
    assert found.feedback.rating == 1
    metric = {"name": "toxicity", "value": 0.1, "dataType": "NUMERIC", "source": "EVAL"}
    assert isinstance(assemble([span("score", also={"langfuse.score": metric})]), NotRag)


def test_the_expected_output_of_an_experiment_is_gold() -> None:
    root = span(
        "rag",
        also={
            "langfuse.observation.type": "span",
            "langfuse.observation.input": "q?",
            "langfuse.observation.output": "a",
            "langfuse.experiment.item.expected_output": '"2 GB"',
        },
    )
    trace = convert(root)
    assert trace.gold is not None
    assert trace.gold.answer == "2 GB"


def test_segments_can_be_named_by_an_installation() -> None:
    root = chain("rag", "q?", "a")
    root.attributes = {
        **root.attributes,
        "acme.customer": "c-7",
        "metadata": '{"tenant": "other", "lang": "zh"}',
    }
    trace = assemble([root], segments=Segments(tenant=("acme.customer",)))
    assert isinstance(trace, Trace)
    assert (trace.tenant, trace.language) == ("c-7", "zh")
    assert convert(root).tenant == "other"


def test_where_no_prompt_is_recorded_the_steps_around_the_model_show_what_it_saw() -> None:
    root = chain("engine", "q?", "a")
    inner = span(
        "get_response",
        2,
        parent=root,
        lasts=5,
        also={
            "openinference.span.kind": "CHAIN",
            "input.value": f'{{"query_str": "q?", "text_chunks": ["{TWO}"]}}',
        },
    )
    silent = span("llm", 3, parent=inner, also={"openinference.span.kind": "LLM", "llm.model_name": "m"})
    trace = convert(root, search(1, root, "q?", ONE, TWO), inner, silent)
    assert texts(trace) == [TWO]


@pytest.mark.parametrize(
    "word", ["<generator object>", "<async_generator object Stream at 0x7f00>", "<coroutine x>"]
)
def test_an_object_that_a_library_could_not_write_is_no_answer(word: str) -> None:
    root = chain("rag", "q?", word)
    trace = convert(root, search(1, root, "q?", ONE), model(2, root, f"{ONE} q?"))
    assert trace.answer is None


def test_a_prompt_builder_that_is_called_a_model_is_none() -> None:
    root = chain("pipeline", "q?", error="HTTP 500")
    kind = {
        "openinference.span.kind": "LLM",
        "llm.prompt_template.template": "{{context}}",
        "output.value": f"{ONE} q?",
    }
    trace = convert(root, search(1, root, "q?", ONE), span("PromptBuilder.run", 2, parent=root, also=kind))
    assert trace.answer is None
    assert trace.generation is not None
    assert trace.generation.error == "HTTP 500"
