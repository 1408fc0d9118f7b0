"""Reasons for refused cells, in words that say what to write instead. Wording only: the contract decides."""

import re
from decimal import Decimal
from typing import Final

from contracts.codes import PeriodType, ReviewStatus
from contracts.v1.base import MAX_CODE_CHARS, MAX_TEXT_CHARS
from contracts.v1.facts import DECIMAL_PATTERN

_DECIMAL: Final = re.compile(DECIMAL_PATTERN)
_EXPONENT: Final = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?[eE][+-]?[0-9]{1,2}")
_GROUPED: Final = re.compile(r"[+-]?[0-9]{1,3}([,' _\u00a0\u202f，][0-9]{3})+(\.[0-9]+)?")
_ONE_COMMA: Final = re.compile(r"-?[0-9]{1,3},[0-9]{3}")
_DECIMAL_COMMA: Final = re.compile(r"-?([0-9]{1,30}|[0-9]{1,3}(\.[0-9]{3})+),[0-9]{1,20}")
_NO_NUMBER: Final = frozenset(
    {"nan", "inf", "-inf", "infinity", "null", "none", "n/a", "na", "-", "--", "—", "…", "#n/a"}
)
_FULL_WIDTH: Final = str.maketrans("０１２３４５６７８９．－，", "0123456789.-,")
_SIGNS: Final = str.maketrans({"−": "-", "–": "-"})

_LINEAGE: Final = frozenset({"source_doc_id", "source_locator"})

_REASONS: Final = {
    "missing": "is missing",
    "string_too_short": "is empty",
    "too_short": "is empty",
    "extra_forbidden": "is not a column of a fact",
    "string_type": "must be text in quotes",
}


def reason_for(column: str, raw: object, kind: str, message: str) -> str:
    """Why a cell was refused; `kind` and `message` are pydantic's."""
    if isinstance(raw, str) and column != "value" and not raw.strip():
        return "is empty"
    if kind in ("string_too_long", "too_long"):
        return f"has more than {MAX_TEXT_CHARS if column in _LINEAGE else MAX_CODE_CHARS:,} characters"
    if kind in _REASONS:
        return _REASONS[kind]
    match column:
        case "value":
            return _value_reason(raw)
        case "period_type":
            return f"must be one of {', '.join(PeriodType)}"
        case "review_status":
            return f"must be one of {', '.join(ReviewStatus)}"
        case "valid_as_of":
            return "must be a day of the calendar, written as in 2024-03-31"
        case _:
            return message.removeprefix("Value error, ")


def _value_reason(raw: object) -> str:
    if not isinstance(raw, str):
        return 'must be text in quotes such as "1320.50", because a JSON number may lose digits'
    text = raw.strip()
    if not text:
        return "is empty; leave the row out where there is no figure"
    if text.casefold() in _NO_NUMBER:
        return "is not a number; leave the row out where there is no figure"
    return _notation_reason(text)


def _notation_reason(text: str) -> str:
    """Why a way to write a number is not accepted, and the accepted way where it is certain."""
    if text.endswith(("%", "％")):
        return _instead(text.rstrip("%％ "), "a per cent sign belongs in the unit column")
    if _EXPONENT.fullmatch(text):
        return _instead(format(Decimal(text), "f"), "an exponent is not accepted")
    if text.startswith("(") and text.endswith(")"):
        return _instead("-" + text[1:-1].strip().lstrip("-"), "brackets for a negative number are not accepted")
    if _ONE_COMMA.fullmatch(text):
        whole, _, rest = text.partition(",")
        return f"a comma is not accepted: write {whole}{rest} if it groups thousands, {whole}.{rest} if it is a point"
    if _GROUPED.fullmatch(text):
        return _instead(text, "thousands separators are not accepted")
    if _DECIMAL_COMMA.fullmatch(text):
        return _instead(text.replace(".", "").replace(",", "."), "a decimal comma is not accepted")
    return _instead(text, "must be plain digits with an optional minus and one point, such as -1320.50")


def _instead(text: str, reason: str) -> str:
    """The reason, with the plain form of `text` where there is exactly one."""
    plain = text.translate(_FULL_WIDTH).translate(_SIGNS).removeprefix("+")
    if _GROUPED.fullmatch(plain):
        plain = re.sub(r"[,' _\u00a0\u202f，]", "", plain)
    if plain.startswith((".", "-.")):
        plain = plain.replace(".", "0.", 1)
    plain = plain.removesuffix(".")
    if _DECIMAL.fullmatch(plain):
        return f"{reason}: write {plain}"
    digits = re.fullmatch(r"-?([0-9]+)(?:\.([0-9]+))?", plain)
    if digits is None:
        return reason
    return "has more than 30 digits before or 20 digits after the point"
