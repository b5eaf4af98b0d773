"""Every regular expression of the sources: what is compiled while they are imported, and what is written
in them.

`python -m tests.fuzz.patterns` writes what imports compile to its output, pickled: it must see every
module for the first time, so it runs as a process of its own.
"""

from __future__ import annotations

import ast
import importlib
import pickle
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("schemas", "judges", "sinks", "stream", "console")
ABSENT_HERE: Final = {"llama_cpp", "torch", "transformers"}
"""Optional libraries: a module that needs one of them is read, but cannot be imported without."""
_FUNCTIONS: Final = {"compile", "match", "search", "sub", "subn", "fullmatch", "findall", "finditer", "split"}
ANY_METHOD: Final = frozenset({"search", "match", "fullmatch"})
Place = tuple[str, int]
"""A file below the root, and the line where a call of `re` begins."""


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern, where it was compiled, and how it is used: `search` (and its kin), `match`, `fullmatch`."""

    place: Place
    pattern: re.Pattern[Any]
    methods: frozenset[str] = ANY_METHOD


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of `re` in the sources; `known` is its pattern where that is a literal."""

    place: Place
    last_line: int
    function: str
    name: str
    known: re.Pattern[Any] | None


@cache
def find_patterns() -> tuple[Found, ...]:
    """All of them, each once a place."""
    calls = find_calls()
    seen: dict[tuple[Place, str | bytes, int], Found] = {}
    for place, pattern in _compiled_by_imports():
        seen[place, pattern.pattern, pattern.flags] = Found(place, pattern, _methods(place, calls))
    for call in calls:
        if call.known:
            key = (call.place, call.known.pattern, call.known.flags)
            seen.setdefault(key, Found(call.place, call.known, _methods(call.place, calls)))
    return tuple(seen.values())


def find_unknown() -> list[Call]:
    """Calls whose pattern is neither a literal nor made while the sources are imported."""
    met = {found.place for found in find_patterns()}
    return [call for call in find_calls() if call.place not in met]


def _compiled_by_imports() -> list[tuple[Place, re.Pattern[Any]]]:
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name], cwd=ROOT, stdout=subprocess.PIPE, timeout=240, check=True
    )
    found: list[tuple[Place, re.Pattern[Any]]] = pickle.loads(done.stdout)
    return found


@cache
def find_calls() -> tuple[Call, ...]:
    """Every call of a function of `re` that takes a pattern."""
    return tuple(call for path in _sources() for call in _calls_of(path))


def _sources() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def _calls_of(path: Path) -> Iterator[Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {
        node.value: node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    } | {
        node.value: node.target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=function), args=[pattern, *_]):
                if function in _FUNCTIONS:
                    place = (str(path.relative_to(ROOT)), node.lineno)
                    known = _read(pattern) if len(node.args) == 1 or function != "compile" else None
                    name = names.get(node, "")
                    yield Call(place, node.end_lineno or node.lineno, function, name, known)


def _read(node: ast.expr) -> re.Pattern[Any] | None:
    try:
        return re.compile(ast.literal_eval(node))
    except (ValueError, TypeError, re.error):
        return None


def _methods(place: Place, calls: tuple[Call, ...]) -> frozenset[str]:
    """How a pattern is used, where that is plain; else in every way."""
    call = next((call for call in calls if call.place == place), None)
    if call is None:
        return ANY_METHOD
    if call.function != "compile":
        return frozenset({_kin(call.function)})
    if not call.name.startswith("_"):
        return ANY_METHOD
    uses = _uses(place[0], call.name)
    return frozenset(map(_kin, uses)) if uses and "" not in uses else ANY_METHOD


@cache
def _uses(path: str, name: str) -> frozenset[str]:
    """What a module does with a name, apart from giving it a value; "" for anything but calling a method."""
    text = (ROOT / path).read_text(encoding="utf-8")
    found = re.findall(rf"\b{re.escape(name)}\b(?!\.pattern)(?: ?[:=](?!=)|\.(\w+)\(|(.))", text)
    return frozenset(method for method, other in found if method or other)


def _kin(method: str) -> str:
    return method if method in ("match", "fullmatch") else "search"


def _watch_imports() -> list[tuple[Place, re.Pattern[Any]]]:
    """Import everything, and note what our own modules compile."""
    found: dict[tuple[Place, str | bytes, int], re.Pattern[Any]] = {}
    compile_one = re._compile  # type: ignore[attr-defined]
    ours = {str(ROOT / package) + "/" for package in PACKAGES}

    def watch(pattern: Any, flags: int) -> Any:
        frame: Any = sys._getframe(1)
        while frame.f_code.co_filename == re.__file__:
            frame = frame.f_back
        made = compile_one(pattern, flags)
        path = frame.f_code.co_filename
        if any(path.startswith(one) for one in ours):
            place = (str(Path(path).relative_to(ROOT)), frame.f_lineno)
            found[place, made.pattern, made.flags] = made
        return made

    re._compile = watch  # type: ignore[attr-defined]
    try:
        for package in PACKAGES:
            whole = importlib.import_module(package)
            for module in pkgutil.walk_packages(whole.__path__, f"{package}."):
                _import(module.name)
    finally:
        re._compile = compile_one  # type: ignore[attr-defined]
    return [(place, pattern) for (place, _, _), pattern in found.items()]


def _import(name: str) -> None:
    if name.endswith(".__main__"):
        return
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in ABSENT_HERE:
            raise


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(_watch_imports()))


__all__ = ["ROOT", "Call", "Found", "find_calls", "find_patterns", "find_unknown"]
