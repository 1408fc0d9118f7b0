"""Asking over HTTP."""

import asyncio
import re
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .. import subjects
from ..codes import HTTP_STATUS, AskState, ErrorCode
from ..v1.ask import AnswerResult, AskRequest
from ..v1.asks import ASK_ID_PATTERN, AskStatus, DurableAnswer
from ..v1.errors import ErrorReply, FieldProblem
from .asking import Client, encoded
from .errors import ClientError, failure, need, no_answer, read

if TYPE_CHECKING:
    import httpx

_CODES: Final = {status: code for code, status in reversed(HTTP_STATUS.items())} | {502: ErrorCode.UNAVAILABLE}
"""What a status means where its body is not the gateway's, but that of a proxy."""


MAX_STREAMS: Final = 32
"""Asks of one client that are followed at the same time; beyond it the service is asked again and again."""

_JSON: Final = {"Content-Type": "application/json"}
_ASK_ID: Final = re.compile(ASK_ID_PATTERN)
_FINAL: Final = frozenset({AskState.ANSWERED, AskState.FAILED})
_CONFLICT: Final = 409
_DATA: Final = "data: "


class HttpClient(Client):
    """Asks over HTTP. Needs `ragspine-contracts[http]`. `api_key` and `headers` go with every request."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        transport: "httpx.AsyncBaseTransport | None" = None,
    ) -> None:
        super().__init__()
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url begins with http:// or https://")
        need("httpx", install="httpx", extra="http")
        key = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._base_url, self._tls, self._transport = base_url, tls, transport
        self._headers = {**(headers or {}), **key}
        self._http: httpx.AsyncClient | None = None
        self._streams = 0

    async def open(self) -> None:
        """Prepare connections; the first ask makes one."""
        import httpx  # noqa: PLC0415 -- an optional dependency

        self._http = httpx.AsyncClient(
            base_url=self._base_url,
            headers=self._headers,
            verify=self._tls or True,
            transport=self._transport,
            timeout=None,  # noqa: S113 -- every attempt ends by its deadline, as a whole
        )

    async def close(self) -> None:
        """Close the connections."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def _exchange(self, body: bytes, headers: Mapping[str, str], seconds: float) -> AnswerResult:
        async with self._talking(seconds) as http:
            reply = await http.post("/v1/ask", content=body, headers={**headers, **_JSON})
        if not reply.is_success:
            raise _refused(reply.status_code, reply.content, reply.headers)
        return read(reply.content, AnswerResult)

    async def _submit(self, key: str, request: AskRequest, headers: Mapping[str, str], seconds: float) -> str:
        sent = {**headers, **_JSON, subjects.HEADER_IDEMPOTENCY_KEY: key}
        async with self._talking(seconds) as http:
            reply = await http.post("/v1/asks", content=encoded(request), headers=sent)
        if reply.is_success:
            return read(reply.content, AskStatus).ask_id
        error = _refused(reply.status_code, reply.content, reply.headers)
        if reply.status_code == _CONFLICT and error.retry_after_seconds is not None:  # our own request before this one
            raise failure(ErrorCode.UNAVAILABLE, error.message, retry_after_seconds=error.retry_after_seconds)
        raise error

    async def _look(self, ask_id: str, seconds: float) -> DurableAnswer | None:
        if not _ASK_ID.fullmatch(ask_id):
            raise failure(ErrorCode.NOT_FOUND, "There is no such ask.")
        async with self._talking(seconds) as http:
            if self._streams < MAX_STREAMS:
                self._streams += 1
                try:
                    return await _followed(http, f"/v1/asks/{ask_id}/events")
                except ClientError as error:
                    if error.code is not ErrorCode.OVERLOADED:
                        raise
                finally:
                    self._streams -= 1
            reply = await http.get(f"/v1/asks/{ask_id}")
        if not reply.is_success:
            raise _refused(reply.status_code, reply.content, reply.headers)
        return _final(reply.content)

    @asynccontextmanager
    async def _talking(self, seconds: float) -> AsyncGenerator["httpx.AsyncClient"]:
        """The connections, for at most so long; what goes wrong on the way becomes `ClientError`."""
        import httpx  # noqa: PLC0415 -- an optional dependency

        if self._http is None:
            raise RuntimeError("use the client inside `async with`, or call open() first")
        try:
            async with asyncio.timeout(seconds):
                yield self._http
        except (TimeoutError, httpx.TimeoutException):
            raise no_answer() from None
        except httpx.TransportError:
            raise failure(ErrorCode.UNAVAILABLE, "The service cannot be reached.") from None


async def _followed(http: "httpx.AsyncClient", path: str) -> DurableAnswer | None:
    """The final word of a stream of events; None where the stream ends without one."""
    async with http.stream("GET", path, headers={"Accept": "text/event-stream"}) as reply:
        if not reply.is_success:
            raise _refused(reply.status_code, await reply.aread(), reply.headers)
        async for line in reply.aiter_lines():
            if line.startswith(_DATA) and (word := _final(line.removeprefix(_DATA).encode())) is not None:
                return word
    return None


def _final(status: bytes) -> DurableAnswer | None:
    return read(status, DurableAnswer) if read(status, AskStatus).state in _FINAL else None


class _Problem(BaseModel):
    """The parts of a problem document that say what an `ErrorReply` says."""

    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True)

    code: ErrorCode
    message: str = Field(alias="detail")
    retryable: bool
    problems: tuple[FieldProblem, ...] = ()


def _refused(status: int, body: bytes, headers: Mapping[str, str]) -> ClientError:
    seconds = _retry_after(headers.get("Retry-After"))
    try:
        problem = _Problem.model_validate_json(body)
    except ValidationError:
        code = _CODES.get(status, ErrorCode.INTERNAL)
        return failure(code, f"The service answered with status {status}.", retry_after_seconds=seconds)
    return ClientError(ErrorReply.model_validate(problem.model_dump()), retry_after_seconds=seconds)


def _retry_after(value: str | None) -> float | None:
    try:
        return max(0.0, float(value)) if value else None
    except ValueError:  # a date: our own pause will do
        return None
