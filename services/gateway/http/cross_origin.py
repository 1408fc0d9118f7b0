"""Which pages of other origins may call: none, or those on a list. A preflight is answered to listed origins only."""

from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response

_METHODS: Final = "GET, POST, PUT, DELETE"
_SENT: Final = (
    "authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, ragspine-deadline, "
    "traceparent, x-request-id"
)
_SEEN: Final = "etag, idempotency-replayed, location, retry-after, x-request-id"
_PREFLIGHT_SECONDS: Final = 600


def is_preflight(method: str, headers: Headers) -> bool:
    """Whether a browser asks before it sends the request itself."""
    return method == "OPTIONS" and "access-control-request-method" in headers


def preflight_reply() -> Response:
    """What a page of a listed origin may send. Keys travel in a header, so no cookies are ever allowed."""
    return Response(
        status_code=204,
        headers={
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": _SENT,
            "Access-Control-Max-Age": str(_PREFLIGHT_SECONDS),
        },
    )


def shared_with(origin: str) -> list[tuple[bytes, bytes]]:
    """The headers that let a page of a listed origin read a reply."""
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", _SEEN.encode()),
        (b"vary", b"Origin"),
    ]
