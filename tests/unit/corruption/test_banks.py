"""The texts that the library carries, and the examples in its docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from random import Random

import pytest

import judges.corruption
from judges.corruption.add_invention import invent
from judges.corruption.bank import read_bank
from judges.corruption.traces.draft import list_manners

_HAN = re.compile(r"[\u4e00-\u9fff]")
MODULES = [m.name for m in pkgutil.walk_packages(judges.corruption.__path__, "judges.corruption.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_there_are_eighty_refusals_in_all_manners_and_forty_inventions(language: str) -> None:
    refusals = [
        line for manner in list_manners(language) for line in read_bank("refusals")[f"{language} {manner}"]
    ]
    assert len(set(refusals)) == len(refusals) >= 80
    assert len(list_manners(language)) == 9
    inventions = read_bank("inventions")[language]
    assert len(set(inventions)) == len(inventions) >= 40


def test_both_languages_know_the_same_sections() -> None:
    for name in ("refusals", "inventions", "talk", "groups", "opposites"):
        sections = set(read_bank(name))
        english = {s for s in sections if re.search(r"\ben\b", s)}
        assert {re.sub(r"\ben\b", "zh", s) for s in english} == sections - english


@pytest.mark.parametrize("name", ["refusals", "inventions", "talk"])
def test_every_line_is_in_the_language_of_its_section(name: str) -> None:
    for section, lines in read_bank(name).items():
        for line in lines:
            bare = re.sub(r"\{[a-z]+\}", "", line)
            if bare.strip():
                assert bool(_HAN.search(bare)) == bool(re.search(r"\bzh\b", section)), line


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "The Aurora lamp is red. It costs 30 euros."), ("zh", "极光台灯是红色的，售价30元。")],
)
def test_inventions_are_filled_and_their_figures_unheard_of(language: str, text: str) -> None:
    for seed in range(60):
        sentence = invent(Random(seed), language, [text])
        assert not re.search(r"[{}]", sentence)
        assert "30" not in re.findall(r"\d+", sentence)
