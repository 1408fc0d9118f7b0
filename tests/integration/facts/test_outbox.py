"""Every committed change leaves its events, no other does, and each reaches the stream once."""

import asyncio
import json
from collections.abc import AsyncGenerator, Generator

import asyncpg
import nats
import pytest
from nats.js.api import StreamConfig

from contracts import subjects
from contracts.v1.facts import FactsChanged, WithdrawFacts
from runtime.errors import InvalidRequestError, UnavailableError
from services.facts.outbox import Relay
from services.facts.ports import OutboxEvent
from tests.support.facts import Facts, facts_on, row
from tests.support.servers import Nats, running_nats

pytestmark = pytest.mark.connected


@pytest.fixture
async def connection(database: str) -> AsyncGenerator[asyncpg.Connection]:
    session = await asyncpg.connect(database)
    yield session
    await session.close()


async def _events(connection: asyncpg.Connection) -> list[FactsChanged]:
    rows = await connection.fetch("SELECT event_id, payload FROM facts.outbox ORDER BY event_id")
    return [FactsChanged.model_validate({"event_id": r["event_id"], **json.loads(r["payload"])}) for r in rows]


async def test_each_change_announces_its_scopes_and_no_value(facts: Facts, connection: asyncpg.Connection) -> None:
    await facts.load(row("2023", "98765"), row("2024"))
    await facts.load(row("2023", "98765"), row("2024", "5"))
    await facts.service.withdraw(WithdrawFacts(source_doc_id="review.pptx"))
    await facts.load(row("2023", "98765"))

    events = await _events(connection)

    assert [sorted(scope.period for scope in event.scopes) for event in events] == [
        ["2023", "2024"],
        ["2024"],
        ["2023", "2024"],
        ["2023"],
    ]
    payloads = await connection.fetchval("SELECT string_agg(payload::text, ' ') FROM facts.outbox")
    assert "98765" not in payloads
    assert "review" not in payloads


async def test_what_changes_nothing_announces_nothing(facts: Facts, connection: asyncpg.Connection) -> None:
    await facts.load(row())
    await facts.load(row())
    await facts.service.withdraw(WithdrawFacts(source_doc_id="nobody.pdf"))

    assert len(await _events(connection)) == 1


async def test_a_refused_load_leaves_neither_facts_nor_events(facts: Facts, connection: asyncpg.Connection) -> None:
    with pytest.raises(InvalidRequestError):
        await facts.load(row("2023"), row(value="1"), row(value="2"))

    assert await _events(connection) == []
    assert await connection.fetchval("SELECT count(*) FROM facts.fact") == 0


async def test_a_transaction_that_fails_after_the_facts_leaves_no_event(
    facts: Facts, connection: asyncpg.Connection
) -> None:
    await connection.execute(
        "CREATE FUNCTION facts.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'disk full'; END $$;"
        "CREATE TRIGGER fail BEFORE INSERT ON facts.outbox FOR EACH ROW EXECUTE FUNCTION facts.fail()"
    )

    with pytest.raises(Exception, match="not available"):
        await facts.load(row())

    assert await connection.fetchval("SELECT count(*) FROM facts.fact") == 0
    assert await _events(connection) == []


async def test_a_change_by_hand_is_announced_and_kept_too(facts: Facts, connection: asyncpg.Connection) -> None:
    await facts.load(row(value="1"))

    await connection.execute("UPDATE facts.fact SET value = 2")

    assert len(await _events(connection)) == 2
    assert await connection.fetchval("SELECT value FROM facts.fact_history") == 1


async def test_many_scopes_are_announced_in_parts(facts: Facts, connection: asyncpg.Connection) -> None:
    await facts.load(*(row(str(1000 + i)) for i in range(450)))

    events = await _events(connection)

    assert sum(len(event.scopes) for event in events) == 450
    assert max(len(event.scopes) for event in events) <= 200


@pytest.fixture
def own_nats() -> Generator[Nats]:
    with running_nats() as server:
        yield server


async def _provisioned(url: str) -> nats.NATS:
    client = await nats.connect(url, reconnect_time_wait=0.05, max_reconnect_attempts=-1, error_cb=_ignore)
    await client.jetstream().add_stream(StreamConfig(name=subjects.EVENT_STREAM, subjects=[subjects.EVENTS_ANY]))
    return client


async def _ignore(_: Exception) -> None:
    """The server goes away on purpose."""


async def test_events_reach_the_stream_in_order_and_once(facts: Facts, own_nats: Nats) -> None:
    client = await _provisioned(own_nats.url)
    published = 0

    async def publish(waiting: OutboxEvent) -> None:
        nonlocal published
        published += 1
        body = waiting.event.model_dump_json().encode()
        # Twice, as after a crash between the publishing and its commit.
        for _ in range(2):
            headers = {"Nats-Msg-Id": waiting.message_id}
            await client.jetstream().publish(subjects.EVENT_FACTS_CHANGED, body, headers=headers)

    for year in ("2021", "2022", "2023"):
        await facts.load(row(year))
    relay = Relay(facts.outbox, publish)
    assert await relay.publish_some() == 3
    assert await relay.publish_some() == 0

    stored = [
        FactsChanged.model_validate_json((await client.jetstream().get_msg(subjects.EVENT_STREAM, seq)).data or b"")
        for seq in (1, 2, 3)
    ]
    assert [event.scopes[0].period for event in stored] == ["2021", "2022", "2023"]
    assert (await client.jetstream().stream_info(subjects.EVENT_STREAM)).state.messages == 3
    assert published == 3
    await client.close()


async def test_two_relays_never_publish_the_same_event_at_once(database: str) -> None:
    seen: list[int] = []

    async def publish(waiting: OutboxEvent) -> None:
        await asyncio.sleep(0)
        seen.append(waiting.event.event_id)

    async with facts_on(database) as one, facts_on(database) as other:
        for year in range(2000, 2020):
            await one.load(row(str(year)))
        relays = [Relay(one.outbox, publish), Relay(other.outbox, publish)]
        while any(await asyncio.gather(*(relay.publish_some() for relay in relays))):
            pass

    assert sorted(seen) == sorted(set(seen))
    assert len(seen) == 20


async def test_events_wait_while_the_bus_is_away(facts: Facts, connection: asyncpg.Connection) -> None:
    is_up = False
    seen: list[str] = []

    async def publish(waiting: OutboxEvent) -> None:
        if not is_up and len(seen) == 1:
            raise UnavailableError
        seen.append(waiting.event.scopes[0].period)

    for year in ("2021", "2022", "2023"):
        await facts.load(row(year))
    relay = Relay(facts.outbox, publish)
    with pytest.raises(UnavailableError):
        await relay.publish_some()
    waiting = await connection.fetchval("SELECT count(*) FROM facts.outbox WHERE published_at IS NULL")
    is_up = True
    await relay.publish_some()

    assert waiting == 2
    assert seen == ["2021", "2022", "2023"]


async def test_published_events_are_forgotten_after_a_while(facts: Facts, connection: asyncpg.Connection) -> None:
    await facts.load(row("2023"))
    await facts.load(row("2024"))
    await connection.execute("UPDATE facts.outbox SET published_at = now() - interval '8 days' WHERE event_id = 1")

    await facts.outbox.prune()

    assert [event.event_id for event in await _events(connection)] == [2]
