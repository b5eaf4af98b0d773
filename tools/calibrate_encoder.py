"""Fit how an encoder's logits become probabilities, alone and together with the shipped cheap scorer.

    python tools/calibrate_encoder.py ../shared/data MODEL_FOLDER --version encoder-2

Reads the development rows whose licence lets weights ship (minutes on a CPU core) and writes
`ragpulse.json` into the model's folder; `--ship` puts a copy beside the layers that ship. `--reads FILE`
keeps what the encoder said, so that it need not read again when only the cheap scorer has changed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

from encoder_training.calibrate import fit, read_all

from judges.distilled import load_scorer
from judges.encoder.combine import FILE, write_fitting
from judges.encoder.model import EncoderJudge

DATA = Path(__file__).parent / "encoder_training" / "data"
EVERY = 100


def main(arguments: list[str]) -> int:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--version", default="encoder-2")
    parser.add_argument("--reads", type=Path)
    parser.add_argument("--ship", action="store_true")
    given = parser.parse_args(arguments)
    scorer = load_scorer()
    known = json.loads(given.reads.read_text()) if given.reads and given.reads.exists() else {}
    rows = read_all(given.data, EncoderJudge(given.model), scorer, known, _tell)
    if given.reads:
        given.reads.write_text(json.dumps(known))
    write_fitting(given.model, fit(rows, given.version, scorer.version))
    if given.ship:
        shutil.copy(given.model / FILE, DATA / FILE)
    print(f"{given.model / FILE}: fitted on {len(rows)} rows with {scorer.version}")
    return 0


def _tell(done: int, rows: int) -> None:
    if done % EVERY == 0:
        print(f"{time.strftime('%H:%M:%S')} {done} of {rows} rows", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
