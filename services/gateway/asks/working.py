"""Working on durable asks: the ledger first, then the letter box, and only then may the message leave the queue.

Identity comes from the subject, which the broker enforced. Whatever dies between two of these steps, the message comes
again and finds how far it was; two gateways at the same ask end with the final word of the quicker one. An ask that
ends its gateway each time is given up like one at which our code fails.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Final
from uuid import uuid4

from pydantic import ValidationError

from contracts import subjects
from contracts.v1.ask import AnswerResult, AskRequest
from contracts.v1.errors import FieldProblem
from runtime.attempts import Fault, attempt
from runtime.deadline import Deadline
from runtime.errors import AskError, InvalidRequestError, UnavailableError, invalid_request
from runtime.logging import get_log
from runtime.repeats import refuse_repeats
from runtime.telemetry import Telemetry, parse_traceparent, set_attributes
from runtime.work_queue import Delivery, Done, Later, Verdict
from services.gateway.answering import Answering
from services.gateway.asks.deciding import (
    Faulted,
    Said,
    Step,
    Waits,
    decide,
    given_up,
    has_waited_too_long,
    is_given_up,
)
from services.gateway.asks.letters import Letters
from services.gateway.asks.names import fits, name_of
from services.gateway.asks.observing import AskMetrics
from services.gateway.asks.records import SUSPECT_AFTER, Ask, Name, final_word
from services.gateway.asks.store.working import Taken, WorkingLedger

SUSPECT_PAUSE_SECONDS: Final = 1.0
"""Until an ask that had to stand back for another one is looked at again."""
_ATTEMPT: Final = "durable_ask"

_log = get_log(__name__)


@dataclass(frozen=True)
class Working:
    """Handles the deliveries of the queue."""

    ledger: WorkingLedger
    letters: Letters
    answering: Answering
    metrics: AskMetrics
    telemetry: Telemetry
    now: Callable[[], datetime]
    attempt_seconds: float
    longest_wait_seconds: float
    suspect: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while an ask is answered that may end this process."""

    async def handle(self, delivery: Delivery) -> Verdict:
        """One attempt; raises `UnavailableError` while the ledger or the letter box is away."""
        if delivery.is_repeated:
            self.metrics.redelivered()
        name = name_of(delivery.subject)
        if name is None:
            _log.error("ask_cannot_be_kept")
            return Done()
        taken = await self._take(name, delivery)
        if taken is None:
            return Later(0)
        if taken.ask.final is not None:
            return await self._publish(name, taken.ask.final)
        if taken.ask.interruptions < SUSPECT_AFTER:
            return await self._work(taken.ask)
        if self.suspect.locked():
            await self.ledger.hand_back(name, was_begun=False)
            return Later(SUSPECT_PAUSE_SECONDS)
        async with self.suspect:
            return await self._work(taken.ask)

    async def _work(self, ask: Ask) -> Verdict:
        try:
            return await self._advance(ask)
        except asyncio.CancelledError:  # we are stopped; a process that could not say so would look like a crash
            with suppress(AskError):
                await self.ledger.hand_back(ask.name, was_begun=True)
            raise

    async def _take(self, name: Name, delivery: Delivery) -> Taken | None:
        trace = delivery.traceparent if parse_traceparent(delivery.traceparent) else None
        taken = await self.ledger.take(name, delivery.body, trace, delivery.stored_at)
        if taken is not None:
            if taken.is_new:
                self.metrics.accepted("bus")
            if not taken.is_same:
                self.metrics.differing()
        return taken

    async def _advance(self, ask: Ask) -> Verdict:
        match await self._step(ask):
            case Said(word, is_dead_letter):
                said = final_word(ask, word, now=self.now())
                final = await self.ledger.finish(ask.name, said, is_dead_letter=is_dead_letter)
                if final is None:
                    return Later(0)
                self.metrics.finished(said)
                return await self._publish(ask.name, final)
            case Waits(code, seconds):
                await self.ledger.wait(ask.name, code)
                self.metrics.waited(code)
                return Later(seconds)
            case Faulted(seconds):
                await self.ledger.fault(ask.name)
                self.metrics.faulted()
                return Later(seconds)

    async def _step(self, ask: Ask) -> Step:
        now = self.now()
        if is_given_up(ask):
            _log.error("ask_given_up", count=ask.interruptions)
            return given_up()
        if has_waited_too_long(ask, now=now, longest_wait_seconds=self.longest_wait_seconds):
            return decide(ask, UnavailableError(), now=now, longest_wait_seconds=self.longest_wait_seconds)
        with self.telemetry.attempting(subjects.ASKS_ANY, ask.trace):
            deadline = Deadline.after(self.attempt_seconds)
            outcome = await attempt(_ATTEMPT, lambda: self._answer(ask, deadline), deadline)
            set_attributes({"ragspine.outcome": _code(outcome)})
        return decide(ask, outcome, now=self.now(), longest_wait_seconds=self.longest_wait_seconds)

    async def _answer(self, ask: Ask, deadline: Deadline) -> AnswerResult:
        request = dated(read(ask), ask.accepted_at, self.answering.profile.zone)
        return await self.answering.answer_ask(request, deadline, uuid4().hex)

    async def _publish(self, name: Name, final: str) -> Verdict:
        await self.letters.deliver(name, final)
        return Done()


def read(ask: Ask) -> AskRequest:
    """The request in an ask; raises `InvalidRequestError` for one that cannot be read or has an impossible name."""
    if not fits(ask.name):
        problem = FieldProblem(field="subject", reason="app or ask id has a form that the contract does not allow")
        raise InvalidRequestError(problems=(problem,))
    try:
        request = AskRequest.model_validate_json(ask.body)
    except ValidationError as error:
        raise invalid_request(error) from None
    refuse_repeats(ask.body)
    return request


def dated(request: AskRequest, accepted_at: datetime, zone: tzinfo) -> AskRequest:
    """The request with the day that counts as its today: that of its acceptance, however long it has waited since."""
    if request.reference_date is not None:
        return request
    return request.model_copy(update={"reference_date": accepted_at.astimezone(zone).date()})


def _code(outcome: AnswerResult | AskError | Fault) -> str:
    match outcome:
        case AnswerResult():
            return "ok"
        case AskError():
            return outcome.code.value
        case Fault():
            return "fault"
