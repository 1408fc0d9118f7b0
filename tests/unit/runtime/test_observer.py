"""Requests are counted and timed by subject and outcome; what never ran is counted apart."""

import pytest

from contracts import subjects
from runtime.deadline import Deadline
from runtime.errors import DeadlineExceededError
from runtime.metrics import Metrics
from runtime.observer import Observer
from runtime.testing import InMemoryBus
from tests.unit.runtime.messages import Said, Say, say_router


def value(metrics: Metrics, name: str, **labels: str) -> float:
    return metrics.registry.get_sample_value(name, labels) or 0.0


async def test_both_sides_of_a_request_are_counted() -> None:
    observer = Observer()
    bus = InMemoryBus(say_router(), observer=observer)

    await bus.request("test.say", Say(text="a"), Said, deadline=Deadline.after(1))

    assert value(observer.metrics, "ragspine_requests_sent_total", subject="test.say", outcome="ok") == 1
    assert value(observer.metrics, "ragspine_requests_served_total", subject="test.say", outcome="ok") == 1
    assert value(observer.metrics, "ragspine_serve_seconds_count", subject="test.say") == 1
    assert value(observer.metrics, "ragspine_requests_in_flight", subject="test.say") == 0


async def test_a_wildcard_counts_under_its_pattern() -> None:
    observer = Observer()
    bus = InMemoryBus(say_router(subjects.ASK_ANY_APP), observer=observer)

    for app in ("one", "two"):
        await bus.request(subjects.ask(app), Say(text="a"), Said, deadline=Deadline.after(1))

    labels = {"subject": subjects.ASK_ANY_APP, "outcome": "ok"}
    assert value(observer.metrics, "ragspine_requests_served_total", **labels) == 2


async def test_an_expired_request_is_refused_before_it_is_sent() -> None:
    observer = Observer()
    bus = InMemoryBus(say_router(), observer=observer)

    with pytest.raises(DeadlineExceededError):
        await bus.request("test.say", Say(text="a"), Said, deadline=Deadline.after(0.01))

    assert bus.requests == []
    assert value(observer.metrics, "ragspine_requests_sent_total", subject="test.say", outcome="deadline_exceeded") == 1


def test_a_request_that_came_too_late_is_counted_as_dropped() -> None:
    observer = Observer()

    with observer.serving("test.say", None) as served:
        served.outcome, served.was_dropped = "deadline_exceeded", True

    assert value(observer.metrics, "ragspine_deadline_drops_total", subject="test.say") == 1


def test_a_handler_that_is_cancelled_counts_as_failed() -> None:
    observer = Observer()

    with pytest.raises(KeyboardInterrupt), observer.serving("test.say", None):
        raise KeyboardInterrupt

    assert value(observer.metrics, "ragspine_requests_served_total", subject="test.say", outcome="failed") == 1
    assert value(observer.metrics, "ragspine_requests_in_flight", subject="test.say") == 0


def test_two_processes_in_one_interpreter_do_not_share_metrics() -> None:
    one, two = Metrics(), Metrics()

    one.counter("ragspine_asks", "Asks", "kind").labels("normal").inc()

    assert b"ragspine_asks_total" in one.render()
    assert b"ragspine_asks_total" not in two.render()
