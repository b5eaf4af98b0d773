"""`ragpulse scorer list | show | shadow | promote | rollback`: the registry of scorers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stream.cli.shell import load_settings, note, print_json
from stream.errors import RagpulseError, SettingRefused
from stream.terminal import printable

if TYPE_CHECKING:
    from judges.registry import Entry, Registry, RegistryError, State
    from stream.settings import Settings

app = typer.Typer(
    help="Scorers: which are registered, which serves, which is tried beside it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Folder = Annotated[
    Path | None, typer.Option("--registry", help="Folder.", show_default="RAGPULSE_SCORER__REGISTRY")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object.")]
Version = Annotated[
    str, typer.Argument(metavar="VERSION", help="A version; `shipped` is that of the package.")
]


class RegistryRefused(RagpulseError):
    """The registry, or what was asked of it, is not in order."""

    exit_code = 2


@app.command("list")
def list_scorers(registry: Folder = None, as_json: Json = False) -> None:
    """List the scorers of the registry, the oldest first, and say which serves.

    \b
    Examples:
      ragpulse scorer list
      ragpulse scorer list --registry ./scorers --json | jq .

    Exit code: 0; 2 usage, or no registry.
    """
    with _asking(registry) as found:
        entries, state = found.entries(), found.state()
    if as_json:
        print_json({"registry": str(found.folder), **_state(state), "scorers": [_facts(e) for e in entries]})
        return
    print(f"{'':<10} {'version':<34} {'made':<20} {'on top of':<34} held-out AUROC")
    print(f"{'serving' if state.serving is None else '':<10} shipped")
    for entry in entries:
        mark = {state.serving: "serving", state.candidate: "candidate"}.get(entry.version, "")
        facts = _facts(entry)
        auroc = f"{facts['auroc'][0]:.3f}" if facts["auroc"] else "–"
        made = str(facts["made_at"] or "")[:19]
        parent = printable(str(facts["parent"] or "–"))
        print(f"{mark:<10} {entry.version:<34} {printable(made):<20} {parent:<34} {auroc}")
        if entry.problem:
            print(f"{'':<10} {printable(entry.problem)}")


@app.command("show")
def show_scorer(
    version: Annotated[
        str | None, typer.Argument(metavar="[VERSION]", help="The candidate, else what serves, unless given.")
    ] = None,
    registry: Folder = None,
    as_json: Json = False,
) -> None:
    """Show the report on a scorer: labels, measures by slice, what stands against it.

    \b
    Examples:
      ragpulse scorer show
      ragpulse scorer show distilled-20261130T120000Z --json | jq .slices

    Exit code: 0; 2 usage, or no such scorer.
    """
    from stream.distill.show import report_lines

    with _asking(registry) as found:
        state = found.state()
        chosen = version or state.candidate or state.serving
        if chosen is None:
            raise RegistryRefused("The shipped scorer serves and no candidate is tried: name a version.")
        entry = found.entry(chosen)
    if as_json:
        print_json(
            {"version": entry.version, **_state(state), "manifest": entry.manifest, "report": entry.report}
        )
    elif entry.report:
        for line in report_lines(entry.report):
            print(line)
    else:
        note(f"{entry.version} has no report")


@app.command("promote")
def promote_scorer(version: Version, registry: Folder = None, as_json: Json = False) -> None:
    """Let a registered scorer serve, whatever its report says. Workers follow within seconds.

    Weights that are damaged, or made for other features, are refused.

    \b
    Examples:
      ragpulse scorer promote distilled-20261130T120000Z
      ragpulse scorer promote shipped

    Exit code: 0; 2 usage, or a scorer that cannot serve.
    """
    from judges.registry import SHIPPED

    with _asking(registry) as found:
        state = found.promote(None if version == SHIPPED else version, datetime.now(UTC))
    _tell(state, as_json)


@app.command("shadow")
def shadow_scorer(
    version: Annotated[
        str | None, typer.Argument(metavar="[VERSION]", help="What to try beside the serving scorer.")
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Try none any more.")] = False,
    registry: Folder = None,
    as_json: Json = False,
) -> None:
    """Try a registered scorer beside the one that serves, on a share of the traffic.

    Its scores go into table `scores` (the share is RAGPULSE_SCORER__SHADOW_RATE).

    \b
    Examples:
      ragpulse scorer shadow distilled-20261130T120000Z
      ragpulse scorer shadow --off

    Exit code: 0; 2 usage, or a scorer that cannot score.
    """
    if (version is None) != off:
        raise typer.BadParameter("name a version, or say --off", param_hint="VERSION")
    with _asking(registry) as found:
        state = found.shadow(version, datetime.now(UTC))
    _tell(state, as_json)


@app.command("rollback")
def roll_back(registry: Folder = None, as_json: Json = False) -> None:
    """Take back the last promotion: what served before it serves again.

    \b
    Examples:
      ragpulse scorer rollback

    Exit code: 0; 2 usage, or no promotion to take back.
    """
    with _asking(registry) as found:
        state = found.rollback(datetime.now(UTC))
    _tell(state, as_json)


def find_registry(folder: Path | None, settings: Settings) -> Registry:
    """The registry in this folder, else in that of the settings. Raises SettingRefused without either."""
    from judges.registry import Registry

    chosen = folder or settings.scorer.registry
    if chosen is None:
        raise SettingRefused(
            "There is no registry: set RAGPULSE_SCORER__REGISTRY to a folder, or say --registry."
        )
    return Registry(chosen)


def registry_problem(error: RegistryError) -> RegistryRefused:
    """The same as an error for people."""
    return RegistryRefused(str(error))


@contextmanager
def _asking(folder: Path | None) -> Iterator[Registry]:
    from judges.registry import RegistryError

    try:
        yield find_registry(folder, load_settings())
    except RegistryError as error:
        raise registry_problem(error) from error


def _facts(entry: Entry) -> dict[str, Any]:
    slices = entry.report.get("slices") or [{}]
    return {
        "version": entry.version,
        "problem": entry.problem,
        "made_at": entry.manifest.get("made_at"),
        "parent": entry.manifest.get("parent"),
        "auroc": slices[0].get("candidate", {}).get("auroc"),
        "may_serve": entry.report.get("promotion", {}).get("allowed"),
    }


def _state(state: State) -> dict[str, str | None]:
    return {"serving": state.serving, "candidate": state.candidate}


def _tell(state: State, as_json: bool) -> None:
    if as_json:
        print_json(_state(state))
    else:
        note(f"serving: {state.serving or 'shipped'}; candidate: {state.candidate or 'none'}")


__all__ = ["app", "find_registry", "registry_problem"]
