"""Talks to the gateway over HTTP, with nothing but the standard library: starting the command line stays cheap.

A reply that is no success becomes a `CliError` with the gateway's own words and the fitting exit code.
"""

import http.client
import json
import ssl
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, cast
from urllib.parse import urlencode, urlsplit

from cli.console import CliError, ExitCode, command_name
from cli.settings import api_key
from contracts.codes import ErrorCode
from contracts.subjects import HEADER_DEADLINE

DEFAULT_TIMEOUT_SECONDS: Final = 65.0
"""Longer than any default deadline of the gateway."""
GRACE_SECONDS: Final = 2.0
"""How much longer than its deadline an answer is waited for: the gateway's own words are better than ours."""

EXIT_CODES: Final[dict[int, ExitCode]] = {
    401: ExitCode.DENIED,
    403: ExitCode.DENIED,
    404: ExitCode.USAGE,
    409: ExitCode.USAGE,
    413: ExitCode.USAGE,
    422: ExitCode.USAGE,
    429: ExitCode.DEGRADED,
    503: ExitCode.DEGRADED,
    504: ExitCode.DEGRADED,
}


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of the gateway."""

    status: int
    text: str

    def json(self) -> dict[str, object]:
        """The JSON object of the reply; empty when it is none."""
        try:
            value: object = json.loads(self.text)
        except ValueError:
            return {}
        return cast(dict[str, object], value) if isinstance(value, dict) else {}


class Gateway:
    """One gateway, by its base URL. `key` is sent with every request; default: that of the environment."""

    def __init__(self, url: str, key: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise CliError(f"{url} is not an http:// or https:// address", code=ExitCode.USAGE)
        self.url = url.rstrip("/")
        self._key = key or api_key()
        self._parts = parts

    def call(
        self,
        method: str,
        path: str,
        *,
        body: object | None = None,
        query: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        deadline_seconds: float | None = None,
    ) -> Reply:
        """One request; raises `CliError` when the gateway cannot be reached or refuses it."""
        reply = self.send(method, path, body=body, query=query, headers=headers, deadline_seconds=deadline_seconds)
        if reply.status >= 300:
            raise _refused(reply)
        return reply

    def send(
        self,
        method: str,
        path: str,
        *,
        body: object | None = None,
        query: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        deadline_seconds: float | None = None,
    ) -> Reply:
        """One request, whatever its status; raises `CliError` when the gateway cannot be reached."""
        timeout = DEFAULT_TIMEOUT_SECONDS if deadline_seconds is None else deadline_seconds + GRACE_SECONDS
        sent = {"Accept": "application/json", "Content-Type": "application/json", **(headers or {})}
        if self._key is not None:
            sent["Authorization"] = f"Bearer {self._key}"
        if deadline_seconds is not None:
            sent[HEADER_DEADLINE] = str(int((time.time() + deadline_seconds) * 1_000))
        payload = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        target = self._parts.path.rstrip("/") + path + (f"?{urlencode(query)}" if query else "")
        connection = self._connect(timeout)
        try:
            connection.request(method, target, body=payload, headers=sent)
            answer = connection.getresponse()
            return Reply(answer.status, answer.read().decode("utf-8", errors="replace"))
        except TimeoutError:
            raise CliError(
                f"no answer within {timeout:.0f} s", hint=f"see `{command_name()} status`", code=ExitCode.DEGRADED
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise CliError(
                f"{self.url} cannot be reached ({type(error).__name__})",
                hint=f"see `{command_name()} status`, or start a stack with `{command_name()} up`",
                code=ExitCode.DEGRADED,
            ) from None
        finally:
            connection.close()

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        host, port = str(self._parts.hostname), self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
        return http.client.HTTPConnection(host, port, timeout=timeout)


def _refused(reply: Reply) -> CliError:
    problem = reply.json()
    title = str(problem.get("detail") or problem.get("title") or f"the gateway answered with status {reply.status}")
    lines = [title, *_field_problems(problem)]
    return CliError(
        "\n       ".join(lines),
        hint=_hint(reply.status, problem),
        code=EXIT_CODES.get(reply.status, ExitCode.FAILED),
        reason=str(problem.get("code") or ""),
    )


def _hint(status: int, problem: dict[str, object]) -> str:
    if status == HTTPStatus.UNAUTHORIZED:
        return f"put a key into RAGSPINE_API_KEY; where the keys are kept `{command_name()} keys add` makes one"
    request_id = problem.get("request_id")
    named = f"request {request_id}, code {problem.get('code')}" if request_id else ""
    if status == HTTPStatus.FORBIDDEN:
        advice = f"use a key with that scope; where the keys are kept `{command_name()} keys add` makes one"
    elif problem.get("code") == ErrorCode.RATE_LIMITED:
        advice = f"wait a moment and try again; `{command_name()} keys list` shows the rate of a key"
    else:
        return named
    return f"{advice} ({named})" if named else advice


def _field_problems(problem: dict[str, object]) -> list[str]:
    listed = problem.get("problems") or problem.get("errors") or ()
    if not isinstance(listed, list):
        return []
    entries = [cast(dict[str, object], entry) for entry in cast(list[object], listed) if isinstance(entry, dict)]
    return [": ".join(str(value) for value in entry.values()) for entry in entries]
