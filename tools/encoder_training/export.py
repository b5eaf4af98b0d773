"""Trained networks as folders that sentence-transformers loads: floats, and an int8 ONNX graph."""

from __future__ import annotations

import platform
import shutil
import tempfile
from pathlib import Path

import torch
from optimum.onnxruntime.configuration import AutoQuantizationConfig
from sentence_transformers import CrossEncoder, SentenceTransformer, export_dynamic_quantized_onnx_model
from sentence_transformers.cross_encoder.modules import Dense, Transformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling
from sentence_transformers.sentence_transformer.modules import Transformer as Embedding
from transformers import BertModel, PreTrainedTokenizerFast

from encoder_training.net import HEAD, MAX_TOKENS, POOLINGS, SupportNet

PASSAGE_TOKENS = 320
"""What is read of a passage that is embedded."""


def export(net: SupportNet, tokeniser: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write the encoder's folder; an older one at the same place is replaced."""
    _write(_assemble(net, tokeniser), folder)


def export_embedder(body: BertModel, tokeniser: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write the folder of a model that embeds texts: the mean of its tokens, of length one."""
    with tempfile.TemporaryDirectory() as saved:
        body.save_pretrained(saved)
        tokeniser.save_pretrained(saved)
        reader = Embedding(saved, max_seq_length=PASSAGE_TOKENS)
    modules = [reader, Pooling(body.config.hidden_size, "mean"), Normalize()]
    _write(SentenceTransformer(modules=modules, device="cpu"), folder)


def _write(model: CrossEncoder | SentenceTransformer, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(str(folder))
    options = {"provider": "CPUExecutionProvider", "export": True}
    graph = type(model)(str(folder), backend="onnx", model_kwargs=options)
    graph.save_pretrained(str(folder))
    export_dynamic_quantized_onnx_model(graph, _quantisation(), str(folder), file_suffix="qint8")
    (folder / "onnx" / "model.onnx").unlink()
    (folder / "README.md").unlink(missing_ok=True)


def _assemble(net: SupportNet, tokeniser: PreTrainedTokenizerFast) -> CrossEncoder:
    width = net.body.config.hidden_size
    with tempfile.TemporaryDirectory() as body:
        net.body.save_pretrained(body)
        tokeniser.save_pretrained(body)
        reader = Transformer(body, transformer_task="feature-extraction", max_seq_length=MAX_TOKENS)
    inner = Dense(
        width * len(POOLINGS),
        HEAD,
        init_weight=net.inner.weight.detach(),
        init_bias=net.inner.bias.detach(),
    )
    outer = Dense(
        HEAD,
        1,
        activation_function=torch.nn.Identity(),
        init_weight=net.outer.weight.detach(),
        init_bias=net.outer.bias.detach(),
        module_output_name="scores",
    )
    modules = [reader, Pooling(width, POOLINGS), inner, outer]
    return CrossEncoder(modules=modules, device="cpu")


def _quantisation() -> object:
    """Eight bits in the way that suits this machine's processor; one scale a row of each matrix."""
    if platform.machine() in ("aarch64", "arm64"):
        return AutoQuantizationConfig.arm64(is_static=False, per_channel=True)
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    if "avx512_vnni" in flags:
        return AutoQuantizationConfig.avx512_vnni(is_static=False, per_channel=True)
    return AutoQuantizationConfig.avx2(is_static=False, per_channel=True)
