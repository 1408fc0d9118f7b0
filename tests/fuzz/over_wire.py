"""A running stack from outside: raw bytes over TCP to the public port, and messages over NATS to every subject.

Whatever is sent, a reply is an HTTP reply without a fault of ours or a typed error, or the connection ends in time.
"""

import asyncio
import contextlib
import re
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from nats.aio.client import Client
from nats.errors import Error as NatsError

from contracts import subjects
from contracts.codes import ErrorCode
from contracts.v1.errors import ErrorReply
from scripts import contract_operations
from tests.fuzz import hostile
from tests.fuzz.contracts import examples
from tests.fuzz.mutating import broken, shattered
from tests.fuzz.payloads import MARK, BrokenClaimError, Payload, assert_no_mark, has_marked_name
from tests.support.bus import Everybody
from tests.support.profiles import acme

_STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3}) ")
_HONEST: Final = (b"503", b"504")
_PATIENCE_SECONDS: Final = 2.0
_ASK: Final = b'{"question":"\xe8\x90\xa5\xe6\x94\xb6FY2024","locale":"zh"}'


def _whole(body: bytes, *more: bytes) -> bytes:
    head = [b"POST /v1/ask HTTP/1.1", b"host: 127.0.0.1", b"content-type: application/json", *more]
    return b"\r\n".join([*head, b"content-length: %d" % len(body), b"connection: close", b"", body])


def _broken_line(random: Random) -> bytes:
    return random.choice(
        (b"GET\r\n\r\n", b"\r\n\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
         b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
         b"GET http:// HTTP/1.1\r\n\r\n",
         b"CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n", b"get / http/1.1\r\n\r\n", b"\x00" * 300, b"A" * 200_000,
         b"GET /\xff\xfe HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
         b"GET /%ff%00 HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
    )  # fmt: skip


def _flood(random: Random) -> bytes:
    size = random.choice((10, 100, 3_000))
    headers = b"".join(b"x-%d: %s\r\n" % (n, MARK.encode() * 10) for n in range(size))
    return b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n" + headers + b"\r\n"


def _chunks(random: Random) -> bytes:
    head = (
        b"POST /v1/ask HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n"
    )
    nonsense = random.choice(
        (
            b"zz\r\n{}\r\n0\r\n\r\n",
            b"-1\r\n",
            b"ffffffffffffffff\r\n",
            b"5\r\n{}\r\n0\r\n\r\n",
            b"1;a=b\r\n{\r\n0\r\n\r\n",
            b"0\r\n\r\n",
        )
    )
    double = b"content-length: 3\r\n" if random.random() < 0.3 else b""
    return head + double + b"connection: close\r\n\r\n" + nonsense


def _lengths(random: Random) -> bytes:
    length = random.choice((b"-1", b"1e3", b"99999999999999999999", b"3, 3", b"0x10", b" ", b"4"))
    head = b"POST /v1/ask HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    return head + b"content-length: " + length + b"\r\nconnection: close\r\n\r\n" + _ASK[:4]


def _damaged(random: Random) -> bytes:
    return shattered(_whole(_ASK, b"x-request-id: r-1"), random)


def _broken_ask(random: Random) -> bytes:
    return _whole(broken(random.choice(examples()["AskRequest"]), random))


_REQUESTS: Final[Mapping[str, Callable[[Random], bytes]]] = {
    "request line": _broken_line,
    "headers": _flood,
    "chunks": _chunks,
    "lengths": _lengths,
    "damaged": _damaged,
    "ask": _broken_ask,
}


class OverSockets:
    """Raw bytes to the public port."""

    name = "sockets"
    seconds = 15.0

    def __init__(self, port: int) -> None:
        self._port = port

    def make(self, random: Random) -> Payload:
        """A request that is none, or is damaged; sent at once or in pieces."""
        part = random.choice(list(_REQUESTS))
        return Payload(self.name, part, _REQUESTS[part](random), {"pieces": random.choice((1, 1, 1, 3))})

    async def attempt(self, payload: Payload) -> str:
        """Send it, and read what comes back until the end; when nothing does, say that nothing more will be sent."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            with contextlib.suppress(ConnectionError):
                for piece in _pieces(payload.body, payload.more["pieces"]):
                    writer.write(piece)
                    await writer.drain()
            reply = await _all_of(reader, writer)
        finally:
            writer.close()
        return _judged(reply)


async def _all_of(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_SECONDS):
                return await reader.read(-1)
        writer.write_eof()
        async with asyncio.timeout(12):
            return await reader.read(-1)
    except (ConnectionError, OSError):
        return b""
    except TimeoutError:
        raise BrokenClaimError("the connection stays open") from None


def _pieces(body: bytes, count: int) -> list[bytes]:
    size = max(1, -(-len(body) // count))
    return [body[start : start + size] for start in range(0, len(body), size)]


def _judged(reply: bytes) -> str:
    if not reply:
        return "closed"
    statuses = _STATUS.findall(reply)
    if not reply.startswith(b"HTTP/1.1 ") or not statuses:
        raise BrokenClaimError("the reply is no HTTP")
    if any(status >= b"500" and status not in _HONEST for status in statuses):
        raise BrokenClaimError(f"a fault of ours: {statuses}")
    if statuses[0] >= b"400":
        assert_no_mark(reply.decode("utf-8", "replace"), f"the body of {statuses[0].decode()}")
    return statuses[0].decode()


class OverNats:
    """Messages to the subjects of every worker."""

    name = "nats"
    seconds = 15.0

    def __init__(
        self, client: Client | Everybody, calls: tuple[contract_operations.Call, ...] = contract_operations.CALLS
    ) -> None:
        self._client = client
        self._calls = {call.subject.replace("*", subjects.LOCAL_APP): call for call in calls}

    def make(self, random: Random) -> Payload:
        """A broken request, with headers that are none."""
        subject = random.choice(list(self._calls))
        example = random.choice(examples()[self._calls[subject].request.__name__])
        if "profile_digest" in example and random.random() < 0.9:
            example = {**example, "profile_digest": acme().digest()}
        headers: dict[str, Any] = {}
        if random.random() < 0.3:
            headers[random.choice((subjects.HEADER_DEADLINE, subjects.HEADER_TRACE, "reply_to", "correlation_id"))] = (
                hostile.text(random).encode("ascii", "replace").decode().translate({13: " ", 10: " ", 0: " "})[:500]
                or "1"
            )
        return Payload(self.name, subject, broken(example, random)[:900_000], {"headers": headers})

    async def attempt(self, payload: Payload) -> str:
        """Ask it."""
        try:
            reply = await self._client.request(
                payload.part, payload.body, timeout=self.seconds, headers=payload.more["headers"] or None
            )
        except NatsError as error:
            raise BrokenClaimError(f"no reply: {type(error).__name__}") from error
        code = (reply.headers or {}).get(subjects.HEADER_ERROR)
        if code is None:
            self._calls[payload.part].reply.model_validate_json(reply.data)
            return f"{payload.part} answered"
        error = ErrorReply.model_validate_json(reply.data)
        if error.code.value != code or error.code is ErrorCode.INTERNAL:
            raise BrokenClaimError(f"{code}, {error.code.value}")
        if not has_marked_name(payload.body):
            assert_no_mark(reply.data.decode() + str(reply.headers), "the error")
        return f"{payload.part} {code}"
