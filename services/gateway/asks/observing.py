"""What durable asks leave behind in metrics: counts, codes and times. Names of apps and asks have no place here."""

from contracts.codes import AskState
from contracts.v1.asks import DurableAnswer
from runtime.metrics import Metrics
from runtime.work_queue import Backlog
from services.gateway.asks.store.upkeep import Standing

SECONDS_BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1_800.0, 7_200.0, 86_400.0)


class AskMetrics:
    """Counts durable asks."""

    def __init__(self, metrics: Metrics) -> None:
        self._accepted = metrics.counter("ragspine_durable_accepted", "Durable asks accepted", "door")
        self._finished = metrics.counter("ragspine_durable_finished", "Durable asks with a final word", "state", "code")
        self._waited = metrics.counter("ragspine_durable_waited", "Attempts that found a part away", "code")
        self._faulted = metrics.counter("ragspine_durable_faulted", "Attempts that our own code failed")
        self._redelivered = metrics.counter(
            "ragspine_durable_redelivered", "Durable asks that the queue gave out again"
        )
        self._requeued = metrics.counter("ragspine_durable_requeued", "Asks put into the queue again", "why")
        self._differing = metrics.counter(
            "ragspine_durable_differing", "Messages that differ from the ask of their name"
        )
        self._seconds = metrics.histogram(
            "ragspine_durable_seconds", "From acceptance to the final word", buckets=SECONDS_BUCKETS
        )
        self._open = metrics.gauge("ragspine_durable_open", "Durable asks without a final word")
        self._waiting = metrics.gauge("ragspine_durable_waiting", "Of these, those that wait for a part that is away")
        self._oldest = metrics.gauge("ragspine_durable_oldest_open_seconds", "Age of the oldest of them")
        self._queue = metrics.gauge("ragspine_durable_queue_messages", "Messages in the queue", "what")
        self._ready = metrics.gauge("ragspine_durable_ready", "Whether durable asks can be accepted: 1 or 0")

    def accepted(self, door: str) -> None:
        """One more, over `http` or `bus`."""
        self._accepted.labels(door).inc()

    def finished(self, word: DurableAnswer) -> None:
        """One more final word."""
        code = word.error.code.value if word.state is AskState.FAILED and word.error else "none"
        self._finished.labels(word.state.value, code).inc()
        self._seconds.observe((word.finished_at - word.accepted_at).total_seconds())

    def waited(self, code: str) -> None:
        """One more attempt in vain."""
        self._waited.labels(code).inc()

    def faulted(self) -> None:
        """One more attempt that our own code failed."""
        self._faulted.inc()

    def redelivered(self) -> None:
        """One more ask that was given out again."""
        self._redelivered.inc()

    def requeued(self, why: str) -> None:
        """One more: `lost` from the queue, or `ordered` to be tried again."""
        self._requeued.labels(why).inc()

    def differing(self) -> None:
        """One more message under a name that stands for another body."""
        self._differing.inc()

    def show(self, standing: Standing, backlog: Backlog | None, *, is_ready: bool) -> None:
        """How it stands at the moment."""
        self._open.set(standing.open)
        self._waiting.set(standing.waiting)
        self._oldest.set(standing.oldest_seconds)
        self._ready.set(is_ready)
        if backlog is not None:
            self._queue.labels("waiting").set(backlog.waiting)
            self._queue.labels("being_worked_on").set(backlog.being_worked_on)
