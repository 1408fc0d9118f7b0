"""`/v1/facts` and `/v1/catalogue`: what reaches the facts worker, and what is refused before."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

import httpx
import pytest

from contracts import subjects
from contracts.codes import ErrorCode, PeriodType, ReviewStatus
from contracts.v1.errors import FieldProblem
from contracts.v1.facts import (
    Catalogue,
    FactList,
    FactsLoaded,
    FactsWithdrawn,
    GetCatalogue,
    ListFacts,
    LoadFacts,
    WithdrawFacts,
)
from runtime.errors import FactSourceUnavailableError, InvalidRequestError
from tests.component.gateway.doors import Doors, open_doors
from tests.component.gateway.test_errors_over_http import assert_problem, fields

ROW: dict[str, Any] = {
    "metric_code": "REVENUE",
    "entity": "ACME_CN",
    "period_type": "FY",
    "period": "2024",
    "value": "1320.50",
    "unit": "USD_M",
    "source_doc_id": "review.pptx",
    "source_locator": "slide=2",
}
LOADED = FactsLoaded(received=1, inserted=1, updated=0, unchanged=0)
EMPTY_CATALOGUE = Catalogue(metrics=(), entities=(), channels=(), periods=(), examples=())


@dataclass
class Facts:
    """A facts worker that only writes down what it is asked."""

    doors: Doors
    loaded: list[LoadFacts] = field(default_factory=list[LoadFacts])
    withdrawn: list[WithdrawFacts] = field(default_factory=list[WithdrawFacts])
    listed: list[ListFacts] = field(default_factory=list[ListFacts])
    catalogues: list[GetCatalogue] = field(default_factory=list[GetCatalogue])

    def __post_init__(self) -> None:
        bus = self.doors.bus
        bus.serve(subjects.FACTS_LOAD, self.on_load)
        bus.serve(subjects.FACTS_WITHDRAW, self.on_withdraw)
        bus.serve(subjects.FACTS_LIST, self.on_list)
        bus.serve(subjects.FACTS_CATALOGUE, self.on_catalogue)

    async def on_load(self, rows: LoadFacts) -> FactsLoaded:
        self.loaded.append(rows)
        return LOADED

    async def on_withdraw(self, document: WithdrawFacts) -> FactsWithdrawn:
        self.withdrawn.append(document)
        return FactsWithdrawn(withdrawn=3)

    async def on_list(self, wanted: ListFacts) -> FactList:
        self.listed.append(wanted)
        return FactList(facts=(), next_after=7)

    async def on_catalogue(self, wanted: GetCatalogue) -> Catalogue:
        self.catalogues.append(wanted)
        return EMPTY_CATALOGUE


@pytest.fixture
def facts(doors: Doors) -> Facts:
    return Facts(doors)


async def load(doors: Doors, *rows: dict[str, Any]) -> httpx.Response:
    return await doors.http.post("/v1/facts", json={"facts": list(rows)})


async def test_loads_rows_as_they_are(doors: Doors, facts: Facts) -> None:
    full = {**ROW, "channel": "AGENCY", "valid_as_of": "2025-01-31", "review_status": "pending"}

    reply = await load(doors, ROW, full)

    assert (reply.status_code, FactsLoaded.model_validate_json(reply.content)) == (200, LOADED)
    first, second = facts.loaded[0].facts
    assert (first.value, str(first.value), first.channel) == (Decimal("1320.50"), "1320.50", "TOTAL")
    assert (second.channel, second.valid_as_of, second.review_status, second.period_type) == (
        "AGENCY",
        date(2025, 1, 31),
        ReviewStatus.PENDING,
        PeriodType.FY,
    )


@pytest.mark.parametrize(
    ("change", "field_name"),
    [
        ({"value": 1320.5}, "value"),
        ({"value": True}, "value"),
        ({"value": "1e3"}, "value"),
        ({"value": "1,320"}, "value"),
        ({"value": "NaN"}, "value"),
        ({"value": "１３２０"}, "value"),
        ({"source_doc_id": " "}, "source_doc_id"),
        ({"source_locator": ""}, "source_locator"),
        ({"period_type": "YEAR"}, "period_type"),
        ({"review_status": "maybe"}, "review_status"),
        ({"valid_as_of": "2025-02-30"}, "valid_as_of"),
        ({"colour": "red"}, "colour"),
        ({"metric_code": "x" * 257}, "metric_code"),
    ],
)
async def test_names_row_and_column_of_a_bad_row(
    doors: Doors, facts: Facts, change: dict[str, object], field_name: str
) -> None:
    reply = await load(doors, ROW, {**ROW, **change})

    assert fields(assert_problem(reply, ErrorCode.INVALID_REQUEST)) == [f"facts.1.{field_name}"]
    assert not facts.loaded


async def test_names_every_bad_row(doors: Doors, facts: Facts) -> None:
    rows = [{**ROW, "value": "x"} if number % 2 else ROW for number in range(1_000)]

    reply = await load(doors, *rows)

    assert fields(assert_problem(reply, ErrorCode.INVALID_REQUEST)) == [f"facts.{n}.value" for n in range(1, 1_000, 2)]
    assert not facts.loaded


@pytest.mark.parametrize("body", [{}, {"facts": []}, {"facts": ROW}, {"facts": [ROW] * 1_001}, [ROW], {"rows": [ROW]}])
async def test_refuses_what_is_not_a_list_of_rows(doors: Doors, facts: Facts, body: object) -> None:
    reply = await doors.http.post("/v1/facts", json=body)

    assert_problem(reply, ErrorCode.INVALID_REQUEST)
    assert not facts.loaded


async def test_passes_on_the_rows_that_the_worker_refuses(doors: Doors) -> None:
    problem = FieldProblem(field="facts.0.entity", reason="not an entity of the profile")

    async def refuses(_: LoadFacts) -> FactsLoaded:
        raise InvalidRequestError(problems=(problem,))

    doors.bus.serve(subjects.FACTS_LOAD, refuses)

    reply = await load(doors, ROW)

    assert fields(assert_problem(reply, ErrorCode.INVALID_REQUEST)) == ["facts.0.entity"]


async def test_refuses_a_load_beyond_8_megabytes(doors: Doors, facts: Facts) -> None:
    reply = await doors.http.post(
        "/v1/facts", content=b" " * (8 * 1024 * 1024 + 1), headers={"content-type": "application/json"}
    )

    assert_problem(reply, ErrorCode.PAYLOAD_TOO_LARGE)
    assert not facts.loaded


async def test_refuses_rows_that_are_more_than_one_bus_message(doors: Doors, facts: Facts) -> None:
    row = {**ROW, "source_locator": "x" * 1_024, "source_doc_id": "y" * 1_024}

    reply = await load(doors, *[row] * 1_000)

    assert_problem(reply, ErrorCode.PAYLOAD_TOO_LARGE)
    assert not facts.loaded


async def test_a_large_load_leaves_room_for_asks(doors: Doors, facts: Facts) -> None:
    filler = json.dumps({"facts": [ROW] * 1_000}).encode() + b" " * (7 * 1024 * 1024)

    loading = asyncio.create_task(
        doors.http.post("/v1/facts", content=filler, headers={"content-type": "application/json"})
    )
    asked = await doors.ask()

    assert (asked.status_code, (await loading).status_code) == (200, 200)


async def test_loads_only_so_many_at_once() -> None:
    release, arrived = asyncio.Event(), asyncio.Event()

    async def waits(_: LoadFacts) -> FactsLoaded:
        arrived.set()
        await release.wait()
        return LOADED

    async with open_doors(max_loads=1) as doors:
        doors.bus.serve(subjects.FACTS_LOAD, waits)
        running = asyncio.create_task(load(doors, ROW))
        await arrived.wait()
        refused = await load(doors, ROW)
        asked = await doors.ask()
        release.set()
        loaded = await running

    assert_problem(refused, ErrorCode.OVERLOADED)
    assert (asked.status_code, loaded.status_code) == (200, 200)


async def test_what_was_loaded_is_asked_for_anew_by_the_next_ask(doors: Doors, facts: Facts) -> None:
    await doors.ask()
    await load(doors, ROW)
    await doors.ask()

    assert len(doors.asked) == 2
    assert len(facts.loaded) == 1


async def test_withdraws_a_document(doors: Doors, facts: Facts) -> None:
    reply = await doors.http.delete("/v1/facts", params={"source_doc_id": "回顾 2024.pptx"})

    assert (reply.status_code, reply.json()) == (200, {"withdrawn": 3})
    assert facts.withdrawn == [WithdrawFacts(source_doc_id="回顾 2024.pptx")]


async def test_lists_facts_by_every_filter(doors: Doors, facts: Facts) -> None:
    query = {"metric": "REVENUE", "entity": "ACME_CN", "period": "2024", "limit": "10", "after": "3"}

    reply = await doors.http.get("/v1/facts", params=query)

    assert (reply.status_code, reply.json()) == (200, {"facts": [], "next_after": 7})
    assert facts.listed == [ListFacts(metric="REVENUE", entity="ACME_CN", period="2024", limit=10, after=3)]


async def test_lists_all_facts_without_a_filter(doors: Doors, facts: Facts) -> None:
    await doors.http.get("/v1/facts")

    assert facts.listed == [ListFacts()]


@pytest.mark.parametrize("locale", ["zh", "en", "it", None])
async def test_shows_the_catalogue(doors: Doors, facts: Facts, locale: str | None) -> None:
    reply = await doors.http.get("/v1/catalogue", params={"locale": locale} if locale else {})

    assert Catalogue.model_validate_json(reply.content) == EMPTY_CATALOGUE
    assert facts.catalogues == [GetCatalogue(locale=locale)]


@pytest.mark.parametrize(
    ("method", "path", "field_name"),
    [
        ("DELETE", "/v1/facts", "source_doc_id"),
        ("DELETE", "/v1/facts?source_doc_id=", "source_doc_id"),
        ("DELETE", "/v1/facts?source_doc_id=a&source_doc_id=b", "source_doc_id"),
        ("DELETE", "/v1/facts?source_doc_id=a&force=1", "force"),
        ("GET", "/v1/facts?metrik=REVENUE", "metrik"),
        ("GET", "/v1/facts?metric=", "metric"),
        ("GET", "/v1/facts?limit=0", "limit"),
        ("GET", "/v1/facts?limit=501", "limit"),
        ("GET", "/v1/facts?limit=many", "limit"),
        ("GET", "/v1/facts?after=x", "after"),
        ("GET", "/v1/facts?after=-1", "after"),
        ("GET", "/v1/facts?after=99999999999999999999999", "after"),
        ("GET", "/v1/facts?metric=A&metric=B", "metric"),
        ("GET", "/v1/catalogue?locale=fr", "locale"),
        ("GET", "/v1/catalogue?lang=zh", "lang"),
    ],
)
async def test_refuses_parameters_that_it_does_not_know(
    doors: Doors, facts: Facts, method: str, path: str, field_name: str
) -> None:
    reply = await doors.http.request(method, path)

    assert fields(assert_problem(reply, ErrorCode.INVALID_REQUEST)) == [field_name]
    assert doors.bus.requests == []


CALLS: list[Callable[[Doors], Awaitable[httpx.Response]]] = [
    lambda doors: load(doors, ROW),
    lambda doors: doors.http.delete("/v1/facts?source_doc_id=a"),
    lambda doors: doors.http.get("/v1/facts"),
    lambda doors: doors.http.get("/v1/catalogue"),
]


@pytest.mark.parametrize("call", CALLS)
async def test_says_that_the_facts_worker_is_away(
    doors: Doors, call: Callable[[Doors], Awaitable[httpx.Response]]
) -> None:
    reply = await call(doors)

    assert_problem(reply, ErrorCode.UNAVAILABLE)
    assert reply.headers["retry-after"] == "2"


@pytest.mark.parametrize("call", CALLS)
async def test_says_that_the_store_is_away(doors: Doors, call: Callable[[Doors], Awaitable[httpx.Response]]) -> None:
    async def load_fails(_: LoadFacts) -> FactsLoaded:
        raise FactSourceUnavailableError

    async def withdraw_fails(_: WithdrawFacts) -> FactsWithdrawn:
        raise FactSourceUnavailableError

    async def list_fails(_: ListFacts) -> FactList:
        raise FactSourceUnavailableError

    async def catalogue_fails(_: GetCatalogue) -> Catalogue:
        raise FactSourceUnavailableError

    doors.bus.serve(subjects.FACTS_LOAD, load_fails)
    doors.bus.serve(subjects.FACTS_WITHDRAW, withdraw_fails)
    doors.bus.serve(subjects.FACTS_LIST, list_fails)
    doors.bus.serve(subjects.FACTS_CATALOGUE, catalogue_fails)

    assert_problem(await call(doors), ErrorCode.FACT_SOURCE_UNAVAILABLE)


async def test_a_caller_who_has_left_changes_nothing(doors: Doors, facts: Facts) -> None:
    past = {subjects.HEADER_DEADLINE: str(int(time.time() * 1000) - 1)}

    loaded = await doors.http.post("/v1/facts", json={"facts": [ROW]}, headers=past)
    withdrawn = await doors.http.delete("/v1/facts?source_doc_id=a", headers=past)

    assert_problem(loaded, ErrorCode.DEADLINE_EXCEEDED)
    assert_problem(withdrawn, ErrorCode.DEADLINE_EXCEEDED)
    assert doors.bus.requests == []
