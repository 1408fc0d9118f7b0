"""Every call of the HTTP door with every kind of key: who comes in is what the routes declare, and nothing else.

The calls are those of the app and those of its OpenAPI document; a path in one and not in the other fails.
"""

import re
import time
from collections.abc import AsyncGenerator
from itertools import product
from pathlib import Path
from typing import Final

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from contracts.codes import Scope
from services.gateway.access.demands import Demand, needs
from services.gateway.access.failures import FailedAttempts
from services.gateway.http.app import make_routes
from services.gateway.http.openapi import BareRoute, demands_of
from tests.component.gateway.doors import Doors, open_doors
from tests.support.keys import HOUR, NOW, bearer, new_key, store

DENIED: Final = {
    "no key": {},
    "another scheme": {"Authorization": "Basic cnNrOnNlY3JldA=="},
    "no form of a key": {"Authorization": "Bearer secret"},
}
OPEN: Final = {"/", "/docs", "/openapi.json", "/asyncapi", "/asyncapi.html", "/healthz", "/readyz"}
"""What needs no key: said here once more, so that nothing is opened by a slip at a route."""


@pytest.fixture
async def doors(tmp_path: Path) -> AsyncGenerator[Doors]:
    path = store(tmp_path / "keys.json", new_key())
    async with open_doors(http_keys_file=path) as opened:
        yield opened


def table(doors: Doors) -> dict[tuple[str, str], Demand]:
    return demands_of(make_routes(doors.routes, doors.gate))


async def call(doors: Doors, method: str, path: str, headers: dict[str, str]) -> httpx.Response:
    return await doors.http.request(method, re.sub(r"\{[a-z_]+\}", "some", path), headers=headers)


async def test_the_table_and_the_openapi_document_name_the_same_calls(doors: Doors) -> None:
    document = (await doors.http.get("/openapi.json")).json()

    declared = {call for call in table(doors) if call[1] not in {"/", "/docs", "/openapi.json"}}
    documented = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    assert documented == {call for call in declared if not call[1].startswith("/asyncapi")}
    for (method, path), demand in table(doors).items():
        if (method, path) in documented:
            security = document["paths"][path][method.lower()]["security"]
            assert security == ([{"key": [demand.scope]}] if demand.scope else []), (method, path)
    assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"


async def test_nothing_is_open_but_health_and_documents(doors: Doors) -> None:
    assert {path for (_, path), demand in table(doors).items() if demand.scope is None} == OPEN


@pytest.mark.parametrize("scope", Scope)
async def test_a_key_comes_in_where_its_scope_is_declared_and_nowhere_else(
    doors: Doors, tmp_path: Path, scope: Scope
) -> None:
    key = new_key("crm", scope)
    store(tmp_path / "keys.json", key)
    doors.keys.start()

    for (method, path), demand in table(doors).items():
        reply = await call(doors, method, path, bearer(key))

        is_let_in = demand.scope in {None, scope} or scope is Scope.ADMIN
        assert (reply.status_code not in {401, 403}) == is_let_in, (method, path, reply.text)
        if not is_let_in:
            assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")
            assert demand.scope is not None
            assert demand.scope in reply.json()["detail"]
    assert not doors.asked


async def test_wrong_keys_of_every_kind_come_in_nowhere_and_get_the_same_reply(doors: Doors, tmp_path: Path) -> None:
    good, revoked, expired = new_key(), new_key(revoked=NOW - HOUR), new_key(expires=NOW - HOUR)
    store(tmp_path / "keys.json", good, revoked, expired)
    doors.keys.start()
    swapped = f"{good.key.partition('.')[0]}.{new_key().key.partition('.')[2]}"
    keys = {"unknown": new_key().key, "wrong secret": swapped, "revoked": revoked.key, "expired": expired.key}
    headers = DENIED | {name: bearer(key) for name, key in keys.items()}
    bodies = set[str]()

    for ((method, path), demand), (kind, sent) in product(table(doors).items(), headers.items()):
        doors.gate.failures = FailedAttempts(time.monotonic)  # or their number would be the answer
        reply = await call(doors, method, path, {**sent, "X-Request-Id": "same"})

        if demand.scope is None:
            assert reply.status_code not in {401, 403}, (method, path, kind)
        else:
            assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer"), (method, path, kind)
            bodies.add(reply.text)
            assert not any(key.partition(".")[2] in reply.text for key in keys.values())
    assert len(bodies) == 1


@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/nothing"), ("PATCH", "/v1/ask"), ("OPTIONS", "/v1/ask")])
async def test_paths_and_methods_that_do_not_exist_are_not_told_without_a_key(
    doors: Doors, method: str, path: str
) -> None:
    reply = await call(doors, method, path, {})

    assert reply.status_code == 401


def test_a_route_without_a_declaration_cannot_be_added() -> None:
    app = FastAPI()
    app.router.route_class = BareRoute

    async def forgotten(_: Request) -> Response:
        return Response()

    with pytest.raises(TypeError, match="forgotten serves a route and does not say which scope it needs"):
        app.add_api_route("/forgotten", forgotten)


def test_a_declared_route_stands_in_the_table() -> None:
    app = FastAPI()
    app.router.route_class = BareRoute

    @needs(Scope.LOAD)
    async def loading(_: Request) -> Response:
        return Response()

    app.add_api_route("/loading", loading, methods=["POST"])

    assert demands_of(app) == {("POST", "/loading"): Demand(Scope.LOAD)}
