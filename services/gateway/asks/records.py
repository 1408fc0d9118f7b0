"""An ask as the ledger keeps it, and what callers are shown of it."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pydantic import ValidationError

from contracts.codes import AskState, ErrorCode
from contracts.v1.ask import AnswerResult, AskRequest
from contracts.v1.asks import AskStatus, AskSummary, DurableAnswer, request_digest
from contracts.v1.errors import ErrorReply

FAULTS_ALLOWED: Final = 5
"""After so many failures of our own code an ask is given up: those that it tells of, and those that end the process.

An outage of a part is none, and an attempt that ends in one makes the interruptions before it forgotten. Gateways that
are killed at random hit the same ask five times in a row practically never: a kill interrupts what the gateway is at, a
few asks out of thousands, and the next attempt, half a minute later, is over in a moment; where one in fifty attempts
meets a kill, five of them meet one in three hundred million.
"""
SUSPECT_AFTER: Final = 2
"""After so many interruptions a gateway answers an ask beside no other such ask: the one that ends processes would
take those down with it that were only there, each time, until they are given up as well."""


@dataclass(frozen=True, slots=True)
class Name:
    """The identity of an ask, as the broker or the gateway gave it."""

    app: str
    ask_id: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A row of the ledger."""

    name: Name
    place: int
    body: bytes
    trace: str | None
    state: AskState
    code: str | None
    attempts: int
    waits: int
    faults: int
    unreported: int
    """Runs of gateways that began an attempt and have not said how it ended: the one at work, and those that died."""
    accepted_at: datetime
    queued_at: datetime
    finished_at: datetime | None
    final: str | None
    """The final word as it is published; None while there is none."""

    @property
    def interruptions(self) -> int:
        """Attempts in a row that ended with their gateway, seen from the attempt that runs now."""
        return max(0, self.unreported - 1)

    def summary(self) -> AskSummary:
        """How far it is, without texts."""
        return AskSummary(
            ask_id=self.name.ask_id,
            app=self.name.app,
            state=self.state,
            attempts=self.attempts,
            accepted_at=self.accepted_at,
            finished_at=self.finished_at,
            error_code=ErrorCode(self.code) if self.code else None,
        )

    def status(self) -> AskStatus:
        """How far it is, with the final word."""
        word = DurableAnswer.model_validate_json(self.final) if self.final else None
        return AskStatus(
            **dict(self.summary()), answer=word.answer if word else None, error=word.error if word else None
        )


def final_word(ask: Ask, said: AnswerResult | ErrorReply, *, now: datetime) -> DurableAnswer:
    """The final word on an ask."""
    answer = said if isinstance(said, AnswerResult) else None
    return DurableAnswer(
        ask_id=ask.name.ask_id,
        app=ask.name.app,
        state=AskState.FAILED if answer is None else AskState.ANSWERED,
        attempts=ask.attempts,
        accepted_at=ask.accepted_at,
        finished_at=now,
        request_sha256=_digest_of(ask.body),
        answer=answer,
        error=said if isinstance(said, ErrorReply) else None,
    )


def _digest_of(body: bytes) -> str | None:
    try:
        return request_digest(AskRequest.model_validate_json(body))
    except ValidationError:
        return None


def sha256(body: bytes) -> bytes:
    """The digest by which bodies are told apart."""
    return hashlib.sha256(body).digest()
