"""What single libraries do in their own way, each as it was seen in spans that they wrote."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.assembly import NotRag, assemble
from schemas.formats.span import Event, Span
from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump, genai

FOUND = "\n\n".join(str(document["text"]) for document in DOCS)


def chain(name: str, at: float = 0.0, parent: Span | None = None, **more: Any) -> Span:
    kind = more.pop("kind", "CHAIN")
    given = {"openinference.span.kind": kind}
    given |= {f"{side}.value": more.pop(side) for side in ("input", "output") if side in more}
    return span(name, at, parent=parent, also=given, lasts=3 - at, **more)


def replied(parent: Span, text: str = A) -> Span:
    return span(
        "chat",
        2,
        parent=parent,
        also={"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1", "gen_ai.completion": text},
    )


@pytest.mark.parametrize(
    "written",
    [
        f"StopEvent(result=AgentOutput(response=ChatMessage(role=<MessageRole.ASSISTANT: 'assistant'>, "
        f"additional_kwargs={{}}, blocks=[TextBlock(block_type='text', text={A!r})]), tool_calls=[]))",
        f"ChatMessage(role=<MessageRole.ASSISTANT: 'assistant'>, content={A!r})",
        dump({"answer_builder": {"answers": [f"GeneratedAnswer(data={A!r}, query={Q!r}, documents=[])"]}}),
    ],
    ids=["llama-index agent", "llama-index message", "haystack answer"],
)
def test_an_answer_inside_an_object_is_taken_out(written: str) -> None:
    root = chain("agent.run", input=Q, output=written)
    assert convert(root).answer == A


def test_an_object_whose_end_was_left_out_is_no_answer() -> None:
    cut = "StopEvent(result=AgentOutput(response=ChatMessage(role=<MessageRole.ASSISTANT: 'assistant'>, bl..."
    root = chain("agent.run", input=Q, output=cut)
    assert convert(root, replied(root)).answer == A
    assert convert(root, replied(root, "")).answer is None


@pytest.mark.parametrize(
    "came",
    [
        {"type": "tool", "data": {"content": FOUND, "name": "search_kb"}},
        {"output": {"content": FOUND, "type": "tool", "name": "search_kb", "tool_call_id": "c"}},
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "ToolMessage"],
         "kwargs": {"content": FOUND, "type": "tool"}},
    ],
    ids=["openinference", "langsmith", "openllmetry"],
)  # fmt: skip
def test_what_a_search_told_the_model_is_taken_out_of_its_message(came: dict[str, Any]) -> None:
    root = chain("agent", input=Q, output=A, kind="AGENT")
    tool = chain("search_kb", 1, root, kind="TOOL", input=dump({"query": "size limit"}), output=dump(came))
    trace = convert(root, tool, replied(root))
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == FOUND
    assert trace.rewritten_query == "size limit"


def test_an_error_leaves_out_where_in_the_code_it_happened() -> None:
    told = "RuntimeError('index is gone')Traceback (most recent call last):\n\n\n  File \"/app/kb.py\""
    root = chain("rag", input=Q)
    event = Event("exception", 1, {"exception.message": told})
    found = chain("kb", 1, root, kind="RETRIEVER", input=Q, error="x", events=(event,))
    retrieval = convert(root, found).retrieval
    assert retrieval is not None
    assert retrieval.error == "RuntimeError('index is gone')"


def test_an_empty_list_from_a_retriever_of_llama_index_is_an_empty_retrieval() -> None:
    def task(name: str, at: float, parent: Span | None, given: object, came: object) -> Span:
        kind = "task" if parent else "workflow"
        held = {"traceloop.entity.input": dump(given), "traceloop.entity.output": dump(came)}
        return span(name, at, parent=parent, also={"traceloop.span.kind": kind, **held}, lasts=3 - at)

    root = task(
        "RetrieverQueryEngine.workflow", 0, None, {"str_or_query_bundle": Q}, {"response": "Empty Response"}
    )
    found = task("KB.task", 1, root, {"str_or_query_bundle": {"query_str": Q}}, [])
    assert texts(convert(root, found)) == []
    other = task("Splitter.task", 1, root, {"text": Q}, [])
    assert convert(root, other).retrieval is None


def test_a_component_of_an_application_s_own_is_what_its_pipeline_calls_it() -> None:
    root = span(
        "haystack.pipeline.run", also={"haystack.pipeline.input_data": dump({"kb_retriever": {"query": Q}})}
    )
    held = {"haystack.component.name": "kb_retriever", "haystack.component.type": "Lookup"}
    failed = span("haystack.component.run", 1, parent=root, also=held, error="index is gone")
    trace = convert(root, failed)
    assert trace.question == Q
    assert trace.retrieval is not None
    assert trace.retrieval.error == "index is gone"


def test_an_application_that_failed_before_it_did_anything_is_a_system_error() -> None:
    trace = convert(chain("rag", input=Q, error="no connection"))
    assert (trace.question, trace.answer, trace.retrieval) == (Q, None, None)
    assert trace.generation is not None
    assert trace.generation.error == "no connection"
    assert isinstance(assemble([span("GET /health", error="no connection")]), NotRag)


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        (
            "db.weaviate.collections.query.fetch_objects",
            {"db.system": "weaviate", "db.operation": "fetch_objects"},
        ),
        ("qdrant.query_points", {"db.system": "qdrant", "qdrant.search.collection_name": "kb"}),
        ("lancedb.search", {"db.system": "lancedb"}),
    ],
    ids=["weaviate", "qdrant", "lancedb"],
)
def test_a_search_of_which_nothing_was_recorded_was_a_retrieval_all_the_same(
    name: str, attributes: Any
) -> None:
    root, _, called = genai()
    retrieval = convert(root, span(name, 1, parent=root, also=attributes), called).retrieval
    assert retrieval is not None
    assert retrieval.chunks is None
    assert all(str(document["text"]) in (retrieval.prompt_context or "") for document in DOCS)


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("qdrant.upsert", {"db.system": "qdrant", "qdrant.upsert.points_count": 3}),
        ("chroma.add", {"db.system": "chroma", "db.chroma.add.ids_count": 3}),
        ("SELECT kb", {"db.system": "postgresql", "db.operation": "SELECT"}),
    ],
    ids=["qdrant", "chroma", "sql"],
)
def test_writing_to_a_store_and_asking_another_database_are_no_retrievals(name: str, attributes: Any) -> None:
    assert isinstance(assemble([span(name, also=attributes)]), NotRag)


def test_a_tool_that_asks_a_store_of_data_is_a_search_whatever_it_is_called() -> None:
    root = span(
        "agent", also={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helpdesk"}, lasts=3
    )
    held = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "handbook",
        "gen_ai.tool.type": "datastore",
        "gen_ai.tool.call.arguments": dump({"query": Q}),
        "gen_ai.tool.call.result": FOUND,
    }
    retrieval = convert(
        root, span("execute_tool handbook", 1, parent=root, also=held), replied(root)
    ).retrieval
    assert retrieval is not None
    assert retrieval.prompt_context == FOUND


def test_models_that_nobody_named_have_no_name() -> None:
    root = chain("rag", input=Q, output=A)
    made = chain("embed", 0.5, root, kind="EMBEDDING")
    made.attributes = {**made.attributes, "embedding.model_name": "unknown"}
    release = convert(root, made).release
    assert release is None or release.embedding_model is None


def test_what_a_process_has_in_its_environment_is_no_metadata() -> None:
    root = chain("rag", input=Q, output=A)
    root.attributes = {
        **root.attributes,
        "langsmith.span.kind": "chain",
        "langsmith.metadata.team": "search",
        "langsmith.metadata.LANGSMITH_TRACING": "true",
    }
    assert (convert(root).extra or {})["metadata"] == {"team": "search"}


def test_metadata_that_stands_inside_an_input_counts_like_any_other() -> None:
    given = {"inputs": Q, "metadata": {"session_id": "s-1", "user_id": "u-1", "ls_provider": "x"}}
    held = {"traceloop.span.kind": "workflow", "traceloop.entity.input": dump(given)}
    trace = convert(span("rag.workflow", also={**held, "traceloop.entity.output": dump({"outputs": A})}))
    assert (trace.question, trace.conversation_id) == (Q, "s-1")
    assert (trace.extra or {})["user_id"] == "u-1"
    assert (trace.extra or {})["metadata"] == {"session_id": "s-1", "user_id": "u-1"}


def test_the_name_of_an_enumeration_is_no_part_of_why_a_model_stopped() -> None:
    held = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1", "gen_ai.completion": A}
    generation = convert(
        span("chat", also={**held, "gen_ai.response.finish_reason": "FinishReason.STOP"})
    ).generation
    assert generation is not None
    assert generation.finish_reason == "stop"


@pytest.mark.parametrize("told", [dump(DOCS), dump({"documents": DOCS})], ids=["a list", "an object"])
def test_passages_as_json_in_a_part_of_a_message_are_passages(told: str) -> None:
    root = chain("agent", input=Q, output=A, kind="AGENT")
    tool = chain("search_kb", 1, root, kind="TOOL", input=dump({"query": Q}), output=dump([{"text": told}]))
    assert texts(convert(root, tool, replied(root))) == [document["text"] for document in DOCS]


def test_under_a_heading_with_nothing_below_it_there_was_no_context() -> None:
    root, found, called = genai()
    found.attributes = {"gen_ai.operation.name": "retrieval"}
    asked = {"role": "user", "content": f"Answer from the context alone.\nContext:\n\nQuestion: {Q}"}
    called.attributes = {**called.attributes, "gen_ai.input.messages": dump([asked])}
    retrieval = convert(root, found, called).retrieval
    assert retrieval is not None
    assert (retrieval.chunks, retrieval.prompt_context) == (None, None)
