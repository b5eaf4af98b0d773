"""The judge on sentence-transformers: what it says when the library or the model is missing, and, where the
extra is installed, that it reads a (tiny, untrained) model of each shape in torch and in ONNX."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judges.encoder.answering import AnswerHead, AnswerWeights, write_head
from judges.encoder.combine import Blend, EncoderUnusable, Fitting, write_fitting
from judges.encoder.embedder import AnswerReader
from judges.encoder.loading import EncoderMissing
from judges.encoder.model import EncoderJudge, find_support
from judges.encoder.pairs import Pair

PAIRS = [Pair("tea is sold", "they sell tea and cake here", 0), Pair("no cake", "they sell cake", 1)]
WORDS = "they sell tea and cake here is sold no 茶 warm".split()


def test_a_missing_library_is_named_with_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EncoderMissing, match=r"pip install 'ragpulse\[encoder\]'"):
        EncoderJudge(tmp_path)


@pytest.mark.parametrize("model", ["./nowhere/model", "models/of/mine", "~/model"])
def test_a_missing_folder_is_named_with_how_to_build_one(model: str) -> None:
    with pytest.raises(EncoderMissing, match=r"build_encoder\.py"):
        EncoderJudge(model)


@pytest.mark.parametrize(
    ("labels", "support"),
    [
        (["LABEL_0"], 0),
        (["contradiction", "entailment", "neutral"], 1),
        (["ENTAILMENT", "NEUTRAL", "CONTRADICTION"], 0),
        (["not_entailment", "entailment"], 1),
        (["supported", "unsupported"], 0),
        (["hallucinated", "consistent"], 1),
    ],
)
def test_the_label_of_support_is_found_by_its_name(labels: list[str], support: int) -> None:
    assert find_support(labels) == support


@pytest.mark.parametrize("labels", [["LABEL_0", "LABEL_1"], ["positive", "negative"], ["unsupported", "x"]])
def test_labels_without_support_are_refused(labels: list[str]) -> None:
    with pytest.raises(EncoderUnusable, match="'entailment' label"):
        find_support(labels)


@pytest.fixture(scope="module")
def transformers() -> Any:
    pytest.importorskip("sentence_transformers", reason="needs the extra: pip install 'ragpulse[encoder]'")
    return pytest.importorskip("transformers")


def save_tiny_model(transformers: Any, folder: Path, labels: list[str]) -> Path:
    """An untrained classifier of two layers over a dozen words."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    special = ["<pad>", "<s>", "</s>", "<unk>"]
    names = {word: i for i, word in enumerate([*special, *WORDS])}
    tokeniser = Tokenizer(models.WordLevel(names, unk_token="<unk>"))
    tokeniser.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = [("<s>", 1), ("</s>", 2)]
    tokeniser.post_processor = processors.TemplateProcessing("<s> $A </s>", "<s> $A </s> $B </s>", ends)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokeniser, pad_token="<pad>", unk_token="<unk>", model_max_length=32
    )
    transformers.set_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(names),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        id2label=dict(enumerate(labels)),
        label2id={label: i for i, label in enumerate(labels)},
        initializer_range=0.5,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def test_a_model_with_one_logit_is_read(transformers: Any, tmp_path: Path) -> None:
    judge = EncoderJudge(save_tiny_model(transformers, tmp_path / "tiny", ["LABEL_0"]), "torch")
    together = judge.supports(PAIRS)
    apart = [judge.supports([pair])[0] for pair in PAIRS]
    assert together == pytest.approx(apart, abs=1e-4)
    assert together[0] != together[1]
    assert judge.version == "encoder:tiny"
    assert judge.supports([]) == []


def test_a_model_for_inference_is_read_as_log_odds_of_entailment(transformers: Any, tmp_path: Path) -> None:
    import torch

    labels = ["contradiction", "entailment", "neutral"]
    folder = save_tiny_model(transformers, tmp_path / "nli", labels)
    judge = EncoderJudge(folder, "torch")
    assert not judge.fitting.claim_first
    model = transformers.BertForSequenceClassification.from_pretrained(folder).eval()
    words = transformers.AutoTokenizer.from_pretrained(folder)
    read = words(PAIRS[0].window, PAIRS[0].claim, return_tensors="pt")
    with torch.no_grad():
        probability = model(**read).logits.softmax(-1)[0, 1]
    assert judge.supports(PAIRS)[0] == pytest.approx(float(torch.logit(probability)), abs=1e-3)


def test_what_lies_beside_a_model_is_used(transformers: Any, tmp_path: Path) -> None:
    folder = save_tiny_model(transformers, tmp_path / "tiny", ["LABEL_0"])
    write_fitting(folder, Fitting(version="encoder-9"))
    assert EncoderJudge(folder, "torch").version == "encoder-9"


def test_labels_that_say_nothing_of_support_are_refused(transformers: Any, tmp_path: Path) -> None:
    folder = save_tiny_model(transformers, tmp_path / "tiny", ["positive", "negative"])
    with pytest.raises(EncoderUnusable, match="positive, negative"):
        EncoderJudge(folder, "torch")


def test_a_folder_that_holds_no_model_is_refused(transformers: Any, tmp_path: Path) -> None:
    with pytest.raises(EncoderMissing, match="cannot be loaded"):
        EncoderJudge(tmp_path, "torch")


def test_onnx_says_what_torch_says(transformers: Any, tmp_path: Path) -> None:
    pytest.importorskip("optimum.onnxruntime", reason="needs the extra: pip install 'ragpulse[encoder]'")
    from sentence_transformers import CrossEncoder

    folder = save_tiny_model(transformers, tmp_path / "tiny", ["LABEL_0"])
    CrossEncoder(str(folder), backend="onnx", model_kwargs={"export": True}).save_pretrained(str(folder))
    in_torch = EncoderJudge(folder, "torch").supports(PAIRS)
    assert EncoderJudge(folder).supports(PAIRS) == pytest.approx(in_torch, abs=1e-3)


def head(dimensions: int) -> AnswerHead:
    even = Blend(0.0, 1.0, 1.0)
    weights = AnswerWeights(np.ones(dimensions, dtype=np.float32), 0.0, even, even)
    return AnswerHead("answering-9", {"any": weights})


def test_an_embedding_model_is_read_with_what_lies_beside_it(transformers: Any, tmp_path: Path) -> None:
    folder = save_tiny_model(transformers, tmp_path / "tiny", ["LABEL_0"])
    write_head(folder, head(16))
    reader = AnswerReader.load(folder)
    assert reader.version == "answering-9"
    vectors = reader.embed_passages(["they sell tea", "cake here", "they sell tea", "\ud800 茶"])
    assert vectors.shape == (4, 16)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)
    assert vectors[0].tolist() == vectors[2].tolist() != vectors[1].tolist()


def test_an_embedding_model_with_nothing_or_the_wrong_thing_beside_it_is_refused(
    transformers: Any, tmp_path: Path
) -> None:
    folder = save_tiny_model(transformers, tmp_path / "tiny", ["LABEL_0"])
    with pytest.raises(EncoderUnusable, match=r"no answering\.json"):
        AnswerReader.load(folder)
    write_head(folder, head(12))
    with pytest.raises(EncoderUnusable, match=r"16 dimensions.*fitted on 12"):
        AnswerReader.load(folder)


def test_a_missing_embedder_is_named_with_how_to_build_one() -> None:
    with pytest.raises(EncoderMissing, match=r"build_embedder\.py"):
        AnswerReader.load("./nowhere/model")
