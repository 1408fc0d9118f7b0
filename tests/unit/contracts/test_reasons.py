"""Reasons are sentences about the field, without words of the validation library and without the value."""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from contracts.reasons import reason_of
from contracts.v1 import AskRequest, LoadFacts


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: int = 1


def reasons(kind: Any, value: object) -> list[str]:
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(kind).validate_python(value)
    return [reason_of(detail) for detail in raised.value.errors(include_input=False)]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (str, 5, "must be a text"),
        (Annotated[str, Field(min_length=1)], "", "must not be empty"),
        (Annotated[str, Field(min_length=3)], "ab", "must have at least 3 characters"),
        (Annotated[str, Field(max_length=2000)], "a" * 2001, "must have at most 2,000 characters"),
        (Annotated[list[int], Field(max_length=1)], [1, 2], "must have at most 1 item"),
        (Annotated[str, Field(pattern="^a$")], "b", "is not written in the accepted form"),
        (int, "x", "must be a whole number"),
        (Annotated[int, Field(ge=1)], 0, "must be at least 1"),
        (Annotated[int, Field(le=500)], 501, "must be at most 500"),
        (Annotated[int, Field(gt=0)], 0, "must be more than 0"),
        (bool, "maybe", "must be true or false"),
        (dict[str, str], 3, "must be an object"),
        (Inner, 3, "must be an object"),
        (Inner, {"colour": 1}, "is unknown"),
        (list[str], 3, "must be a list"),
        (Literal["a", "b"], "c", "must be 'a' or 'b'"),
        (Colour, "green", "must be 'red' or 'blue'"),
        (date, "soon", "must be a day, as in 2024-03-31"),
        (Decimal, "x", "must be a number"),
    ],
)
def test_a_reason_says_what_would_be_right(kind: Any, value: object, expected: str) -> None:
    assert reasons(kind, value) == [expected]


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        (AskRequest, {}, {"question": "is missing"}),
        (AskRequest, {"question": "営" * 2_001}, {"question": "must have at most 2,000 characters"}),
        (AskRequest, {"question": "x", "locale": "fr"}, {"locale": "must be 'zh', 'en' or 'it'"}),
        (AskRequest, {"question": "x", "quesiton": "x"}, {"quesiton": "is unknown"}),
        (LoadFacts, {"facts": {}}, {"facts": "must be a list"}),
    ],
)
def test_requests_are_refused_in_these_words(kind: type[BaseModel], body: object, expected: dict[str, str]) -> None:
    with pytest.raises(ValidationError) as raised:
        kind.model_validate(body)

    told = {".".join(map(str, d["loc"])): reason_of(d) for d in raised.value.errors(include_input=False)}
    assert told == expected
