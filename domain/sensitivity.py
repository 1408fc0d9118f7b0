"""Labels of who may read a text: which of them are open, and that every other one is closed.

An unknown label is closed, and so is a missing one.
"""

from typing import Final

OPEN: Final = frozenset({"public", "internal"})


def normal_label(label: str) -> str:
    """A label as it is stored and compared: trimmed and case-folded."""
    return label.strip().casefold()


def is_open(label: str | None) -> bool:
    """Whether what carries this label may be shown."""
    return label is not None and normal_label(label) in OPEN
