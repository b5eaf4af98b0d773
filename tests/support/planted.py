"""Secrets planted in every setting that may hold one, and where they turn up."""

from __future__ import annotations

import json
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, SecretStr

MARK: Final = "pl4nted"
"""In every secret, and nowhere else."""


def secret(name: str) -> str:
    """A secret that says where it was planted."""
    return f"{MARK}-{name}-{'x' * 12}"


PLANTED: Final[dict[str, Any]] = {
    "kafka.sasl_username": "ann",
    "kafka.sasl_password": secret("sasl"),
    "kafka.ssl_key_password": secret("kafka-key"),
    "kafka.options": {
        "ssl.keystore.password": secret("option"), "sasl.oauthbearer.client.secret": secret("oauth"),
    },
    "clickhouse.ssl_key_password": secret("store-key"),
    "judge.model": "some-model",
    "judge.base_url": "http://127.0.0.1:9/v1",
    "judge.api_key": secret("judge"),
    "judge.headers": {"X-Key": secret("judge-header")},
    "judge.body": {"user": secret("judge-body")},
    "judge.judges": [
        {
            "model": "other-model", "base_url": "http://127.0.0.1:9/v1", "api_key": secret("second"),
            "headers": {"X-Key": secret("second-header")}, "body": {"user": secret("second-body")},
        }
    ],
    "export.otlp_url": "http://127.0.0.1:9",
    "export.otlp_headers": {"Authorization": secret("otlp")},
    "export.langfuse_url": "http://127.0.0.1:9",
    "export.langfuse_public_key": "pk-known",
    "export.langfuse_secret_key": secret("langfuse"),
    "export.phoenix_url": "http://127.0.0.1:9",
    "export.phoenix_api_key": secret("phoenix"),
    "watch.webhook_url": f"http://127.0.0.1:9/hooks/{secret('hook')}",
    "watch.webhook_secret": secret("hook-key"),
    "console.tokens": [{"name": "ann", "role": "admin", "token": secret("token")}],
}  # fmt: skip
"""Settings by name, as JSON. The DSN is set by whoever knows where the store is (`store_dsn`)."""


def store_dsn(address: str, database: str = "ragpulse") -> str:
    """The DSN of a store, with a planted password."""
    return f"http://ann:{secret('store')}@{address}/{database}"


def variables(**more: Any) -> dict[str, str]:
    """All of it as variables of the environment; `more` as section__name=value."""
    settings = PLANTED | {name.replace("__", ".", 1): value for name, value in more.items()}
    return {
        f"RAGPULSE_{name.replace('.', '__').upper()}": one if isinstance(one, str) else json.dumps(one)
        for name, one in settings.items()
    }


def secret_settings(model: type[BaseModel], path: str = "") -> Iterator[str]:
    """Names of all settings of a type that holds a secret; inside lists as `section.name.part`."""
    for name, field in model.model_fields.items():
        here = f"{path}.{name}".lstrip(".")
        kinds = set(_parts(field.annotation))
        if SecretStr in kinds:
            yield here
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from secret_settings(kind, here)


def leaks(text: str | bytes) -> list[str]:
    """The lines that repeat a secret."""
    lines = (text.decode(errors="replace") if isinstance(text, bytes) else text).splitlines()
    return [line for line in lines if MARK in line]


def command_lines() -> str:
    """What `ps` shows of every process of this machine."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(one.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:  # it has ended in the meantime
            continue
    return "\n".join(found)


def _parts(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in typing.get_args(annotation):
        yield from _parts(part)
