"""`/v1/faq` at the edge: what is refused before anything is stored, and what a gateway without a catalogue says."""

from collections.abc import AsyncGenerator
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request

from contracts.v1.faq import FaqText, StoredFaqItem
from runtime.errors import InvalidRequestError
from services.gateway.access.callers import LOCAL_CALLER
from services.gateway.admission import Admission
from services.gateway.deadlines import Deadlines
from services.gateway.faq.changes import Condition
from services.gateway.faq.desk import FaqDesk
from services.gateway.http.errors import add_error_handlers
from services.gateway.http.faq_routes import FaqRoutes, precondition
from services.gateway.http.openapi import BareRoute
from tests.component.gateway.doors import Doors
from tests.support.vetted import shown

BODY = {"question": "食堂在哪", "answer": "三楼。", "owner": "o"}


class _Catalogue:
    """Remembers what it was asked to do."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    async def put(self, item_id: str, text: FaqText, on: object, deadline: object, *, who: str) -> StoredFaqItem:
        self.calls.append(("put", item_id, text.answer, on, who))
        return shown()

    async def approve(self, item_id: str, on: object, deadline: object, *, who: str) -> StoredFaqItem:
        self.calls.append(("approve", item_id, on, who))
        return shown()

    async def get(self, item_id: str) -> StoredFaqItem:
        return shown()


@pytest.fixture
def catalogue() -> _Catalogue:
    return _Catalogue()


@pytest.fixture
async def http(catalogue: _Catalogue) -> AsyncGenerator[httpx.AsyncClient]:
    app = FastAPI()
    app.router.route_class = BareRoute
    add_error_handlers(app)
    desk = FaqDesk(cast(Any, None), cast(Any, catalogue), cast(Any, None), cast(Any, None), cast(Any, None))
    FaqRoutes(desk, Deadlines(default=5, longest=10), loads=Admission(2)).add_to(app)

    @app.middleware("http")
    async def identify(request: Request, call_next: Any) -> Any:
        request.state.request_id = "r"
        request.state.caller = LOCAL_CALLER
        return await call_next(request)

    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def test_the_etag_is_the_revision_and_comes_back_as_if_match(
    http: httpx.AsyncClient, catalogue: _Catalogue
) -> None:
    etag = (await http.get("/v1/faq/canteen")).headers["etag"]

    reply = await http.put("/v1/faq/canteen?by=chen", json=BODY, headers={"If-Match": etag})

    assert (etag, reply.status_code, reply.headers["etag"]) == ('"7"', 200, '"7"')
    assert catalogue.calls == [("put", "canteen", "三楼。", 7, "chen")]


@pytest.mark.parametrize(
    ("headers", "on"),
    [
        ({}, Condition.UNSAID),
        ({"If-Match": "*"}, Condition.ANY),
        ({"If-Match": ' "12" '}, 12),
        ({"If-None-Match": "*"}, Condition.NEW),
    ],
)
async def test_conditions(
    http: httpx.AsyncClient, catalogue: _Catalogue, headers: dict[str, str], on: Condition | int
) -> None:
    await http.post("/v1/faq/canteen/approve", headers=headers)

    assert catalogue.calls == [("approve", "canteen", on, "local")]


@pytest.mark.parametrize(
    "headers",
    [
        *({"If-Match": "7"}, {"If-Match": 'W/"7"'}, {"If-Match": '"x"'}, {"If-Match": '"7", "8"'}, {"If-Match": '""'}),
        *({"If-None-Match": '"7"'}, {"If-None-Match": "*", "If-Match": "*"}, {"If-Match": f'"{"9" * 30}"'}),
    ],
)
async def test_what_is_no_etag_of_ours_is_refused(
    http: httpx.AsyncClient, catalogue: _Catalogue, headers: dict[str, str]
) -> None:
    reply = await http.put("/v1/faq/canteen", json=BODY, headers=headers)

    assert (reply.status_code, catalogue.calls) == (422, [])


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/faq/a%20b", BODY),
        ("/v1/faq/.hidden", BODY),
        (f"/v1/faq/{'a' * 65}", BODY),
        ("/v1/faq/canteen", {**BODY, "id": "other"}),
        ("/v1/faq/canteen", {**BODY, "enabled": True}),
        ("/v1/faq/canteen", {**BODY, "policy_number": "false"}),
        ("/v1/faq/canteen", [BODY]),
        ("/v1/faq/canteen?who=me", BODY),
        ("/v1/faq/canteen?by=a&by=b", BODY),
        ("/v1/faq/canteen?by=", BODY),
    ],
)
async def test_bad_input_names_the_field_and_stores_nothing(
    http: httpx.AsyncClient, catalogue: _Catalogue, path: str, body: object
) -> None:
    reply = await http.put(path, json=body)

    assert (reply.status_code, catalogue.calls) == (422, [])
    assert reply.json()["problems"]
    assert "三楼" not in reply.text


async def test_a_repeated_name_in_a_body_is_refused(http: httpx.AsyncClient, catalogue: _Catalogue) -> None:
    text = '{"question": "q", "answer": "a", "answer": "b", "owner": "o"}'

    reply = await http.put("/v1/faq/canteen", content=text, headers={"Content-Type": "application/json"})

    assert (reply.status_code, catalogue.calls) == (422, [])


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/faq"), ("GET", "/v1/faq/a"), ("POST", "/v1/faq/a/approve"), ("GET", "/v1/faq-suggestions")],
)
async def test_without_postgres_and_redis_the_next_step_is_named(doors: Doors, method: str, path: str) -> None:
    reply = await doors.http.request(method, path)

    assert reply.status_code == 503
    assert "RAGSPINE_REDIS_URL" in reply.json()["detail"]


def test_an_etag_is_read_from_the_headers_alone() -> None:
    request = Request({"type": "http", "headers": [(b"if-match", b"nonsense")]})

    with pytest.raises(InvalidRequestError):
        precondition(request)
