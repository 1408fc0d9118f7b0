"""Decides at the edge who calls. Once keys are needed they stay needed until the process ends."""

from collections.abc import Callable
from datetime import datetime

from runtime.errors import UnauthenticatedError
from services.gateway.access.callers import LOCAL_CALLER, NOBODY, Caller
from services.gateway.access.failures import FailedAttempts
from services.gateway.access.rates import Rates, too_often
from services.gateway.access.ring import KeyRing

_TOO_MANY_WRONG_KEYS = "Too many requests without a valid key."


class Gate:
    """The keys in force, the rates and the failures of one gateway."""

    def __init__(self, rates: Rates, failures: FailedAttempts, now: Callable[[], datetime]) -> None:
        self.ring: KeyRing | None = None
        """None: no keys are needed."""
        self.rates = rates
        self.failures = failures
        self._now = now

    @property
    def anybody(self) -> Caller:
        """Who calls what needs no key."""
        return LOCAL_CALLER if self.ring is None else NOBODY

    def caller(self, authorization: str | None, address: str) -> Caller:
        """Who calls; raises `UnauthenticatedError`, or `RateLimitedError` where wrong keys keep coming."""
        if self.ring is None:
            return LOCAL_CALLER
        caller = self.ring.caller(authorization, self._now())
        if caller is not None:
            return caller
        if wait := self.failures.note(address):
            raise too_often(wait, _TOO_MANY_WRONG_KEYS)
        raise UnauthenticatedError

    def is_still_known(self, caller: Caller) -> bool:
        """Whether a caller who was let in would be let in now: asked again and again by replies that last."""
        return self.ring is None or self.ring.holds(caller.key_id, self._now())
