"""What a stand-in for an LLM server writes when nobody tells it: the simplest value that fits the schema."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

DIMENSIONS = 64


def tokens_of(value: Any) -> int:
    """What the stand-in bills: a token for every four bytes, and always at least one."""
    return max(1, len(json.dumps(value, ensure_ascii=False).encode()) // 4)


def embed(text: str) -> list[float]:
    """A vector of length 1 from the pairs of characters: texts that share them are near each other."""
    vector = [0.0] * DIMENSIONS
    padded = f" {text.lower()} "
    for first, second in pairwise(padded):
        vector[zlib.crc32(f"{first}{second}".encode()) % DIMENSIONS] += 1.0
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def schema_of(body: dict[str, Any]) -> dict[str, Any] | None:
    """The schema that a request asks its answer to follow: in `response_format`, or written in a message."""
    given = body.get("response_format") or {}
    if given.get("type") == "json_schema":
        schema: dict[str, Any] = given["json_schema"]["schema"]
        return schema
    for message in reversed(body["messages"]):
        for found in _objects_in(str(message["content"])):
            if found.get("type") == "object" and "properties" in found:
                return found
    return None


def _objects_in(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at != -1:
        try:
            found, end = decoder.raw_decode(text, at)
        except ValueError:
            end = at + 1
        else:
            if isinstance(found, dict):
                yield found
        at = text.find("{", end)


def fill_schema_of(body: dict[str, Any]) -> Any:
    """The simplest value that fits the schema of a request; prose where it names none."""
    schema = schema_of(body)
    return "There is no schema to follow." if schema is None else fill(schema, schema)


def fill(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """The simplest value that fits `schema`, whose references are looked up in `root`."""
    if "$ref" in schema:
        return fill(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for options in (schema.get("anyOf"), schema.get("allOf"), schema.get("oneOf")):
        if options:
            return fill(options[0], root)
    match schema.get("type"):
        case "object":
            return {name: fill(inner, root) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return [fill(schema["items"], root)] * max(1, schema.get("minItems", 1))
        case "integer" | "number":
            return schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        case "boolean":
            return True
        case "string":
            return "It agrees with the documents."
        case _:
            return None
