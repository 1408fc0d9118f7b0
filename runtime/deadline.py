"""When a request must be over: an absolute time that travels with it, so that nobody works for a caller who has left.

The clocks of the machines must agree to well within a second (NTP). The deadline never grows on its way.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Self

from contracts import subjects
from contracts.v1.errors import FieldProblem
from runtime.errors import InvalidRequestError

MAX_SECONDS: Final = 300.0
"""The longest time a caller may ask for; what lies beyond is cut to it."""

_MAX_HEADER_DIGITS: Final = 16  # milliseconds until the year 300,000: longer is a typing error

_current: ContextVar["Deadline | None"] = ContextVar("ragspine_deadline", default=None)


@dataclass(frozen=True, slots=True)
class Deadline:
    """An instant, in seconds since the epoch."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        """The instant that many seconds from now."""
        return cls(time.time() + seconds)

    @classmethod
    def from_header(cls, value: str) -> Self:
        """Read the header `Ragspine-Deadline`; raises `InvalidRequestError` when it is not milliseconds."""
        if not (value.isascii() and value.isdigit() and len(value) <= _MAX_HEADER_DIGITS):
            raise InvalidRequestError(
                problems=[
                    FieldProblem(
                        field=subjects.HEADER_DEADLINE, reason="must be milliseconds since the epoch, as digits"
                    )
                ]
            )
        return cls(min(int(value) / 1000, time.time() + MAX_SECONDS))

    def to_header(self) -> str:
        """The value of the header `Ragspine-Deadline`: whole milliseconds since the epoch."""
        return str(max(0, int(self.at * 1000)))

    def left(self) -> float:
        """Seconds until then; negative once it has passed."""
        return self.at - time.time()

    def earlier_by(self, seconds: float) -> "Deadline":
        """The same deadline with `seconds` kept back."""
        return Deadline(self.at - seconds)

    def no_later_than(self, seconds: float) -> "Deadline":
        """The same deadline, or `seconds` from now, whichever comes first."""
        return Deadline(min(self.at, time.time() + seconds))


def current_deadline() -> Deadline | None:
    """The deadline of the request that is being served; None outside of one."""
    return _current.get()


@contextmanager
def serving_until(deadline: Deadline) -> Generator[None]:
    """Make `deadline` the current one within the block; used by the serving side only."""
    token = _current.set(deadline)
    try:
        yield
    finally:
        _current.reset(token)
