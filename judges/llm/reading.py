"""From what a model wrote to a filled form: tolerant of dress, strict about content."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final

from pydantic import ValidationError

from judges.llm.asking import Filled, Reason
from judges.llm.completion import shorten

_FENCE: Final = re.compile(r"```[\w-]*+\s*+(.*?)```", re.DOTALL)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?")
_REFUSAL: Final = re.compile(
    r"\b(?:I(?:'m| am)? (?:sorry|unable|not able)|I (?:can(?:no|')t|won't|will not) (?:help|assist|comply|do|"
    r"answer|provide|evaluate|judge))|(?:抱歉|对不起|很遗憾).{0,20}(?:无法|不能|不便)|我(?:无法|不能)(?:回答|提供|协助|评价|完成)",
    re.IGNORECASE,
)
_MENDS: Final = 3
_NOT_A_NUMBER: Final = "not a finite number"


class Misfit(Exception):
    """What was written fills the form not. `reason` is UNREADABLE, INVALID or REFUSED; the text says why."""

    def __init__(self, reason: Reason, why: str) -> None:
        super().__init__(why)
        self.reason = reason


def read_form(text: str, form: type[Filled]) -> tuple[Filled, bool]:
    """The filled form, and whether it stood alone, as asked, rather than among other words.

    Raises Misfit. Where several different objects fit, none is taken: one of them may be a quotation.
    """
    whole = _parse(text)
    if isinstance(whole, dict):
        return _fill(whole, form), True
    found = list(_objects(text))
    if not found:
        raise Misfit(*_why_unreadable(text))
    filled, problems = [], []
    for candidate in found:
        try:
            filled.append(_fill(candidate, form))
        except Misfit as misfit:
            problems.append(misfit)
    if not filled:
        raise problems[-1]
    if any(one != filled[0] for one in filled[1:]):
        raise Misfit(Reason.UNREADABLE, "several different objects fit the form, and only one may be there")
    return filled[0], False


def _why_unreadable(text: str) -> tuple[Reason, str]:
    if _REFUSAL.search(text[:400]):
        return Reason.REFUSED, f"the model declined: {shorten(text)}"
    return Reason.UNREADABLE, "there is no complete JSON object in it"


def _parse(text: str) -> Any:
    """JSON, or null. Numbers that are none or infinite become text, which no field of numbers takes."""
    try:
        return _DECODER.decode(text.strip().removeprefix("\ufeff").strip())
    except (ValueError, RecursionError):
        return None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects in a text, outermost only; those in code fences if there are any: they are the answer."""
    fenced = [whole for block in _FENCE.findall(text) if isinstance(whole := _parse(block), dict)]
    if fenced:
        yield from fenced
        return
    at = text.find("{")
    tries = 0
    while at != -1 and tries < 200:
        tries += 1
        end = at + 1
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            yield found
        at = text.find("{", end)


def _fill(found: dict[str, Any], form: type[Filled]) -> Filled:
    value: Any = found
    for _ in range(_MENDS):
        try:
            return form.model_validate_json(json.dumps(value), strict=True)
        except ValidationError as error:
            problem = error
        mended = _mend(value, problem)
        if not mended:
            break
    raise Misfit(Reason.INVALID, _describe(problem))


def _mend(value: Any, problem: ValidationError) -> bool:
    """Put right, in place, what is off in form alone: a number written as text, a whole one with a point, a
    key too many. Returns whether anything was."""
    changed = False
    for error in problem.errors(include_url=False, include_context=False):
        holder = _holder(value, error["loc"])
        if holder is None:
            continue
        key = error["loc"][-1]
        if error["type"] == "extra_forbidden" and isinstance(holder, dict) and key in holder:
            del holder[key]
            changed = True
        elif error["type"] in ("int_type", "int_parsing", "float_type", "bool_type"):
            exact = _exact(holder[key], error["type"])
            if exact is not None:
                holder[key] = exact
                changed = True
    return changed


def _holder(value: Any, path: tuple[int | str, ...]) -> Any:
    """What holds the last key of `path`; null where the path leads nowhere, as one through a union does."""
    for key in path[:-1]:
        if not _has(value, key):
            return None
        value = value[key]
    return value if path and _has(value, path[-1]) else None


def _has(value: Any, key: int | str) -> bool:
    if isinstance(value, dict):
        return key in value
    return isinstance(value, list) and isinstance(key, int) and key < len(value)


def _exact(value: Any, wanted: str) -> int | float | bool | None:
    """The number or truth that `value` is beyond doubt; null where it is none."""
    if wanted == "bool_type":
        return {"true": True, "false": False}.get(value.strip().lower()) if isinstance(value, str) else None
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value) if "." in value or wanted == "float_type" else int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if wanted == "float_type":
        return float(value)
    return int(value) if value == int(value) else None


def _describe(problem: ValidationError) -> str:
    errors = problem.errors(include_url=False, include_context=False, include_input=False)
    said = [f"{'.'.join(map(str, error['loc'])) or 'the object'}: {error['msg']}" for error in errors[:5]]
    return shorten("; ".join(said), 400)


def _finite(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else _NOT_A_NUMBER


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("a key stands twice")
    return dict(pairs)


_DECODER: Final = json.JSONDecoder(
    parse_float=_finite, parse_constant=lambda name: _NOT_A_NUMBER, object_pairs_hook=_unique, strict=False
)

__all__ = ["Misfit", "read_form"]
