"""A reply as the bytes that go over the connection, for replies that are made before a request has reached the app."""

from collections.abc import Sequence
from http import HTTPStatus

from starlette.responses import Response


def raw_reply(response: Response, headers: Sequence[tuple[bytes, bytes]], request_id: str, *, closes: bool) -> bytes:
    """The whole reply, with the `headers` of every reply; `closes` says that the connection ends after it."""
    status = HTTPStatus(response.status_code)
    lines = [
        b"HTTP/1.1 %d %b" % (status.value, status.phrase.encode()),
        *(b"%b: %b" % header for header in (*response.raw_headers, *headers)),
        b"x-request-id: " + request_id.encode(),
        *([b"connection: close"] if closes else []),
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n" + bytes(response.body)
