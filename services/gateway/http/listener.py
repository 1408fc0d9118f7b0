"""The public port: bound before anything else starts, with bounded request heads and one format for every error."""

import asyncio
import errno
import socket
from typing import ClassVar, Final, cast
from uuid import uuid4

from starlette.responses import Response
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from runtime.errors import InvalidRequestError
from runtime.http_server import listen
from runtime.settings import ConfigurationError
from services.gateway.http.door import Door
from services.gateway.http.problems import MEDIA_TYPE, problem_of
from services.gateway.http.raw import raw_reply
from services.gateway.http.reply_headers import REPLY_HEADERS

MAX_HEAD_BYTES: Final = 32 * 1024
"""Request line and headers together."""
HEAD_SECONDS: Final = 10.0
"""For a request line and headers to arrive."""
MAX_HEADERS: Final = 128
"""Trailers included; browsers and proxies send some twenty."""
KEEP_ALIVE_SECONDS: Final = 75
"""Longer than common proxies keep an unused connection, so that they never send into one that is closing."""


def open_port(host: str, port: int) -> socket.socket:
    """The listening socket; raises `ConfigurationError` naming the variable to change."""
    try:
        return listen(host, port)
    except OSError as error:
        raise ConfigurationError(_why(error, port)) from error


def _why(error: OSError, port: int) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"RAGSPINE_HTTP_PORT: port {port} is already in use; choose another one, or 0 for a free one"
        case errno.EACCES:
            return f"RAGSPINE_HTTP_PORT: port {port} needs more rights than this process has"
        case _:
            return "RAGSPINE_HTTP_HOST: not an address of this machine"


class BoundedProtocol(HttpToolsProtocol):
    """Bounds what uvicorn leaves open: the size of a request head, and the time it may take to arrive.

    What the door replies to by itself never reaches the app.
    """

    door: ClassVar[Door]

    _has_reached_app = False
    _is_answered = False
    """By the door; the rest of the request is still to come."""
    _is_last = False
    """The caller wants the connection to end with the reply of the door."""
    _head_bytes = 0
    _head_lines = 0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has connected and owes a request."""
        super().connection_made(cast("asyncio.Transport", transport))
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes have come. Between two requests they begin a head, or are the rest of a body that nobody waits for."""
        super().data_received(data)
        is_waiting = self._head_timer is not None or self.timeout_keep_alive_task is not None
        if not self.transport.is_closing() and not is_waiting and not self._is_being_served():
            self._expect_head()

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        self._head_bytes = self._head_lines = 0
        self._expect_head()

    def on_url(self, url: bytes) -> None:
        """A part of the request line."""
        self._count(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A whole header, or a trailer."""
        self._head_lines += 1
        self._count(name + value)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head has arrived."""
        self._stop_waiting()
        reply = self._reply_at_once()
        if reply is not None:
            self._is_answered = True
            self.transport.write(reply)
        else:
            self._has_reached_app = True
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of the body, which nobody reads once the request is answered."""
        if not self._is_answered:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is over."""
        if not self._is_answered:
            super().on_message_complete()
            return
        self._is_answered = False
        if self._is_last:
            self.transport.close()  # not earlier: what is still to be read would take the reply away with it
        else:
            self.on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, in the format of all other errors."""
        request_id = uuid4().hex
        error = InvalidRequestError("This is not an HTTP request that can be read here.")
        body = problem_of(error, request_id).model_copy(update={"status": 400}).model_dump_json()
        response = Response(body, status_code=400, media_type=MEDIA_TYPE)
        self.transport.write(raw_reply(response, REPLY_HEADERS, request_id, closes=True))
        self.transport.close()

    def _reply_at_once(self) -> bytes | None:
        """What the door says, where the reply can be the next thing that goes over this connection."""
        parser = self.parser
        if parser is None or parser.get_http_version() != "1.1" or self.flow.write_paused or self._is_being_served():
            return None
        self._is_last = not parser.should_keep_alive()
        return self.door.reply_to(parser.get_method(), self.url, self.headers, closes=self._is_last)

    def _is_being_served(self) -> bool:
        return self._has_reached_app and not self.cycle.response_complete

    def _count(self, part: bytes) -> None:
        self._head_bytes += len(part)
        if self._head_bytes > MAX_HEAD_BYTES or self._head_lines > MAX_HEADERS:
            raise ValueError("the request head is too large")  # the parser turns it into `send_400_response`

    def _expect_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


def protocol_behind(door: Door) -> type[BoundedProtocol]:
    """The protocol of a gateway's connections."""
    return type(BoundedProtocol.__name__, (BoundedProtocol,), {"door": door})
