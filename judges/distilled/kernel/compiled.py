"""Compiling the kernels, and where the machine code is kept.

Compilation takes seconds, so its result is kept on disk, in the first of these folders that will do:
NUMBA_CACHE_DIR, beside the sources, the user's cache folder, a private folder among the temporary files.
Where none will, each process compiles for itself. What is kept is filed under a fingerprint of the sources
that it may be made of, since a kernel contains the code of those it calls. A file that cannot be read counts
as absent.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numba.core.caching
import numba.core.config

Function = TypeVar("Function", bound=Callable[..., Any])

_caching: Any = numba.core.caching
_config: Any = numba.core.config
_njit: Any = numba.njit
_HERE = Path(__file__).resolve().parent
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_DISPATCHERS: list[Any] = []
_AMONG_THEMSELVES = "kernel/*.py"
"""What kernels of this folder are made of: they call each other alone."""


def compiled(function: Function) -> Function:
    """Compile `function` at its first call for the types of its arguments; kept on disk where possible.

    It runs without the interpreter's lock, checks no bounds, and divides as arrays do (no exception).
    """
    made: Function = _keep(_njit(**_OPTIONS)(function))
    return made


def inlined(function: Function) -> Function:
    """Like `compiled`, for what only other kernels call: half as much to compile, no use from Python."""
    made: Function = _keep(_njit(**_OPTIONS, no_cpython_wrapper=True)(function))
    return made


def _keep(dispatcher: Any) -> Any:
    if find_cache_folder(_list_sources(dispatcher.py_func)) is not None:
        dispatcher._cache = _QuietCache(dispatcher.py_func)
    _DISPATCHERS.append(dispatcher)
    return dispatcher


def count_compiled() -> int:
    """How many versions (by types of arguments) of all kernels are ready: it must not grow once warm."""
    return sum(len(d.signatures) for d in _DISPATCHERS)


class _OurFolder(_caching.UserProvidedCacheLocator):  # type: ignore[misc]
    """Says that a kernel is kept in the folder found below, which may be one that can only be read."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._cache_path = str(find_cache_folder(_list_sources(py_func)))

    def ensure_cache_path(self) -> None:
        """Nothing to do: the folder was tried when it was found."""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _OurFolder:
        return cls(py_func, py_file)


class _InOurFolder(_caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_OurFolder,)


class _QuietCache(_caching.FunctionCache):  # type: ignore[misc]
    """A cache on disk that may fail: then the function is compiled, and not kept."""

    _impl_class = _InOurFolder

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


def is_kept() -> bool:
    """Whether machine code of these sources is kept already: without it the first batch takes a minute."""
    folder = find_cache_folder(_AMONG_THEMSELVES)
    return folder is not None and any(folder.glob("*.nbi"))


@cache
def find_cache_folder(sources: str) -> Path | None:
    """Where kernels made of `sources` are kept, or null where no folder can be trusted and written to.

    `sources`: a pattern of files below this package. A folder that can only be read will do if it has been
    filled (an image that was built warm).
    """
    name = _fingerprint(sources)
    return next((base / name for base in _list_bases() if _is_usable(base / name)), None)


def _list_bases() -> Iterator[Path]:
    if _config.CACHE_DIR:
        yield Path(_config.CACHE_DIR)
    yield _HERE / "__pycache__"
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    if os.path.isabs(user):  # without HOME and without an entry for the user, "~" stays as it is
        yield Path(user) / "ragpulse"
    yield Path(tempfile.gettempdir()) / f"ragpulse-{os.geteuid()}"


def _is_usable(folder: Path) -> bool:
    """Whether `folder` is there (it is made), only we or root can write to it, and we can, or it is full.

    What lies in it is executed: a folder that somebody else could have filled is refused.
    """
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, mode=0o700)
        owners = [folder.stat(), folder.parent.stat()]
        if any(s.st_uid not in (0, os.geteuid()) or s.st_mode & 0o002 for s in owners):
            return False
        if any(folder.glob("*.nbi")):
            return True
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _list_sources(function: Callable[..., Any]) -> str:
    """What a kernel may be made of: those of this folder call each other alone, others call any."""
    return _AMONG_THEMSELVES if Path(function.__code__.co_filename).parent == _HERE else "**/*.py"


def _fingerprint(sources: str) -> str:
    digest = hashlib.sha256()
    for path in sorted(_HERE.parent.glob(sources)):
        source = path.read_bytes()
        if b"@compiled" in source or b"@inlined" in source:
            digest.update(path.name.encode() + b"\0" + source)
    return digest.hexdigest()[:16]
