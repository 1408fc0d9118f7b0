"""How long an ask may take: the caller's deadline within our bounds."""

from dataclasses import dataclass

from runtime.deadline import Deadline


@dataclass(frozen=True)
class Deadlines:
    """The default and the longest time for a request, in seconds."""

    default: float
    longest: float

    def capped(self, wanted: Deadline | None) -> Deadline:
        """The wanted deadline, no later than the longest time from now; the default where none is wanted."""
        return Deadline.after(self.default) if wanted is None else wanted.no_later_than(self.longest)

    def from_header(self, value: str | None) -> Deadline:
        """The deadline that a header names; raises `InvalidRequestError` when it is not a time."""
        return self.capped(Deadline.from_header(value) if value is not None else None)
