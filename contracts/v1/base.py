"""The two kinds of message. Both are frozen and never show their input in a validation error."""

import re
import unicodedata
from datetime import date
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

MAX_QUESTION_CHARS: Final = 2_000
MAX_HISTORY_TURNS: Final = 20
MAX_HISTORY_CHARS: Final = 16_000
MAX_SUBTASKS: Final = 24
MAX_LOAD_ROWS: Final = 1_000
MAX_ROW_ID: Final = 2**53 - 1  # the largest whole number that every JSON reader keeps exactly
MAX_CODE_CHARS: Final = 256
MAX_TEXT_CHARS: Final = 1_024

_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # all but tab and line breaks
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_REORDERING: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_INVISIBLE_GROUPS: Final = frozenset("CZ")  # controls, format characters, unassigned ones; blanks and line breaks
# Letters, marks and symbols of which nothing is seen: fillers, the empty Braille cell, joiners, variation selectors.
_FILLERS: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


class EdgeMessage(BaseModel):
    """A message from outside: unknown fields are refused, so that an integrator's typing error is seen."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, use_attribute_docstrings=True)


class InternalMessage(BaseModel):
    """A message between our processes, or a reply: unknown fields are ignored, so that rolling deploys work."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True, use_attribute_docstrings=True)


def strip_controls(text: object) -> object:
    """Remove NUL and the other control characters, except tab and line breaks, from a text of outside."""
    if not isinstance(text, str) or text.isprintable():  # a printable text has none; most are
        return text
    return _CONTROLS.sub("", text)


def _refuse_surrogates(text: str) -> str:
    if not text.isprintable() and _SURROGATES.search(text):
        raise ValueError("the text holds half of a surrogate pair, which is not a character")
    return text


def is_visible(text: str) -> bool:
    """Whether a reader sees anything of a text."""
    return any(
        char.isalnum() or unicodedata.category(char)[0] not in _INVISIBLE_GROUPS for char in _FILLERS.sub("", text)
    )


def refuse_unreadable(text: str) -> str:
    """Refuse a text of which nothing is seen, or that is seen in another order than it is stored in."""
    if text.isascii() and text.isprintable() and text.strip():  # as almost every code is
        return text
    if _REORDERING.search(text):
        raise ValueError("the text holds a character that changes the direction of writing; leave it out")
    if not is_visible(text):
        raise ValueError("the text has no visible character")
    return text


CleanText = Annotated[str, BeforeValidator(strip_controls), AfterValidator(_refuse_surrogates)]
"""Text of outside, without control characters."""

Code = Annotated[
    CleanText,
    Field(min_length=1, max_length=MAX_CODE_CHARS),
    AfterValidator(refuse_unreadable),
]
"""A code of the profile: metric, entity or channel. At least one character of it is visible."""


def is_unit(text: str) -> bool:
    """Whether a text can be a unit: one without a letter or a per cent sign would read as part of the number."""
    return "%" in text or "％" in text or any(map(str.isalpha, text))


def refuse_no_unit(text: str) -> str:
    """Refuse a unit that would read as part of its number."""
    if not is_unit(text):
        raise ValueError("a unit has a letter or a per cent sign, as in USD_M or %")
    return text


Unit = Annotated[Code, AfterValidator(refuse_no_unit)]
"""The unit of a figure to load: at least one letter or a per cent sign."""

_ISO_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _only_iso_date(value: object) -> object:
    """Refuse what pydantic would otherwise read as seconds since 1970, such as 20240331."""
    if isinstance(value, date) or (isinstance(value, str) and _ISO_DATE.fullmatch(value)):
        return value
    raise ValueError("a date is written as in 2024-03-31")


IsoDate = Annotated[date, BeforeValidator(_only_iso_date)]
"""A calendar day, written `YYYY-MM-DD` and in no other way."""

Lineage = Annotated[
    CleanText,
    Field(min_length=1, max_length=MAX_TEXT_CHARS),
    AfterValidator(refuse_unreadable),
]
"""A source document or locator: at least one character of it is visible."""
