"""What the worker counts: batches, outcomes and changed facts. Codes and counts only."""

from collections import Counter
from typing import Final

from contracts.codes import FactStatus
from contracts.v1.facts import FactOutcomes, FactsLoaded, FactsWithdrawn
from runtime.metrics import Metrics
from runtime.postgres import Pool
from runtime.telemetry import set_attributes

_BATCH_BUCKETS: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 24.0)


class Observed:
    """The instruments of the facts worker."""

    def __init__(self, metrics: Metrics) -> None:
        self._connections = metrics.gauge(
            "ragspine_facts_connections", "Connections to Postgres by pool and use", "pool", "use"
        )
        self._limit = metrics.gauge("ragspine_facts_connections_limit", "Most connections of a pool", "pool")
        self._queue = metrics.gauge("ragspine_facts_waiting", "Requests that wait for a connection", "pool")
        self._batches = metrics.histogram(
            "ragspine_facts_batch_scopes", "Scopes looked up in one statement", buckets=_BATCH_BUCKETS
        )
        self._outcomes = metrics.counter("ragspine_facts_outcomes", "Outcomes of look-ups", "status")
        self._changed = metrics.counter("ragspine_facts_changed", "Facts that a request changed", "change")
        self._waiting = metrics.gauge("ragspine_facts_events_waiting", "Committed changes that wait to be announced")

    def backlog(self, events: int) -> None:
        """So many events wait."""
        self._waiting.set(events)

    def watch(self, name: str, pool: Pool) -> None:
        """Show a pool's connections."""
        self._connections.labels(name, "idle").set_function(lambda: pool.idle)
        self._connections.labels(name, "busy").set_function(lambda: pool.size - pool.idle)
        self._limit.labels(name).set(pool.limit)
        self._queue.labels(name).set_function(lambda: pool.waiting)

    def looked_up(self, found: FactOutcomes) -> None:
        """A batch was answered."""
        self._batches.observe(len(found.outcomes))
        counts = Counter(outcome.status for outcome in found.outcomes)
        for status, times in counts.items():
            self._outcomes.labels(status).inc(times)
        set_attributes(
            {
                "ragspine.asked": len(found.outcomes),
                "ragspine.found": counts[FactStatus.FOUND],
                "ragspine.not_found": counts[FactStatus.NOT_FOUND],
                "ragspine.unrecognized": counts[FactStatus.UNRECOGNIZED_PARAM],
                "ragspine.conflicting": counts[FactStatus.CONFLICTING],
            }
        )

    def loaded(self, counts: FactsLoaded) -> None:
        """Rows were loaded."""
        for change in ("inserted", "updated", "revived"):
            self._changed.labels(change).inc(getattr(counts, change))
        set_attributes({"ragspine.rows": counts.received})

    def withdrawn(self, counts: FactsWithdrawn) -> None:
        """A document was withdrawn."""
        self._changed.labels("withdrawn").inc(counts.withdrawn)
        set_attributes({"ragspine.rows": counts.withdrawn})
