"""Compiling the kernels, and where the machine code is kept.

Compilation takes seconds, so its result is kept on disk, in the first folder that can be written to:
NUMBA_CACHE_DIR, beside the sources, the user's cache folder, a private folder among the temporary files.
Where none can, each process compiles for itself. What is kept is filed under a fingerprint of all their
sources, since a kernel contains the code of those it calls. A file that cannot be read counts as absent.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numba.core.caching
import numba.core.config

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba.core.config
FunctionCache: Any = numba.core.caching.FunctionCache
_HERE = Path(__file__).resolve().parent


class _QuietCache(FunctionCache):  # type: ignore[misc]
    """A cache on disk that may fail: then the function is compiled, and not kept."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file is as good as none, whatever is wrong with it
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:  # a full disk costs the next process its quick start, and this one nothing
            return


def compiled(function: Function) -> Function:
    """Compile `function` at its first call for the types of its arguments; kept on disk where possible.

    It runs without the interpreter's lock, checks no bounds, and divides as arrays do (no exception).
    """
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    folder = find_cache_folder()
    if folder is not None:
        dispatcher._cache = _make_cache(dispatcher.py_func, folder)
    _DISPATCHERS.append(dispatcher)
    return cast(Function, dispatcher)


_DISPATCHERS: list[Any] = []


def count_compiled() -> int:
    """How many versions (by types of arguments) of all kernels are ready: it must not grow once warm."""
    return sum(len(d.signatures) for d in _DISPATCHERS)


def _make_cache(function: Callable[..., Any], folder: Path) -> _QuietCache:
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)  # the only way to tell numba; read while the cache is made
    try:
        return _QuietCache(function)
    finally:
        config.CACHE_DIR = before


@cache
def find_cache_folder() -> Path | None:
    """Where compiled kernels are kept, or null where no folder can be trusted and written to."""
    name = _fingerprint()
    return next((base / name for base in _list_bases() if _is_usable(base / name)), None)


def _list_bases() -> Iterator[Path]:
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR)
    yield _HERE / "__pycache__"
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    if os.path.isabs(user):  # without HOME and without an entry for the user, "~" stays as it is
        yield Path(user) / "ragpulse"
    yield Path(tempfile.gettempdir()) / f"ragpulse-{os.geteuid()}"


def _is_usable(folder: Path) -> bool:
    """Whether `folder` is there (it is made), ours alone to write, and can be written to.

    What lies in it is executed: a folder that somebody else could have filled is refused.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        owners = [folder.stat(), folder.parent.stat()]
        if any(s.st_uid != os.geteuid() or s.st_mode & 0o002 for s in owners):
            return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _fingerprint() -> str:
    """Of all sources of this package that hold kernels."""
    digest = hashlib.sha256()
    for path in sorted(_HERE.parent.glob("**/*.py")):
        source = path.read_bytes()
        if b"@compiled" in source:
            digest.update(path.name.encode() + b"\0" + source)
    return digest.hexdigest()[:16]
