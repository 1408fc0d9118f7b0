"""Asking over HTTP."""

import asyncio
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..codes import HTTP_STATUS, ErrorCode
from ..v1.ask import AnswerResult
from ..v1.errors import ErrorReply, FieldProblem
from .asking import Client
from .errors import ClientError, failure, need, no_answer, read

if TYPE_CHECKING:
    import httpx

_CODES: Final = {status: code for code, status in reversed(HTTP_STATUS.items())} | {502: ErrorCode.UNAVAILABLE}
"""What a status means where its body is not the gateway's, but that of a proxy."""


class HttpClient(Client):
    """Asks over HTTP. Needs `ragspine-contracts[http]`. `headers` go with every request, such as a key."""

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        transport: "httpx.AsyncBaseTransport | None" = None,
    ) -> None:
        super().__init__()
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url begins with http:// or https://")
        need("httpx", install="httpx", extra="http")
        self._base_url, self._headers, self._tls, self._transport = base_url, headers, tls, transport
        self._http: httpx.AsyncClient | None = None

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
        import httpx  # noqa: PLC0415 -- an optional dependency

        if self._http is None:
            raise RuntimeError("use the client inside `async with`, or call open() first")
        try:
            async with asyncio.timeout(seconds):
                reply = await self._http.post(
                    "/v1/ask", content=body, headers={**headers, "Content-Type": "application/json"}
                )
        except (TimeoutError, httpx.TimeoutException):
            raise no_answer() from None
        except httpx.TransportError:
            raise failure(ErrorCode.UNAVAILABLE, "The service cannot be reached.") from None
        if not reply.is_success:
            raise _refused(reply.status_code, reply.content, reply.headers)
        return read(reply.content, AnswerResult)


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
