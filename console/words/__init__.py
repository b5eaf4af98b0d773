"""Every text of the pages, in English and Chinese: `<page>.en.json` and `<page>.zh.json` in this folder.

A text is named by its page and key, such as `queue.claim`. What stands in braces is filled in:
`{"left": "{count} cases left"}`. A test holds both languages to the same keys and the same braces.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, Final

LANGUAGES: Final = ("en", "zh")
_FOLDER: Final = Path(__file__).parent


@functools.cache
def load_words(language: str) -> dict[str, str]:
    """All texts of a language by name. Raises KeyError for a language that we have not."""
    if language not in LANGUAGES:
        raise KeyError(language)
    words: dict[str, str] = {}
    for file in sorted(_FOLDER.glob(f"*.{language}.json")):
        page = file.name.partition(".")[0]
        words |= {f"{page}.{key}": text for key, text in json.loads(file.read_text("utf-8")).items()}
    return words


class Words:
    """Texts of one language: `say("queue.left", count=3)`."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._words = load_words(language)

    def __call__(self, name: str, **facts: Any) -> str:
        """The text of this name. Raises KeyError where there is none: no page is half translated."""
        return self._words[name].format(**facts) if facts else self._words[name]

    def of(self, page: str, key: object, otherwise: str | None = None) -> str:
        """The text for a value of ours, such as a failure class; the value itself where there is none."""
        return self._words.get(f"{page}.{key}", str(key) if otherwise is None else otherwise)


__all__ = ["LANGUAGES", "Words", "load_words"]
