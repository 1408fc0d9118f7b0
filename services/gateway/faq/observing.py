"""What look-ups and copies leave behind in metrics and traces: codes and counts, the id and version of an item."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from contracts.codes import FaqState
from runtime.metrics import Metrics
from runtime.telemetry import set_attributes
from services.clarify.faq_veto import VetoReason
from services.gateway.faq.store.reading import Snapshot
from services.gateway.faq.vetted import MissReason


class FaqMetrics:
    """The instruments of the vetted answers."""

    def __init__(self, metrics: Metrics) -> None:
        self._hits = metrics.counter("ragspine_faq_hits", "Questions answered by a vetted answer")
        self._misses = metrics.counter("ragspine_faq_misses", "Questions without a vetted answer, by reason", "reason")
        self._vetoes = metrics.counter("ragspine_faq_vetoes", "Questions whose vetted answer was not served", "reason")
        self._items = metrics.gauge("ragspine_faq_items", "Vetted answers by state", "state")
        self._surfaces = metrics.gauge(
            "ragspine_faq_surfaces", "Wordings of approved items: served, or the reason why never", "verdict"
        )
        self._copies = metrics.counter("ragspine_faq_copies", "Copies of the items put into Redis")
        self._state = metrics.gauge(
            "ragspine_faq_state",
            "Whether vetted answers are served (copy), those that depend on facts too (facts)",
            "what",
        )
        self._stale = metrics.counter("ragspine_faq_went_stale", "Items that went stale because a fact has changed")

    def watch(self, is_ready: Callable[[], bool], is_current: Callable[[], bool]) -> None:
        """Show whether the copy is looked after, and whether changes of facts are heard."""
        self._state.labels("copy").set_function(is_ready)
        self._state.labels("facts").set_function(is_current)

    def hit(self, item_id: str, version: int) -> None:
        """A vetted answer was served."""
        self._hits.inc()
        set_attributes({"ragspine.faq.hit": True, "ragspine.faq.item": item_id, "ragspine.faq.version": version})

    def missed(self, reason: MissReason | VetoReason) -> None:
        """No vetted answer was served: there is none, or something stood against it."""
        counter = self._vetoes if isinstance(reason, VetoReason) else self._misses
        counter.labels(reason).inc()
        set_attributes({"ragspine.faq.hit": False, "ragspine.faq.miss_reason": reason})

    def copied(self, snapshot: Snapshot, verdicts: Mapping[str, Sequence[tuple[str, str | None]]]) -> None:
        """Redis holds these items now."""
        self._copies.inc()
        for state in FaqState:
            self._items.labels(state).set(snapshot.by_state.get(state, 0))
        approved = [item.id for item in snapshot.items if item.state is FaqState.APPROVED]
        counts = Counter(reason or "served" for item_id in approved for _, reason in verdicts.get(item_id, ()))
        self._surfaces.clear()
        for verdict, times in counts.items():
            self._surfaces.labels(verdict).set(times)

    def went_stale(self, count: int) -> None:
        """Facts have changed on which items depend."""
        self._stale.inc(count)
