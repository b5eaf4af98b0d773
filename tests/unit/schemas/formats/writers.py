"""The same question, as other libraries write it."""

from __future__ import annotations

from schemas.formats.span import Event, Span
from tests.unit.schemas.formats import writers_more
from tests.unit.schemas.formats.spans import span
from tests.unit.schemas.formats.writers_otel import (
    DOCS,
    PROMPT,
    A,
    Q,
    dump,
    genai,
    genai_content_events,
    genai_details_event,
    genai_events,
    genai_numbered,
    openinference,
    openinference_nested,
)


def traceloop() -> list[Span]:
    root = span(
        "rag.workflow",
        also={
            "traceloop.span.kind": "workflow",
            "traceloop.entity.input": dump({"args": [Q], "kwargs": {}}),
            "traceloop.entity.output": A,
        },
        lasts=3,
    )
    found = span(
        "vector_db_retrieve",
        1,
        parent=root,
        also={
            "gen_ai.operation.name": "vector_db_retrieve",
            "traceloop.span.kind": "task",
            "traceloop.entity.input": dump({"query": Q}),
            "traceloop.entity.output": dump(
                {
                    "documents": [
                        {"page_content": d["text"], "metadata": {"id": d["id"], "score": d["score"]}}
                        for d in DOCS
                    ]
                }
            ),
        },
    )
    _, _, called = genai_numbered()
    called.parent_id = root.span_id
    return [root, found, called]


