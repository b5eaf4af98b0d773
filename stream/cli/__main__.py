"""`python -m stream.cli` is the command `ragpulse`: the supervisor starts its children this way."""

import sys

from stream.cli import main

if __name__ == "__main__":
    sys.exit(main())
