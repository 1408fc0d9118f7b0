"""What operators see of webhooks: how many attempts came to what. Never who was told."""

from runtime.metrics import Metrics


class WebhookMetrics:
    """Counts attempts."""

    def __init__(self, metrics: Metrics) -> None:
        self._attempts = metrics.counter("ragspine_webhooks", "Attempts at webhooks", "outcome")

    def count(self, outcome: str) -> None:
        """An attempt ended: `taken`, `postponed` or `given_up`."""
        self._attempts.labels(outcome).inc()
