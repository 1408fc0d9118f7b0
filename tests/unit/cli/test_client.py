"""The HTTP client of the command line: what becomes of replies, and where it looks for a stack."""

import json
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar

import pytest

from cli.client import Gateway
from cli.console import CliError, ExitCode


class _Handler(BaseHTTPRequestHandler):
    status = 200
    reply: ClassVar[dict[str, Any]] = {}
    seen: ClassVar[dict[str, str]] = {}

    def do_POST(self) -> None:
        _Handler.seen = dict(self.headers)
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps(self.reply).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output quiet."""


@pytest.fixture
def url() -> Generator[str]:
    with HTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def _answer_with(status: int, reply: dict[str, Any]) -> None:
    _Handler.status, _Handler.reply = status, reply


def test_deadline_travels_as_absolute_milliseconds(url: str) -> None:
    _answer_with(200, {})

    Gateway(url).call("POST", "/v1/ask", body={}, deadline_seconds=3)

    assert int(_Handler.seen["Ragspine-Deadline"]) > 1_700_000_000_000


@pytest.mark.parametrize(
    ("status", "code"),
    [(422, ExitCode.USAGE), (403, ExitCode.DENIED), (503, ExitCode.DEGRADED), (504, ExitCode.DEGRADED)],
)
def test_problem_document_becomes_an_error_in_its_own_words(url: str, status: int, code: ExitCode) -> None:
    problem = {"field": "facts.3.value", "reason": "not a number"}
    _answer_with(status, {"detail": "Refused.", "code": "x", "request_id": "r-1", "problems": [problem]})

    with pytest.raises(CliError) as caught:
        Gateway(url).call("POST", "/v1/facts", body={})

    assert caught.value.code is code
    assert caught.value.message == "Refused.\n       facts.3.value: not a number"
    assert "r-1" in caught.value.hint


@pytest.mark.parametrize(
    ("status", "error", "step"), [(403, "forbidden", "keys add"), (429, "rate_limited", "try again")]
)
def test_a_key_that_may_not_is_told_what_to_do(url: str, status: int, error: str, step: str) -> None:
    _answer_with(status, {"detail": "Refused.", "code": error, "request_id": "r-1"})

    with pytest.raises(CliError) as caught:
        Gateway(url).call("POST", "/v1/ask", body={})

    assert step in caught.value.hint
    assert "r-1" in caught.value.hint


def test_reply_that_is_no_json_still_becomes_an_error(url: str) -> None:
    _answer_with(500, {})

    with pytest.raises(CliError, match="status 500"):
        Gateway(url).call("POST", "/v1/ask", body={})


def test_nobody_listening_says_how_to_start_a_stack() -> None:
    with pytest.raises(CliError) as caught:
        Gateway("http://127.0.0.1:1").call("POST", "/v1/ask", body={})

    assert caught.value.code is ExitCode.DEGRADED
    assert "up" in caught.value.hint


@pytest.mark.parametrize("address", ["127.0.0.1:8321", "ftp://x", ""])
def test_address_that_is_no_url_is_a_usage_error(address: str) -> None:
    with pytest.raises(CliError) as caught:
        Gateway(address)

    assert caught.value.code is ExitCode.USAGE
