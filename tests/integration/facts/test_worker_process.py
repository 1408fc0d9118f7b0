"""The facts worker as a process: it serves, announces, reports itself unready when Postgres is away, and recovers."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import nats
import pytest
from nats.js.api import StreamConfig

from contracts import subjects
from contracts.codes import FactStatus
from contracts.v1.facts import (
    Catalogue,
    FactList,
    FactOutcomes,
    FactsChanged,
    FactsLoaded,
    FactsWithdrawn,
    GetCatalogue,
    ListFacts,
    LoadFacts,
    QueryFacts,
    WithdrawFacts,
)
from runtime.bus import Bus
from runtime.deadline import Deadline
from runtime.errors import FactSourceUnavailableError, InvalidRequestError, ProfileMismatchError
from tests.integration.gateway.processes import behind, running_service
from tests.integration.runtime.worker_process import Process
from tests.support.answers import sample_profile, scope
from tests.support.databases import migrate
from tests.support.facts import row
from tests.support.servers import Nats, running_nats, running_postgres

pytestmark = [pytest.mark.connected, pytest.mark.timeout(90)]

QUERY = QueryFacts(queries=(scope("2024"),), profile_digest=sample_profile().digest())


@pytest.fixture
def own_nats() -> Generator[Nats]:
    with running_nats() as server:
        yield server


@asynccontextmanager
async def _worker(nats_url: str, dsn: str, folder: Path, **variables: str) -> AsyncGenerator[tuple[Process, Bus]]:
    with running_service("facts", nats_url, folder, RAGSPINE_POSTGRES_URL=dsn, **variables) as process:
        process.until_ready()
        async with behind(nats_url) as bus:
            yield process, bus


async def _load(bus: Bus, *rows: object) -> FactsLoaded:
    message = LoadFacts.model_validate({"facts": rows})
    return await bus.request(subjects.FACTS_LOAD, message, FactsLoaded, deadline=Deadline.after(10))


async def _query(bus: Bus, query: QueryFacts = QUERY) -> FactOutcomes:
    return await bus.request(subjects.FACTS_QUERY, query, FactOutcomes, deadline=Deadline.after(5))


async def test_every_operation_works_over_the_bus(own_nats: Nats, database: str, tmp_path: Path) -> None:
    async with _worker(own_nats.url, database, tmp_path) as (process, bus):
        loaded = await _load(bus, row(value="1320.10"), row("2023", "1000000"))
        answer = (await _query(bus)).outcomes[0]
        listed = await bus.request(subjects.FACTS_LIST, ListFacts(), FactList, deadline=Deadline.after(5))
        catalogue = await bus.request(
            subjects.FACTS_CATALOGUE, GetCatalogue(locale="zh"), Catalogue, deadline=Deadline.after(5)
        )
        withdrawn = await bus.request(
            subjects.FACTS_WITHDRAW,
            WithdrawFacts(source_doc_id="review.pptx"),
            FactsWithdrawn,
            deadline=Deadline.after(5),
        )
        metrics = process.get("/metrics")[1]
        process.terminate()

        assert process.wait() == 0
    assert loaded == FactsLoaded(received=2, inserted=2, updated=0, unchanged=0)
    assert '"value":"1320.10"' in answer.model_dump_json()
    assert [fact.period for fact in listed.facts] == ["2023", "2024"]
    assert catalogue.examples == ("香港 FY2024 的营收是多少？",)
    assert withdrawn.withdrawn == 2
    assert 'ragspine_facts_outcomes_total{status="found"} 1.0' in metrics
    assert 'ragspine_facts_changed_total{change="withdrawn"} 2.0' in metrics
    assert 'ragspine_facts_connections{pool="read",use="busy"} 0.0' in metrics
    assert "1320" not in process.log.read_text()


async def test_typed_errors_travel(own_nats: Nats, database: str, tmp_path: Path) -> None:
    async with _worker(own_nats.url, database, tmp_path) as (_, bus):
        with pytest.raises(ProfileMismatchError):
            await _query(bus, QUERY.model_copy(update={"profile_digest": "0" * 16}))
        with pytest.raises(InvalidRequestError) as refused:
            await _load(bus, row(), row(entity="ACME_XX"))

    assert [problem.field for problem in refused.value.problems] == ["facts.1.entity"]


async def test_a_change_reaches_the_stream_even_when_the_stream_comes_later(
    own_nats: Nats, database: str, tmp_path: Path
) -> None:
    async with _worker(own_nats.url, database, tmp_path) as (_, bus):
        await _load(bus, row())
        client = await nats.connect(own_nats.url)
        stream = client.jetstream()
        await stream.add_stream(StreamConfig(name=subjects.EVENT_STREAM, subjects=[subjects.EVENTS_ANY]))
        subscription = await stream.subscribe(subjects.EVENT_FACTS_CHANGED, ordered_consumer=True)

        first = FactsChanged.model_validate_json((await subscription.next_msg(timeout=20)).data)
        await _load(bus, row(value="2"))
        second = FactsChanged.model_validate_json((await subscription.next_msg(timeout=20)).data)

        assert [s.period for s in first.scopes] == [s.period for s in second.scopes] == ["2024"]
        assert first.event_id < second.event_id
        await client.close()


async def test_it_lives_through_a_restart_of_postgres(own_nats: Nats, tmp_path: Path) -> None:
    with running_postgres() as postgres:
        migrate(postgres.dsn())
        async with _worker(own_nats.url, postgres.dsn(), tmp_path) as (process, bus):
            await _load(bus, row())
            postgres.server.kill()

            with pytest.raises(FactSourceUnavailableError):
                await _query(bus)
            unready = await _until_status(process, 503)
            postgres.server.start()

            assert '"postgres":"fact_source_unavailable"' in unready.replace(" ", "")
            assert (await _query(bus)).outcomes[0].status is FactStatus.FOUND
            await _until_status(process, 200)


async def test_a_frozen_postgres_costs_its_callers_a_typed_error_in_time(own_nats: Nats, tmp_path: Path) -> None:
    with running_postgres() as postgres:
        migrate(postgres.dsn())
        variables = {"RAGSPINE_FACTS_QUERY_SECONDS": "0.5"}
        async with _worker(own_nats.url, postgres.dsn(), tmp_path, **variables) as (process, bus):
            await _query(bus)
            postgres.server.pause()

            outcomes = await asyncio.gather(*(_query(bus) for _ in range(50)), return_exceptions=True)

            assert {type(outcome) for outcome in outcomes} == {FactSourceUnavailableError}
            postgres.server.resume()
            assert (await _query(bus)).outcomes[0].status is FactStatus.NOT_FOUND
            postgres.server.pause()
            process.terminate()
            assert process.wait() == 0


async def test_it_starts_without_postgres_and_becomes_ready(own_nats: Nats, tmp_path: Path) -> None:
    with running_postgres() as postgres:
        migrate(postgres.dsn())
        postgres.server.kill()
        with running_service("facts", own_nats.url, tmp_path, RAGSPINE_POSTGRES_URL=postgres.dsn()) as process:
            await _until_status(process, 503)
            postgres.server.start()

            await _until_status(process, 200)


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({}, "RAGSPINE_POSTGRES_URL"),
        ({"RAGSPINE_POSTGRES_URL": "mysql://here"}, "RAGSPINE_POSTGRES_URL: must be postgresql://"),
        ({"RAGSPINE_POSTGRES_URL": "postgresql://x@/y", "RAGSPINE_PROFILE": "/nowhere"}, "RAGSPINE_PROFILE"),
    ],
)
def test_a_wrong_setting_stops_the_start_by_its_name(
    nats_url: str, tmp_path: Path, variables: dict[str, str], named: str
) -> None:
    with running_service("facts", nats_url, tmp_path, **variables) as process:
        assert process.wait() == 2
        assert named in process.log.read_text()
        assert "here" not in process.log.read_text()


async def _until_status(process: Process, status: int) -> str:
    async with asyncio.timeout(20):
        while True:
            try:
                got, body = await asyncio.to_thread(process.get, "/readyz")
            except (OSError, FileNotFoundError):
                got, body = 0, ""
            if got == status:
                return body
            await asyncio.sleep(0.05)
