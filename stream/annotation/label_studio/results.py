"""A label as the `result` of a Label Studio annotation, and back (https://labelstud.io/guide/task_format)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from schemas.annotation import Annotation, ClaimLabel
from stream.annotation.label_studio.config import (
    ANSWER,
    ASKED,
    CLAIMS,
    GOLD,
    NOTE,
    REFERENCE,
    SUPPORT,
    YES_NO,
    meant,
)

_SHOWN: Final = 60
_SUPPORT_WORDS: Final = {support: word for word, support in SUPPORT.items()}


class Unreadable(ValueError):
    """A result that is no label of ours: what is wrong, in words."""


def result_of(said: Annotation) -> list[dict[str, Any]]:
    """What was said, region by region."""
    regions: list[dict[str, Any]] = []
    for claim in said.claims:
        value = {"start": claim.start, "end": claim.end, "text": claim.text}
        regions.append(_region(CLAIMS, "labels", value | {"labels": [_SUPPORT_WORDS[claim.supported]]}))
    for name in ASKED:
        answer = getattr(said, name)
        if answer is not None:
            word = ("yes" if answer else "no") if isinstance(answer, bool) else str(answer)
            regions.append(_region(name, "choices", {"choices": [word]}))
    if said.gold_chunk_ids:
        regions.append(_region(GOLD, "choices", {"choices": list(said.gold_chunk_ids)}))
    for name in (REFERENCE, NOTE):
        if getattr(said, name):
            regions.append(_region(name, "textarea", {"text": [getattr(said, name)]}))
    return [{"id": f"r{number}", **region} for number, region in enumerate(regions, 1)]


def read_result(regions: object, answer: str) -> Annotation | None:
    """The label that an annotation's `result` comes to; null where it says nothing.

    Offsets are held to the text that was marked, since versions of Label Studio count emoji differently. What
    other questions of the project say is not ours, and passed over. Raises Unreadable.
    """
    if not isinstance(regions, list):
        raise Unreadable("result is no list")
    said: dict[str, Any] = {}
    claims: list[ClaimLabel] = []
    for region in regions:
        if not isinstance(region, dict) or not isinstance(region.get("value"), dict):
            raise Unreadable("a region has no value")
        name, value = region.get("from_name"), region["value"]
        if name == CLAIMS:
            claims.append(_read_claim(value, answer))
        elif name == GOLD:
            said[GOLD] = tuple(dict.fromkeys(_words(value, "choices", GOLD)))
        elif name in (REFERENCE, NOTE):
            said[name] = "\n".join(_words(value, "text", name))
        elif isinstance(name, str) and name in ASKED:
            said |= _read_choice(name, value)
    if claims:
        said[CLAIMS] = tuple(sorted(claims, key=lambda claim: (claim.start, claim.end)))
    if not any(said.values()) and all(answer is not False for answer in said.values()):
        return None
    try:
        return Annotation.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Unreadable(f"{where}: {first['msg']}".lstrip(": ")) from None


def _region(name: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": ANSWER, "type": kind, "origin": "manual", "value": dict(value)}


def _read_choice(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    words = [meant(name, word) for word in _words(value, "choices", name)]
    if not words:
        return {}
    if len(words) > 1 or words[0] not in ASKED[name]:
        raise Unreadable(f"{name}: {', '.join(words)[:_SHOWN]!r} is none of {', '.join(ASKED[name])}")
    answers = YES_NO if ASKED[name] == tuple(YES_NO) else {}
    return {name: answers.get(words[0], words[0])}


def _words(value: Mapping[str, Any], key: str, name: str) -> list[str]:
    words = value.get(key)
    words = [words] if isinstance(words, str) else words
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise Unreadable(f"{name}: its value holds no {key}")
    return [word for word in words if word.strip()]


def _read_claim(value: Mapping[str, Any], answer: str) -> ClaimLabel:
    words = [meant(CLAIMS, word) for word in _words(value, "labels", CLAIMS)]
    if len(words) != 1 or words[0] not in SUPPORT:
        raise Unreadable(f"{CLAIMS}: {', '.join(words)[:_SHOWN]!r} is none of {', '.join(SUPPORT)}")
    try:
        start, end = int(value["start"]), int(value["end"])
    except (KeyError, TypeError, ValueError):
        raise Unreadable(f"{CLAIMS}: a claim has no start and end") from None
    marked = value.get("text")
    start, end = _place(answer, start, end, marked if isinstance(marked, str) else "")
    return ClaimLabel(text=answer[start:end], start=start, end=end, supported=SUPPORT[words[0]])


def _place(answer: str, start: int, end: int, marked: str) -> tuple[int, int]:
    """Where a claim lies in the answer, in characters. Raises Unreadable where it lies nowhere in it."""
    for place in _places(answer, start, end):
        if not marked or _squeezed(answer[slice(*place)]) == _squeezed(marked):
            return place
    found = answer.find(marked) if marked.strip() else -1
    places = []
    while found >= 0:
        places.append(found)
        found = answer.find(marked, found + 1)
    if not places:
        shown = " ".join(marked.split())[:_SHOWN]
        raise Unreadable(f"{CLAIMS}: {shown!r} ({start} to {end}) is not in the answer")
    nearest = min(places, key=lambda place: abs(place - start))
    return nearest, nearest + len(marked)


def _places(answer: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The offsets as characters, and as the halves of characters that JavaScript counts."""
    if 0 <= start < end <= len(answer):
        yield start, end
    halves = answer.encode("utf-16-le", "surrogatepass")
    if 0 <= start < end <= len(halves) // 2:
        before = halves[: 2 * start].decode("utf-16-le", "surrogatepass")
        until = halves[: 2 * end].decode("utf-16-le", "surrogatepass")
        yield len(before), len(until)


def _squeezed(text: str) -> str:
    return "".join(text.replace("\\n", "").split())


__all__ = ["Unreadable", "read_result", "result_of"]
