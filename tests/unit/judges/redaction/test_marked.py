"""Recall and mistakes on the marked sentences (docs/REDACTION.md tells the figures by kind)."""

from __future__ import annotations

import pytest

from tests.support.marked import measure, read_clean, read_held, read_marked

RECALL = 0.97
HELD_RECALL, HELD_TOUCHED = 0.86, 0.05
"""Of sentences that nothing was tuned on (docs/REDACTION.md)."""


def test_there_are_enough_sentences_and_items_in_both_languages() -> None:
    marked, clean = read_marked(), read_clean()
    assert len(marked) >= 300
    assert sum(len(sentence.items) for sentence in marked) >= 400
    assert len(clean) >= 150
    for language in ("zh", "en"):
        assert sum(len(s.items) for s in marked if s.language == language) >= 190
        assert sum(s.language == language for s in clean) >= 75


@pytest.mark.parametrize("language", ["zh", "en"])
def test_of_marked_items_at_least_97_in_100_are_gone_altogether(language: str) -> None:
    measured = measure(sentence for sentence in read_marked() if sentence.language == language)
    assert measured.recall >= RECALL, measured.missed


def test_what_is_taken_out_was_marked() -> None:
    measured = measure(read_marked())
    assert measured.precision >= 0.98, measured.wrong


def test_no_clean_number_is_taken_for_a_phones_in_more_than_3_of_100_sentences() -> None:
    clean = read_clean()
    measured = measure(clean)
    assert sum(kind == "phone" for kind, _, _ in measured.wrong) <= 0.03 * len(clean), measured.wrong
    assert len(measured.wrong) <= 0.03 * len(clean), measured.wrong


def test_of_sentences_that_nothing_was_tuned_on_most_items_are_gone_and_few_clean_ones_touched() -> None:
    marked, clean = read_held()
    found = measure(marked)
    touched = {sentence for _, _, sentence in measure(clean).wrong}
    assert found.recall >= HELD_RECALL, found.missed
    assert len(touched) <= HELD_TOUCHED * len(clean), touched
