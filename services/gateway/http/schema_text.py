"""JSON Schema in words, as HTML: what the documentation pages show of a message."""

import json
from collections.abc import Mapping
from html import escape
from typing import Any

JsonObject = Mapping[str, Any]


def link(name: str) -> str:
    """A link to the section of a schema on the same page."""
    return f'<a href="#schema-{escape(name)}">{escape(name)}</a>'


def kind_of(schema: JsonObject) -> str:
    """The type of a value, in words, with links to the messages it refers to."""
    match schema:
        case {"$ref": str(reference)}:
            return link(reference.rsplit("/", 1)[-1])
        case {"const": value}:
            return f"<code>{escape(str(value))}</code>"
        case {"enum": [*values]}:
            return " | ".join(f"<code>{escape(str(value))}</code>" for value in values)
        case {"anyOf": [*members]} | {"oneOf": [*members]} | {"allOf": [*members]}:
            return " or ".join(kind_of(member) for member in members)
        case {"type": "array", "items": {}}:
            return f"list of {kind_of(schema['items'])}"
        case {"type": "object", "additionalProperties": {}}:
            return f"map to {kind_of(schema['additionalProperties'])}"
        case _:
            return escape(_simple(schema))


def schema_section(name: str, schema: JsonObject) -> str:
    """A schema with its description and fields."""
    description = f"<p>{escape(str(schema['description']))}</p>" if "description" in schema else ""
    fields = schema.get("properties")
    body = _fields(schema) if isinstance(fields, dict) else f"<p>{kind_of(schema)}</p>"
    return f'<section id="schema-{escape(name)}"><h3>{escape(name)}</h3>{description}{body}</section>'


def _fields(schema: JsonObject) -> str:
    required = schema.get("required", ())
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{kind_of(field)}{_bounds(field)}</td>"
        f"<td>{'yes' if name in required else _default(field)}</td>"
        f"<td>{escape(str(field.get('description', '')))}</td></tr>"
        for name, field in schema["properties"].items()
    )
    return f"<table><tr><th>field</th><th>type</th><th>required</th><th>meaning</th></tr>{rows}</table>"


def _simple(schema: JsonObject) -> str:
    kind = str(schema.get("type", "any value"))
    return f"{kind} ({schema['format']})" if "format" in schema else kind


def _default(field: JsonObject) -> str:
    default = field.get("default")
    if default is None or isinstance(default, dict | list):
        return ""
    return f"default <code>{escape(json.dumps(default, ensure_ascii=False))}</code>"


def _bounds(field: JsonObject) -> str:
    names = ("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "pattern")
    found = [f"{name} {field[name]}" for name in names if name in field]
    return f" <small>{escape(', '.join(found))}</small>" if found else ""
