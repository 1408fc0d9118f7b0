"""`ask --durable` and `asks`: what is sent, what is said while it waits, and which exit code it comes to."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from cli import durable
from cli.client import Gateway, Reply
from cli.console import CliError, ExitCode
from cli.main import main
from contracts.codes import AskState, ErrorCode
from contracts.v1.ask import AnswerResult
from contracts.v1.asks import AskList, AskStatus
from contracts.v1.errors import ErrorReply, FieldProblem
from tests.component.gateway.doors import ANSWER, QUESTION

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
URL = ("--url", "http://127.0.0.1:1")
AWAY = CliError("cannot be reached", code=ExitCode.DEGRADED)

Said = AskStatus | AskList | CliError | Reply | type[KeyboardInterrupt]


def status(
    state: AskState, *, attempts: int = 0, waits: ErrorCode | None = None, error: ErrorReply | None = None
) -> AskStatus:
    return AskStatus(
        ask_id="a1",
        app="local",
        state=state,
        attempts=attempts,
        accepted_at=NOW,
        finished_at=NOW if state in (AskState.ANSWERED, AskState.FAILED) else None,
        error_code=error.code if error else waits,
        answer=ANSWER if state is AskState.ANSWERED else None,
        error=error,
    )


QUEUED, WORKING, ANSWERED = status(AskState.QUEUED), status(AskState.WORKING, attempts=1), status(AskState.ANSWERED)
FAILED = status(
    AskState.FAILED, error=ErrorReply(code=ErrorCode.TOO_MANY_SUBTASKS, retryable=False, message="Too many values.")
)


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[tuple[str, str, dict[str, Any]]]]:
    """Let the gateway say these, one a request; what it was sent is returned."""

    def script(*said: Said) -> list[tuple[str, str, dict[str, Any]]]:
        sent: list[tuple[str, str, dict[str, Any]]] = []
        replies = iter(said)

        def send(_: Gateway, method: str, path: str, **given: Any) -> Reply:
            sent.append((method, path, given))
            reply = next(replies)
            if isinstance(reply, CliError):
                raise reply
            if isinstance(reply, Reply):
                return reply
            if isinstance(reply, type):
                raise reply
            return Reply(200, reply.model_dump_json())

        monkeypatch.setattr(Gateway, "send", send)
        monkeypatch.setattr(durable.time, "sleep", lambda _: None)
        return sent

    return script


def test_an_ask_is_handed_in_and_waited_for_with_its_states_on_stderr(
    says: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    away = status(AskState.QUEUED, attempts=2, waits=ErrorCode.UNAVAILABLE)
    sent = says(QUEUED, QUEUED, WORKING, away, AWAY, AWAY, ANSWERED)

    code = main(["ask", QUESTION, "--durable", *URL])

    shown = capsys.readouterr()
    assert (code, shown.out.strip()) == (ExitCode.OK, ANSWER.answer)
    assert [line.strip() for line in shown.err.splitlines()] == [
        "accepted as a1",
        "queued",
        "working",
        "queued, attempt 2: waits for a part that is away (unavailable)",
        "the gateway is away; waiting for it",
    ]
    assert [(method, path) for method, path, _ in sent] == [("POST", "/v1/asks"), *[("GET", "/v1/asks/a1")] * 6]


def test_json_prints_the_answer_alone(says: Any, capsys: pytest.CaptureFixture[str]) -> None:
    says(ANSWERED)

    code = main(["ask", QUESTION, "--durable", "--json", *URL])

    assert code == ExitCode.OK
    assert AnswerResult.model_validate_json(capsys.readouterr().out) == ANSWER


@pytest.mark.parametrize(
    "first", [AWAY, Reply(409, '{"code": "conflict", "detail": "being accepted"}'), Reply(503, "{}")]
)
def test_what_was_perhaps_accepted_is_sent_once_more_under_the_same_key(says: Any, first: Said) -> None:
    sent = says(first, ANSWERED)

    code = main(["ask", QUESTION, "--durable", *URL])

    (one, two) = (given["headers"]["Idempotency-Key"] for _, _, given in sent)
    assert code == ExitCode.OK
    assert one == two


def test_what_is_refused_is_sent_once(says: Any) -> None:
    sent = says(Reply(422, '{"code": "invalid_request", "detail": "no"}'))

    assert main(["ask", QUESTION, "--durable", *URL]) == ExitCode.USAGE
    assert len(sent) == 1


def test_ctrl_c_leaves_the_ask_running_and_says_how_to_look_at_it(
    says: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    says(QUEUED, KeyboardInterrupt)

    code = main(["ask", QUESTION, "--durable", *URL])

    assert code == ExitCode.INTERRUPTED
    assert "the ask goes on; look at it with `ragspine asks show a1`" in capsys.readouterr().err


def test_a_deadline_ends_the_wait_and_not_the_ask(says: Any, capsys: pytest.CaptureFixture[str]) -> None:
    says(QUEUED, *[QUEUED] * 5)

    code = main(["ask", QUESTION, "--durable", "--deadline", "0.1", "--json", *URL])

    error = json.loads(capsys.readouterr().out)["error"]
    assert (code, error["code"]) == (ExitCode.DEGRADED, "deadline_exceeded")
    assert "asks show a1" in error["next"]


@pytest.mark.parametrize("command", [("ask", QUESTION, "--durable"), ("asks", "show", "a1")])
def test_a_failed_ask_says_why_and_how_to_try_it_again(
    says: Any, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    says(FAILED)

    code = main([*command, *URL])

    shown = capsys.readouterr()
    assert (code, shown.out) == (ExitCode.USAGE, "")
    assert "the ask has failed: Too many values." in shown.err
    assert "asks retry a1" in shown.err


def test_an_ask_that_was_no_valid_request_says_what_to_correct(says: Any, capsys: pytest.CaptureFixture[str]) -> None:
    problem = FieldProblem(field="question", reason="must be a text")
    invalid = ErrorReply(
        code=ErrorCode.INVALID_REQUEST, retryable=False, message="The request is not valid.", problems=(problem,)
    )
    says(status(AskState.FAILED, error=invalid))

    code = main(["asks", "show", "a1", *URL])

    shown = capsys.readouterr().err
    assert code == ExitCode.USAGE
    assert "question: must be a text" in shown
    assert "as a new ask" in shown
    assert "asks retry" not in shown


def test_asks_are_listed_page_by_page_and_the_gateway_picks_those_of_a_state(
    says: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = says(AskList(asks=(FAILED,), next=7), AskList(asks=(FAILED,)))

    code = main(["asks", "list", "--state", "failed", "--limit", "100", *URL])

    shown = capsys.readouterr()
    assert code == ExitCode.OK
    assert [line.split()[:2] for line in shown.out.splitlines()] == [["ask", "state"], *[["a1", "failed"]] * 2]
    assert "too_many_subtasks" in shown.out
    assert [given["query"] for _, _, given in sent] == [
        {"limit": "100", "state": "failed"},
        {"limit": "99", "state": "failed", "before": "7"},
    ]
    assert "2 asks" in shown.err


def test_a_list_for_programs_is_one_object_a_line(says: Any, capsys: pytest.CaptureFixture[str]) -> None:
    says(AskList(asks=(ANSWERED, QUEUED), next=3))

    main(["asks", "list", "--limit", "2", "--json", *URL])

    shown = capsys.readouterr()
    assert [json.loads(line)["state"] for line in shown.out.splitlines()] == ["answered", "queued"]
    assert "there are more" in shown.err


@pytest.mark.parametrize(
    ("found", "code", "text"), [(ANSWERED, ExitCode.OK, ANSWER.answer), (WORKING, ExitCode.DEGRADED, "")]
)
def test_one_ask_is_shown_with_the_exit_code_of_its_answer(
    says: Any, found: AskStatus, code: ExitCode, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    says(found)

    assert main(["asks", "show", "a1", *URL]) == code
    assert capsys.readouterr().out.strip() == text


def test_one_ask_is_waited_for(says: Any, capsys: pytest.CaptureFixture[str]) -> None:
    says(QUEUED, WORKING, ANSWERED)

    code = main(["asks", "show", "a1", "--wait", "--json", *URL])

    assert code == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["state"] == "answered"


def test_a_failed_ask_is_tried_again(says: Any, capsys: pytest.CaptureFixture[str]) -> None:
    sent = says(QUEUED)

    code = main(["asks", "retry", "a1", *URL])

    assert (code, sent[0][:2]) == (ExitCode.OK, ("POST", "/v1/asks/a1/retry"))
    assert "asks show a1 --wait" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["show", "retry"])
def test_an_unknown_ask_says_how_to_find_the_ids(says: Any, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    says(Reply(404, '{"code": "not_found", "detail": "There is no such ask.", "request_id": "r"}'))

    code = main(["asks", command, "a1", *URL])

    shown = capsys.readouterr().err
    assert code == ExitCode.USAGE
    assert "There is no such ask." in shown
    assert "ragspine asks list" in shown


@pytest.mark.parametrize("ask_id", ["../facts", "a b", "a?x", "", "ä"])
def test_what_is_no_id_is_not_sent(says: Any, ask_id: str) -> None:
    sent = says()

    assert main(["asks", "show", ask_id, *URL]) == ExitCode.USAGE
    assert sent == []


def test_a_server_of_another_kind_is_named(says: Any, capsys: pytest.CaptureFixture[str]) -> None:
    says(Reply(200, "<html>"))

    assert main(["asks", "show", "a1", *URL]) == ExitCode.USAGE
    assert "is not a RAGSpine gateway" in capsys.readouterr().err
