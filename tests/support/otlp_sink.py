"""An OTLP/HTTP collector on loopback that keeps every span it gets, decoded and raw."""

import gzip
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SERVER, CLIENT = 2, 3
ERROR = 2

Edge = tuple[str, str]
"""A service that asks, and the service it asks."""


@dataclass(frozen=True)
class SeenSpan:
    """One exported span."""

    service: str
    name: str
    kind: int
    trace_id: str
    span_id: str
    parent_id: str
    is_error: bool
    attributes: Mapping[str, Any]


@dataclass
class Sink:
    """What was exported."""

    url: str
    bodies: list[bytes] = field(default_factory=list[bytes])
    spans: list[SeenSpan] = field(default_factory=list[SeenSpan])

    @property
    def environment(self) -> dict[str, str]:
        """The standard variables that send every trace here, soon."""
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url, "OTEL_BSP_SCHEDULE_DELAY": "200"}

    def trace_of(self, request_id: str) -> str | None:
        """The trace of an ask; None as long as none of its spans has come."""
        found = {span.trace_id for span in self.spans if span.attributes.get("ragspine.request_id") == request_id}
        assert len(found) <= 1, f"{request_id} is in several traces: {found}"
        return next(iter(found), None)

    def spans_of(self, request_id: str) -> list[SeenSpan]:
        """All spans of an ask's trace."""
        trace = self.trace_of(request_id)
        return [span for span in self.spans if span.trace_id == trace] if trace else []

    def wait_for(self, is_there: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
        """Wait until something was exported."""
        until = time.monotonic() + seconds
        while not is_there():
            assert time.monotonic() < until, f"not exported in time: {what}"
            time.sleep(0.05)

    def accept(self, body: bytes) -> None:
        """Keep an export request."""
        request = ExportTraceServiceRequest.FromString(body)
        self.bodies.append(body)
        self.spans.extend(_spans(request))


def edges(spans: Sequence[SeenSpan]) -> set[Edge]:
    """Who asks whom, over the borders of processes; a span without a parent here is asked by `caller`.

    A model is no process of ours and exports nothing: the CLIENT span of a model call stands for it.
    """
    service_of = {span.span_id: span.service for span in spans}
    served = {(service_of.get(s.parent_id, "caller"), s.service) for s in spans if s.kind == SERVER}
    models = {(s.service, "model") for s in spans if s.kind == CLIENT and "gen_ai.operation.name" in s.attributes}
    return served | models


def orphans(spans: Sequence[SeenSpan]) -> list[SeenSpan]:
    """Spans whose parent is not among them; the root of a whole trace is the only one."""
    known = {span.span_id for span in spans}
    return [span for span in spans if span.parent_id not in known]


@contextmanager
def otlp_sink() -> Generator[Sink]:
    """Listen on a free loopback port until the block ends."""
    sink = Sink(url="")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sink.accept(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sink.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield sink
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _spans(request: ExportTraceServiceRequest) -> Generator[SeenSpan]:
    for resource in request.resource_spans:
        service = {a.key: _value(a.value) for a in resource.resource.attributes}["service.name"]
        for span in (span for scope in resource.scope_spans for span in scope.spans):
            yield SeenSpan(
                service=str(service).removeprefix("ragspine-"),
                name=span.name,
                kind=span.kind,
                trace_id=span.trace_id.hex(),
                span_id=span.span_id.hex(),
                parent_id=span.parent_span_id.hex(),
                is_error=span.status.code == ERROR,
                attributes={a.key: _value(a.value) for a in span.attributes},
            )


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    return getattr(value, kind) if kind else None
