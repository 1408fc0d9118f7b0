from typing import Any

import pytest

from services.gateway.http.schema_text import kind_of, schema_section


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "date"}, "string (date)"),
        ({"$ref": "#/components/schemas/Period"}, '<a href="#schema-Period">Period</a>'),
        ({"enum": ["zh", "en"]}, "<code>zh</code> | <code>en</code>"),
        ({"const": "found"}, "<code>found</code>"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer or null"),
        ({"type": "array", "items": {"type": "string"}}, "list of string"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "map to integer"),
        ({"type": "object"}, "object"),
        ({}, "any value"),
        ({"type": "<b>"}, "&lt;b&gt;"),
    ],
)
def test_says_what_a_value_is(schema: dict[str, Any], text: str) -> None:
    assert kind_of(schema) == text


def test_shows_fields_with_bounds_defaults_and_meaning() -> None:
    schema = {
        "description": "A <thing>.",
        "properties": {
            "name": {"type": "string", "maxLength": 5, "description": "Its name."},
            "size": {"type": "integer", "default": 3},
            "open": {"type": "boolean", "default": False},
            "part": {"type": "object", "default": {"a": None}},
        },
        "required": ["name"],
    }

    section = schema_section("Thing", schema)

    assert section.startswith('<section id="schema-Thing"><h3>Thing</h3><p>A &lt;thing&gt;.</p>')
    assert "<td>string <small>maxLength 5</small></td><td>yes</td><td>Its name.</td>" in section
    assert "<td>integer</td><td>default <code>3</code></td>" in section
    assert "<td>boolean</td><td>default <code>false</code></td>" in section
    assert "<td>object</td><td></td>" in section
