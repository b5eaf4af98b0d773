"""A small LlamaIndex application with OpenInference's instrumentation: asks everything once, and ends.

Run as a process of its own; OTEL_EXPORTER_OTLP_ENDPOINT says where its spans go.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from openinference.instrumentation import using_attributes
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

from tests.support.live.helpdesk import CASES, MODEL, say, search, start_tracing


class KeywordRetriever(BaseRetriever):
    """Searches the passages of the stand-in knowledge base."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(node=TextNode(text=passage.text, id_=passage.id), score=score)
            for passage, score in search(query_bundle.query_str)
        ]


class ScriptedModel(CustomLLM):
    """Says what the script holds for the question in its prompt."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=MODEL)

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=say(prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        yield CompletionResponse(text=say(prompt))


def main() -> None:
    provider: Any = start_tracing()
    LlamaIndexInstrumentor().instrument(tracer_provider=provider)
    engine = RetrieverQueryEngine.from_args(KeywordRetriever(), llm=ScriptedModel())
    for case in CASES:
        with suppress(RuntimeError), using_attributes(session_id=case.name, metadata={"tenant": "acme"}):
            engine.query(case.question)
    provider.shutdown()


if __name__ == "__main__":
    main()
