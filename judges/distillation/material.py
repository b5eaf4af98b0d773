"""From labelled rows to the material that failure traces are made of, with all that is wrong by nature.

Rows are those of the labelled data sets beside the checkout: answerable questions, answers judged against
their passages, follow-ups with good rewrites. Only rows marked `train_ok` are used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judges.corruption.sentences import split_sentences
from judges.corruption.traces.material import Material, Turn
from judges.corruption.traces.overlap import coverage

Row = Mapping[str, Any]

PIECE_CHARS = {"en": 900, "zh": 320}
"""Longer passages are cut into pieces of about this many characters, as an index would."""
MAX_PIECES = 3

FOLLOW_UPS_ZH = (
    ("后来怎么样了？", "“{}”这件事后来怎么样了？"),
    ("具体情况是怎样的？", "“{}”的具体情况是怎样的？"),
    ("为什么会这样？", "“{}”是什么原因？"),
    ("这件事涉及哪些方面？", "“{}”涉及哪些方面？"),
    ("官方对此怎么说？", "关于“{}”，官方怎么说？"),
    ("它有什么影响？", "“{}”有什么影响？"),
    ("还有别的细节吗？", "“{}”还有哪些细节？"),
    ("当时是什么时间？", "“{}”发生在什么时间？"),
)
"""What users ask after a headline was spoken of, and what they mean by it."""
FILLERS = {
    "en": ("Certainly.", "Happy to help.", "Here is what I found.", "I can look that up."),
    "zh": ("好的。", "我来查一下。", "可以的，请讲。", "明白了。"),
}
"""Stand in for what an assistant said where the source kept the user's turns alone."""
_HEADLINE = re.compile(r"[“《](.{4,60})[”》]")
_FIRST_WORDS = re.compile(r"^\W*+((?:\S++\s++){5,8}\S++)")


@dataclass(frozen=True, slots=True)
class Source:
    """Material from one row. `flawed`: its answer holds an unsupported claim (people said so)."""

    material: Material
    group: str
    name: str
    """The data set."""
    flawed: bool = False
    near: tuple[str, ...] = ()
    """Passages that a retriever found for this very question, and that do not answer it."""
    answerable: bool = True
    """Whether `material.chunks` hold an answer. Where not, its answer is a stand-in: do not give it."""


def read_answerability(rows: Iterable[Row]) -> Iterator[Source]:
    """Questions that people judged answerable from their passages, or not."""
    for row in rows:
        contexts = [c for c in row["contexts"] if c.strip()]
        if not row["train_ok"] or not contexts:
            continue
        answerable = bool(row["answerable"])
        if row["answer"] and answerable:
            yield from _read_answered(row, contexts, flawed=False)
            continue
        # The relevant passages come first in their source. What people did not write is quoted.
        first, rest = contexts[0], tuple(contexts[1:])
        sentence = _quote(row["question"], first)
        if sentence:
            material = Material(row["lang"], row["question"], (first,), sentence)
            yield Source(material, row["group"], row["source"], near=rest, answerable=answerable)


def read_faithfulness(rows: Iterable[Row]) -> Iterator[Source]:
    """Answers that people judged against their passages: supported ones, and flawed ones."""
    for row in rows:
        if not row["train_ok"] or row["source"] not in _ANSWERED:
            continue
        question = row["question"] or _ask(row)
        if question:
            asked = {**row, "question": question}
            yield from _read_answered(asked, row["contexts"], flawed=row["label"] == 1)
        if row["task"] == "Data2txt" and row["label"] == 0:
            yield from _read_record(row)


_ANSWERED = frozenset({"ragtruth", "ragtruth_extra", "citecheck", "uhgeval", "halueval_qa"})


def read_rewrites(rows: Iterable[Row]) -> Iterator[Source]:
    """Follow-ups with good rewrites. There are no passages: chunk and answer are stand-ins."""
    for i, row in enumerate(rows):
        if not row["train_ok"] or not row["history"] or not row["rewrite"].strip():
            continue
        filler = FILLERS[row["lang"]][i % len(FILLERS[row["lang"]])]
        turns = _pair_turns(row["history"], filler)
        if turns and row["rewrite"].strip() != row["question"].strip():
            material = Material(
                row["lang"], row["question"], (row["rewrite"],), row["rewrite"], turns[-3:], row["rewrite"]
            )
            yield Source(material, row["group"], row["source"], answerable=False)


