"""What a search leaves behind in metrics and in the trace: how many passages, never one of their words."""

from contracts.v1.narrative import Passages
from runtime.metrics import Metrics
from runtime.telemetry import set_attributes


class Observed:
    """The instruments of the narrative worker."""

    def __init__(self, metrics: Metrics) -> None:
        self._searches = metrics.counter("ragspine_searches", "Searches for passages by outcome", "outcome")

    def searched(self, found: Passages) -> None:
        """A search was answered."""
        self._searches.labels(_outcome(found)).inc()
        set_attributes({"ragspine.passages": len(found.passages)})


def _outcome(found: Passages) -> str:
    if found.passages:
        return "found"
    return "nothing_found" if found.material_loaded else "no_material"
