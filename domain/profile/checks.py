"""What a profile must keep beyond its shape: no name may mean two things."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from domain.matching import phrase_key
from domain.profile.lines import KeyPath

COMPETITORS: Final = "competitors"
UNPRINTABLE_CODE: Final = "a code holds no line break, control or format character"

AMBIGUOUS_NAMES: Final = "ambiguous"
_OF_ONE_KIND: Final[Mapping[str | int, str]] = {"derived": "metrics", AMBIGUOUS_NAMES: "metrics"}
"""Tables whose names must not collide with those of another one: a question calls both a metric."""


_SINGULAR: Final[Mapping[str | int, str]] = {
    "metrics": "metric",
    "derived": "metric",
    AMBIGUOUS_NAMES: "metric",
    "entities": "entity",
    "channels": "channel",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault of a profile, where it stands, and the place it collides with, if any."""

    path: KeyPath
    reason: str
    other: KeyPath | None = None


@dataclass(frozen=True, slots=True)
class Name:
    """A text by which users may call something, and where the profile says so."""

    owner: KeyPath
    """Table and code of what it names."""
    text: str
    path: KeyPath


def name_problems(names: Iterable[Name]) -> Iterator[Problem]:
    """Names that are empty, or that mean two things: of one kind, of two kinds, or a competitor and something of ours.

    A name of two kinds would shadow: questions would always take it for the same one of them. Two names are the same
    when the matching of questions cannot tell them apart.
    """
    first: dict[tuple[str | int, str], Name] = {}
    ours: dict[str, Name] = {}
    for name in names:
        key = phrase_key(name.text)
        table, code = name.owner
        if not key:
            yield Problem(name.path, f"{name.text!r} has no letter or digit, so that no question can name it")
            continue
        kind = _OF_ONE_KIND.get(table, table)
        known = first.setdefault((kind, key), name)
        other = ours.get(key)
        if known.owner != name.owner:
            yield Problem(name.path, f"{name.text!r} names {code} and {known.owner[1]}", known.path)
        elif table != COMPETITORS and other and _OF_ONE_KIND.get(other.owner[0], other.owner[0]) != kind:
            what = f"{_SINGULAR[table]} {code} and {_SINGULAR[other.owner[0]]} {other.owner[1]}"
            yield Problem(name.path, f"{name.text!r} names {what}", other.path)
        if table != COMPETITORS:
            ours.setdefault(key, name)
        elif key in ours:
            yield Problem(
                name.path, f"{name.text!r} names competitor {code} and our {ours[key].owner[1]}", ours[key].path
            )
