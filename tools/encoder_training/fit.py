"""The training loop: resumable to the step, stopped by a signal or a number of steps."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType

import torch
from torch.nn import functional as F
from transformers import PreTrainedTokenizerFast

from encoder_training.net import MAX_TOKENS, SupportNet, seed_all, write_arrays
from encoder_training.rows import Example
from encoder_training.schedule import draw_batches

Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class Plan:
    """What a run does. The learning rate rises over `warmup` steps, holds, and falls to a twentieth over
    the last `cooldown` of `steps`; `average` is the decay of the running mean of the weights."""

    steps: int
    seed: int = 7
    batch: int = 16
    rate: float = 2e-4
    head_rate: float = 1e-3
    warmup: int = 60
    cooldown: int = 400
    contrast: float = 1.0
    average: float = 0.99
    decay: float = 0.01


class Stop:
    """Set by SIGTERM or SIGINT while it is open: the loop then ends after the step at hand, and saves."""

    def __init__(self) -> None:
        self.asked = False

    def __enter__(self) -> Stop:
        self._before = {n: signal.signal(n, self._ask) for n in (signal.SIGTERM, signal.SIGINT)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True


class Run:
    """One training run in a folder: `state.pt` holds everything that resuming needs."""

    def __init__(
        self, folder: Path, net: SupportNet, tokeniser: PreTrainedTokenizerFast, examples: Sequence[Example]
    ) -> None:
        self.folder, self.net, self.tokeniser, self.examples = folder, net, tokeniser, examples
        self.step, self.pairs, self.cpu_seconds = 0, 0, 0.0
        self.mean = {n: p.detach().clone() for n, p in net.learned().items()}
        self.optimiser: torch.optim.AdamW | None = None

    def train(self, plan: Plan, every_minutes: float) -> Iterator[float]:
        """Train up to `plan.steps`; yields the mean loss at each checkpoint, which is already on disk."""
        self.optimiser = self._resume(plan)
        with Stop() as stop:
            yield from self._train(plan, every_minutes, stop)

    def _train(self, plan: Plan, every_minutes: float, stop: Stop) -> Iterator[float]:
        losses = list[float]()
        saved, cpu = time.monotonic(), time.process_time()
        batches = draw_batches(self.examples, plan.batch, plan.seed)
        for _ in range(self.step):
            next(batches)
        while self.step < plan.steps and not stop.asked:
            losses.append(self._learn(next(batches), plan))
            self.cpu_seconds += time.process_time() - cpu
            cpu = time.process_time()
            if time.monotonic() - saved > 60 * every_minutes:
                self.save(plan)
                yield sum(losses) / len(losses)
                losses, saved, cpu = [], time.monotonic(), time.process_time()
        self.save(plan)
        yield sum(losses) / max(1, len(losses))

    def save(self, plan: Plan) -> None:
        """Write the state, whole or not at all, and the averaged weights beside it."""
        assert self.optimiser is not None
        facts = {"step": self.step, "pairs": self.pairs, "cpu_seconds": round(self.cpu_seconds, 1)}
        state = {"learned": self.net.learned(), "mean": self.mean, "optimiser": self.optimiser.state_dict()}
        write_arrays(self.folder / "state.pt", state | {"facts": facts})
        write_arrays(self.folder / "mean.pt", self.mean)
        (self.folder / "run.json").write_text(json.dumps(asdict(plan) | facts, indent=1) + "\n")

    def _resume(self, plan: Plan) -> torch.optim.AdamW:
        head = [*self.net.inner.parameters(), *self.net.outer.parameters()]
        body = [p for p in self.net.body.parameters() if p.requires_grad]
        groups = [{"params": body, "top": plan.rate}, {"params": head, "top": plan.head_rate}]
        optimiser = torch.optim.AdamW(groups, lr=plan.rate, weight_decay=plan.decay)
        path = self.folder / "state.pt"
        if path.exists():
            state = torch.load(path, weights_only=True)
            self.net.load_state_dict(state["learned"], strict=False)
            self.mean = state["mean"]
            optimiser.load_state_dict(state["optimiser"])
            for group, now in zip(optimiser.param_groups, groups, strict=True):
                group["top"] = now["top"]
            facts = state["facts"]
            self.step, self.pairs, self.cpu_seconds = facts["step"], facts["pairs"], facts["cpu_seconds"]
        return optimiser

    def _learn(self, chosen: Sequence[int], plan: Plan) -> float:
        assert self.optimiser is not None
        seed_all(plan.seed * 1_000_003 + self.step)
        self.net.train()
        examples = [self.examples[i] for i in chosen]
        good = [(e.good, e.window) for e in examples if e.good is not None]
        bad = [(e.bad, e.window) for e in examples if e.bad is not None]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = self.net(*encode(self.tokeniser, [*good, *bad])).float()
        loss = _measure_loss(logits, examples, len(good), plan.contrast)
        for group in self.optimiser.param_groups:
            group["lr"] = group["top"] * _rate(self.step, plan)
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimiser.step()
        self.step += 1
        self.pairs += len(logits)
        keep = min(plan.average, self.step / (self.step + 10))
        with torch.no_grad():
            for name, value in self.net.learned().items():
                self.mean[name].lerp_(value, 1 - keep)
        return float(loss.detach())


def encode(tokeniser: PreTrainedTokenizerFast, pairs: Sequence[tuple[str, str]]) -> Batch:
    """Token ids, types and mask of (claim, window) pairs; the window is what gets cut."""
    made = tokeniser(
        [claim[:600] for claim, _ in pairs],
        [window for _, window in pairs],
        truncation="longest_first",
        max_length=MAX_TOKENS,
        padding=True,
        return_tensors="pt",
    )
    return made["input_ids"], made["token_type_ids"], made["attention_mask"]


def _measure_loss(
    logits: torch.Tensor, examples: Sequence[Example], good: int, contrast: float
) -> torch.Tensor:
    """Cross-entropy of all pairs, and for twins of the difference of their logits."""
    truth = torch.zeros_like(logits)
    truth[:good] = 1
    loss = F.binary_cross_entropy_with_logits(logits, truth)
    of_good = [e.bad is not None for e in examples if e.good is not None]
    of_bad = [e.good is not None for e in examples if e.bad is not None]
    if contrast and any(of_good):
        margin = logits[:good][torch.tensor(of_good)] - logits[good:][torch.tensor(of_bad)]
        loss = loss + contrast * F.softplus(-margin).sum() / len(logits)
    return loss


def _rate(step: int, plan: Plan) -> float:
    rising = min(1.0, (step + 1) / plan.warmup)
    falling = min(1.0, max(0.05, (plan.steps - step) / max(1, plan.cooldown)))
    return rising * falling
