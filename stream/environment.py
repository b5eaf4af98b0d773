"""What the environment may say: variables that nobody reads are refused before any setting is read.

A name with one underscore too few (`RAGPULSE_KAFKA_BROKERS`) would otherwise leave the default in
force, silently, and a process at the wrong broker.
"""

from __future__ import annotations

import difflib
import json
import re
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from stream.errors import SettingRefused
from stream.settings import CONFIG_FILE_VARIABLE, Settings

PREFIX: Final = "RAGPULSE_"
_NOT_SETTINGS: Final = (CONFIG_FILE_VARIABLE,)
_TESTS: Final = "RAGPULSE_TEST_"
_SERVICE_LINK: Final = re.compile(
    r"RAGPULSE(_\w+)?_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP)(_\w+)?)"
)
_SERVICE_ADDRESS: Final = re.compile(r"(tcp|udp)://")


def known_variables(model: type[BaseModel] = Settings, prefix: str = PREFIX) -> Iterator[tuple[str, Any]]:
    """Name and type of every variable, of whole sections too."""
    for name, field in model.model_fields.items():
        variable = f"{prefix}{name.upper()}"
        yield variable, field.annotation
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from known_variables(field.annotation, f"{variable}__")


def read_variables(environ: Mapping[str, str]) -> list[str]:
    """Those of the environment that settings are read from, in order."""
    known = {name for name, _ in known_variables()} | set(_NOT_SETTINGS)
    return sorted(name for name in environ if name.upper() in known)


def refuse_unknown(environ: Mapping[str, str]) -> None:
    """Raises SettingRefused for a variable of ours that nobody reads, with the name that was meant."""
    known = dict(known_variables())
    tables = tuple(f"{name}__" for name, kind in known.items() if typing.get_origin(kind) is dict)
    for name in sorted(environ):
        upper = name.upper()
        if not upper.startswith(PREFIX) or upper in known or upper in _NOT_SETTINGS:
            continue
        if upper.startswith((*tables, _TESTS)) or _links_a_service(upper, environ[name]):
            continue
        raise SettingRefused(f"{name} is no setting: nobody would read it. {_hint(upper, list(known))}")


def refuse_missing_file(environ: Mapping[str, str]) -> None:
    """Raises SettingRefused where RAGPULSE_CONFIG names a file that cannot be read."""
    named = environ.get(CONFIG_FILE_VARIABLE)
    if named is None:
        return
    try:
        with Path(named).open("rb"):
            pass
    except OSError as error:
        raise SettingRefused(
            f"{CONFIG_FILE_VARIABLE} names {named or 'nothing'}, which cannot be read: {error.strerror}. "
            "Correct it, or unset it to use the defaults."
        ) from None


def find_no_json(environ: Mapping[str, str]) -> str | None:
    """The variable that should hold JSON (a list, a table, a whole section) and does not."""
    kinds = dict(known_variables())
    for name in sorted(environ):
        kind = kinds.get(name.upper())
        section = isinstance(kind, type) and issubclass(kind, BaseModel)
        if section or typing.get_origin(kind) in (list, dict):
            try:
                json.loads(environ[name])
            except ValueError:
                return name
    return None


def _links_a_service(name: str, value: str) -> bool:
    """Kubernetes tells every pod of the services beside it: RAGPULSE_WORKER_PORT=tcp://10.0.0.7:80."""
    if _SERVICE_LINK.fullmatch(name):
        return True
    return name.endswith("_PORT") and _SERVICE_ADDRESS.match(value) is not None


def _hint(name: str, known: list[str]) -> str:
    plain = {re.sub("_+", "_", one): one for one in known}
    close = difflib.get_close_matches(re.sub("_+", "_", name), plain, n=1, cutoff=0.75)
    if close:
        return f"Did you mean {plain[close[0]]}?"
    return "docs/SETTINGS.md lists all; a section and its setting are joined by two underscores."


__all__ = ["find_no_json", "known_variables", "read_variables", "refuse_missing_file", "refuse_unknown"]
