"""A word that the chunks know counts for less where it stands far from the words beside it."""

from __future__ import annotations

import numpy as np

from judges.distilled.measuring.alignment import align, measure_alignment
from tests.unit.judges.measured import measure_one

CHUNK = "The Fjell tent weighs two kilograms. " + "Our shop sells maps. " * 12 + "The Bris stove burns gas."


def measured(answer: str, *chunks: str) -> dict[str, float]:
    features = measure_one(answer, chunks or (CHUNK,))
    measures = measure_alignment(features.part, features.cover, align(features.part))
    return {name: float(values[0]) for name, values in measures.items()}


def test_a_copied_claim_stands_where_its_words_stand() -> None:
    copied = measured("The Fjell tent weighs two kilograms.")
    assert copied["beside"] == copied["around"] == copied["linked"] == 1.0
    assert copied["loose"] == copied["lonely"] == copied["no_kin"] == 0.0


def test_words_of_two_statements_are_loose() -> None:
    mixed = measured("The Fjell tent burns gas.")
    copied = measured("The Bris stove burns gas.")
    assert mixed["beside"] < copied["beside"]
    assert mixed["lonely"] > copied["lonely"] == 0.0


def test_an_unknown_word_with_kin_is_less_strange_than_one_without() -> None:
    kin = measured("They organised it.", "The organisation of it took long.")
    strange = measured("They quarrelled it.", "The organisation of it took long.")
    assert kin["no_kin"] == 0.0 < strange["no_kin"]
    assert kin["loose"] > 0.0


def test_the_longest_run_tells_copying_from_rewording() -> None:
    assert (
        measured("The Fjell tent weighs two kilograms.")["run_length"]
        > measured("Two kilograms is what the tent Fjell weighs.")["run_length"]
    )


def test_chinese_is_aligned_by_pairs_of_characters() -> None:
    copied = measured("帐篷重两公斤。", "山地帐篷重两公斤，炉子烧燃气。")
    strange = measured("帐篷烧燃气。", "山地帐篷重两公斤。" + "本店出售地图。" * 20 + "炉子烧燃气。")
    assert copied["beside"] == 1.0 > strange["beside"]


def test_every_claim_of_every_case_has_its_own_alignment() -> None:
    features = measure_one("The tent weighs two kilograms. The stove burns gas. Nothing else!", [CHUNK])
    aligned = align(features.part)
    assert (np.diff(aligned.claim) >= 0).all()
    assert set(aligned.claim.tolist()) <= set(range(features.part.claims))


def test_an_answer_without_chunks_or_claims_is_no_trouble() -> None:
    features = measure_one("The tent weighs two kilograms.", [])
    assert measure_alignment(features.part, features.cover, align(features.part))["beside"].tolist() == [0.0]
    features = measure_one("", [CHUNK])
    assert not len(measure_alignment(features.part, features.cover, align(features.part))["beside"])
