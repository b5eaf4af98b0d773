"""The same question, as clouds, stores of vectors and earlier versions of libraries write it."""

from __future__ import annotations

from schemas.formats.span import Event, Span
from tests.unit.schemas.formats.spans import span
from tests.unit.schemas.formats.writers_otel import DOCS, PROMPT, A, Q, dump, genai


def loongsuite() -> list[Span]:
    """Alibaba Cloud's conventions: OpenInference's names, with kinds and passages of their own."""
    root = span("workflow", also={"gen_ai.span.kind": "ENTRY", "input.value": Q, "output.value": A}, lasts=3)
    passages = [
        {"document": {"content": d["text"], "id": d["id"], "score": d["score"], "metadata": {"page": 1}}}
        for d in DOCS
    ]
    found = span(
        "knowledge",
        1,
        parent=root,
        also={"gen_ai.span.kind": "RETRIEVER", "retrieval.query": Q, "retrieval.document": dump(passages)},
    )
    called = span(
        "llm",
        2,
        parent=root,
        also={
            "gen_ai.span.kind": "LLM",
            "gen_ai.request.model": "m-1",
            "gen_ai.usage.input_tokens": 90,
            "gen_ai.usage.output_tokens": 9,
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": PROMPT,
            "gen_ai.completion.0.content": A,
        },
    )
    return [root, found, called]


def openllmetry_of_2023() -> list[Span]:
    root, found, _ = genai()
    called = span(
        "openai.chat",
        2,
        parent=root,
        also={
            "llm.request.type": "chat",
            "llm.request.model": "m-1",
            "llm.response.model": "m-1-0613",
            "llm.usage.prompt_tokens": 90,
            "llm.usage.completion_tokens": 9,
            "llm.prompts.0.role": "user",
            "llm.prompts.0.content": PROMPT,
            "llm.completions.0.role": "assistant",
            "llm.completions.0.content": A,
        },
    )
    return [root, found, called]


def openlit() -> list[Span]:
    """Texts in attributes that OpenTelemetry had as events."""
    root, found, _ = genai()
    called = span(
        "openai.chat.completions",
        2,
        parent=root,
        also={
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m-1",
            "gen_ai.usage.input_tokens": 90,
            "gen_ai.usage.output_tokens": 9,
            "gen_ai.content.prompt": f"user: {PROMPT}",
            "gen_ai.content.completion": A,
        },
    )
    return [root, found, called]


def logfire() -> list[Span]:
    """The client's own request and answer, as JSON."""
    root, found, _ = genai()
    called = span(
        "Chat Completion with 'm-1'",
        2,
        parent=root,
        also={
            "request_data": dump({"model": "m-1", "messages": [{"role": "user", "content": PROMPT}]}),
            "response_data": dump({"message": {"role": "assistant", "content": A}, "usage": {}}),
            "gen_ai.request.model": "m-1",
            "gen_ai.response.model": "m-1-0613",
            "gen_ai.usage.input_tokens": 90,
            "gen_ai.usage.output_tokens": 9,
        },
    )
    return [root, found, called]


def mlflow_alone() -> list[Span]:
    def step(name: str, at: float, parent: Span | None, kind: str, given: object, came: object) -> Span:
        held = {
            "mlflow.spanType": dump(kind),
            "mlflow.spanInputs": dump(given),
            "mlflow.spanOutputs": dump(came),
        }
        return span(name, at, parent=parent, also=held, lasts=3 - at)

    root = step("rag", 0, None, "AGENT", {"question": Q}, A)
    passages = [
        {"page_content": d["text"], "metadata": {"similarity": d["score"], "doc_uri": "kb"}, "id": d["id"]}
        for d in DOCS
    ]
    found = step("kb", 1, root, "RETRIEVER", {"query": Q}, passages)
    asked = {"model": "m-1", "messages": [{"role": "user", "content": PROMPT}]}
    called = step(
        "Completions",
        2,
        root,
        "CHAT_MODEL",
        asked,
        {"choices": [{"message": {"role": "assistant", "content": A}}]},
    )
    usage = {"input_tokens": 90, "output_tokens": 9, "total_tokens": 99}
    called.attributes = {
        **called.attributes,
        "mlflow.chat.tokenUsage": dump(usage),
        "mlflow.llm.model": '"m-1-0613"',
    }
    return [root, found, called]


def langfuse_trace_level() -> list[Span]:
    """Question and answer on the trace, set from within, over what its functions were given."""
    root = span(
        "POST /chat",
        also={
            "langfuse.observation.type": "span",
            "langfuse.observation.input": dump({"args": [{"session": 7}], "kwargs": {}}),
            "langfuse.observation.output": dump({"status": 200}),
            "langfuse.trace.input": dump({"question": Q}),
            "langfuse.trace.output": A,
        },
        lasts=3,
    )
    found = span(
        "kb",
        1,
        parent=root,
        also={
            "langfuse.observation.type": "retriever",
            "langfuse.observation.input": Q,
            "langfuse.observation.output": dump(DOCS),
        },
    )
    _, _, called = genai()
    called.parent_id = root.span_id
    return [root, found, called]


