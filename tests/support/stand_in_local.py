"""A stand-in for the local model: says yes where every word of a claim is in the documents, else no.

There is no model in it. As a process of its own it takes the arguments that the real server takes:
`python -m tests.support.stand_in_local --model FILE --port N --threads 1`.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from pathlib import Path

from judges.llm.local.serving import LocalServer, TooLong


class StandInModel:
    """Looks words up. `bias` moves its odds, as a real model's middle is not where yes begins."""

    def __init__(self, name: str = "stand-in", bias: float = 2.0) -> None:
        self.name = name
        self.bias = bias
        self.asked = 0

    def next_token(self, messages: Sequence[dict[str, str]], top: int) -> tuple[list[tuple[str, float]], int]:
        self.asked += 1
        text = messages[-1]["content"]
        if "TOO LONG" in text:
            raise TooLong("9,999 tokens do not fit a context of 4,096")
        documents, claim = re.split(r"\n\n(?:Statement: |陈述：)", text)
        claim = claim.split("\n\n")[0]
        yes, no = ("是", "否") if "陈述：" in text else ("Yes", " no")
        missing = sum(word not in documents.lower() for word in _words(claim))
        odds = self.bias + 3.0 - 4.0 * missing
        chance = 1 / (1 + math.exp(-odds))
        said = [(yes, math.log(chance)), (no, math.log1p(-chance)), ("maybe", -9.0)]
        return sorted(said, key=lambda one: -one[1])[:top], len(text)


def _words(text: str) -> set[str]:
    han = re.findall(r"[\u4e00-\u9fff]{2}", text)
    return {*re.findall(r"\d+|[a-z]{4,}", text.lower()), *han}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    asked = parser.parse_args()
    if not asked.model.exists():
        raise SystemExit(f"no model at {asked.model}")
    with LocalServer(StandInModel(asked.model.stem), asked.port) as server:
        server.serve_forever(poll_interval=0.05)


if __name__ == "__main__":
    main()
