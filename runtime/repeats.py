"""Names given twice in one JSON object: which of the values is meant nobody knows, and most readers take the last.

The reader of our messages keeps the last one silently, so the doors look for repeats themselves. Linear in the text.
"""

import json
from dataclasses import dataclass
from typing import Any, Final, cast

from contracts.v1.errors import FieldProblem
from runtime.errors import InvalidRequestError, field_path

_REASON: Final = "is given more than once"


@dataclass(frozen=True, slots=True)
class _Repeated:
    name: str


def refuse_repeats(body: bytes) -> None:
    """Raise `InvalidRequestError` naming the path of the first name that a JSON object repeats, without its values."""
    found: list[_Repeated] = []

    def once(pairs: list[tuple[str, Any]]) -> object:
        fields = dict(pairs)
        if len(fields) == len(pairs):
            return fields
        found.append(_Repeated(_first_repeat(pairs)))
        return found[-1]

    try:
        # The digits are not looked at: thousands of them are refused by Python, and are none of our business here.
        read: object = json.loads(body, object_pairs_hook=once, parse_int=_unread, parse_float=_unread, strict=False)
    except (ValueError, RecursionError):
        raise _refused("", "cannot be read as JSON") from None
    if found:
        raise _refused(field_path(_path_to_repeat(read)), _REASON)


def _unread(digits: str) -> None:
    """The value of a number does not matter here."""


def _first_repeat(pairs: list[tuple[str, Any]]) -> str:
    seen = set[str]()
    for name, _ in pairs:
        if name in seen:
            return name
        seen.add(name)
    return ""


def _path_to_repeat(read: object) -> tuple[str | int, ...]:
    """Where the outermost repeat stands; a path of its steps, so that the search does not recurse."""
    waiting: list[tuple[tuple[str | int, ...], object]] = [((), read)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, _Repeated):
            return (*path, value.name)
        if isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            waiting.extend(((*path, name), inner) for name, inner in reversed(fields.items()))
        elif isinstance(value, list):
            items = cast("list[object]", value)
            waiting.extend(((*path, number), items[number]) for number in reversed(range(len(items))))
    return ()


def _refused(field: str, reason: str) -> InvalidRequestError:
    return InvalidRequestError(problems=(FieldProblem(field=field, reason=reason),))
