"""What a service is given to build on, and what it gives back."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Generic, TypeVar

from faststream.nats import NatsBroker

from runtime.bus import Bus
from runtime.health import PROFILE_DIGEST, Health
from runtime.metrics import Metrics
from runtime.settings import RuntimeSettings
from runtime.telemetry import Telemetry

S = TypeVar("S", bound=RuntimeSettings)


@dataclass(frozen=True)
class Worker(Generic[S]):
    """The parts of a running process that a service uses."""

    service: str
    settings: S
    broker: NatsBroker
    bus: Bus
    health: Health
    metrics: Metrics
    telemetry: Telemetry

    def uses_profile(self, digest: str) -> None:
        """Show in health and metrics which company profile is in force: after a change all workers must show one."""
        self.health.add_detail(PROFILE_DIGEST, digest)
        self.metrics.profile_info.labels(digest).set(1)


Build = Callable[[Worker[S]], AbstractAsyncContextManager[None]]
"""Opens what the service needs, includes its routers, adds its checks; yields while it serves; closes."""
