"""Pictures of the console's pages for the documents: `make screenshots` writes docs/console/*.png.

They show the demo's traffic, filled in as tests do it, in a Chromium of this machine.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any, Final

from PIL import Image

from stream.embedded.engine import EmbeddedEngine
from tests.support.chromium import log_in, missing_reason, open_chromium, open_context
from tests.support.console import TOKEN_OF
from tests.support.console_site import Site, open_site

FOLDER: Final = Path(__file__).parents[1] / "docs" / "console"
HEIGHT: Final = 1_150
"""Pixels from the top that are kept of a long page."""
MOST_BYTES: Final = 200_000


def main() -> int:
    """Take all of them; returns the exit code."""
    reason = missing_reason()
    if reason:
        print(f"No pictures were taken: {reason}.", file=sys.stderr)
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        EmbeddedEngine() as engine,
        open_chromium() as browser,
        open_site(engine, "pictures", traces=900, attacked=False) as site,
    ):
        for options, pages in _wanted(site):
            _take(browser, site, options, pages)
    return 0


def _wanted(site: Site) -> list[tuple[dict[str, Any], dict[str, str]]]:
    """Every page in English on a wide screen; some in Chinese, in the dark, and on a telephone."""
    chinese = site.data.case("hallucination", "zh", sampled=True, release_prompt="p8")["trace_id"]
    return [
        ({}, site.pages | {"label": ""}),
        (
            {"locale": "zh-CN", "color_scheme": "dark"},
            {"live-zh-dark": "/?period=1h", "case-zh-dark": f"/case/{chinese}"},
        ),
        ({"viewport": {"width": 400, "height": 860}}, {"live-narrow": "/?period=1h"}),
    ]


def _take(browser: Any, site: Site, options: dict[str, Any], pages: dict[str, str]) -> None:
    context = open_context(browser, site.address, **options)
    page = log_in(context, TOKEN_OF["anna"])
    for name, path in pages.items():
        if path:
            page.goto(path)
        else:
            page.goto("/queue")
            page.keyboard.press("c")
            page.wait_for_url("**/queue/label/*")
            page.keyboard.press("6")
        _write(FOLDER / f"{name}.png", page.screenshot(full_page=True))
    context.close()


def _write(path: Path, picture: bytes) -> None:
    """At most 256 colours, and the top of a long page."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image = image.crop((0, 0, image.width, min(image.height, HEIGHT)))
    small = image.quantize(colors=128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.relative_to(FOLDER.parents[1])}: {small.width} x {small.height}, {size // 1024} KB")
    if size > MOST_BYTES:
        raise SystemExit(f"{path} has {size:,} bytes, more than {MOST_BYTES:,}: show less of the page.")


if __name__ == "__main__":
    raise SystemExit(main())
