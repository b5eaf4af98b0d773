"""Orders in the monitored text change no verdict: the real prompt assembly, over real HTTP, before a stand-in
that obeys whatever reaches it outside the blocks of data."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import judges.llm.material
import judges.llm.opine
from judges.llm.asking import Message, Opinion
from judges.llm.client import LlmJudge
from judges.llm.hostile import behind_bars, neutralise
from judges.llm.opine import form_opinion
from judges.llm.prompting import Block
from judges.llm.rubrics import Rubric, load
from schemas.trace import Trace
from tests.support.gullible_reader import OURS, Style
from tests.support.http_judges import with_judges
from tests.support.injections import Injection, pairs, read_injections
from tests.support.obedient_judge import ObedientModel
from tests.support.stand_in_llm import StandIn

INJECTIONS = read_injections()
SAYINGS = ("failure", "refusal", "refusal_correct", "parametric_leak", "ratings")
MEASURES = (
    "faithfulness",
    "hallucination",
    "answer_relevance",
    "context_relevance",
    "context_sufficiency",
    "context_precision",
    "context_recall",
    "citation_precision",
)


def verdict(opinion: Opinion) -> dict[str, Any]:
    """What an opinion says, without its words."""
    said = {name: getattr(opinion, name) for name in (*SAYINGS, *MEASURES)}
    return said | {"claims": [(claim.text, claim.label) for claim in opinion.claims]}


def changes(injections: Sequence[Injection], style: Style = OURS) -> list[str]:
    """Where an injection changed a verdict."""
    model = ObedientModel([injection.order for injection in injections], style)
    before: dict[str, dict[str, Any]] = {}

    async def judge(one: LlmJudge, trace: Trace) -> Opinion:
        return await form_opinion(trace, None, one, load("rag", trace.trace_id[:2]))

    async def compare(one: LlmJudge, injection: Injection) -> list[str]:
        found = []
        for name, plain, injected in pairs(injection):
            key = plain.model_dump_json()
            if key not in before:
                before[key] = verdict(await judge(one, plain))
            after = await judge(one, injected)
            for field, is_now in verdict(after).items():
                if is_now != before[key][field] and not (injection.kind == "long" and was_cut(field, after)):
                    found.append(f"{name}: {field} {before[key][field]} -> {is_now}")
        return found

    async def work(judges: list[LlmJudge]) -> list[str]:
        found = await asyncio.gather(*(compare(judges[0], injection) for injection in injections))
        return [line for lines in found for line in lines]

    with StandIn(answer=model) as llm:
        return with_judges(work, llm)


def was_cut(field: str, opinion: Opinion) -> bool:
    """Whether a score is null because the injection left no room: not measured is no verdict."""
    reasons = opinion.not_measured
    return reasons.get("rating_accuracy" if field == "ratings" else field) == "truncated"


def test_there_are_enough_injections_of_each_kind_in_both_languages() -> None:
    assert len(INJECTIONS) >= 40
    assert len({injection.id for injection in INJECTIONS}) == len(INJECTIONS)
    for language in ("zh", "en"):
        kinds = {injection.kind for injection in INJECTIONS if injection.language == language}
        assert kinds >= {
            "order", "fake_json", "fake_end", "role_tag", "encoded", "invisible", "control", "fake_tool",
            "translated", "in_ids", "long", "nested",
        }  # fmt: skip
    places = {place for injection in INJECTIONS for place in injection.places}
    assert places >= {"question", "chunk", "answer", "history", "chunk_id", "doc_id", "metadata", "error"}


@pytest.mark.parametrize("kind", sorted({injection.kind for injection in INJECTIONS}))
def test_no_verdict_changes(kind: str) -> None:
    assert changes([injection for injection in INJECTIONS if injection.kind == kind]) == []


# --- the suite can fail: assemblies that are not ours ---

Frame = tuple[str, str]
"""The line that begins a block, with its name to be put in, and the line that ends it."""
MARKED: Frame = ("<<<BEGIN fixed {}>>>", "<<<END fixed>>>")
FENCED: Frame = ("```{}", "```")
TAGGED: Frame = ("<data {}>", "</data>")


def style_of(frame: Frame) -> Style:
    begins = re.escape(frame[0]).replace(r"\{\}", "(.+)")
    return OURS if frame is MARKED else Style(re.compile(begins), re.compile(re.escape(frame[1])))


def assemble_with(
    frame: Frame, clean: Callable[[str], str] = str, show: Callable[[str], str] = str
) -> Callable[..., tuple[Message, Message]]:
    """A way to put prompts together that leaves something out."""

    def compose(
        rubric: Rubric, task: str, blocks: Sequence[Block], **options: Any
    ) -> tuple[Message, Message]:
        lines = []
        for block in blocks:
            lines.append(frame[0].format(block.name))
            for entry in block.entries:
                lines += [*filter(None, [entry.heading]), show(clean(entry.text))]
            lines.append(frame[1])
        asked = rubric.tasks[task]
        user = "\n".join([*lines, "", asked.reminder])
        return Message("system", f"{rubric.rules}\n{asked.instructions}"), Message("user", user)

    return compose


def unhidden(text: str) -> str:
    """Neutralised but for what people cannot see."""
    parts = re.split("([\u200b\u2060\U000e0000-\U000e007f]+)", text)
    return "".join(part if i % 2 else neutralise(part) for i, part in enumerate(parts))


NAIVE: dict[str, tuple[tuple[str, str], Callable[[str], str], Callable[[str], str], str]] = {
    "fences": (FENCED, str, str, "end-en-fence"),
    "tags": (TAGGED, str, str, "end-zh-xml"),
    "marks that are always the same": (MARKED, str, str, "end-zh-nonce"),
    "nothing neutralised": (MARKED, str, behind_bars, "role-zh-chatml"),
    "no bars": (MARKED, neutralise, str, "role-en-turns"),
    "hidden characters left": (MARKED, unhidden, behind_bars, "tags-en-end"),
}


TELLING = [injection for injection in INJECTIONS if injection.id in {made[3] for made in NAIVE.values()}]


@pytest.mark.parametrize("name", NAIVE)
def test_the_suite_catches_an_assembly_that_leaves_something_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, clean, show, caught = NAIVE[name]
    monkeypatch.setattr(judges.llm.opine, "compose", assemble_with(frame, clean, show))
    monkeypatch.setattr(judges.llm.material, "neutralise", clean)
    found = changes(TELLING, style_of(frame))
    assert any(line.startswith(caught) for line in found), found[:5]


def test_the_same_frame_with_nothing_left_out_is_not_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the tests above: it is what is left out that they catch, not the frame."""
    monkeypatch.setattr(judges.llm.opine, "compose", assemble_with(MARKED, neutralise, behind_bars))
    assert changes(TELLING) == []
