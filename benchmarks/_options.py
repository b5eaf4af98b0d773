"""Numbers and places of a command line, refused before an hour is spent on them."""

from __future__ import annotations

import math
import os
from argparse import ArgumentTypeError
from pathlib import Path


def above_zero(text: str) -> float:
    """A finite number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise ArgumentTypeError(f"{text!r} is no number above 0")
    return number


def at_least_one(text: str) -> int:
    """A whole number, 1 or more."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise ArgumentTypeError(f"{text!r} is no whole number of 1 or more")
    return number


def file_to_read(text: str) -> Path:
    """A file that is there."""
    path = Path(text)
    if not path.is_file():
        raise ArgumentTypeError(f"there is no file {text}")
    return path


def document_to_write(text: str) -> Path:
    """A document that can be written, new or not, in a folder that is there and takes pictures."""
    path = Path(text)
    if (
        path.is_dir()
        or not os.access(path.parent, os.W_OK)
        or (path.exists() and not os.access(path, os.W_OK))
    ):
        raise ArgumentTypeError(f"{text} cannot be written")
    return path
