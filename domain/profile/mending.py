"""Looks past faults of shape, so that all faults of a profile are told at once and not one kind after the other.

What is mended here is never answered from: it only lets the rules about names and codes see the rest of the profile.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeGuard, cast

from pydantic_core import ErrorDetails

from domain.profile.lines import KeyPath

Table = dict[str, object]
Items = list[object]

_NEEDED: Final = ("entities", "metrics")
"""Without one of these tables nothing can be said about what refers to it."""
_MISSING: Final = "missing"
_LABEL: Final = "label"
_UNIT: Final = "PCT"


def mended(data: Mapping[str, object], details: Sequence[ErrorDetails]) -> Table | None:
    """A copy without the values that `details` refuse, and with stand-ins for what is missing; None when too much is.

    Places in lists stay where they are. Call it again with what is still refused.
    """
    if any(detail["loc"][:1] == (table,) and len(detail["loc"]) == 1 for detail in details for table in _NEEDED):
        return None
    try:
        result = copy.deepcopy(dict(data))
    except RecursionError:  # brackets that were just not too deep to be read
        return None
    for number, detail in enumerate(details):
        path = detail["loc"]
        whole = path[: path.index(_LABEL, 2) + 1] if _LABEL in path[2:] else path  # a label is taken away as a whole
        _mend(result, whole, number, is_missing=detail["type"] == _MISSING)
    return result


def _mend(data: Table, path: KeyPath, number: int, *, is_missing: bool) -> None:
    holder: Table | Items = data
    for depth, step in enumerate(path):
        inner = _inside(holder, step)
        if depth < len(path) - 1 and _is_nested(inner):
            holder = inner
        elif isinstance(holder, list) and isinstance(step, int):
            holder[step] = f"stand in {number} for an element"
            return
        elif isinstance(holder, dict):
            holder.pop(str(step), None)
            if is_missing or depth < 2:  # an entry is a name even if nothing of it can be read
                _stand_in(data, holder, path[: depth + 1])
            return


def _inside(holder: Table | Items, step: int | str) -> object:
    match holder:
        case dict():
            return holder.get(str(step))
        case list():
            return holder[int(step)]


def _is_nested(value: object) -> TypeGuard[Table | Items]:
    return isinstance(value, dict | list)


def _stand_in(data: Table, table: Table, path: KeyPath) -> None:
    """Put something harmless where the model needs a value."""
    match path:
        case ("company",):
            table["company"] = {"name": "stand in", "default_entity": _first_entity(data)}
        case ("company", "default_entity"):
            table["default_entity"] = _first_entity(data)
        case ("company", "name"):
            table["name"] = "stand in"
        case ("metrics", str() as code):
            table[code] = {"unit": _UNIT}
        case ("entities" | "channels", str() as code):
            table[code] = {}
        case ("metrics", code, "unit"):
            table["unit"] = _UNIT
            _drop_derived(data, code)
        case _:
            return


def _first_entity(data: Table) -> str:
    return next(iter(cast(Table, data["entities"])))


def _drop_derived(data: Table, metric: str | int) -> None:
    """A ratio over a metric whose unit is not known cannot be judged."""
    for code, ratio in list(_tables(data, "derived")):
        if metric in ratio.values():
            cast(Table, data["derived"]).pop(code)


def _tables(data: Table, name: str) -> Iterator[tuple[str, Table]]:
    found = data.get(name)
    entries = cast(Table, found) if isinstance(found, dict) else {}
    return ((code, cast(Table, entry)) for code, entry in entries.items() if isinstance(entry, dict))
