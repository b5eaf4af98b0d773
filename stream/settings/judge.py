"""The LLM judges: which models, where, how hard they may be worked, and what they may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from judges.llm.bounds import Bounds
from judges.llm.budget import Budgets
from judges.llm.endpoint import Endpoint, Limits, Price
from stream.settings.section import Section
from stream.settings.sendable import BaseUrl, Fields, Headers, Key

_MOST_USD: Final = 1e6
"""Sums are kept in billionths of a USD, in whole numbers of 64 bits."""
Money = Annotated[float, Field(ge=0, le=_MOST_USD)]


class PriceSettings(Section):
    """USD for a million tokens."""

    input: Money
    output: Money = 0.0
    cached_input: Money | None = Field(default=None, description="read from the endpoint's own cache")

    def price(self) -> Price:
        """As the client takes it."""
        return Price(self.input, self.output, self.cached_input)


class JudgeEndpoint(Section):
    """One judge of several. What is not said here is as in the section `judge` itself."""

    name: str | None = Field(default=None, min_length=1, description="as in verdicts; otherwise the model")
    base_url: BaseUrl | None = None
    api_key: Key | None = None
    model: str = Field(min_length=1)
    headers: Headers | None = None
    body: Fields | None = Field(default=None, repr=False)
    temperature: float | None = Field(default=None, ge=0, le=2)
    context_tokens: int | None = Field(default=None, ge=512)
    reasoning_tokens: int | None = Field(default=None, ge=0)
    embedding_model: str | None = None
    concurrency: int | None = Field(default=None, ge=1)
    timeout_s: float | None = Field(default=None, gt=0)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)


class JudgeSettings(Section):
    """The LLM judges. Off while no model is named."""

    base_url: BaseUrl = "https://api.openai.com/v1"
    api_key: Key | None = None
    model: str | None = Field(default=None, min_length=1)
    judges: list[JudgeEndpoint] = Field(default=[], description="several judges, or one said in full")
    panel: Literal["mean", "median"] = Field(
        default="mean", description="how scores of several become one; classes go by majority"
    )
    headers: Headers = Field(default={}, description="further headers of each request")
    body: Fields = Field(default={}, repr=False, description="further fields of each request's body")
    temperature: float = Field(default=0.0, ge=0, le=2)
    context_tokens: int = Field(
        default=32_768, ge=512, description="what the model takes and gives, together"
    )
    reasoning_tokens: int = Field(default=0, ge=0, description="room for thoughts before the answer")
    embedding_model: str | None = None
    concurrency: int = Field(default=16, ge=1, description="requests in flight to one judge")
    timeout_s: float = Field(default=60.0, gt=0, description="for one request")
    connect_timeout_s: float = Field(default=10.0, gt=0)
    attempts: int = Field(default=4, ge=1, description="requests for one question at most, if they fail")
    retry_for_s: float = Field(default=120.0, ge=0)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    breaker_failures: int = Field(default=8, ge=1, description="in a row; then the judge is left alone")
    breaker_rest_s: float = Field(default=15.0, gt=0)
    prices: dict[str, PriceSettings] = Field(default={}, description="by model")
    budget_hourly_usd: Money | None = None
    budget_daily_usd: Money | None = None
    budget_tenant_hourly_usd: Money | None = None
    budget_tenant_daily_usd: Money | None = None
    budget_hourly_tokens: int | None = Field(default=None, ge=0)
    budget_daily_tokens: int | None = Field(default=20_000_000, ge=0)
    budget_tenant_hourly_tokens: int | None = Field(default=None, ge=0)
    budget_tenant_daily_tokens: int | None = Field(default=None, ge=0)
    state_file: Path = Path(".ragpulse/judge.sqlite")
    cache_days: float = Field(default=7.0, ge=0, description="0 keeps no answers")
    cache_mb: int = Field(default=256, ge=1)
    stop_budget_s: float = Field(default=20.0, gt=0)
    annotate_from: float = Field(
        default=0.5, ge=0, description="disagreement of a panel from which a trace goes to people"
    )

    @model_validator(mode="after")
    def _priced(self) -> Self:
        if self.budgets().in_money:
            asked = [judge.model for judge in self._judges()]
            asked += [name for judge in self.endpoints() if (name := judge.embedding_model) is not None]
            missing = sorted(set(asked) - self.prices.keys())
            if missing:
                raise ValueError(
                    f"a budget in USD takes a price for each model, and `prices` has none for "
                    f"{', '.join(missing)}; add it (0 for a model of your own), or set budgets in tokens"
                )
        return self

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        names = [endpoint.name for endpoint in self.endpoints()]
        if len(names) != len(set(names)):
            raise ValueError(f"judges share a name: {', '.join(sorted(names))}; give each its own `name`")
        return self

    @property
    def on(self) -> bool:
        """Whether there is any judge to ask."""
        return bool(self._judges())

    def _judges(self) -> list[JudgeEndpoint]:
        if self.judges:
            return self.judges
        return [] if self.model is None else [JudgeEndpoint(model=self.model)]

    def endpoints(self) -> list[Endpoint]:
        """The judges, as the client takes them; none while no model is named."""
        return [self._endpoint(judge) for judge in self._judges()]

    def _endpoint(self, judge: JudgeEndpoint) -> Endpoint:
        said = judge.model_dump(exclude_none=True) | {"api_key": judge.api_key, "headers": judge.headers}
        # A key is for the address it was given with: another address is sent only what it was given itself.
        own = judge.base_url is not None and judge.base_url != self.base_url
        key = judge.api_key if own else judge.api_key or self.api_key
        headers = judge.headers if judge.headers is not None else {} if own else self.headers
        embedding_model = said.get("embedding_model", self.embedding_model)
        return Endpoint(
            name=judge.name or judge.model,
            base_url=said.get("base_url", self.base_url),
            model=judge.model,
            api_key=key.get_secret_value() if key else "",
            headers={name: value.get_secret_value() for name, value in headers.items()},
            body=said.get("body", self.body),
            limits=Limits(
                concurrency=said.get("concurrency", self.concurrency),
                requests_per_minute=said.get("requests_per_minute", self.requests_per_minute),
                tokens_per_minute=said.get("tokens_per_minute", self.tokens_per_minute),
                connect_timeout_s=self.connect_timeout_s,
                timeout_s=said.get("timeout_s", self.timeout_s),
                attempts=self.attempts,
                retry_for_s=self.retry_for_s,
                breaker_failures=self.breaker_failures,
                breaker_rest_s=self.breaker_rest_s,
            ),
            price=self._price(judge.model),
            temperature=said.get("temperature", self.temperature),
            context_tokens=said.get("context_tokens", self.context_tokens),
            reasoning_tokens=said.get("reasoning_tokens", self.reasoning_tokens),
            embedding_model=embedding_model,
            embedding_price=self._price(embedding_model),
        )

    def _price(self, model: str | None) -> Price | None:
        found = None if model is None else self.prices.get(model)
        return None if found is None else found.price()

    def budgets(self) -> Budgets:
        """What may be spent."""
        return Budgets(
            hourly_usd=self.budget_hourly_usd,
            daily_usd=self.budget_daily_usd,
            tenant_hourly_usd=self.budget_tenant_hourly_usd,
            tenant_daily_usd=self.budget_tenant_daily_usd,
            hourly_tokens=self.budget_hourly_tokens,
            daily_tokens=self.budget_daily_tokens,
            tenant_hourly_tokens=self.budget_tenant_hourly_tokens,
            tenant_daily_tokens=self.budget_tenant_daily_tokens,
        )

    def cache_bounds(self) -> Bounds:
        """How many answers are kept, and for how long."""
        return Bounds(age_s=self.cache_days * 86_400, bytes=self.cache_mb * 1024 * 1024)
