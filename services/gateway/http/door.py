"""What is answered as soon as the head of a request is read: that the process is alive, and that no ask has a place.

Both must be cheap and prompt above all when there is too much to do. So they cost no task, wait for nothing that came
before them in the event loop, and know nothing of bodies, callers and traces. Whatever is not the plainest form of
these two requests goes the way of all others, where it gets the same reply.
"""

import time
from collections.abc import Sequence
from typing import Final
from uuid import uuid4

from starlette.responses import Response

from services.gateway.admission import Admission
from services.gateway.http.health_routes import alive
from services.gateway.http.metering import HttpMetrics
from services.gateway.http.problems import problem_response
from services.gateway.http.raw import raw_reply

_HEALTH: Final = (b"GET", b"/healthz")
_ASK: Final = (b"POST", b"/v1/ask")
_NEEDS_MORE: Final = frozenset({b"expect", b"origin", b"upgrade", b"x-request-id"})
"""Headers with a say in the reply."""
_SOME_ID: Final = uuid4().hex
"""Stands for the id in replies that are kept; no reply is sent with it."""

RawHeaders = Sequence[tuple[bytes, bytes]]


class Door:
    """Stands before the app of one gateway."""

    def __init__(self, asks: Admission, metrics: HttpMetrics, headers: RawHeaders) -> None:
        self._asks = asks
        self._metrics = metrics
        self._headers = headers
        self._alive = {closes: self._raw(alive(), closes=closes) for closes in (False, True)}
        self._full: dict[tuple[float | None, bool], bytes] = {}

    def reply_to(self, method: bytes, target: bytes, headers: RawHeaders, *, closes: bool) -> bytes | None:
        """The whole reply, which says so if the connection `closes`; None where the request is one for the app.

        `headers` have lower-case names.
        """
        is_health = (method, target) == _HEALTH
        is_ours = is_health or ((method, target) == _ASK and self._asks.is_full)
        if not is_ours or any(name in _NEEDS_MORE for name, _ in headers):
            return None
        start = time.perf_counter()
        status, kept = (200, self._alive[closes]) if is_health else (429, self._refusal(closes=closes))
        reply = kept.replace(_SOME_ID.encode(), uuid4().hex.encode())
        self._metrics.observe(target.decode(), status, time.perf_counter() - start)
        return reply

    def _refusal(self, *, closes: bool) -> bytes:
        """Kept by its `Retry-After`, of which there are few: making it is most of what a refusal would cost."""
        refusal = self._asks.refusal()
        key = refusal.retry_after_seconds, closes
        if key not in self._full:
            self._full[key] = self._raw(problem_response(refusal, _SOME_ID), closes=closes)
        return self._full[key]

    def _raw(self, response: Response, *, closes: bool) -> bytes:
        return raw_reply(response, self._headers, _SOME_ID, closes=closes)