def litellm() -> list[Span]:
    """The request as it went to the provider, in Python's spelling."""
    root, found, _ = genai()
    choice = {
        "finish_reason": "stop",
        "index": 0,
        "message": {"content": A, "role": "assistant", "tool_calls": None},
    }
    called = span(
        "raw_gen_ai_request",
        2,
        parent=root,
        also={
            "llm.openai.messages": str([{"role": "user", "content": PROMPT}]),
            "llm.openai.choices": str([choice]),
            "llm.openai.model": "m-1-2026-09-01",
            "llm.openai.usage": str({"prompt_tokens": 90, "completion_tokens": 9}),
        },
    )
    return [root, found, called]


def stored(name: str, events: tuple[Event, ...], **attributes: object) -> list[Span]:
    """A client of a store of vectors, called from a function that is traced by nobody else."""
    root, _, called = genai()
    found = span(name, 1, parent=root, also=attributes, events=events)
    return [root, found, called]


def pinecone() -> list[Span]:
    events = tuple(
        Event(
            "db.query.result",
            i,
            {
                "db.query.result.id": d["id"],
                "db.query.result.score": d["score"],
                "db.query.result.metadata": str({"text": d["text"], "page": 1}),
            },
        )
        for i, d in enumerate(DOCS)
    )
    return stored("pinecone.query", events, **{"pinecone.query.top_k": 2})


def a_store_that_tells_all_hits_at_once() -> list[Span]:
    held = {
        "db.query.result.id": [d["id"] for d in DOCS],
        "db.query.result.score": [d["score"] for d in DOCS],
        "db.query.result.document": [d["text"] for d in DOCS],
        "db.query.result.metadata": None,
    }
    return stored("chroma.query", (Event("db.query.result", 1, held),), **{"db.system": "chroma"})


def milvus() -> list[Span]:
    events = tuple(
        Event(
            "db.search.result",
            i,
            {
                "db.search.query.id": 0,
                "db.search.result.id": d["id"],
                "db.search.result.score": str(d["score"]),
                "db.search.result.entity": dump({"text": d["text"]}),
            },
        )
        for i, d in enumerate(DOCS)
    )
    return stored("milvus.search", events, **{"db.milvus.search.limit": 2})


def llamaindex_alone() -> list[Span]:
    """LlamaIndex's own events for the model too: a template of messages, and the answer as it came."""
    nodes = dump([{"node": {"id_": d["id"], "text": d["text"]}, "score": d["score"]} for d in DOCS])
    asked = (Event("QueryStartEvent", 1, {"query": Q}), Event("QueryEndEvent", 2, {"response.response": A}))
    root = span("RetrieverQueryEngine.query", events=asked, lasts=3)
    got = (
        Event("RetrievalStartEvent", 1, {"str_or_query_bundle": Q}),
        Event("RetrievalEndEvent", 2, {"nodes": nodes}),
    )
    found = span("KB.retrieve", 1, parent=root, events=got)
    template = [
        {"role": "system", "blocks": [{"block_type": "text", "text": "Context:\n{context_str}"}]},
        {"role": "user", "blocks": [{"block_type": "text", "text": "{query_str}"}]},
    ]
    filled = Event(
        "LLMPredictStartEvent",
        1,
        {
            "template.message_templates": dump(template),
            "template.kwargs.query_str": Q,
            "template_args.context_str": "\n\n".join(str(d["text"]) for d in DOCS),
        },
    )
    said = Event("LLMPredictEndEvent", 2, {"output": A})
    predicted = span("LLM.predict", 2, parent=root, events=(filled, said))
    chat = (
        Event("LLMChatStartEvent", 1, {"model_dict.model_name": "m-1"}),
        Event(
            "LLMChatEndEvent",
            2,
            {
                "response.message.role": "assistant",
                "response.message.blocks": dump([{"block_type": "text", "text": A}]),
                "response.raw.model": "m-1-0613",
                "response.raw.usage.prompt_tokens": 90,
                "response.raw.usage.completion_tokens": 9,
                "response.raw.choices": dump([{"finish_reason": "stop"}]),
            },
        ),
    )
    return [root, found, predicted, span("LLM.chat", 2.1, parent=predicted, events=chat, lasts=0.3)]


WRITERS = [
    loongsuite,
    openllmetry_of_2023,
    openlit,
    logfire,
    mlflow_alone,
    langfuse_trace_level,
    litellm,
    pinecone,
    a_store_that_tells_all_hits_at_once,
    milvus,
    llamaindex_alone,
]
