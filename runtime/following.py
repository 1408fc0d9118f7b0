"""Following the event stream: every event of a subject from now on, and a look at everything for what came before.

Each process follows for itself, under no name that the server would have to keep: what it may have missed, because it
was not there or not connected, it finds by looking at everything again. `is_current` says whether that is done, and
nothing was missed since.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from nats.aio.msg import Msg
from nats.errors import Error
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from pydantic import BaseModel, ValidationError

from contracts import subjects
from runtime.bus import Bus
from runtime.errors import AskError, UnavailableError
from runtime.logging import get_log

WAIT_SECONDS: Final = 2.0
"""One request for an event lasts so long; then the server is asked whether it still knows us."""
FORGOTTEN_SECONDS: Final = 60.0
"""After so long without a request the server forgets a follower that has ended."""
FIRST_PAUSE_SECONDS: Final = 0.2
LONGEST_PAUSE_SECONDS: Final = 5.0

_DOUBLINGS: Final = 6

_log = get_log(__name__)

M = TypeVar("M", bound=BaseModel)


@dataclass
class Follower(Generic[M]):
    """Follows one subject."""

    bus: Bus
    subject: str
    kind: type[M]
    look_at_all: Callable[[], Awaitable[None]]
    """Runs before the first event, and again after every interruption."""
    handle: Callable[[M], Awaitable[None]]
    _followed: int | None = field(default=None, init=False)
    """The connection on which nothing was missed, as the bus counts them."""
    _failures: int = field(default=0, init=False)

    @property
    def is_current(self) -> bool:
        """Whether at this moment everything was looked at, and nothing was missed since."""
        return self._followed is not None and self._followed == self.bus.connection_number

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            try:
                await self._follow()
            except (AskError, Error, OSError, TimeoutError) as error:
                if not self._failures:
                    code = error.code.value if isinstance(error, AskError) else "unavailable"
                    _log.warning("events_not_followed", subject=self.subject, code=code)
                self._failures += 1
            finally:
                self._followed = None
            await asyncio.sleep(min(FIRST_PAUSE_SECONDS * 2 ** min(self._failures, _DOUBLINGS), LONGEST_PAUSE_SECONDS))

    async def _follow(self) -> None:
        number = self.bus.connection_number
        if number is None:  # not yet, or not any more
            return
        config = ConsumerConfig(
            ack_policy=AckPolicy.EXPLICIT, deliver_policy=DeliverPolicy.NEW, inactive_threshold=FORGOTTEN_SECONDS
        )
        subscription = await self.bus.stream().pull_subscribe(self.subject, stream=subjects.EVENT_STREAM, config=config)
        try:
            await self.look_at_all()
            self._followed = number
            if self._failures:
                _log.info("events_followed", subject=self.subject, attempts=self._failures)
            self._failures = 0
            while self.bus.connection_number == number:
                await self._take(subscription)
        finally:
            await _leave(subscription)

    async def _take(self, subscription: JetStreamContext.PullSubscription) -> None:
        try:
            (message,) = await subscription.fetch(1, timeout=WAIT_SECONDS)
        except NatsTimeoutError:
            await subscription.consumer_info()  # an error where the server has forgotten us
            return
        await self._handle(message)

    async def _handle(self, message: Msg) -> None:
        try:
            event = self.kind.model_validate_json(message.data)
        except ValidationError:  # what it says is lost, so everything is looked at again
            _log.error("unreadable_event", subject=self.subject)
            await message.ack()
            raise UnavailableError from None
        await self.handle(event)
        await message.ack()


async def _leave(subscription: JetStreamContext.PullSubscription) -> None:
    try:
        await subscription.unsubscribe()
    except Error:
        return
