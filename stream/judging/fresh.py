"""A judge that speaks each time it is asked, whatever it said before."""

from __future__ import annotations

from dataclasses import replace

from judges.llm.asking import Answer, Ask, Filled, Judge


class FreshJudge:
    """Asks another judge for answers that come from no memory."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @property
    def name(self) -> str:
        """As the other is called."""
        return self._judge.name

    @property
    def model(self) -> str:
        """As the other says."""
        return self._judge.model

    async def ask(self, ask: Ask[Filled]) -> Answer[Filled]:
        """The filled form, asked for now. Raises JudgeFailed."""
        return await self._judge.ask(replace(ask, fresh=True))


__all__ = ["FreshJudge"]
