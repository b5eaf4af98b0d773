"""Which kind a case is of: read off its truth and its chunks, unless somebody said it.

In this order: what rights decide is `permission`; what should be declined is `unanswerable`; gold out of a
document of which the retriever returned another version too is `conflicting`; gold of one document that is
long is `long_document`; gold in several chunks that say different things is `multi_hop`; all else is
`single_hop`.

The rules see ids and texts, not meanings. Two chunks that each hold the whole answer look like two hops, and
versions that no id names look like two documents: an annotator's word goes before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from judges.llm.tokens import estimate
from schemas.golden import Kind

LONG_TOKENS: Final = 1_500
"""Gold chunks of one document that come to more are a long document."""
_SAME: Final = 0.8
"""Share of character pairs from which two texts say the same."""
_ALIKE: Final = 0.3
"""Share of character pairs from which `kb-2024` and `kb-2025` are two years, and not two numbers."""
_BARE_YEAR: Final = re.compile(r"(?:19|20)\d{2}")

_MONTH: Final = r"[-._]?(?:0[1-9]|1[0-2])(?:[-._]?(?:0[1-9]|[12]\d|3[01]))?"
_VERSION_OF: Final = re.compile(
    rf"""^(?P<stem>.(?:.*?[^\s@:#/._(（-])??)[\s@:#/._(（-]*+
    (?: (?<=@)(?P<at>[\w.-]+?)
      | (?<![A-Za-z0-9])(?:version|ver|rev|revision|edition|v|r)[\s._-]{{0,20}}+(?P<number>\d++(?:[._]\d++)*+)
      | (?<![A-Za-z0-9])第?\s{{0,9}}+
        (?P<ordinal>[\d一二三四五六七八九十]{{1,20}}+(?:\.\d{{1,20}}+){{0,9}}+)\s{{0,9}}+[版稿]
      | (?<![A-Za-z0-9])(?P<date>(?:19|20)\d{{2}}(?:{_MONTH})?)\s{{0,9}}+年?版?
      | (?<![A-Za-z0-9])(?P<word>latest|current|old|new|draft|final|obsolete|deprecated)
      | (?P<chinese>旧版|新版|修订版|草稿|废止|现行)
    )[)）]?(?:\.(?:md|pdf|docx?|html?|txt))?$""",
    re.IGNORECASE | re.VERBOSE,
)
_EXTENSION: Final = re.compile(r"\.(?:md|pdf|docx?|html?|txt)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage that the retriever returned; null is not recorded."""

    id: str
    doc_id: str | None = None
    text: str | None = None


def find_kind(
    gold_chunk_ids: Iterable[str],
    chunks: Sequence[Chunk],
    *,
    should_refuse: bool,
    restricted: bool,
    said: Kind | None = None,
) -> tuple[Kind, str]:
    """The kind, and why in words. `restricted`: rights kept something back (see `is_restricted`)."""
    if said is not None:
        return said, "an annotator said so"
    if restricted:
        return Kind.PERMISSION, "the trace says that rights kept something back"
    if should_refuse:
        return Kind.UNANSWERABLE, "the right answer declines"
    wanted = set(gold_chunk_ids)
    gold = [chunk for chunk in chunks if chunk.id in wanted]
    versions = _other_version(gold, chunks)
    if versions is not None:
        return Kind.CONFLICTING, f"the retriever returned {versions[0]} and {versions[1]}"
    tokens = sum(estimate(chunk.text or "") for chunk in gold)
    if len({chunk.doc_id or chunk.id for chunk in gold}) == 1 and tokens >= LONG_TOKENS:
        return Kind.LONG_DOCUMENT, f"its gold comes to about {tokens:,} tokens of one document"
    hops = len(wanted) - (len(gold) - _distinct(gold))
    if hops > 1:
        return Kind.MULTI_HOP, f"{hops} chunks are needed"
    return Kind.SINGLE_HOP, "one chunk holds the answer"


def is_restricted(extra: Mapping[str, Any] | None) -> bool:
    """Whether a trace says that its retriever kept chunks back for want of rights.

    Traces say it under `extra.permission_filtered`: true, or how many chunks were kept back.
    """
    said = (extra or {}).get("permission_filtered")
    return isinstance(said, int | float) and said > 0


def permissions_of(extra: Mapping[str, Any] | None) -> tuple[str, ...]:
    """What the asker may see, as a trace says it under `extra.permissions`: a list of names."""
    said = (extra or {}).get("permissions")
    if not isinstance(said, list):
        return ()
    return tuple(sorted({name for name in said if isinstance(name, str) and name.strip()}))


def version_of_document(doc_id: str) -> tuple[str, str]:
    """A document's name without its version, and the version that its id names (empty: none).

    Plain numbers are no versions: `kb-12` and `kb-31` are two documents.
    """
    found = _VERSION_OF.match(doc_id.strip())
    if found is None or not found["stem"]:
        return _EXTENSION.sub("", doc_id.strip()).casefold(), ""
    version = next(value for name, value in found.groupdict().items() if name != "stem" and value)
    return found["stem"].rstrip(" @:#/._(（-").casefold(), version.casefold()


def _other_version(gold: Sequence[Chunk], chunks: Sequence[Chunk]) -> tuple[str, str] | None:
    """Two documents, one of them gold, whose ids are versions of each other."""
    for one in gold:
        if not one.doc_id:
            continue
        stem, version = version_of_document(one.doc_id)
        for other in chunks:
            if not other.doc_id or other.doc_id == one.doc_id:
                continue
            other_stem, other_version = version_of_document(other.doc_id)
            if stem != other_stem or version == other_version:
                continue
            years = all(_BARE_YEAR.fullmatch(said) for said in (version, other_version))
            if not years or _alike(_pairs(one.text or ""), _pairs(other.text or "")) >= _ALIKE:
                return one.doc_id, other.doc_id
    return None


def _distinct(gold: Sequence[Chunk]) -> int:
    """How many of them say different things. A chunk without a text says its own."""
    seen: list[set[str]] = []
    count = 0
    for chunk in gold:
        pairs = _pairs(chunk.text or "")
        if pairs and any(_alike(pairs, other) >= _SAME for other in seen):
            continue
        seen.append(pairs)
        count += 1
    return count


def _pairs(text: str) -> set[str]:
    folded = "".join(text.casefold().split())
    return {folded[at : at + 2] for at in range(len(folded) - 1)}


def _alike(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if other else 0.0


__all__ = ["LONG_TOKENS", "Chunk", "find_kind", "is_restricted", "permissions_of", "version_of_document"]