def ask_on(source: Source, which: int) -> Source | None:
    """The same news asked about in a second turn (Chinese); null where no headline is quoted."""
    material = source.material
    match = _HEADLINE.search(material.question)
    if material.language != "zh" or match is None:
        return None
    question, rewrite = FOLLOW_UPS_ZH[which % len(FOLLOW_UPS_ZH)]
    told = [material.chunks[0][a:b] for a, b in split_sentences(material.chunks[0])][:1]
    history = ((material.question, told[0] if told else FILLERS["zh"][0]),)
    asked = Material("zh", question, material.chunks, material.answer, history, rewrite.format(match[1]))
    return Source(asked, source.group, source.name, source.flawed)


def cut_passage(text: str, language: str) -> list[str]:
    """A long passage in pieces that end with sentences; a short one as it is. JSON is never cut."""
    limit = PIECE_CHARS[language]
    if len(text) <= 1.5 * limit or text.lstrip().startswith("{"):
        return [text]
    pieces: list[str] = []
    start = 0
    for a, b in split_sentences(text):
        if b - start > limit and a > start:
            pieces.append(text[start:a].strip())
            start = a
    pieces.append(text[start:].strip())
    return [p for p in pieces if p]


def _read_answered(row: Row, contexts: Iterable[str], *, flawed: bool) -> Iterator[Source]:
    answer = row["answer"]
    pieces = [p for c in contexts for p in cut_passage(c, row["lang"])]
    if not answer or not answer.strip() or not pieces:
        return
    if len(pieces) > MAX_PIECES:
        best = sorted(pieces, key=lambda p: -coverage(answer, p))[:MAX_PIECES]
        pieces = [p for p in pieces if p in best][:MAX_PIECES]
    material = Material(row["lang"], row["question"], tuple(pieces), answer)
    yield Source(material, row["group"], row["source"], flawed)


def _quote(question: str, passage: str) -> str | None:
    """The sentence of a passage that says most of the question."""
    sentences = [passage[a:b].strip() for a, b in split_sentences(passage)]
    sentences = [s for s in sentences if 8 <= len(s) <= 400]
    return max(sentences, key=lambda s: coverage(question, s), default=None)


def _ask(row: Row) -> str | None:
    """A question for a summary, or for a text written from a record."""
    context = row["contexts"][0]
    if row["task"] == "Data2txt":
        name = _read_json(context).get("name")
        return f"Give me an overview of {name} from its record." if name else None
    words = _FIRST_WORDS.match(context)
    return f'Summarise the article that begins with "{words[1]}".' if words else None


def _read_record(row: Row) -> Iterator[Source]:
    """Questions about single facts of a record, with their answers."""
    context = row["contexts"][0]
    record = _read_json(context)
    name, hours = record.get("name"), record.get("hours")
    if not name:
        return
    asked: list[tuple[str, str]] = []
    if isinstance(hours, dict) and hours:
        day, span = list(hours.items())[len(context) % len(hours)]
        opens, _, closes = str(span).partition("-")
        if closes:
            asked.append(
                (f"When is {name} open on {day}?", f"{name} is open from {opens} to {closes} on {day}.")
            )
    if record.get("address") and record.get("city"):
        place = f"{record['address']}, {record['city']}"
        asked.append((f"Where can I find {name}?", f"{name} is at {place}."))
    for question, answer in asked:
        material = Material(row["lang"], question, (context,), answer)
        yield Source(material, row["group"], f"{row['source']} records")


def _read_json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _pair_turns(history: Iterable[Row], filler: str) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    for message in history:
        content = message["content"].strip()
        if not content:
            continue
        if message["role"] == "user":
            turns.append((content, filler))
        elif turns:
            turns[-1] = (turns[-1][0], content[:600])
    return tuple(turns)
