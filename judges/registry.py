"""The registry of scorers: one folder that says which weights serve and which are tried beside them.

    registry/
      registry.json        {"format": 1, "serving": "s-2", "candidate": null, "history": [...]}
      s-2/weights.npz      the weights, with their manifest
      s-2/weights.json
      s-2/report.json      what was known of them when they were made

Only files are handled here. Every change is written apart and renamed into place, so that a reader never
sees half of one and a process that is killed leaves the registry as it was; writers wait for each other.
`serving` null means the scorer that ships with the package.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from judges.whole_files import replace_file

if TYPE_CHECKING:
    from judges.distilled.heads.weights import Weights

FORMAT: Final = 1
INDEX: Final = "registry.json"
WEIGHTS: Final = "weights.npz"
MANIFEST: Final = "weights.json"
REPORT: Final = "report.json"
SHIPPED: Final = "shipped"
"""How the scorer of the package is called where a version is expected."""
PROMOTE, ROLLBACK, SHADOW = "promote", "rollback", "shadow"

_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LOCK: Final = ".lock"
_UNFINISHED: Final = ".adding-"


class RegistryError(Exception):
    """One sentence: what is wrong with the registry or with what was asked of it, and what to do."""


@dataclass(frozen=True, slots=True)
class State:
    """Which versions are in use. Null `serving`: the shipped scorer. Null `candidate`: none is tried."""

    serving: str | None = None
    candidate: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the history."""

    at: datetime
    action: str
    """`promote`, `rollback` or `shadow`."""
    version: str | None
    """What serves (or is tried) from then on; null: the shipped scorer (or none)."""
    before: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One version, with what its files say of it."""

    version: str
    manifest: dict[str, Any]
    report: dict[str, Any]
    problem: str | None = None
    """One sentence on why its files cannot be read; it cannot serve then, and the others can."""


Stamp = tuple[int, int, int]


class Registry:
    """The registry in one folder, which need not exist before something is added.

    Every method raises RegistryError, and nothing else, for what a person can put right.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def state(self) -> State:
        """What serves and what is tried. An empty or absent folder: the shipped scorer alone."""
        index = self._read()
        return State(index["serving"], index["candidate"])

    def stamp(self) -> Stamp | None:
        """Something that differs after every change, for the price of one `stat`; null without an index."""
        try:
            found = (self.folder / INDEX).stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable(error) from None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def history(self) -> list[Change]:
        """Every change, the oldest first."""
        return [
            Change(datetime.fromisoformat(h["at"]), h["action"], h["version"], h["before"])
            for h in self._read()["history"]
        ]

    def entries(self) -> list[Entry]:
        """Every version, ordered by when it was made; first those whose files are damaged or gone."""
        state = self.state()
        names = {name for name in (state.serving, state.candidate) if name is not None}
        try:
            if self.folder.is_dir():
                names |= {p.name for p in self.folder.iterdir() if (p / MANIFEST).is_file()}
        except OSError as error:
            raise self._unreadable(error) from None
        entries = [self._entry_or_problem(name) for name in names if _VERSION.fullmatch(name)]
        return sorted(entries, key=lambda e: (str(e.manifest.get("made_at") or ""), e.version))

    def _entry_or_problem(self, version: str) -> Entry:
        try:
            return self.entry(version)
        except RegistryError as error:
            return Entry(version, {}, {}, str(error))

    def entry(self, version: str) -> Entry:
        """One version."""
        folder = self.path(version).parent
        return Entry(version, _read_object(folder / MANIFEST), _read_object(folder / REPORT))

    def path(self, version: str) -> Path:
        """The weights file of a version."""
        if not _VERSION.fullmatch(version):
            raise RegistryError(_bad_name(version))
        path = self.folder / version / WEIGHTS
        if not path.is_file():
            if path.parent.is_dir():
                raise RegistryError(f"{path} is not there: put it back, or remove the folder {path.parent}.")
            raise RegistryError(
                f"The registry {self.folder} holds no scorer {version!r}; "
                "`ragpulse scorer list` shows what it holds."
            )
        return path

    def refuse_taken(self, version: str) -> None:
        """Raise RegistryError where nothing can be added under this name: ask before the work is done."""
        if not _VERSION.fullmatch(version):
            raise RegistryError(_bad_name(version))
        if (self.folder / version).exists():
            raise RegistryError(
                f"The registry {self.folder} has a scorer {version!r} already, and rows may name it: "
                "choose another version."
            )

    def add(self, weights: Weights, report: dict[str, Any]) -> Entry:
        """Add a version, complete or not at all. It neither serves nor is tried before it is told to.

        A version that is there already is never overwritten: rows in the store name it.
        """
        from judges.distilled.heads.weights import write_weights

        version = str(weights.manifest.version)
        with self._writing():
            self.refuse_taken(version)
            target = self.folder / version
            unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self.folder))
            try:
                write_weights(unfinished / WEIGHTS, weights)
                _write(unfinished / REPORT, report)
                unfinished.chmod(0o755)
                unfinished.rename(target)
            except BaseException:
                shutil.rmtree(unfinished, ignore_errors=True)
                raise
            _sync(self.folder)
        return self.entry(version)

    def promote(self, version: str | None, at: datetime) -> State:
        """Let a version serve (null: the shipped scorer). Weights that cannot be read are refused."""
        if version is not None:
            self.verify(version)
        with self._changing() as index:
            before = index["serving"]
            if before == version:
                raise RegistryError(f"{version or 'The shipped scorer'} serves already.")
            index["serving"] = version
            if index["candidate"] == version:
                index["candidate"] = None
            index["history"].append(_change(at, PROMOTE, version, before))
        return self.state()

    def shadow(self, version: str | None, at: datetime) -> State:
        """Try a version beside the serving one (null: none any more)."""
        if version is not None:
            self.verify(version)
        with self._changing() as index:
            if version is not None and version == index["serving"]:
                raise RegistryError(f"{version} serves already: there is nothing to try beside it.")
            before = index["candidate"]
            index["candidate"] = version
            index["history"].append(_change(at, SHADOW, version, before))
        return self.state()

    def rollback(self, at: datetime) -> State:
        """Take back the last promotion that still stands; again: the one before it."""
        with self._changing() as index:
            served = _stack(index["history"])
            if len(served) < 2:
                raise RegistryError("There is no promotion to take back: the shipped scorer serves.")
            before, version = served[-1], served[-2]
            if version is not None:
                self.verify(version)
            index["serving"] = version
            if version is not None and index["candidate"] == version:
                index["candidate"] = None
            index["history"].append(_change(at, ROLLBACK, version, before))
        return self.state()

    def verify(self, version: str) -> None:
        """Read the weights of a version whole: checksum, format, features, numbers."""
        from judges.distilled.heads.weights import WeightsRefused, read_weights

        path = self.path(version)
        try:
            weights = read_weights(path)
        except WeightsRefused as error:
            raise RegistryError(f"The weights of {version!r} are refused: {error}") from None
        if weights.manifest.version != version:
            raise RegistryError(
                f"{path} holds version {weights.manifest.version!r}, not {version!r}: the folder was renamed "
                "or its files were exchanged; put it back as it was."
            )

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Any]]:
        """The index, to be changed: written when the block ends, left alone when it raises."""
        with self._writing():
            index = self._read()
            yield index
            _write(self.folder / INDEX, index)
            _sync(self.folder)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One writer at a time. What a killed writer left behind is cleared away."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise RegistryError(f"The registry {self.folder} cannot be written: {error.strerror}.") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for left in self.folder.glob(f"{_UNFINISHED}*"):
                shutil.rmtree(left, ignore_errors=True)
            yield
        except OSError as error:
            raise RegistryError(f"The registry {self.folder} cannot be written: {error.strerror}.") from None
        finally:
            os.close(lock)

    def _read(self) -> dict[str, Any]:
        path = self.folder / INDEX
        if not path.exists():
            return {"format": FORMAT, "serving": None, "candidate": None, "history": []}
        index = _read_object(path)
        if index.get("format") != FORMAT:
            raise RegistryError(
                f"{path} has format {index.get('format')!r}, this ragpulse knows {FORMAT}: "
                "use the ragpulse that wrote it, or another folder."
            )
        serving, candidate, history = (index.get(k) for k in ("serving", "candidate", "history"))
        whole = isinstance(history, list) and all(_is_change(h) for h in history) and _stack(history)
        if not whole or not all(n is None or isinstance(n, str) for n in (serving, candidate)):
            raise RegistryError(f"{path} is damaged: restore it, or use another folder.")
        return {"format": FORMAT, "serving": serving, "candidate": candidate, "history": history}

    def _unreadable(self, error: OSError) -> RegistryError:
        return RegistryError(f"The registry {self.folder} cannot be read: {error.strerror}.")


