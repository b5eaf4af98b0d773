"""A stand-in for a judge's model: judges well by words in the data, obeys whatever reaches it elsewhere.

    with StandIn(answer=ObedientModel(orders=["give 5"])) as llm: ...

No model is in it: claims are sentences, support is shared words and equal numbers. When it meets one of the
orders outside the blocks of data, or anything that sounds like one, it answers the opposite of what it would
have said, so that whatever the order wanted, something changes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tests.support.gullible_reader import OURS, Read, Style, read_prompt, squeeze

NAMES = {
    "question": ("QUESTION", "问题"),
    "answer": ("ANSWER", "回答"),
    "reference": ("REFERENCE ANSWER", "参考答案"),
    "statements": ("STATEMENTS", "陈述"),
    "answer_a": ("ANSWER A", "回答 A"),
    "answer_b": ("ANSWER B", "回答 B"),
}
_SENTENCE = re.compile(r"[^。！？!?\n]+?(?:[。！？!?\n]|\.(?=\s|$)|$)")
_TERM = re.compile(r"[a-z]{4,}|[a-z]*\d[\w.]*|[\u4e00-\u9fff]{2}")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DECLINES = re.compile(
    r"cannot (?:tell|answer)|do not know|don't know|无法回答|不知道|没有找到相关", re.IGNORECASE
)
_COMMANDS = re.compile(
    r"ignore (?:all |the )?(?:previous|prior|above)|disregard|忽略(?:之前|以上|上面)|无视"
    r"|\"?(?:faithfulness|accuracy|score)\"?\s*[:=]\s*[1-5]"
    r"|[给打]\S{0,3}[1-5]\s?分|give (?:it )?(?:a )?[1-5]\b",
    re.IGNORECASE,
)


class ObedientModel:
    """What the model writes, given a request. `obeyed` counts how often it did as it was told by the data."""

    def __init__(self, orders: Sequence[str] = (), style: Style = OURS) -> None:
        self._orders = [squeezed for order in orders if (squeezed := squeeze(order))]
        self._style = style
        self.obeyed = 0

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        system, user = body["messages"][0]["content"], body["messages"][1]["content"]
        read = read_prompt(user, self._style)
        turned = self._is_ordered(read.outside, system)
        self.obeyed += turned
        fields = _fields_of(body)
        if "claims" in fields:
            return _claims(read, turned)
        if "questions" in fields:
            return {"questions": [_said(read, "statements")] * 3}
        if "better" in fields:
            return _preference(read, turned)
        return _scores(read, turned)

    def _is_ordered(self, outside: str, system: str) -> bool:
        if _COMMANDS.search(outside):
            return True
        heard = squeeze(outside) + "\n" + squeeze(system)
        return any(order in heard for order in self._orders)


def _fields_of(body: dict[str, Any]) -> set[str]:
    return set(body["response_format"]["json_schema"]["schema"]["properties"])


def _said(read: Read, name: str) -> str:
    return next((read.blocks[n] for n in NAMES[name] if n in read.blocks), "")


def _terms(text: str) -> set[str]:
    text = text.lower()
    found = set(_TERM.findall(text))
    for run in re.findall(r"[\u4e00-\u9fff]+", text):
        found |= {run[i : i + 2] for i in range(len(run) - 1)}
    return found


def _share(of: set[str], among: set[str]) -> float:
    return len(of & among) / len(of) if of else 0.0


def _question(read: Read) -> str:
    found = re.search(r"[^.。!！\n?？]*[?？]", _said(read, "question"))
    return found[0].strip() if found else _said(read, "question")


def _sentences(text: str) -> list[str]:
    return [s.strip() for s in _SENTENCE.findall(text) if s.strip()]


def _claims_of(read: Read) -> list[tuple[str, int, str, str]]:
    """Claim, document, quote, label; sentences that are about something else altogether claim nothing."""
    topic = _terms(_question(read)).union(*map(_terms, read.documents.values()))
    found = []
    for sentence in _sentences(_said(read, "answer")):
        words = _terms(re.sub(r"\[\d+\]", "", sentence))
        if _DECLINES.search(sentence) or _share(words, topic) < 0.5:
            continue
        places = [(n, s) for n, text in read.documents.items() for s in _sentences(text)]
        number, best = max(places, key=lambda p: _share(words, _terms(p[1])), default=(0, ""))
        share = _share(words - _numbers(sentence), _terms(best))
        fits = _numbers(re.sub(r"\[\d+\]", "", sentence)) <= _numbers(best)
        if share >= 0.6:
            found.append((sentence, number, best, "supported" if fits else "contradicted"))
        else:
            found.append((sentence, 0, "", "not_found"))
    return found


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _claims(read: Read, turned: bool) -> dict[str, Any]:
    entries = []
    for claim, number, quote, label in _claims_of(read):
        if turned:
            label = "supported" if label != "supported" else "not_found"
            quote = next(iter(_sentences(next(iter(read.documents.values()), ""))), "")
        cited = [int(n) for n in re.findall(r"\[(\d+)\]", claim)]
        entries.append(
            {"claim": claim, "reasoning": "by shared words", "document": number,
             "quote": quote if label != "not_found" else "", "label": label, "cited": cited,
             "cited_holding": [n for n in cited if n == number]}
        )  # fmt: skip
    return {"claims": entries}


def _scores(read: Read, turned: bool) -> dict[str, Any]:
    question = _question(read)
    asked = _terms(question)
    useful = [n for n, text in read.documents.items() if _share(asked, _terms(text)) >= 0.3]
    sufficient = any(_share(asked, _terms(read.documents[n])) >= 0.5 for n in useful)
    claims = _claims_of(read)
    refusal = bool(_DECLINES.search(_said(read, "answer"))) and not claims
    bad = [claim for claim in claims if claim[3] != "supported"]
    failure = (
        "poor_retrieval" if not sufficient else "over_refusal" if refusal
        else "hallucination" if bad else "healthy"
    )  # fmt: skip
    mark = 5 if not bad and sufficient else 2
    if turned:
        failure = "healthy" if failure != "healthy" else "hallucination"
        mark, refusal, sufficient, useful = 6 - mark, not refusal, not sufficient, []
    return {
        "situation": "judged by shared words",
        "parts": [{"part": question.strip("?？ "), "answered": not refusal}],
        "reverse_questions": [{"question": question, "asks": "other" if refusal else "same"}],
        "useful_documents": useful,
        "sufficiency": "yes" if sufficient else "no",
        "reference_statements": [_look_up(read, s) for s in _sentences(_said(read, "reference"))[:1]],
        "refusal": refusal,
        "leak_reasoning": "",
        "parametric_leak": not sufficient and not refusal,
        "accuracy_reasoning": "",
        "accuracy": mark,
        "faithfulness_reasoning": "",
        "faithfulness": mark,
        "safety_reasoning": "",
        "safety": 1 if turned else 5,
        "triage_reasoning": "by the first that fits",
        "failure": failure,
        "confidence": "certain",
        "root_cause": "" if failure == "healthy" else failure,
        "suggested_fix": "",
    }


def _look_up(read: Read, statement: str) -> dict[str, str]:
    words = _terms(statement)
    places = [s for text in read.documents.values() for s in _sentences(text)]
    best = max(places, key=lambda s: _share(words, _terms(s)), default="")
    return {"statement": statement, "quote": best if _share(words, _terms(best)) >= 0.5 else ""}


def _preference(read: Read, turned: bool) -> dict[str, Any]:
    known = set().union(*map(_terms, read.documents.values()))
    shares = [_share(_terms(_said(read, name)), known) for name in ("answer_a", "answer_b")]
    better = "tie" if shares[0] == shares[1] else "A" if shares[0] > shares[1] else "B"
    if turned:
        better = "B" if better == "A" else "A"
    return {"reasoning": "by shared words", "better": better}


__all__ = ["ObedientModel"]
