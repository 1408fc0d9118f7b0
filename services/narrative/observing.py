"""What the worker counts: searches, changed passages, the size of its index. Codes and counts only, never a word."""

from collections.abc import Callable

from contracts.v1.narrative import Passages, PassagesLoaded, PassagesWithdrawn
from runtime.metrics import Metrics
from runtime.telemetry import set_attributes


class Observed:
    """The instruments of the narrative worker."""

    def __init__(self, metrics: Metrics) -> None:
        self._searches = metrics.counter("ragspine_searches", "Searches for passages by outcome", "outcome")
        self._changed = metrics.counter("ragspine_passages_changed", "Passages that a request changed", "change")
        self._vectors = metrics.counter("ragspine_vectors", "Searches that asked for vectors, by outcome", "outcome")
        self._indexed = metrics.gauge("ragspine_passages_indexed", "Passages that can be found")
        self._revision = metrics.gauge(
            "ragspine_passages_revision", "Change of passages up to which this worker's index is complete"
        )

    def vectors(self, outcome: str) -> None:
        """Vectors were asked for: `used`, `none_yet`, `slow`, `failed` or `no_extension`."""
        self._vectors.labels(outcome).inc()
        set_attributes({"ragspine.embeddings": outcome})

    def watch(self, size: Callable[[], int], revision: Callable[[], int]) -> None:
        """Show the index."""
        self._indexed.set_function(size)
        self._revision.set_function(revision)

    def searched(self, found: Passages) -> None:
        """A search was answered."""
        self._searches.labels(found.nothing_found or "found").inc()
        set_attributes({"ragspine.passages": len(found.passages), "ragspine.ranked_by": found.ranked_by.value})

    def loaded(self, counts: PassagesLoaded) -> None:
        """Passages were loaded."""
        for change in ("inserted", "updated", "revived"):
            self._changed.labels(change).inc(getattr(counts, change))
        set_attributes({"ragspine.rows": counts.received})

    def withdrawn(self, counts: PassagesWithdrawn) -> None:
        """A document was withdrawn."""
        self._changed.labels("withdrawn").inc(counts.withdrawn)
        set_attributes({"ragspine.rows": counts.withdrawn})
