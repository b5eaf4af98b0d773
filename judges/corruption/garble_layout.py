"""Text whose layout was read wrongly: columns read across, markup and empty cells instead of words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from random import Random

_HTML = (
    "</td><td>",
    "<br/>",
    "&nbsp;",
    "</tr><tr>",
    '<td colspan="2">',
    "&lt;p&gt;",
    '<span style="color:#333">',
    "</div>",
    "&amp;nbsp;",
    '<a href="#">',
)
_LATEX = (
    r"\begin{tabular}",
    r"\hline",
    r"\\ & &",
    r"$$ \frac{x}{",
    r"\multicolumn{2}{c}{",
    r"\end{array}",
    r"\mathrm{",
    r"\left( \right)",
    r"\cdot \sum",
    r"& & \\",
)
_TABLE = ("NaN", "| | |", "Unnamed: 0", "|---|---|", "........", "____ ____", "□ □", "│", "NaN NaN")
_STAYS = 0.35
"""Share of the words that markup leaves standing."""


def leave_markup(text: str, random: Random, marks: Sequence[str]) -> str:
    """Scraps of the text between marks.

    >>> leave_markup("退款需要七天时间。", Random(1), ["<br/>"]).count("<br/>") > 2
    True
    """
    pieces = []
    for scrap in _scraps(text, random):
        if random.random() < _STAYS:
            pieces.append(scrap)
        pieces += [random.choice(marks) for _ in range(random.randint(1, 3))]
    return random.choice((" ", "\n", "")).join(pieces)


def leave_html(text: str, random: Random) -> str:
    """Tags and entities where the words should be."""
    return leave_markup(text, random, _HTML)


def leave_latex(text: str, random: Random) -> str:
    """Commands of a formula or a table where the words should be."""
    return leave_markup(text, random, _LATEX)


def leave_table(text: str, random: Random) -> str:
    """Empty cells, rules and leaders where the words should be."""
    return leave_markup(text, random, _TABLE)


def read_across(text: str, other: str, random: Random) -> str:
    r"""Two columns read as one: line by line, left and right, cut wherever the column ends.

    >>> read_across("The lamp is made of steel.", "Call us on weekdays only.", Random(5)).count("\n") > 0
    True
    """
    return glue(text, other, random.randint(9, 17) if _is_dense(text) else random.randint(14, 26), random)


def glue(left: str, right: str, width: int, random: Random) -> str:
    """Rows of two columns of `width` characters, with a gap or none between them."""
    gap = random.choice(("", " ", "\n"))
    rows = zip_longest(_wrap(left, width), _wrap(right, width), fillvalue="")
    return "\n".join(gap.join(cell for cell in row if cell) for row in rows)


def _wrap(text: str, width: int) -> list[str]:
    flat = " ".join(text.split())
    return [flat[i : i + width] for i in range(0, len(flat), width)]


def _is_dense(text: str) -> bool:
    return sum(ord(c) > 0x2E7F for c in text) * 2 > len(text)


def _scraps(text: str, random: Random) -> list[str]:
    size = random.randint(3, 6) if _is_dense(text) else random.randint(6, 14)
    return _wrap(text, size)
