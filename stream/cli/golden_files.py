"""`ragpulse golden import | check`: golden files that people edit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stream.cli.golden_shared import Json, Who, opened, reason_of, user
from stream.cli.shell import FINDING, note, print_json
from stream.terminal import printable

if TYPE_CHECKING:
    from judges.golden.examine import Finding

_SHOWN: Final = 50


def import_set(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A golden file.")],
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="Why, where it was edited.")] = "",
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Store a file as a version. One that was edited becomes a version that grew from the one it says.

    \b
    Examples:
      ragpulse golden import golden/helpdesk.jsonl --why "must_contain for warranties"

    Exit code: 0; 1 the file has errors, nothing was stored; 2 usage; 3 ClickHouse cannot be reached.
    """
    from judges.golden.examine import examine
    from stream.golden.files import read_golden, seal

    reading = read_golden(file)
    errors = [one for one in examine(reading) if one.is_error]
    if errors:
        _show_findings(file, errors)
        raise typer.Exit(FINDING)
    golden = reading.golden
    if not reading.is_sealed:
        golden = seal(reading, who=who or user(), when=datetime.now(UTC), why=reason_of(why))
    with opened() as store:
        stored = store().save(golden)
    if as_json:
        from judges.golden.show import facts

        print_json({**facts(golden), "stored": stored})
    else:
        note(f"{golden.name}@{golden.version} {'is stored' if stored else 'was there already'}")


def check_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A golden file.")],
    seal_it: Annotated[
        bool, typer.Option("--seal", help="Write the version of an edited file into its header.")
    ] = False,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="With --seal: why it was edited.")] = "",
    who: Who = None,
    quotas: Annotated[
        bool, typer.Option("--quotas", help="Missing cases are a finding, and not only told.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check a file that people edit: its lines, ids, hash, contradictions, personal data, quotas.

    \b
    Examples:
      ragpulse golden check golden/helpdesk.jsonl
      ragpulse golden check golden/helpdesk.jsonl --seal --why "floors for multi-hop"

    Exit code: 0; 1 a finding; 2 usage.
    """
    from judges.golden.examine import examine, unsealed
    from judges.golden.show import facts
    from stream.golden.files import read_golden, seal, write_golden

    reading = read_golden(file)
    found = examine(reading)
    if seal_it and not reading.is_sealed and not any(one.is_error for one in found):
        golden = seal(reading, who=who or user(), when=datetime.now(UTC), why=reason_of(why))
        write_golden(golden, file)
        reading = read_golden(file)
        note(f"sealed as {golden.version}, grown from {golden.parent or 'nothing'}")
    found = unsealed(reading) + found
    short = any(quota.missing for quota in reading.golden.quotas.values())
    if as_json:
        findings = [
            {"line": one.line, "case_id": one.case_id, "what": one.what, "error": one.is_error}
            for one in found
        ]
        print_json({**facts(reading.golden), "sealed": reading.is_sealed, "findings": findings})
    else:
        _show_findings(file, found)
        note(f"{reading.golden.name}@{reading.golden.version}: {len(reading.golden.cases):,} cases")
    if any(one.is_error for one in found) or (quotas and short):
        raise typer.Exit(FINDING)


def _show_findings(file: Path, found: Sequence[Finding]) -> None:
    for one in found[:_SHOWN]:
        where = f"{file}, line {one.line}" if one.line else str(file)
        case = f" ({printable(one.case_id)})" if one.case_id else ""
        note(f"{where}{case}: {'error' if one.is_error else 'note'}: {printable(one.what)}")
    if len(found) > _SHOWN:
        note(f"… and {len(found) - _SHOWN:,} more")


__all__ = ["check_file", "import_set"]
