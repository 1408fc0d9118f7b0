"""Why a value was refused, in words for people who have never heard of the library that validates it.

A reason completes a sentence that begins with the name of the field, and holds nothing of the value.
"""

from collections.abc import Mapping
from typing import Final

from pydantic_core import ErrorDetails

_FIXED: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "extra_forbidden": "is unknown",
    "string_type": "must be a text",
    "string_unicode": "must be a text in UTF-8",
    "string_pattern_mismatch": "is not written in the accepted form",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a smaller whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a number",
    "decimal_type": "must be a number",
    "decimal_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "dict_type": "must be an object",
    "mapping_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "set_type": "must be a list",
    "date_type": "must be a day, as in 2024-03-31",
    "date_parsing": "must be a day, as in 2024-03-31",
    "date_from_datetime_parsing": "must be a day, as in 2024-03-31",
    "date_from_datetime_inexact": "must be a day, as in 2024-03-31",
    "path_type": "must be a path",
    "union_tag_invalid": "is none of the known kinds",
    "union_tag_not_found": "does not say of which kind it is",
    "recursion_loop": "contains itself",
}
_LIMITS: Final[Mapping[str, tuple[str, str]]] = {
    "greater_than_equal": ("must be at least {}", "ge"),
    "greater_than": ("must be more than {}", "gt"),
    "less_than_equal": ("must be at most {}", "le"),
    "less_than": ("must be less than {}", "lt"),
    "literal_error": ("must be {}", "expected"),
    "enum": ("must be {}", "expected"),
    "json_invalid": ("is not valid JSON: {}", "error"),
}
_LENGTHS: Final[Mapping[str, str]] = {
    "string_too_short": "min_length",
    "too_short": "min_length",
    "string_too_long": "max_length",
    "too_long": "max_length",
}
_OWN: Final = "Value error, "
"""What pydantic puts before a reason of ours."""


def reason_of(detail: ErrorDetails) -> str:
    """The reason for one error; `detail` must hold its context. An unforeseen kind keeps the words of the library."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in _FIXED:
        return _FIXED[kind]
    if kind in _LIMITS:
        sentence, name = _LIMITS[kind]
        return sentence.format(context.get(name, "…"))
    if kind in _LENGTHS:
        return _length(int(context[_LENGTHS[kind]]), context, is_text=kind.startswith("string"))
    return detail["msg"].removeprefix(_OWN)


def _length(bound: int, context: Mapping[str, object], *, is_text: bool) -> str:
    """Of a text or of a list; a text that was cleaned first is a `Value` to the library."""
    things = "character" if is_text or context.get("field_type") == "Value" else "item"
    things += "" if bound == 1 else "s"
    if "min_length" in context:
        return "must not be empty" if bound == 1 else f"must have at least {bound:,} {things}"
    return f"must have at most {bound:,} {things}"
