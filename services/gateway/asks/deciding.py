"""What becomes of an ask after an attempt: pure, so that an outage can never be taken for a failure.

A part that is away makes the ask wait, for as long as the operator allows. What will not change by waiting is said at
once. A fault of our own code, which may end the process, is tried again a few times and then admitted.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from contracts.codes import AnswerKind, ErrorCode
from contracts.v1.ask import AnswerResult
from contracts.v1.errors import ErrorReply
from runtime.attempts import Fault
from runtime.errors import AskError, InternalError, UnavailableError, to_error_reply
from services.gateway.asks.records import FAULTS_ALLOWED, Ask

FIRST_PAUSE_SECONDS: Final = 0.5
LONGEST_PAUSE_SECONDS: Final = 30.0
"""As long as an ask may still wait once the part that was away is back."""

_DOUBLINGS: Final = 10


@dataclass(frozen=True, slots=True)
class Said:
    """The final word."""

    word: AnswerResult | ErrorReply
    is_dead_letter: bool = False
    """Somebody should look into it: our own code failed."""


@dataclass(frozen=True, slots=True)
class Waits:
    """A part is away; again after a pause."""

    code: ErrorCode
    seconds: float


@dataclass(frozen=True, slots=True)
class Faulted:
    """Our own code failed; again after a pause."""

    seconds: float


Step = Said | Waits | Faulted


def decide(ask: Ask, outcome: AnswerResult | AskError | Fault, *, now: datetime, longest_wait_seconds: float) -> Step:
    """The step after an attempt at `ask`, which counts the attempts and failures before this one."""
    match outcome:
        case AnswerResult(answer_kind=AnswerKind.DEGRADED):
            return _waiting(ask, UnavailableError(), now, longest_wait_seconds)
        case AnswerResult():
            return Said(outcome)
        case Fault() | InternalError():  # an `internal` of a worker is a fault of its code
            return _faulted(ask)
        case AskError(retryable=True):
            return _waiting(ask, outcome, now, longest_wait_seconds)
        case AskError():
            return Said(to_error_reply(outcome))


def is_given_up(ask: Ask) -> bool:
    """Whether an ask has failed too often for this attempt: it ends the process that answers it."""
    return ask.faults + ask.interruptions >= FAULTS_ALLOWED


def given_up() -> Said:
    """The last word on an ask that our own code cannot answer."""
    return Said(to_error_reply(InternalError()), is_dead_letter=True)


def has_waited_too_long(ask: Ask, *, now: datetime, longest_wait_seconds: float) -> bool:
    """Whether its time is over; an ask that was never tried always has one attempt."""
    return ask.attempts > 1 and now - ask.queued_at > timedelta(seconds=longest_wait_seconds)


def pause_seconds(times: int) -> float:
    """How long to wait after so many failures before this one."""
    return min(FIRST_PAUSE_SECONDS * float(2 ** min(times, _DOUBLINGS)), LONGEST_PAUSE_SECONDS)


def _waiting(ask: Ask, error: AskError, now: datetime, longest_wait_seconds: float) -> Step:
    if now - ask.queued_at > timedelta(seconds=longest_wait_seconds):
        return Said(to_error_reply(error))
    return Waits(error.code, pause_seconds(ask.waits))


def _faulted(ask: Ask) -> Step:
    if ask.faults + ask.interruptions + 1 >= FAULTS_ALLOWED:
        return given_up()
    return Faulted(pause_seconds(ask.faults))
