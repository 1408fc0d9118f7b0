"""How the command line hands in durable asks and waits for them. What was accepted goes on, whatever happens here."""

import time
from typing import Final, TypeVar
from uuid import uuid4

from pydantic import BaseModel

from cli.client import EXIT_CODES, Gateway
from cli.console import CliError, ExitCode, command_name, note
from contracts.codes import HTTP_STATUS, AskState, ErrorCode
from contracts.subjects import HEADER_IDEMPOTENCY_KEY
from contracts.v1.ask import AnswerResult
from contracts.v1.asks import AskStatus

FIRST_LOOK_SECONDS: Final = 0.1
LONGEST_LOOK_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 1.0
"""Before the one retry of an ask that was perhaps not accepted; a restarted gateway is back by then."""
ACCEPT_SECONDS: Final = 10.0

_ENDED: Final = frozenset({AskState.ANSWERED, AskState.FAILED})

M = TypeVar("M", bound=BaseModel)


def ask_durably(gateway: Gateway, request: dict[str, object], deadline_seconds: float | None) -> AnswerResult:
    """Hand in an ask and wait for its answer, without a deadline for as long as it takes; raises `CliError`."""
    until = None if deadline_seconds is None else time.monotonic() + deadline_seconds
    status = _hand_in(gateway, request)
    note(f"accepted as {status.ask_id}", style="dim")
    return answer_of(wait_for(gateway, status, until))


def wait_for(gateway: Gateway, status: AskStatus, until: float | None) -> AskStatus:
    """The ask once it has ended, its states on stderr. Raises `CliError`; Ctrl-C says how to look at it later."""
    try:
        return _waited(gateway, status, until)
    except KeyboardInterrupt:
        note(f"\nthe ask goes on; look at it with `{command_name()} asks show {status.ask_id}`")
        raise


def answer_of(status: AskStatus) -> AnswerResult:
    """The answer of an ask that has ended; raises `CliError` for one that has failed."""
    if status.answer is not None:
        return status.answer
    error, code = status.error, status.error.code if status.error else ErrorCode.INTERNAL
    problems = (f"{problem.field or 'the message'}: {problem.reason}" for problem in (error.problems if error else ()))
    again = f"try it again with `{command_name()} asks retry {status.ask_id}`"
    raise CliError(
        "\n       ".join([f"the ask has failed: {error.message if error else code}", *problems]),
        hint="correct it and hand it in as a new ask" if code is ErrorCode.INVALID_REQUEST else again,
        code=EXIT_CODES.get(HTTP_STATUS[code], ExitCode.FAILED),
        reason=code.value,
    )


def read_reply(text: str, kind: type[M], gateway: Gateway) -> M:
    """A reply as a message; raises `CliError` when it is none."""
    try:
        return kind.model_validate_json(text)
    except ValueError:
        raise CliError(f"{gateway.url} is not a RAGSpine gateway", hint="check --url", code=ExitCode.USAGE) from None


def find_ask(gateway: Gateway, ask_id: str) -> AskStatus:
    """How far an ask is; raises `CliError`."""
    return call_on(gateway, ask_id, "GET")


def call_on(gateway: Gateway, ask_id: str, method: str, what: str = "") -> AskStatus:
    """What a call on one ask says of it; raises `CliError`, which for an unknown ask says how to find its id."""
    if not (ask_id.isascii() and ask_id.replace("-", "").replace("_", "").isalnum()):
        raise CliError(f"{ask_id!r} is no id of an ask", hint=f"see `{command_name()} asks list`", code=ExitCode.USAGE)
    try:
        return read_reply(gateway.call(method, f"/v1/asks/{ask_id}{what}").text, AskStatus, gateway)
    except CliError as error:
        if error.reason == ErrorCode.NOT_FOUND:
            error.hint = (
                f"see the ids with `{command_name()} asks list`; an app sees its own asks only, and ended ones are "
                "kept for a set time"
            )
        raise


def _hand_in(gateway: Gateway, request: dict[str, object]) -> AskStatus:
    """Accepted once, although it may be sent twice: both times under the same key."""
    headers = {HEADER_IDEMPOTENCY_KEY: uuid4().hex}
    try:
        reply = gateway.call("POST", "/v1/asks", body=request, headers=headers, deadline_seconds=ACCEPT_SECONDS)
    except CliError as error:
        if error.code is not ExitCode.DEGRADED and error.reason != ErrorCode.CONFLICT:
            raise
        time.sleep(RETRY_SECONDS)
        reply = gateway.call("POST", "/v1/asks", body=request, headers=headers, deadline_seconds=ACCEPT_SECONDS)
    return read_reply(reply.text, AskStatus, gateway)


def _waited(gateway: Gateway, status: AskStatus, until: float | None) -> AskStatus:
    pause, told, saying = FIRST_LOOK_SECONDS, "", _progress(status)
    while status.state not in _ENDED:
        told = _tell(saying, told)
        if until is not None and time.monotonic() + pause > until:
            raise CliError(
                "the answer is not there yet; the ask goes on",
                hint=f"look at it with `{command_name()} asks show {status.ask_id}`",
                code=ExitCode.DEGRADED,
                reason=ErrorCode.DEADLINE_EXCEEDED.value,
            )
        time.sleep(pause)
        pause = min(LONGEST_LOOK_SECONDS, pause * 1.5)
        try:
            status = find_ask(gateway, status.ask_id)
            saying = _progress(status)
        except CliError as error:
            if error.code is not ExitCode.DEGRADED:
                raise
            saying = "the gateway is away; waiting for it"
    return status


def _progress(status: AskStatus) -> str:
    why = f": waits for a part that is away ({status.error_code})" if status.error_code else ""
    again = f", attempt {status.attempts}" if status.attempts > 1 else ""
    return f"{status.state}{again}{why}"


def _tell(text: str, told: str) -> str:
    if text != told:
        note(text, style="dim")
    return text
