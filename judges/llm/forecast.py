"""What questions would cost, before any is asked: arithmetic alone, nothing is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from judges.llm.asking import Ask
from judges.llm.budget import amount_of
from judges.llm.endpoint import Price
from judges.llm.forms import schema_text
from judges.llm.tokens import bound_messages, estimate_messages

LIKELY_SHARE: Final = 0.4
"""Of the output that a question allows, as long as an endpoint has taught nothing better."""


@dataclass(slots=True, frozen=True)
class Forecast:
    """Sums over questions. `likely` goes by the estimate of tokens, `most` by what would be reserved.

    Costs are null without a price. Retries and repair turns come on top; answers in the cache cost nothing.
    """

    asks: int
    input_tokens: int
    output_tokens: int
    likely_usd: float | None
    most_tokens: int
    most_usd: float | None


def forecast(
    asks: Iterable[Ask[Any]],
    price: Price | None,
    *,
    input_factor: float = 1.0,
    output_share: float = LIKELY_SHARE,
    reasoning_tokens: int = 0,
) -> Forecast:
    """What `asks` would come to. `input_factor` and `output_share` are what an endpoint taught so far."""
    number = input_tokens = output_tokens = most_input = most_output = 0
    for ask in asks:
        number += 1
        form: type[BaseModel] = ask.form
        schema = schema_text(form)
        input_tokens += round(estimate_messages(ask.messages, schema) * input_factor)
        output_tokens += round((ask.max_output_tokens + reasoning_tokens) * output_share)
        most_input += bound_messages(ask.messages, schema)
        most_output += ask.max_output_tokens + reasoning_tokens
    return Forecast(
        asks=number,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        likely_usd=None if price is None else amount_of(price, input_tokens, output_tokens).usd,
        most_tokens=most_input + most_output,
        most_usd=None if price is None else amount_of(price, most_input, most_output).usd,
    )


__all__ = ["LIKELY_SHARE", "Forecast", "forecast"]