def langfuse() -> list[Span]:
    root = span(
        "rag",
        also={
            "langfuse.observation.type": "span",
            "langfuse.observation.input": dump({"args": [Q], "kwargs": {}}),
            "langfuse.observation.output": A,
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
    called = span(
        "llm",
        2,
        parent=root,
        also={
            "langfuse.observation.type": "generation",
            "langfuse.observation.model.name": "m-1",
            "langfuse.observation.input": dump([{"role": "user", "content": PROMPT}]),
            "langfuse.observation.output": A,
            "langfuse.observation.usage_details": dump({"input": 90, "output": 9}),
        },
    )
    return [root, found, called]


def langfuse_without_retriever_type() -> list[Span]:
    root, found, called = langfuse()
    found = span(
        "retrieve-docs", 1, parent=root, also={**found.attributes, "langfuse.observation.type": "span"}
    )
    return [root, found, called]


def haystack() -> list[Span]:
    root = span(
        "haystack.pipeline.run",
        also={
            "haystack.pipeline.input_data": dump(
                {"retriever": {"query": Q}, "prompt_builder": {"question": Q}}
            ),
            "haystack.pipeline.output_data": dump({"llm": {"replies": [A]}}),
        },
        lasts=3,
    )
    found = span(
        "haystack.component.run",
        1,
        parent=root,
        also={
            "haystack.component.type": "InMemoryBM25Retriever",
            "haystack.component.input": dump({"query": Q}),
            "haystack.component.output": dump(
                {"documents": [{"id": d["id"], "content": d["text"], "score": d["score"]} for d in DOCS]}
            ),
        },
    )
    called = span(
        "haystack.component.run",
        2,
        parent=root,
        also={
            "haystack.component.type": "OpenAIGenerator",
            "haystack.component.input": dump({"prompt": PROMPT}),
            "haystack.component.output": dump(
                {
                    "replies": [A],
                    "meta": [
                        {
                            "model": "m-1",
                            "finish_reason": "stop",
                            "usage": {"prompt_tokens": 90, "completion_tokens": 9},
                        }
                    ],
                }
            ),
        },
    )
    return [root, found, called]


def vercel_with_a_tool() -> list[Span]:
    root = span(
        "ai.generateText",
        also={
            "ai.operationId": "ai.generateText",
            "ai.model.id": "m-1",
            "ai.prompt": dump({"prompt": Q}),
            "ai.response.text": A,
        },
        lasts=4,
    )
    tool = span(
        "ai.toolCall",
        1,
        parent=root,
        also={
            "ai.operationId": "ai.toolCall",
            "ai.toolCall.name": "searchDocs",
            "ai.toolCall.args": dump({"query": Q}),
            "ai.toolCall.result": dump(DOCS),
        },
    )
    called = span(
        "ai.generateText.doGenerate",
        2,
        parent=root,
        also={
            "ai.operationId": "ai.generateText.doGenerate",
            "ai.model.id": "m-1",
            "ai.prompt.messages": dump([{"role": "user", "content": [{"type": "text", "text": PROMPT}]}]),
            "ai.response.text": A,
            "ai.usage.promptTokens": 90,
            "ai.usage.completionTokens": 9,
            "ai.response.finishReason": "stop",
        },
    )
    return [root, tool, called]


def spring_ai() -> list[Span]:
    root, _, called = genai()
    found = span(
        "vector_store query",
        1,
        parent=root,
        also={
            "spring.ai.kind": "vector_store",
            "db.operation.name": "query",
            "db.vector.query.content": Q,
            "db.vector.query.top_k": 2,
        },
        events=(Event("db.vector.content.query.response", 1, {"db.vector.query.content": dump(DOCS)}),),
    )
    return [root, found, called]


def mlflow() -> list[Span]:
    root = span(
        "rag",
        also={
            "mlflow.spanType": '"CHAIN"',
            "mlflow.spanInputs": dump({"question": Q}),
            "mlflow.spanOutputs": dump(A),
        },
        lasts=3,
    )
    found = span(
        "kb",
        1,
        parent=root,
        also={
            "mlflow.spanType": '"RETRIEVER"',
            "mlflow.spanInputs": dump({"query": Q}),
            "mlflow.spanOutputs": dump(
                [{"page_content": d["text"], "metadata": {"score": d["score"]}, "id": d["id"]} for d in DOCS]
            ),
        },
    )
    _, _, called = genai()
    called.parent_id = root.span_id
    return [root, found, called]


def an_application_of_its_own() -> list[Span]:
    root = span("handle")
    found = span("vector_search", 1, parent=root, also={"query": Q, "results": dump(DOCS)})
    _, _, called = genai()
    called.parent_id = root.span_id
    return [root, found, called]


def llamaindex_events() -> list[Span]:
    def event(name: str, **held: object) -> Event:
        return Event(name, 1, {"class_name": name, **held})

    nodes = dump([{"node": {"id_": d["id"], "text": d["text"]}, "score": d["score"]} for d in DOCS])
    asked = (event("QueryStartEvent", query=Q), Event("QueryEndEvent", 2, {"response.response": A}))
    root = span("RetrieverQueryEngine.query", events=asked, lasts=3)
    got = (
        Event("RetrievalStartEvent", 1, {"str_or_query_bundle.query_str": Q}),
        event("RetrievalEndEvent", nodes=nodes),
    )
    found = span("VectorIndexRetriever.retrieve", 1, parent=root, events=got)
    inner = span("VectorIndexRetriever._retrieve", 1.1, parent=found)
    _, _, called = genai()
    called.parent_id = root.span_id
    return [root, found, inner, called]


def traceloop_llamaindex() -> list[Span]:
    def task(name: str, at: float, parent: Span | None, given: object, came: object) -> Span:
        kind = {"traceloop.span.kind": "task" if parent else "workflow", "traceloop.entity.name": name}
        io = {"traceloop.entity.input": dump(given), "traceloop.entity.output": dump(came)}
        return span(name, at, parent=parent, also={**kind, **io}, lasts=3)

    root = task(
        "RetrieverQueryEngine.workflow", 0, None, {"str_or_query_bundle": Q}, {"response": A, "metadata": {}}
    )
    nodes = [dump({"node": {"id_": d["id"], "text": d["text"]}, "score": d["score"]}) for d in DOCS]
    found = task("MyIndex.task", 1, root, {"str_or_query_bundle": {"query_str": Q, "embedding": None}}, nodes)
    _, _, called = genai()
    called.parent_id = root.span_id
    return [root, found, called]


def mixed() -> list[Span]:
    """Langfuse around it, OpenInference for the retriever, OpenTelemetry for the model."""
    root, _, _ = langfuse()
    _, found, _ = openinference()
    _, _, called = genai()
    found.parent_id = called.parent_id = root.span_id
    return [root, found, called]


WRITERS = [
    openinference,
    openinference_nested,
    genai,
    genai_numbered,
    genai_events,
    genai_content_events,
    genai_details_event,
    traceloop,
    langfuse,
    langfuse_without_retriever_type,
    haystack,
    vercel_with_a_tool,
    spring_ai,
    mlflow,
    an_application_of_its_own,
    llamaindex_events,
    traceloop_llamaindex,
    mixed,
    *writers_more.WRITERS,
]
