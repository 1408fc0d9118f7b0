"""What a parse leaves behind in metrics and in the trace: the route and counts, never a word of the question."""

from contracts.v1.intent import ParsedIntent
from runtime.metrics import Metrics
from runtime.telemetry import set_attributes


class Observed:
    """The instruments of the intent worker."""

    def __init__(self, metrics: Metrics) -> None:
        self._parses = metrics.counter("ragspine_parses", "Questions read by route", "route")
        self._residues = metrics.counter("ragspine_residues", "Words that stay behind and are asked back", "kind")

    def parsed(self, intent: ParsedIntent) -> None:
        """A question was read."""
        self._parses.labels(intent.route).inc()
        for residue in intent.pending:
            self._residues.labels(residue.kind).inc()
        set_attributes(
            {
                "ragspine.route": intent.route,
                "ragspine.residues": len(intent.pending),
                "ragspine.external_entities": len(intent.external_entities),
            }
        )
