"""A small LangChain application with OpenInference's instrumentation: asks everything once, and ends.

Run as a process of its own; OTEL_EXPORTER_OTLP_ENDPOINT says where its spans go.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from openinference.instrumentation.langchain import LangChainInstrumentor

from tests.support.live.helpdesk import CASES, MODEL, say, search, start_tracing


class KeywordRetriever(BaseRetriever):
    """Searches the passages of the stand-in knowledge base."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [
            Document(page_content=passage.text, metadata={"id": passage.id, "score": score})
            for passage, score in search(query)
        ]


class ScriptedModel(SimpleChatModel):
    """Says what the script holds for the question in its prompt."""

    model_name: str = MODEL

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _call(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> str:
        return say(str(messages[-1].content))


PROMPT = ChatPromptTemplate.from_messages(
    [
        ("system", "Answer from the context alone."),
        ("human", "Context:\n{context}\n\nQuestion: {question}"),
    ]
)


def main() -> None:
    provider: Any = start_tracing()
    LangChainInstrumentor().instrument(tracer_provider=provider)
    joined = KeywordRetriever() | (lambda found: "\n\n".join(document.page_content for document in found))
    chain = (
        {"context": joined, "question": RunnablePassthrough()} | PROMPT | ScriptedModel() | StrOutputParser()
    )
    for case in CASES:
        with suppress(RuntimeError):  # the case in which the model fails
            chain.invoke(case.question, config={"metadata": {"tenant": "acme", "session_id": case.name}})
    provider.shutdown()


if __name__ == "__main__":
    main()
