"""Messages made from their own JSON Schema: most of them valid, the rest wrong in one place."""

from random import Random
from typing import Any

from tests.fuzz import hostile

_WORDS = ("REVENUE", "ACME_CN", "TOTAL", "2024", "USD_M", "review.pptx", "slide=2", "营收", "zh", "1320", "r-1", "o")
_DEEP = 6


def made(schema: dict[str, Any], random: Random) -> Any:
    """A value for a schema with its definitions."""
    return _value(schema, schema.get("$defs", {}), random, 0)


def _value(schema: dict[str, Any], known: dict[str, Any], random: Random, depth: int) -> Any:
    if random.random() < 0.01:
        return hostile.value(random)
    if "$ref" in schema:
        return _value(known[schema["$ref"].rsplit("/", 1)[1]], known, random, depth + 1)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return _value(random.choice(schema[several]), known, random, depth)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return random.choice(schema["enum"])
    return _plain(schema, known, random, depth)


def _plain(schema: dict[str, Any], known: dict[str, Any], random: Random, depth: int) -> Any:
    match schema.get("type"):
        case "object":
            return _object(schema, known, random, depth)
        case "array":
            items = schema.get("items") or next(iter(schema.get("prefixItems", ())), {})
            count = (
                0 if depth > _DEEP else random.randrange(schema.get("minItems", 0), 4) if random.random() < 0.9 else 25
            )
            return [_value(items, known, random, depth + 1) for _ in range(max(count, schema.get("minItems", 0)))]
        case "integer":
            return random.choice((schema.get("minimum", 0), 1, 7, schema.get("maximum", 2**53 - 1)))
        case "number":
            return random.choice((0, 1, 0.5))
        case "boolean":
            return random.random() < 0.5
        case "null":
            return None
        case _:
            return _text(schema, random)


def _object(schema: dict[str, Any], known: dict[str, Any], random: Random, depth: int) -> dict[str, Any]:
    required = schema.get("required", ())
    fields = schema.get("properties", {})
    chosen = {name: inner for name, inner in fields.items() if name in required or random.random() < 0.5}
    return {name: _value(inner, known, random, depth + 1) for name, inner in chosen.items()}


def _text(schema: dict[str, Any], random: Random) -> str:
    match schema.get("format"):
        case "date":
            return random.choice(("2024-02-29", "2025-05-20", "1999-12-31"))
        case "date-time":
            return random.choice(("2025-05-20T00:00:00Z", "2025-05-20T08:00:00+08:00"))
        case _:
            return random.choice(_WORDS) * (1 if random.random() < 0.97 else 90)
