"""A GGUF model in llama.cpp. The only file that knows it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import llama_cpp
import numpy as np
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from judges.llm.local.serving import TooLong

CONTEXT: Final = 4_096
_TEMPLATE: Final = "tokenizer.chat_template"


class LlamaModel:
    """One model in memory. What two questions have in common at their beginning is read once."""

    def __init__(self, path: Path, threads: int) -> None:
        self.name = path.stem
        self._llama = llama_cpp.Llama(
            str(path), n_ctx=CONTEXT, n_threads=threads, n_threads_batch=threads, verbose=False
        )
        template = self._llama.metadata.get(_TEMPLATE)
        if not template:
            raise ValueError(f"{path} has no chat template: it is no instruct model")
        self._format = Jinja2ChatFormatter(
            template,
            eos_token=self._text([self._llama.token_eos()], special=True),
            bos_token=self._text([self._llama.token_bos()], special=True),
        )
        self._read: list[int] = []

    def next_token(self, messages: Sequence[dict[str, str]], top: int) -> tuple[list[tuple[str, float]], int]:
        """The likeliest tokens with log-probabilities, likeliest first, and how many tokens were read."""
        prompt = self._format(messages=list(messages)).prompt
        tokens = self._llama.tokenize(prompt.encode(errors="replace"), add_bos=False, special=True)
        if len(tokens) >= CONTEXT:
            raise TooLong(f"{len(tokens):,} tokens do not fit a context of {CONTEXT:,}")
        logits = self._evaluate(tokens)
        shifted = logits - logits.max()
        logprobs = shifted - np.log(np.exp(shifted).sum())
        best = np.argsort(-logprobs)[:top]
        return [(self._text([int(token)]), float(logprobs[token])) for token in best], len(tokens)

    def _evaluate(self, tokens: list[int]) -> Any:
        """Logits after the last token. Reads from where the tokens differ from those before."""
        llama, shared = self._llama, 0
        for before, now in zip(self._read, tokens[:-1], strict=False):
            if before != now:
                break
            shared += 1
        llama.n_tokens = shared  # `eval` goes on from here, and forgets what lies behind
        self._read = []  # should it fail halfway
        llama.eval(tokens[shared:])
        self._read = tokens
        last = llama_cpp.llama_get_logits_ith(llama.ctx, -1)
        return np.ctypeslib.as_array(last, shape=(llama.n_vocab(),)).astype(np.float64)

    def _text(self, tokens: list[int], *, special: bool = False) -> str:
        text: bytes = self._llama.detokenize(tokens, special=special)
        return text.decode(errors="replace")


__all__ = ["CONTEXT", "LlamaModel"]
