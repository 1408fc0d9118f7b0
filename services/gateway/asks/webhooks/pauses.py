"""When a webhook that was not taken is sent again: after a growing pause, spread so that not all come back at once."""

from typing import Final

FIRST_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 3_600.0
"""Sixteen attempts then last about eight hours."""

_GROWTH: Final = 3.0
_MOST_STEPS: Final = 20


def pause_seconds(attempt: int, *, spread: float, wanted: float | None = None) -> float:
    """The pause after an attempt, the first being 1; `spread` of 0…1 picks from its upper half.

    What the receiver wants (`Retry-After`) counts where it is longer, up to the longest pause.
    """
    whole = min(LONGEST_SECONDS, FIRST_SECONDS * _GROWTH ** min(attempt - 1, _MOST_STEPS))
    own = whole * (0.5 + spread / 2)
    return min(LONGEST_SECONDS, max(own, wanted or 0.0))