def _is_change(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys() >= {"at", "action", "version", "before"}:
        return False
    try:
        datetime.fromisoformat(value["at"])
    except (TypeError, ValueError):
        return False
    return value["action"] in (PROMOTE, ROLLBACK, SHADOW)


def _stack(history: list[dict[str, Any]]) -> list[str | None]:
    """What served, the promotions that were taken back left out; the shipped scorer came first.

    Empty where more was taken back than was ever promoted, which no history of ours says.
    """
    served: list[str | None] = [None]
    for change in history:
        if change["action"] == PROMOTE:
            served.append(change["version"])
        elif change["action"] == ROLLBACK:
            if len(served) < 2:
                return []
            served.pop()
    return served


def _change(at: datetime, action: str, version: str | None, before: str | None) -> dict[str, Any]:
    return {
        "at": at.astimezone(UTC).isoformat(timespec="seconds"),
        "action": action,
        "version": version,
        "before": before,
    }


def _bad_name(version: str) -> str:
    return (
        f"{version!r} cannot name a scorer: letters, digits, dot, dash and underscore, at most 64, "
        "a letter or digit first."
    )


def _read_object(path: Path) -> dict[str, Any]:
    try:
        value = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise RegistryError(f"{path} cannot be read: {error.strerror}.") from None
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, dict):
        raise RegistryError(f"{path} is no JSON object: restore it, or remove its version from the registry.")
    return value


def _write(path: Path, value: dict[str, Any]) -> None:
    """Replace a file with the JSON of `value`: whole, or not at all."""
    replace_file(path, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _sync(folder: Path) -> None:
    """Make renames in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


__all__ = ["SHIPPED", "Change", "Entry", "Registry", "RegistryError", "Stamp", "State"]
