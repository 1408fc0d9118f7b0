"""Which passages may leave the worker: those under an open label (`domain.sensitivity`), and nothing else.

The same rule stands in the database (`narrative.open_passage`), so
that a closed text passes neither the query nor the reply; a test holds the two lists together.
"""

from collections.abc import Iterable
from typing import Final, Protocol, TypeVar

from domain.sensitivity import is_open

CLOSED: Final = "restricted"
"""The label that rules give; any label that is not open would do."""


class Labelled(Protocol):
    """Something under a label."""

    @property
    def sensitivity(self) -> str | None:
        """The label as stored."""
        ...


T = TypeVar("T", bound=Labelled)


def only_open(found: Iterable[T]) -> list[T]:
    """The second exit: what may be shown of what was found, in its order."""
    return [item for item in found if is_open(item.sensitivity)]
