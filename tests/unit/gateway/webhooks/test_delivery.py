import asyncio
from collections.abc import Callable

import pytest

from contracts.subjects import HEADER_ASK_ID, HEADER_SIGNATURE
from runtime.errors import UnavailableError
from services.gateway.asks.webhooks.delivery import PLACES_OF_ONE_APP, Delivery
from services.gateway.asks.webhooks.pauses import LONGEST_SECONDS, pause_seconds
from services.gateway.asks.webhooks.ports import Due, NotTaken, Outcome, Unwanted
from services.gateway.asks.webhooks.signing import Secrets
from services.gateway.asks.webhooks.targets import Target
from tests.unit.gateway.webhooks.memory import SECRET, MemoryWebhooks, ScriptedSender, delivery, due


async def run_until(sending: Delivery, done: Callable[[], bool]) -> None:
    task = asyncio.create_task(sending.run())
    async with asyncio.timeout(5):
        while not done():
            await asyncio.sleep(0.001)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_what_is_due_is_sent_signed_and_noted() -> None:
    ledger, sender = MemoryWebhooks([due()]), ScriptedSender()

    await run_until(delivery(ledger, sender), lambda: bool(ledger.taken))

    ((target, headers, body),) = sender.sent
    assert target.host == "hooks.test"
    assert headers[HEADER_ASK_ID] == "a1"
    assert headers[HEADER_SIGNATURE].startswith("v1=")
    assert body == due().body


async def test_what_was_not_taken_is_sent_again_after_growing_pauses_and_then_given_up() -> None:
    ledger = MemoryWebhooks([due()], is_again_at_once=True)
    sender = ScriptedSender([NotTaken("status_500"), NotTaken("timeout"), NotTaken("connection")])

    await run_until(delivery(ledger, sender), lambda: bool(ledger.given_up))

    assert ledger.postponed == [("a1", 1.0, "status_500"), ("a1", 3.0, "timeout")]
    assert ledger.given_up == [("a1", "connection")]
    assert len(sender.sent) == 3


async def test_a_receiver_that_is_gone_is_not_told_again() -> None:
    ledger = MemoryWebhooks([due()])

    await run_until(delivery(ledger, ScriptedSender([Unwanted("gone")])), lambda: bool(ledger.given_up))

    assert ledger.given_up == [("a1", "gone")]


async def test_attempts_that_were_always_interrupted_end_too() -> None:
    ledger, sender = MemoryWebhooks([due(attempt=4)]), ScriptedSender()

    await run_until(delivery(ledger, sender), lambda: bool(ledger.given_up))

    assert ledger.given_up == [("a1", "interrupted")]
    assert sender.sent == []


async def test_an_app_without_a_secret_is_not_told_unsigned() -> None:
    ledger, sender = MemoryWebhooks([due()]), ScriptedSender()

    await run_until(delivery(ledger, sender, secrets=Secrets.parse(f"sales:{SECRET}")), lambda: bool(ledger.given_up))

    assert ledger.given_up == [("a1", "no_secret")]
    assert sender.sent == []


async def test_a_receiver_that_hangs_delays_no_other_app(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.gateway.asks.webhooks.delivery.POLL_SECONDS", 0.01)
    hanging = [due(ask_id=f"slow{number}", app="slow") for number in range(40)]
    ledger = MemoryWebhooks([*hanging[:PLACES_OF_ONE_APP]])

    class Sender(ScriptedSender):
        async def send(self, target: Target, headers: dict[str, str], body: bytes) -> Outcome:
            if headers[HEADER_ASK_ID].startswith("slow"):
                ledger.due = [*hanging[PLACES_OF_ONE_APP:], due(ask_id="quick", app="quick")]
                await asyncio.Future()
            return await super().send(target, headers, body)

    await run_until(delivery(ledger, Sender()), lambda: ledger.taken == ["quick"])

    assert ledger.claims[-1][1] == ("slow",)


async def test_a_ledger_that_is_away_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.gateway.asks.webhooks.delivery.POLL_SECONDS", 0.01)

    class Ledger(MemoryWebhooks):
        failures = 2

        async def claim(self, limit: int, *, lease_seconds: float, without: object) -> list[Due]:
            if self.failures:
                self.failures -= 1
                raise UnavailableError
            return list(await super().claim(limit, lease_seconds=lease_seconds, without=()))

    ledger = Ledger([due()])

    await run_until(delivery(ledger, ScriptedSender()), lambda: bool(ledger.taken))

    assert ledger.taken == ["a1"]


async def test_stopping_ends_what_is_on_its_way() -> None:
    ended = asyncio.Event()

    class Sender(ScriptedSender):
        async def send(self, target: Target, headers: dict[str, str], body: bytes) -> Outcome:
            self.sent.append((target, headers, body))
            try:
                return await asyncio.Future[Outcome]()
            finally:
                ended.set()

    sender = Sender()
    ledger = MemoryWebhooks([due()])

    await run_until(delivery(ledger, sender), lambda: bool(sender.sent))

    assert ended.is_set()
    assert ledger.taken == []


@pytest.mark.parametrize(
    ("attempt", "spread", "wanted", "expected"),
    [(1, 0.0, None, 0.5), (1, 1.0, None, 1.0), (4, 1.0, None, 27.0), (1, 1.0, 20.0, 20.0), (3, 1.0, 2.0, 9.0)],
)
def test_pauses_grow_are_spread_and_heed_the_receiver(
    attempt: int, spread: float, wanted: float | None, expected: float
) -> None:
    assert pause_seconds(attempt, spread=spread, wanted=wanted) == expected


@pytest.mark.parametrize(("attempt", "wanted"), [(10_000, None), (1, 1e12)])
def test_a_pause_is_bounded(attempt: int, wanted: float | None) -> None:
    assert pause_seconds(attempt, spread=1.0, wanted=wanted) == LONGEST_SECONDS
