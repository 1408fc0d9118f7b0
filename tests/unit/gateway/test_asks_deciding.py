import dataclasses
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from contracts.codes import AnswerKind, AskState, ErrorCode, Locale
from contracts.v1.ask import AnswerResult, AskRequest
from contracts.v1.asks import request_digest
from contracts.v1.errors import ErrorReply
from runtime.attempts import Fault
from runtime.errors import (
    AskError,
    DeadlineExceededError,
    FactSourceUnavailableError,
    InternalError,
    InvalidRequestError,
    OverloadedError,
    UnavailableError,
    to_error_reply,
)
from services.gateway.asks.deciding import (
    LONGEST_PAUSE_SECONDS,
    Faulted,
    Said,
    Waits,
    decide,
    has_waited_too_long,
    is_given_up,
    pause_seconds,
)
from services.gateway.asks.names import fits, name_of
from services.gateway.asks.records import FAULTS_ALLOWED, Ask, Name, final_word
from services.gateway.asks.working import dated
from tests.component.gateway.doors import ANSWER

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
DAY = 86_400.0


def ask(*, waits: int = 0, faults: int = 0, attempts: int = 1, unreported: int = 1) -> Ask:
    return Ask(
        name=Name("crm", "1"),
        place=1,
        body=b"{}",
        trace=None,
        state=AskState.WORKING,
        code=None,
        attempts=attempts,
        waits=waits,
        faults=faults,
        unreported=unreported,
        accepted_at=START,
        queued_at=START,
        finished_at=None,
        final=None,
    )


def step(outcome: AnswerResult | AskError | Fault, of: Ask | None = None, *, seconds: float = 1) -> object:
    return decide(of or ask(), outcome, now=START + timedelta(seconds=seconds), longest_wait_seconds=DAY)


@pytest.mark.parametrize("kind", [AnswerKind.NORMAL, AnswerKind.REFUSAL, AnswerKind.CLARIFICATION])
def test_answers_refusals_and_questions_back_are_final(kind: AnswerKind) -> None:
    answer = ANSWER.model_copy(update={"answer_kind": kind})

    assert step(answer) == Said(answer)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (ANSWER.model_copy(update={"answer_kind": AnswerKind.DEGRADED}), ErrorCode.UNAVAILABLE),
        (UnavailableError(), ErrorCode.UNAVAILABLE),
        (FactSourceUnavailableError(), ErrorCode.FACT_SOURCE_UNAVAILABLE),
        (DeadlineExceededError(), ErrorCode.DEADLINE_EXCEEDED),
        (OverloadedError(), ErrorCode.OVERLOADED),
    ],
)
def test_an_outage_waits_and_after_the_longest_wait_it_is_admitted(
    outcome: AnswerResult | AskError, code: ErrorCode
) -> None:
    last = step(outcome, seconds=DAY + 1)

    assert step(outcome) == Waits(code, pause_seconds(0))
    assert isinstance(last, Said)
    assert isinstance(last.word, ErrorReply)
    assert (last.word.code, last.is_dead_letter) == (code, False)


def test_what_cannot_change_by_waiting_is_said_at_once() -> None:
    said = step(InvalidRequestError())

    assert isinstance(said, Said)
    assert isinstance(said.word, ErrorReply)
    assert said.word.code is ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize("fault", [Fault(), InternalError()])
def test_a_fault_of_ours_is_tried_again_and_then_a_dead_letter(fault: Fault | InternalError) -> None:
    last = step(fault, ask(faults=FAULTS_ALLOWED - 1))

    assert step(fault, ask(faults=FAULTS_ALLOWED - 2)) == Faulted(pause_seconds(FAULTS_ALLOWED - 2))
    assert isinstance(last, Said)
    assert last.is_dead_letter


@pytest.mark.parametrize(
    ("faults", "unreported", "is_over"), [(0, 5, False), (0, 6, True), (3, 2, False), (3, 3, True), (0, 0, False)]
)
def test_attempts_that_ended_with_their_gateway_count_like_faults(faults: int, unreported: int, is_over: bool) -> None:
    seen = ask(faults=faults, unreported=unreported)

    assert is_given_up(seen) is is_over
    assert is_over or isinstance(step(Fault(), seen), Said) == (faults + unreported >= FAULTS_ALLOWED)


def test_pauses_grow_up_to_a_limit() -> None:
    pauses = [pause_seconds(times) for times in range(100)]

    assert pauses == sorted(pauses)
    assert (pauses[0] < 1, pauses[-1]) == (True, LONGEST_PAUSE_SECONDS)


def test_an_ask_that_was_never_tried_has_one_attempt_however_old_it_is() -> None:
    late = START + timedelta(days=2)

    assert not has_waited_too_long(ask(attempts=1), now=late, longest_wait_seconds=DAY)
    assert has_waited_too_long(ask(attempts=2), now=late, longest_wait_seconds=DAY)


@pytest.mark.parametrize("said", [ANSWER, ErrorReply(code=ErrorCode.INTERNAL, retryable=False, message="x")])
def test_a_final_word_says_one_thing(said: AnswerResult | ErrorReply) -> None:
    word = final_word(ask(), said, now=START)

    assert [word.answer, word.error].count(None) == 1


def test_a_final_word_tells_which_request_it_answers_whoever_sent_it_and_however_often() -> None:
    asked = AskRequest(question="中国内地2024营收", locale=Locale.ZH)
    sent = dataclasses.replace(ask(), body=asked.model_copy(update={"request_id": "7"}).model_dump_json().encode())
    unreadable = dataclasses.replace(ask(), body=b"{")

    assert final_word(sent, ANSWER, now=START).request_sha256 == request_digest(asked)
    assert request_digest(asked) != request_digest(asked.model_copy(update={"question": "香港2024营收"}))
    assert final_word(unreadable, to_error_reply(InternalError()), now=START).request_sha256 is None


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ("ragspine.v1.asks.crm.1", Name("crm", "1")),
        ("ragspine.v1.asks.CRM.$", Name("CRM", "$")),
        ("ragspine.v1.answers.crm.1", None),
        ("ragspine.v1.asks.crm", None),
        ("ragspine.v1.asks.crm.1.2", None),
        (f"ragspine.v1.asks.crm.{'x' * 256}", None),
    ],
)
def test_the_subject_is_the_name(subject: str, name: Name | None) -> None:
    assert name_of(subject) == name


def test_names_that_the_contract_does_not_allow_are_seen() -> None:
    assert fits(Name("crm", "A_b-9"))
    assert not any(
        fits(Name(*pair)) for pair in [("CRM", "1"), ("crm", "$"), ("crm", "x" * 65), ("-", "1"), ("a\n", "1")]
    )


@pytest.mark.parametrize(("given", "today"), [(None, date(2026, 1, 1)), (date(2020, 5, 5), date(2020, 5, 5))])
def test_today_is_the_day_of_acceptance_however_long_an_ask_has_waited(given: date | None, today: date) -> None:
    accepted = datetime(2025, 12, 31, 16, 30, tzinfo=UTC)  # half past midnight in Hong Kong

    request = dated(AskRequest(question="今年营收", reference_date=given), accepted, ZoneInfo("Asia/Hong_Kong"))

    assert request.reference_date == today
