"""Traces in which a program failed: errors, cut or endless answers, leaks, dumps, unreadable chunks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from judges.corruption import garble_encoding, garble_layout
from judges.corruption.bank import pick
from judges.corruption.sentences import list_sentences
from judges.corruption.traces.answers import answer_from_garbled_context, answer_supported
from judges.corruption.traces.draft import Draft, be_polite, refuse
from judges.corruption.traces.gather import gather_good
from judges.corruption.traces.material import Pool
from judges.corruption.traces.writer import Writer

Garble = Callable[[str, Random], str]
MIN_CUT = 16
"""Characters an answer needs to be cut off visibly."""
ALL_GARBLED = 0.7


def write_generation_error(draft: Draft, pool: Pool, random: Random) -> bool:
    """The model call failed."""
    draft.chunks, draft.holds_answer = gather_good(draft.material, pool, random), True
    draft.generation_error = _line("generation errors", draft, random)
    draft.finish_reason = random.choice(("error", "stop", "timeout"))
    draft.answer = random.choice(
        (None, None, "", pick("breakdowns", f"outages {draft.material.language}", random))
    )
    draft.manner = "none"
    return True


def write_retrieval_error(draft: Draft, pool: Pool, random: Random) -> bool:
    """The search failed, and the model answered without it."""
    draft.chunks = random.choice((None, []))
    draft.retrieval_error = _line("retrieval errors", draft, random)
    draft.manner, draft.answer = random.choice(
        (("refused", refuse(draft, random)), ("from_memory", draft.material.answer))
    )
    draft.refusal = draft.manner == "refused"
    be_polite(draft, random)
    return True


def write_empty_answer(draft: Draft, pool: Pool, random: Random) -> bool:
    """No answer at all, and no error either."""
    draft.chunks, draft.holds_answer = gather_good(draft.material, pool, random), True
    draft.manner, draft.answer = "none", random.choice((None, "", " ", "\n", "\n\n"))
    return True


def write_cut_off(draft: Draft, pool: Pool, random: Random) -> bool:
    """The answer ran into the token limit, in the middle of a word where there is one."""
    _answer_well(draft, pool, random)
    answer = draft.answer or ""
    if len(answer) < MIN_CUT:
        return False
    places = [
        i for i in range(len(answer) // 3, len(answer) - 1) if answer[i - 1].isalnum() and answer[i].isalnum()
    ]
    if not places:
        return False
    draft.answer = answer[: random.choice(places)]
    draft.manner, draft.finish_reason = "cut", random.choice(("length", "length", "max_tokens"))
    return True


def write_loop(draft: Draft, pool: Pool, random: Random) -> bool:
    """The answer says its last sentence, or a piece of it, over and over."""
    _answer_well(draft, pool, random)
    answer = (draft.answer or "").rstrip()
    sentence = random.choice(list_sentences(draft.material.answer) or [answer])
    piece = sentence if random.random() < 0.6 else sentence[: max(6, len(sentence) // 2)]
    joint = " " if draft.material.language == "en" else ""
    piece = piece.strip()
    times = max(random.randint(6, 25), 90 // max(1, len(piece)))
    draft.answer = (answer + joint + joint.join([piece] * times))[:6_000]
    draft.manner, draft.finish_reason = "loop", random.choice(("length", "stop"))
    return True


def write_broken_answer(draft: Draft, pool: Pool, random: Random, *, section: str) -> bool:
    """Special tokens, a template, an error dump or an outage message where the answer should be."""
    draft.chunks, draft.holds_answer = gather_good(draft.material, pool, random), True
    draft.manner = "broken"
    if section == "outages":
        section = f"outages {draft.material.language}"
    draft.answer = _line(section, draft, random)
    return True


def write_garbled_chunks(draft: Draft, pool: Pool, random: Random, *, garble: Garble) -> bool:
    """The right chunks, unreadable. The model refuses, or answers all the same."""
    chunks = gather_good(draft.material, pool, random)
    everything = random.random() < ALL_GARBLED
    spared = set() if everything else set(random.sample(range(len(chunks)), len(chunks) // 3))
    garbled = [
        chunk if place in spared and chunk not in draft.material.chunks else garble(chunk, random)
        for place, chunk in enumerate(chunks)
    ]
    if all(a == b for a, b in zip(garbled, chunks, strict=True)):
        return False
    draft.chunks = garbled
    answer_from_garbled_context(draft, random)
    return True


def write_columns(draft: Draft, pool: Pool, random: Random) -> bool:
    """The right chunks, each read across the column beside it."""
    neighbours = [p for p in pool.passages if p.strip()] or list(draft.material.chunks)
    return write_garbled_chunks(
        draft, pool, random, garble=lambda text, r: garble_layout.read_across(text, r.choice(neighbours), r)
    )


def _answer_well(draft: Draft, pool: Pool, random: Random) -> None:
    draft.chunks = gather_good(draft.material, pool, random)
    answer_supported(draft, random)


def _line(section: str, draft: Draft, random: Random) -> str:
    return pick(
        "breakdowns",
        section,
        random,
        question=draft.question,
        answer=draft.material.answer,
        ms=str(random.choice((512, 1500, 3000, 5000, 8192, 9120, 30000))),
        code=str(random.choice((408, 429, 500, 502, 503, 504))),
        id=f"{random.getrandbits(32):08x}",
    )


_GARBLES: dict[str, Garble] = {
    "mojibake": garble_encoding.garble_encoding,
    "glyphs": garble_encoding.show_glyphs,
    "shifted_letters": garble_encoding.shift_letters,
    "escapes": garble_encoding.escape,
    "html": garble_layout.leave_html,
    "latex": garble_layout.leave_latex,
    "table": garble_layout.leave_table,
}
_BROKEN = {"leak": "leaks", "template": "templates", "dump": "dumps", "outage": "outages"}

SYSTEM_ERROR: dict[str, Writer] = {
    "generation_error": write_generation_error,
    "retrieval_error": write_retrieval_error,
    "empty_answer": write_empty_answer,
    "cut_off": write_cut_off,
    "loop": write_loop,
    **{kind: partial(write_broken_answer, section=section) for kind, section in _BROKEN.items()},
    **{kind: partial(write_garbled_chunks, garble=garble) for kind, garble in _GARBLES.items()},
    "columns": write_columns,
}
