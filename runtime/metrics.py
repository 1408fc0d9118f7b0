"""Metrics of one process, in a registry of its own: counts and timings by subject and outcome.

Subjects are the constants of the contracts, never inboxes or the names of apps, so the number of series is bounded.
"""

from collections.abc import Callable
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

LATENCY_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Seconds: from a hop on one machine to the longest deadline with a model."""

_without_created: Callable[[], None] = disable_created_metrics  # the library declares no types for it
_without_created()  # a second series beside every counter and histogram, which nobody reads


class Metrics:
    """The instruments that every worker has, and the way to add its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self.served = self.counter("ragspine_requests_served", "Requests answered", "subject", "outcome")
        self.served_seconds = self.histogram("ragspine_serve_seconds", "From receipt to reply", "subject")
        self.in_flight = self.gauge("ragspine_requests_in_flight", "Requests being served", "subject")
        self.dropped = self.counter("ragspine_deadline_drops", "Requests that arrived too late to be run", "subject")
        self.foreign_replies = self.counter(
            "ragspine_foreign_replies", "Requests not run: their reply would go to somebody who may not ask", "subject"
        )
        self.sent = self.counter("ragspine_requests_sent", "Requests to other workers", "subject", "outcome")
        self.sent_seconds = self.histogram("ragspine_hop_seconds", "From request to reply", "subject")
        self.ready = self.gauge("ragspine_ready", "Whether the process can do its work: 1 or 0")
        self.check_ok = self.gauge(
            "ragspine_check_ok", "Whether a part that the process needs is well: 1 or 0", "check"
        )
        self.profile_info = self.gauge(
            "ragspine_profile_info", "Always 1: the company profile in force", "profile_digest"
        )

    def counter(self, name: str, text: str, *labels: str) -> Counter:
        """A counter of this process; `_total` is added to its name."""
        return Counter(name, text, labels, registry=self.registry)

    def gauge(self, name: str, text: str, *labels: str) -> Gauge:
        """A gauge of this process."""
        return Gauge(name, text, labels, registry=self.registry)

    def histogram(self, name: str, text: str, *labels: str, buckets: tuple[float, ...] = LATENCY_BUCKETS) -> Histogram:
        """A histogram of this process, in seconds unless other buckets are given."""
        return Histogram(name, text, labels, registry=self.registry, buckets=buckets)

    def render(self) -> bytes:
        """All metrics in the Prometheus text format."""
        return generate_latest(self.registry)
