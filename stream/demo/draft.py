"""One simulated question on its way to becoming a trace, and the wording that all kinds share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random

from stream.demo.knowledge import Asked, Case, Library
from stream.demo.phrases import Phrases
from stream.demo.shelf import Piece, Shelf
from stream.demo.world import App

CIRCLED = "①②③④⑤⑥⑦⑧⑨"
_ASKS_ON_ITS_OWN = (0.55, 0.25, 0.2)


@dataclass(slots=True)
class Draft:
    """What happened, stage by stage. `kind` names how it failed (or that it did not)."""

    case: Case
    question: str
    kind: str
    rewritten: str | None = None
    history: list[tuple[str, str]] = field(default_factory=list)
    pieces: list[Piece] | None = field(default_factory=list)
    below_min_score: bool = False
    retrieval_error: str | None = None
    answer: str | None = None
    finish_reason: str = "stop"
    generation_error: str | None = None


@dataclass(slots=True)
class Desk:
    """Everything at hand when a draft is written: one app of one language, and the dice."""

    app: App
    library: Library
    phrases: Phrases
    shelf: Shelf
    random: Random

    def case(self, *, follow_up: bool) -> Case:
        """A question from one of the app's domains."""
        cases = self.library.follow_ups if follow_up else self.library.openings
        return self.random.choice([c for c in cases if c.article.domain in self.app.domains])

    def lacking(self) -> Case:
        """A question of one of the app's domains that no article answers."""
        return self.random.choice([c for c in self.library.lacking if c.article.domain in self.app.domains])

    def ask(self, case: Case, kind: str) -> Draft:
        """A question as a user words it; a follow-up with its history and a good rewrite."""
        if case.before:
            draft = Draft(case, self.random.choice(case.asked.questions), kind, rewritten=case.asked.rewrite)
            draft.history = self._conversation(case.before)
            return draft
        bare = self.random.choice(case.asked.questions)
        draft = Draft(case, self._as_users_type(bare), kind)
        draft.rewritten = self.random.choices((None, draft.question, bare), _ASKS_ON_ITS_OWN)[0]
        if self.random.random() < 0.15:
            draft.history = [(said[0], said[1]) for said in [self.random.choice(self.phrases.small_talk)]]
        return draft

    def refuse(self, case: Case, kinds: tuple[str, ...] = ("plain", "plain", "soft", "redirecting")) -> str:
        """A refusal, in one of the given manners."""
        wording = self.random.choice(self.phrases.refusals[self.random.choice(kinds)])
        return wording.format(topic=case.article.title)

    def answer(self, core: str, pieces: list[Piece] | None) -> str:
        """An answer around its core: perhaps polite, with another sentence of the chunk, with citations."""
        parts = [core]
        gold = next((i for i, piece in enumerate(pieces or ()) if piece.holds_answer), None)
        if pieces and gold is not None and self.random.random() < 0.3:
            parts.append(self._another_sentence(pieces[gold], core))
        if gold is not None and self.random.random() < 0.3:
            parts = [self.cite(part, gold + 1) if part else part for part in parts]
        text = self.library.joint.join(part for part in parts if part)
        if self.random.random() < 0.08:
            text = re.sub(r"(?<![\w.:])(\d+)(?= ?[a-zA-Z天分小个元])", r"**\1**", text, count=1)
        return self.be_polite(text)

    def be_polite(self, text: str) -> str:
        """Perhaps an opening, perhaps a closing phrase."""
        if self.random.random() < 0.25:
            text = self.random.choice(self.phrases.openers) + text
        if self.random.random() < 0.2:
            text += self.random.choice(self.phrases.closers)
        return text

    def cite(self, sentence: str, number: int) -> str:
        """Put a citation before the last full stop, in the app's manner."""
        mark = CIRCLED[number - 1] if self.app.citation == "circled" else self.app.citation.format(n=number)
        stripped = sentence.rstrip("。.")
        gap = " " if self.library.language == "en" else ""
        return stripped + gap + mark + sentence[len(stripped) :]

    def copy_from(self, piece: Piece) -> str:
        """An answer that takes over sentences of a chunk, whatever was asked."""
        sentences = [s for s in piece.article.text if s in piece.text]
        start = self.random.randrange(len(sentences))
        text = self.library.joint.join(sentences[start : start + self.random.randint(1, 2)])
        return self.random.choice(self.phrases.copying).format(text=text)

    def _another_sentence(self, piece: Piece, core: str) -> str:
        choices = [s for s in piece.article.text if s in piece.text and s not in core]
        return self.random.choice(choices) if choices else ""

    def _conversation(self, before: Asked) -> list[tuple[str, str]]:
        turns = [
            (self._as_users_type(self.random.choice(before.questions)), self.random.choice(before.answers))
        ]
        if self.random.random() < 0.2:
            said = self.random.choice(self.phrases.small_talk)
            turns.insert(0, (said[0], said[1]))
        return turns

    def _as_users_type(self, question: str) -> str:
        keeps_case = question.startswith(("I ", "I'", "The Aurora")) or question[1:2].isupper()
        lower = question if keeps_case else question[0].lower() + question[1:]
        text = self.random.choice(self.phrases.question_forms).format(q=question, lower=lower)
        if self.library.language == "zh" and self.random.random() < 0.25:
            text = text.replace("，", ",").replace("？", "?")
        elif self.library.language == "en" and self.random.random() < 0.15:
            text = text.lower().rstrip("?")
        return text


__all__ = ["Desk", "Draft"]
