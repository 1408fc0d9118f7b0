"""A ledger of webhooks in memory, a sender that is told what to say, and a network that counts who uses it."""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest

from runtime.metrics import Metrics
from services.gateway.asks.webhooks.delivery import Delivery
from services.gateway.asks.webhooks.observing import WebhookMetrics
from services.gateway.asks.webhooks.ports import Due, Outcome, Sender, Taken
from services.gateway.asks.webhooks.signing import Secrets
from services.gateway.asks.webhooks.targets import HostList, Target

SECRET = "k3Jx9-Qw7zR2mT5vB8nL0pYc"
HOSTS = HostList.parse("hooks.test, other.test:8443, 127.0.0.1:9000, localhost:9000")


@dataclass
class MemoryWebhooks:
    """What is due, and what became of it."""

    due: list[Due] = field(default_factory=list[Due])
    taken: list[str] = field(default_factory=list[str])
    postponed: list[tuple[str, float, str]] = field(default_factory=list[tuple[str, float, str]])
    given_up: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    claims: list[tuple[int, tuple[str, ...]]] = field(default_factory=list[tuple[int, tuple[str, ...]]])
    is_again_at_once: bool = False

    async def claim(self, limit: int, *, lease_seconds: float, without: Sequence[str]) -> Sequence[Due]:
        self.claims.append((limit, tuple(without)))
        claimed = [due for due in self.due if due.app not in without][:limit]
        self.due = [due for due in self.due if due not in claimed]
        return claimed

    async def delivered(self, due: Due) -> None:
        self.taken.append(due.ask_id)

    async def postpone(self, due: Due, seconds: float, code: str) -> None:
        self.postponed.append((due.ask_id, seconds, code))
        if self.is_again_at_once:
            self.due.append(replace(due, attempt=due.attempt + 1))

    async def give_up(self, due: Due, code: str) -> None:
        self.given_up.append((due.ask_id, code))


@dataclass
class ScriptedSender:
    """Says what it was told to, and keeps what it was given."""

    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    sent: list[tuple[Target, dict[str, str], bytes]] = field(default_factory=list[tuple[Target, dict[str, str], bytes]])

    async def send(self, target: Target, headers: dict[str, str], body: bytes) -> Outcome:
        self.sent.append((target, headers, body))
        return self.outcomes.pop(0) if self.outcomes else Taken()


def delivery(ledger: MemoryWebhooks, sender: Sender, **changes: object) -> Delivery:
    """A delivery over these, with one secret for all apps and a clock that stands still."""
    usual: dict[str, object] = {
        "hosts": HOSTS,
        "secrets": Secrets.parse(SECRET),
        "metrics": WebhookMetrics(Metrics()),
        "now": lambda: 1_800_000_000.0,
        "spread": lambda: 1.0,
        "max_attempts": 3,
        "attempt_seconds": 1.0,
    }
    return Delivery(ledger, sender, **(usual | changes))  # type: ignore[arg-type]


def due(url: str = "https://hooks.test/done", ask_id: str = "a1", app: str = "local", attempt: int = 1) -> Due:
    return Due(app, ask_id, url, attempt, b'{"state": "answered"}')


@contextmanager
def counted_sockets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """How many sockets and look-ups of names there were inside the block."""
    used: list[str] = []
    real_socket, real_lookup = socket.socket, socket.getaddrinfo

    def counting_socket(*args: object, **kwargs: object) -> socket.socket:
        used.append("socket")
        return real_socket(*args, **kwargs)  # type: ignore[arg-type]

    def counting_lookup(*args: object, **kwargs: object) -> object:
        used.append("lookup")
        return real_lookup(*args, **kwargs)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(socket, "socket", counting_socket)
        patched.setattr(socket, "getaddrinfo", counting_lookup)
        yield lambda: len(used)
