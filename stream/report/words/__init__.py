"""Every text of the reports, in English and Chinese: `en.json` and `zh.json` beside this, by the same names.

Names of measures, classes and the like are the console's (`console.words`), so that both say the same.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from console.words import Words as ConsoleWords

LANGUAGES: Final = ("en", "zh")


@cache
def load_words(language: str) -> dict[str, str]:
    """All texts of a language by name. Raises KeyError for a language that we have not."""
    if language not in LANGUAGES:
        raise KeyError(language)
    words: dict[str, str] = json.loads(files(__name__).joinpath(f"{language}.json").read_text("utf-8"))
    return words


class Words:
    """Texts of one language: `say("gaps.title", app="helpdesk")`."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._words = load_words(language)
        self._console = ConsoleWords(language)

    def __call__(self, name: str, **facts: Any) -> str:
        """The text of this name. Raises KeyError where there is none: no report is half translated."""
        return self._words[name].format(**facts) if facts else self._words[name]

    def of(self, page: str, value: object) -> str:
        """The console's text for a value of ours, such as a measure; the value itself where there is none."""
        return self._console.of(page, value)


__all__ = ["LANGUAGES", "Words", "load_words"]
