"""`python -m judges.llm.local --model FILE --port N`: the local server as a process of its own."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from typing import NoReturn

from judges.llm.local.serving import LocalServer


def main() -> int:
    """Serve until SIGTERM."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, _leave)
    from judges.llm.local.llama import LlamaModel

    with LocalServer(LlamaModel(asked.model, asked.threads), asked.port) as server:
        server.serve_forever(poll_interval=0.2)
    return 0


def _leave(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(0)


if __name__ == "__main__":
    sys.exit(main())
