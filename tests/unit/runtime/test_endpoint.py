"""Whatever arrives and whatever the handler does, there is exactly one typed reply."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import subjects
from contracts.codes import ErrorCode
from contracts.v1.errors import ErrorReply, FieldProblem
from runtime.deadline import Deadline, current_deadline
from runtime.endpoint import MAX_MESSAGE_BYTES, Endpoint, Reply, make_endpoint
from runtime.errors import ConflictError, InvalidRequestError
from tests.unit.runtime.messages import QUEUE, Said, Say

Handler = Callable[[Say], Awaitable[Said]]


def endpoint_of(handler: Handler, default_deadline_seconds: float = 5.0) -> Endpoint[Say, Said]:
    return make_endpoint(handler, subject="test.say", queue=QUEUE, default_deadline_seconds=default_deadline_seconds)


def error_of(reply: Reply) -> ErrorReply:
    error = ErrorReply.model_validate_json(reply.body)
    assert reply.outcome == error.code
    assert reply.headers[subjects.HEADER_ERROR] == error.code
    return error


async def echo(message: Say) -> Said:
    """Say it again."""
    return Said(text=message.text)


async def test_a_valid_request_gets_the_handlers_message() -> None:
    reply = await endpoint_of(echo).respond(b'{"text": "hello"}', {})

    assert Said.model_validate_json(reply.body) == Said(text="hello")
    assert reply.outcome == "ok"
    assert subjects.HEADER_ERROR not in reply.headers


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"text": 5}', b'{"text": "a", "more": 1}', b"\xff\xfe", b'{"text": "\xff"}']
)
async def test_a_bad_request_gets_field_problems(body: bytes) -> None:
    reply = await endpoint_of(echo).respond(body, {})

    assert error_of(reply).code is ErrorCode.INVALID_REQUEST
    assert error_of(reply).problems
    assert reply.headers[subjects.HEADER_ERROR_CODE] == "422"


@given(st.binary(max_size=200))
async def test_any_bytes_get_a_typed_reply(body: bytes) -> None:
    reply = await endpoint_of(echo).respond(body, {})

    if reply.outcome != "ok":
        assert error_of(reply).code is ErrorCode.INVALID_REQUEST


async def test_deeply_nested_json_gets_a_typed_reply() -> None:
    reply = await endpoint_of(echo).respond(b"[" * 100_000, {})

    assert error_of(reply).code is ErrorCode.INVALID_REQUEST


async def test_an_expected_error_keeps_its_code_and_problems() -> None:
    async def refuse(message: Say) -> Said:
        raise InvalidRequestError("No.", problems=[FieldProblem(field="text", reason="is taken")])

    error = error_of(await endpoint_of(refuse).respond(b'{"text": "a"}', {}))

    assert (error.code, error.message) == (ErrorCode.INVALID_REQUEST, "No.")
    assert error.problems == (FieldProblem(field="text", reason="is taken"),)


async def test_an_unexpected_exception_becomes_internal_and_its_text_goes_nowhere(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail(message: Say) -> Said:
        raise RuntimeError(f"SENTINEL {message.text}")

    with caplog.at_level(logging.DEBUG):
        reply = await endpoint_of(fail).respond(b'{"text": "SENTINEL"}', {})

    assert error_of(reply).code is ErrorCode.INTERNAL
    assert b"SENTINEL" not in reply.body
    assert "handler_failed" in caplog.text
    assert not any("SENTINEL" in str(vars(record)) for record in caplog.records)


async def test_a_handler_that_returns_the_wrong_kind_becomes_internal() -> None:
    async def confuse(message: Say) -> Said:
        return message

    reply = await endpoint_of(confuse).respond(b'{"text": "a"}', {})

    assert error_of(reply).code is ErrorCode.INTERNAL


async def test_a_reply_that_the_bus_cannot_carry_becomes_a_typed_error() -> None:
    async def shout(message: Say) -> Said:
        return Said(text="x" * MAX_MESSAGE_BYTES)

    reply = await endpoint_of(shout).respond(b'{"text": "a"}', {})

    assert error_of(reply).code is ErrorCode.PAYLOAD_TOO_LARGE


async def test_an_error_with_more_problems_than_fit_is_cut() -> None:
    problems = [FieldProblem(field="x" * 1_000, reason="y" * 1_000) for _ in range(1_000)]

    async def refuse(message: Say) -> Said:
        raise ConflictError(problems=problems)

    reply = await endpoint_of(refuse).respond(b'{"text": "a"}', {})

    assert len(reply.body) <= MAX_MESSAGE_BYTES
    assert error_of(reply).code is ErrorCode.CONFLICT


async def test_an_expired_request_is_refused_without_running_the_handler() -> None:
    ran: list[Say] = []

    async def note(message: Say) -> Said:
        ran.append(message)
        return Said(text="")

    reply = await endpoint_of(note).respond(
        b'{"text": "a"}', {subjects.HEADER_DEADLINE: Deadline.after(-0.01).to_header()}
    )

    assert error_of(reply).code is ErrorCode.DEADLINE_EXCEEDED
    assert reply.was_dropped
    assert ran == []


async def test_a_handler_is_cut_at_the_deadline() -> None:
    was_cut = asyncio.Event()

    async def dawdle(message: Say) -> Said:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            was_cut.set()
            raise
        return Said(text="")

    reply = await endpoint_of(dawdle).respond(
        b'{"text": "a"}', {subjects.HEADER_DEADLINE: Deadline.after(0.02).to_header()}
    )

    assert error_of(reply).code is ErrorCode.DEADLINE_EXCEEDED
    assert was_cut.is_set()
    assert not reply.was_dropped


async def test_without_a_header_the_default_deadline_counts() -> None:
    async def dawdle(message: Say) -> Said:
        await asyncio.Event().wait()
        return Said(text="")

    reply = await endpoint_of(dawdle, default_deadline_seconds=0.02).respond(b'{"text": "a"}', {})

    assert error_of(reply).code is ErrorCode.DEADLINE_EXCEEDED


async def test_a_timeout_of_the_handlers_own_is_a_fault_of_ours() -> None:
    async def give_up(message: Say) -> Said:
        raise TimeoutError

    reply = await endpoint_of(give_up).respond(b'{"text": "a"}', {})

    assert error_of(reply).code is ErrorCode.INTERNAL


async def test_a_header_that_is_no_deadline_is_named() -> None:
    reply = await endpoint_of(echo).respond(b'{"text": "a"}', {subjects.HEADER_DEADLINE: "tomorrow"})

    assert [problem.field for problem in error_of(reply).problems] == [subjects.HEADER_DEADLINE]


async def test_the_handler_knows_its_deadline() -> None:
    seen: list[Deadline | None] = []

    async def look(message: Say) -> Said:
        seen.append(current_deadline())
        return Said(text="")

    deadline = Deadline.after(3)
    await asyncio.create_task(
        endpoint_of(look).respond(b'{"text": "a"}', {subjects.HEADER_DEADLINE: deadline.to_header()})
    )

    assert seen == [Deadline.from_header(deadline.to_header())]
    assert current_deadline() is None


def test_the_operation_is_read_from_the_handler() -> None:
    operation = endpoint_of(echo).operation

    assert (operation.subject, operation.queue) == ("test.say", QUEUE)
    assert (operation.request, operation.reply) == (Say, Said)
    assert operation.summary == "Say it again."


async def _without_annotation(message):
    return message


async def _without_reply(message: Say) -> None:
    return None


async def _with_two(message: Say, other: Say) -> Said:
    return Said(text="")


async def _with_text(message: str) -> Said:
    return Said(text=message)


@pytest.mark.parametrize("handler", [_without_annotation, _without_reply, _with_two, _with_text])
def test_a_handler_without_messages_is_refused_at_registration(handler: Handler) -> None:
    with pytest.raises(TypeError, match=r"test\.say must take one message and return one message"):
        endpoint_of(handler)
