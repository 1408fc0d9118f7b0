"""A service says by its own readiness whether it can do its work."""

import pytest
from faststream.nats import NatsBroker

from runtime.errors import UnavailableError
from runtime.health import Health, Phase
from runtime.observer import Observer
from runtime.ping import add_ping, ping_check
from runtime.telemetry import Telemetry
from runtime.testing import InMemoryBus, recorded_spans


class Including:
    """Stands for the broker: only hands routers on."""

    def __init__(self, bus: InMemoryBus) -> None:
        self.include_router = bus.include_router


def pinged(health: Health, telemetry: Telemetry) -> InMemoryBus:
    bus = InMemoryBus(observer=Observer(telemetry=telemetry))
    broker: NatsBroker = Including(bus)  # only `include_router` is used
    add_ping(broker, health, "facts")
    return bus


@pytest.mark.parametrize(("phase", "reason"), [(Phase.SERVING, None), (Phase.STARTING, "degraded")])
async def test_a_ping_is_answered_by_readiness_and_leaves_no_trace(phase: Phase, reason: str | None) -> None:
    health = Health()
    health.phase = phase
    with recorded_spans() as (telemetry, spans):
        assert await ping_check(pinged(health, telemetry), telemetry, "facts")() == reason
        assert spans() == ()


@pytest.mark.parametrize(("own", "reason"), [("aa", None), ("bb", "profile_mismatch"), (None, None)])
async def test_a_service_with_another_profile_is_not_ready_for_us(own: str | None, reason: str | None) -> None:
    health, telemetry = Health(), Telemetry()
    health.phase = Phase.SERVING
    health.add_detail("profile_digest", "aa")

    assert await ping_check(pinged(health, telemetry), telemetry, "facts", profile_digest=own)() == reason


async def test_a_service_that_says_nothing_of_its_profile_is_taken_by_its_readiness() -> None:
    health, telemetry = Health(), Telemetry()
    health.phase = Phase.SERVING

    assert await ping_check(pinged(health, telemetry), telemetry, "facts", profile_digest="bb")() is None


async def test_a_service_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(UnavailableError):
        await ping_check(InMemoryBus(), Telemetry(), "facts")()
