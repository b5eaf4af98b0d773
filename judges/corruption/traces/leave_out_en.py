"""English questions with a pronoun in place of what they are about: How long does a refund take → it take."""

from __future__ import annotations

import re

from judges.corruption.verbs import PRESENT

_VERBS = "|".join((*PRESENT.values(), "have", "be", "become", "cost", "take", "go", "get", "do", "work"))
_STATES = "made|built|born|held|paid|sold|given|open|free|available|valid|allowed|possible|due|safe"
_PREPOSITIONS = "in|into|on|onto|from|to|with|for|at|by|after|before|when|if|while|without|again|twice|back"
_ARTICLE = r"(?:the|a|an|my|our|your|this)"
_NAME = r"[A-Z][\w.-]*(?: [A-Z0-9][\w.-]*)*"
_THING = rf"(?P<thing>{_ARTICLE} (?:[\w'-]+ ){{0,4}}?[\w'-]+|{_NAME})"
_AUXILIARY = r"(?:does|do|did|is|are|was|were|can|could|will|would|should|must|has|have)"
_SUBJECT = re.compile(
    rf"^(?P<before>(?:[\w'-]+ ){{0,6}}?{_AUXILIARY} ){_THING}"
    rf"(?P<behind> (?:{_VERBS}|[a-z]+ed|[a-z]+ing|{_STATES})\b.*|\s{{0,9}}[?.]{{0,9}}$)"
)
_OBJECT = re.compile(
    rf"^(?P<before>(?:[\w'-]+ ){{0,4}}?{_AUXILIARY} (?:I|you|we|one) (?:[a-z]+ ){{1,2}}?){_THING}"
    rf"(?P<behind> (?:{_PREPOSITIONS})\b.*|\s{{0,9}}[?.]{{0,9}}$)"
)
_AUXILIARY_BE = re.compile(r"\b(?:is|are|was|were) $", re.IGNORECASE)
_THERE = re.compile(r"\bthere\b", re.IGNORECASE)
_MANY = re.compile(r"\b(?:are|do|were|have) $", re.IGNORECASE)


def leave_out_en(question: str) -> list[tuple[str, str]]:
    """Ways to ask with a pronoun, each with what the pronoun stands for.

    >>> leave_out_en("How long does a refund take to arrive?")
    [('How long does it take to arrive?', 'the refund')]
    >>> leave_out_en("How do I put the A10 into pairing mode?")
    [('How do I put it into pairing mode?', 'the A10')]
    """
    found = []
    text = question.strip()
    for pattern, role in ((_OBJECT, "object"), (_SUBJECT, "subject")):
        match = pattern.match(text)
        if (
            match is None
            or (role == "subject" and _lacks_verb(match))
            or _THERE.search(text)
            or _is_pronoun(match["thing"])
        ):
            continue
        found.append((match["before"] + _pronoun(match, role) + match["behind"], _as_subject(match["thing"])))
    return found[:1]


def _lacks_verb(match: re.Match[str]) -> bool:
    """Whether nothing follows that the auxiliary could belong to (*How long does the VPN?*)."""
    return not match["behind"].strip(" ?.") and _AUXILIARY_BE.search(match["before"]) is None


def _is_pronoun(thing: str) -> bool:
    return thing.lower() in ("i", "you", "we", "it", "they", "he", "she", "this", "that", "there", "one")


def _pronoun(match: re.Match[str], role: str) -> str:
    thing = match["thing"]
    plural = thing.endswith("s") and not thing.endswith(("ss", "us", "is", "as"))
    if role == "object":
        return "them" if plural else "it"
    return "they" if plural and _MANY.search(match["before"]) else "it"


def _as_subject(thing: str) -> str:
    """As one would speak of it first: a refund → the refund."""
    return re.sub(r"^(?:a|an|this|your) ", "the ", thing, flags=re.IGNORECASE)
