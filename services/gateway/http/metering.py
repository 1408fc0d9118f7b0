"""HTTP requests as counts and timings, by the route as it is declared: never by the path that somebody sent."""

from runtime.metrics import Metrics


class HttpMetrics:
    """The instruments of the HTTP door."""

    def __init__(self, metrics: Metrics) -> None:
        self._count = metrics.counter("ragspine_http_requests", "HTTP requests answered", "route", "status")
        self._seconds = metrics.histogram("ragspine_http_seconds", "From receipt to reply over HTTP", "route")

    def observe(self, route: str, status: int, seconds: float) -> None:
        """Count a reply."""
        self._count.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)
