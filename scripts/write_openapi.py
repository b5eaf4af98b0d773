"""Write docs/openapi.json: what the console's API is. A test holds it to the code."""

from __future__ import annotations

from pathlib import Path

import orjson

from console.api import API
from console.api.description import describe

TARGET = Path(__file__).parents[1] / "docs" / "openapi.json"


def main() -> None:
    """Write it."""
    document = describe([route for router in API for route in router.routes])
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    TARGET.write_bytes(orjson.dumps(document, option=options))
    print(f"wrote {TARGET}")


if __name__ == "__main__":
    main()
