"""Temporary folders that do not outlive their process for good.

A process that is killed cannot tidy up. Each folder therefore holds a file that its owner keeps locked;
the kernel lets go of the lock when the owner dies, however it dies, and the next start sweeps the folder
away. A lock, not a process id: ids are used again, and mean nothing across containers.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from stream.errors import RagpulseError

PREFIX: Final = "ragpulse-"
_LOCK: Final = ".lock"


class Scratch:
    """A folder of our own under the temporary folder: `with Scratch("demo") as scratch: … scratch.path`.

    Making one sweeps away those that dead processes of this user left.
    """

    def __init__(self, name: str) -> None:
        sweep()
        try:
            self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{name}-"))
        except OSError as error:
            raise RagpulseError(f"No temporary folder can be made: {error.strerror}. Set TMPDIR.") from error
        unlocked = self.path / f"{_LOCK}.new"
        self._lock = os.open(unlocked, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        unlocked.rename(self.path / _LOCK)  # whoever sees it finds it locked

    def cleanup(self) -> None:
        """Remove it. Twice is fine."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cleanup()


def sweep() -> list[Path]:
    """Remove the folders whose owners are dead; returns them. Those of other users are left alone."""
    gone = []
    for lock in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{_LOCK}"):
        with contextlib.suppress(OSError):
            if _is_abandoned(lock):
                shutil.rmtree(lock.parent, ignore_errors=True)
                gone.append(lock.parent)
    return gone


def _is_abandoned(lock: Path) -> bool:
    if lock.parent.is_symlink() or lock.lstat().st_uid != os.getuid():
        return False
    handle = os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


__all__ = ["Scratch", "sweep"]
