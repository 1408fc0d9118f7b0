# pyright: reportUnknownMemberType=false
# (nats-py leaves the types of its arguments open)
"""A stream that holds at most one message per subject, as something to put in, look at and take out.

Putting returns only once the server has acknowledged, which on a syncing server means that the message is on disk.
"""

from dataclasses import dataclass
from typing import Final

from nats.errors import Error
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import APIError, NotFoundError

from runtime.bus import Bus
from runtime.deadline import Deadline
from runtime.errors import DeadlineExceededError, UnavailableError

_STORE_REFUSED: Final = 10077
"""The one code for everything that a limit of the stream forbids; the text says which."""
_SUBJECT_TAKEN: Final = "maximum messages per subject"


@dataclass(frozen=True, slots=True)
class Held:
    """A message of the stream."""

    sequence: int
    body: bytes


@dataclass(frozen=True)
class SubjectStream:
    """One such stream. Every method raises `UnavailableError` or `DeadlineExceededError`."""

    bus: Bus
    name: str

    async def put(self, subject: str, body: bytes, deadline: Deadline) -> bool:
        """Store a message; False when the subject already holds one, which stays as it is."""
        stream = self.bus.stream()
        if deadline.left() <= 0:
            raise DeadlineExceededError
        try:
            await stream.publish(subject, body, timeout=deadline.left(), stream=self.name)
        except APIError as error:
            if error.err_code == _STORE_REFUSED and _SUBJECT_TAKEN in (error.description or ""):
                return False
            raise UnavailableError("The message bus cannot store any more at the moment.") from error
        except NatsTimeoutError:
            raise DeadlineExceededError from None
        except Error as error:
            raise UnavailableError from error
        return True

    async def get(self, subject: str) -> Held | None:
        """What a subject holds."""
        try:
            found = await self.bus.stream().get_last_msg(self.name, subject, direct=True)
        except NotFoundError:
            return None
        except (Error, TimeoutError) as error:
            raise UnavailableError from error
        return Held(found.seq or 0, found.data or b"")

    async def remove(self, held: Held) -> None:
        """Take a message out; nothing happens when it is gone."""
        try:
            await self.bus.stream().delete_msg(self.name, held.sequence)
        except APIError:
            return  # somebody else has taken it out
        except (Error, TimeoutError) as error:
            raise UnavailableError from error
