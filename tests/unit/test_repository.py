"""What the documents say, held to the code: commands, targets, settings, metrics, folders."""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import orjson
import pytest
from packaging.requirements import Requirement
from pydantic import BaseModel, SecretStr

from stream.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md"), ROOT / "grafana" / "README.md"])
DOCUMENTS = [path for path in DOCUMENTS if path.exists()]
PACKAGES = ("schemas", "judges", "sinks", "stream", "console")
MAX_LINES = 400
APACHE_2 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"

by_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def tracked_files() -> list[Path]:
    """What git has, or will have; everything below the root where git is absent."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        found = [ROOT / line for line in listed.stdout.splitlines()]
    else:
        hidden = re.compile(r"/(\.venv|\.git|build|dist|__pycache__|[^/]*\.egg-info|\.[a-z_]*cache)/")
        found = [path for path in ROOT.rglob("*") if not hidden.search(f"/{path.relative_to(ROOT)}/")]
    return [path for path in found if path.is_file()]


def text_files() -> Iterator[tuple[Path, str]]:
    for path in tracked_files():
        data = path.read_bytes()
        if b"\0" not in data:
            yield path, data.decode()


def code_of(document: Path) -> str:
    """The code of a document: its fenced blocks and what stands between backticks."""
    text = document.read_text()
    fenced = re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    return "\n".join([*fenced, *inline])


# --- commands, targets, settings, metrics ---


def known_commands() -> set[str]:
    from typer.main import get_command

    from stream.cli import app

    return set(get_command(app).commands)  # type: ignore[attr-defined]


@by_document
def test_every_command_that_a_document_names_exists(document: Path) -> None:
    named = set(re.findall(r"(?:^|bin/|\$ |`|\s)ragpulse ([a-z]+)\b", code_of(document), re.MULTILINE))
    assert named <= known_commands()


def test_the_readme_names_every_command() -> None:
    named = set(re.findall(r"ragpulse ([a-z]+)\b", code_of(ROOT / "README.md")))
    assert known_commands() <= named


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE))


@by_document
def test_every_make_target_that_a_document_names_exists(document: Path) -> None:
    named = set(re.findall(r"(?:^|\s)make (?:-\w+ )?([a-z][a-z-]*)\b", code_of(document), re.MULTILINE))
    assert named <= make_targets()


def test_make_without_a_target_lists_every_target() -> None:
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout
    assert make_targets() == set(re.findall(r"^  make ([a-z-]+)", listed, re.MULTILINE))


def known_settings(model: type[BaseModel] = Settings, prefix: str = "RAGPULSE_") -> Iterator[str]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from known_settings(kind, f"{prefix}{name.upper()}__")
        else:
            yield f"{prefix}{name.upper()}"


def test_the_page_of_settings_lists_each_with_its_default() -> None:
    text = (ROOT / "docs" / "SETTINGS.md").read_text()
    listed = dict(re.findall(r"^\| `(RAGPULSE_\w+)` \| (.+?) \|", text, re.MULTILINE))
    assert listed.keys() == set(known_settings())
    for section, field in Settings.model_fields.items():
        assert isinstance(field.annotation, type)
        for name, inner in field.annotation.model_fields.items():
            shown = listed[f"RAGPULSE_{section.upper()}__{name.upper()}"].strip("`")
            assert shown == _as_shown(inner.get_default(call_default_factory=True))


def _as_shown(value: object) -> str:
    match value:
        case None:
            return "none"
        case SecretStr():
            return value.get_secret_value()
        case list():
            return orjson.dumps([item.model_dump() for item in value]).decode()
        case _:
            return str(value)


def test_every_setting_that_is_named_anywhere_exists() -> None:
    known = {*known_settings(), "RAGPULSE_CONFIG", "RAGPULSE_TEST_KAFKA"}
    for path, text in text_files():
        if path.suffix in (".md", ".yml", ".toml", ".py", "") and path != Path(__file__):
            for name in re.findall(r"\bRAGPULSE_[A-Z]+__[A-Z0-9_]*[A-Z0-9]", text):
                assert name in known, f"{path.relative_to(ROOT)} names {name}"


@by_document
def test_every_metric_that_a_document_names_exists(document: Path) -> None:
    from stream import telemetry

    source = "".join(path.read_text() for path in Path(telemetry.__file__).parent.glob("*.py"))
    for name in re.findall(r"\bragpulse_[a-z_]+", code_of(document)):
        base = re.sub(r"_(total|bucket|sum|count|created)$", "", name)
        assert f'"{name}"' in source or f'"{base}"' in source, name


# --- documents ---


def test_the_readme_begins_with_the_two_commands() -> None:
    top = "\n".join((ROOT / "README.md").read_text().splitlines()[:20])
    assert "make demo" in top
    assert "make test" in top


@by_document
def test_every_link_to_a_file_leads_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
        assert (document.parent / target).exists(), target


@by_document
def test_every_folder_and_source_file_that_a_document_names_exists(document: Path) -> None:
    named = re.findall(r"`((?:[\w.-]+/)+[\w.-]*|[\w-]+/)`", document.read_text())
    tops = {path.name for path in ROOT.iterdir()}
    for name in named:
        if name.split("/")[0] in tops and not name.startswith((".venv/", ".secrets/", ".ragpulse/")):
            assert (ROOT / name).exists(), name


def test_the_map_names_every_folder_of_the_top_level() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    folders = {path.relative_to(ROOT).parts[0] for path in tracked_files() if path.parent != ROOT}
    for folder in folders - {".ci"}:
        assert f"`{folder}/`" in text, folder


def test_the_map_says_truly_where_each_vendor_lives() -> None:
    rows = re.findall(
        r"^\| (\w+) \| (.*`.*|nowhere.*) \|$", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE
    )
    said = {vendor: set(re.findall(r"`(\w+/[\w/]+\.py)`", where)) for vendor, where in rows}
    assert {"confluent_kafka", "clickhouse_connect", "prometheus_client", "faust"} <= said.keys()
    found: dict[str, set[str]] = {vendor: set() for vendor in said}
    for path in tracked_files():
        inside = path.relative_to(ROOT)
        if path.suffix == ".py" and inside.parts[0] in PACKAGES:
            for vendor in said.keys() & imported_by(path):
                found[vendor].add(str(inside))
    assert said == found


def imported_by(path: Path) -> set[str]:
    """Top-level names that a file imports, at its top, in a function, or by name."""
    names = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Import():
                names |= {alias.name.split(".")[0] for alias in node.names}
            case ast.ImportFrom(module=str(module), level=0):
                names.add(module.split(".")[0])
            case ast.Call(func=ast.Name(id="import_module"), args=[ast.Constant(value=str(module))]):
                names.add(module.split(".")[0])
    return names


def test_the_licence_is_apache_2_word_for_word() -> None:
    assert hashlib.sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == APACHE_2
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "Apache-2.0"


def test_the_changelog_knows_this_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    text = (ROOT / "CHANGELOG.md").read_text()
    assert f"## [{version}]" in text or "## [Unreleased]" in text


# --- sources ---


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    place = re.compile(r"(?<![\w.~*-])/(home|root|Users|work|workspace|mnt)/\w")
    for path, text in text_files():
        if path != Path(__file__):
            assert not place.search(text), f"{path.relative_to(ROOT)}: {place.search(text)}"


@pytest.mark.parametrize("suffix", [".py", ".sql", ".md", ".yml"])
def test_no_source_file_is_longer_than_a_person_reads(suffix: str) -> None:
    for path, text in text_files():
        if path.suffix == suffix:
            lines = text.count("\n")
            assert lines <= MAX_LINES, f"{path.relative_to(ROOT)}: {lines} lines"


def test_every_module_says_what_it_is_for() -> None:
    for path in tracked_files():
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in PACKAGES and path.stat().st_size:
            assert ast.get_docstring(ast.parse(path.read_bytes())), path.relative_to(ROOT)


def test_every_public_function_and_class_has_a_docstring() -> None:
    for path in tracked_files():
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in PACKAGES:
            for node in ast.parse(path.read_bytes()).body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    where = f"{path.relative_to(ROOT)}: {node.name}"
                    assert node.name.startswith("_") or ast.get_docstring(node), where


def test_every_data_file_of_a_package_is_installed_with_it() -> None:
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    installed = {
        path
        for package, patterns in data.items()
        for pattern in patterns
        for path in (ROOT / package.replace(".", "/")).glob(pattern)
    }
    for path in tracked_files():
        if path.relative_to(ROOT).parts[0] in PACKAGES and path.suffix != ".py":
            assert path in installed, path.relative_to(ROOT)


def test_the_default_install_has_no_torch() -> None:
    assert not {"torch", "sentence-transformers", "transformers"} & installed_with("ragpulse", set())
    assert not {"torch", "sentence-transformers", "transformers"} & installed_with("ragpulse", {"embedded"})


def installed_with(name: str, extras: set[str]) -> set[str]:
    """Everything that an installation of `name` with these extras brings along."""
    found: set[str] = set()
    waiting = [(name, frozenset(extras))]
    done = set()
    while waiting:
        package, wanted = waiting.pop()
        if (package, wanted) in done:
            continue
        done.add((package, wanted))
        try:
            lines = requires(package) or []
        except PackageNotFoundError:  # not needed on this platform
            continue
        for requirement in map(Requirement, lines):
            environments: list[dict[str, str]] = [{"extra": extra} for extra in ("", *wanted)]
            if requirement.marker is None or any(map(requirement.marker.evaluate, environments)):
                found.add(requirement.name.lower())
                waiting.append((requirement.name, frozenset(requirement.extras)))
    return found


def test_the_extra_for_transformers_is_what_would_bring_torch() -> None:
    """Guards the test above: it would see torch if the default install asked for it."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert any("sentence-transformers" in requirement for requirement in extras["encoder"])
    assert "sentence-transformers" in installed_with("ragpulse", {"encoder"})
