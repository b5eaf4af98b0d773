"""The network: the lower layers of the base model, three poolings of its tokens, and a small head.

Pooling by the first token, the mean and the maximum together: one token that fits nothing on the other side
is enough for a claim to be unsupported, and a maximum keeps what a mean would wash out. The word vectors
stay as they are; they are nine tenths of the parameters, and few of them occur in the training pairs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from torch import nn
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from encoder_training.base import SPECIAL, BaseModel, find_base, kept_pieces

LAYERS = 6
HEAD = 128
DROPOUT = 0.1
MAX_TOKENS = 192
POOLINGS = ("cls", "mean", "max")
_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


class SupportNet(nn.Module):
    """Logit of support for pairs of token ids. `body` is a transformer, `inner` and `outer` the head."""

    def __init__(self, body: BertModel) -> None:
        super().__init__()
        width = body.config.hidden_size * len(POOLINGS)
        self.body = body
        self.inner = nn.Linear(width, HEAD)
        self.outer = nn.Linear(HEAD, 1)

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Logits, one a pair; all three arguments have one row a pair, padded on the right."""
        tokens = self.body(input_ids=ids, token_type_ids=types, attention_mask=mask).last_hidden_state
        inside = mask.unsqueeze(-1).to(tokens.dtype)
        mean = (tokens * inside).sum(1) / inside.sum(1)
        highest = tokens.masked_fill(inside == 0, float("-inf")).max(1).values
        pooled = torch.cat([tokens[:, 0], mean, highest], dim=1)
        return self.outer(torch.tanh(self.inner(pooled))).squeeze(-1)

    def learned(self) -> dict[str, torch.Tensor]:
        """What training changes, by name: everything but the word vectors."""
        return {n: p for n, p in self.state_dict().items() if "word_embeddings" not in n}


def load_base(layers: int = LAYERS, dropout: float = 0.0) -> tuple[SupportNet, PreTrainedTokenizerFast]:
    """The untrained network on the first `layers` layers of the base model, and its tokeniser."""
    base = BaseModel(find_base())
    kept = kept_pieces(base.pieces)
    body = _make_body(base, kept, layers, dropout)
    net = SupportNet(body)
    body.embeddings.word_embeddings.weight.requires_grad_(False)
    return net, build_tokeniser(base, kept)


def load_whole() -> tuple[BertModel, PreTrainedTokenizerFast]:
    """All layers of the base model, as it embeds texts, and its tokeniser."""
    base = BaseModel(find_base())
    kept = kept_pieces(base.pieces)
    tokeniser = build_tokeniser(base, kept, base.shape.positions)
    return _make_body(base, kept, base.shape.layers).eval(), tokeniser


def _make_body(base: BaseModel, kept: list[int], layers: int, dropout: float = 0.0) -> BertModel:
    shape = base.shape
    config = BertConfig(
        vocab_size=len(kept),
        hidden_size=shape.hidden,
        num_hidden_layers=layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner,
        max_position_embeddings=shape.positions,
        type_vocab_size=shape.types,
        layer_norm_eps=shape.epsilon,
        pad_token_id=1,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=0.0,
        attn_implementation="eager",  # trains a third faster on a CPU than the fused kernel, at this length
    )
    body = BertModel(config, add_pooling_layer=False)
    body.load_state_dict(_read_body(base, kept, layers))
    return body


def build_tokeniser(base: BaseModel, kept: list[int], most: int = MAX_TOKENS) -> PreTrainedTokenizerFast:
    """The unigram tokeniser over the kept pieces; the two texts of a pair have types 0 and 1."""
    tokeniser = Tokenizer(models.Unigram([base.pieces[i] for i in kept], unk_id=3, byte_fallback=False))
    tokeniser.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"[\s\u200b\ufeff]+"), " ")]
    )
    tokeniser.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokeniser.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tokeniser.post_processor = processors.TemplateProcessing(
        single="<s>:0 $A:0 </s>:0",
        pair="<s>:0 $A:0 </s>:0 </s>:1 $B:1 </s>:1",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokeniser,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        model_max_length=most,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        padding_side="right",
        truncation_side="right",
    )


def seed_all(seed: int) -> None:
    """Make what torch draws from now on depend on `seed` alone."""
    torch.manual_seed(seed)
    np.random.seed(seed % 2**32)


def write_arrays(path: Path, arrays: dict[str, torch.Tensor]) -> None:
    """Write tensors by name, whole or not at all."""
    fresh = path.with_suffix(".new")
    torch.save(arrays, fresh)
    fresh.replace(path)


def _read_body(base: BaseModel, kept: list[int], layers: int) -> dict[str, torch.Tensor]:
    shape = base.shape
    hidden, inner = shape.hidden, shape.inner
    types = base.plain("emb.type", shape.types, hidden)
    arrays = {
        "embeddings.word_embeddings.weight": base.packed("emb.word", shape.vocabulary, hidden)[kept],
        "embeddings.position_embeddings.weight": base.plain("emb.pos", shape.positions, hidden),
        "embeddings.token_type_embeddings.weight": np.repeat(types[:1], shape.types, axis=0),
        "embeddings.LayerNorm.weight": base.plain("emb.ln.w", hidden),
        "embeddings.LayerNorm.bias": base.plain("emb.ln.b", hidden),
    }
    sizes = {"fi": (inner, hidden), "fo": (hidden, inner)}
    for layer in range(layers):
        for short, long in _PARTS.items():
            rows, columns = sizes.get(short, (hidden, hidden))
            name = f"encoder.layer.{layer}.{long}"
            arrays[f"{name}.weight"] = base.packed(f"l{layer}.{short}.w", rows, columns)
            arrays[f"{name}.bias"] = base.plain(f"l{layer}.{short}.b", rows)
        for short, long in _NORMS.items():
            name = f"encoder.layer.{layer}.{long}"
            arrays[f"{name}.weight"] = base.plain(f"l{layer}.{short}.w", hidden)
            arrays[f"{name}.bias"] = base.plain(f"l{layer}.{short}.b", hidden)
    assert kept[:SPECIAL] == list(range(SPECIAL))
    return {n: torch.from_numpy(np.ascontiguousarray(a)) for n, a in arrays.items()}
