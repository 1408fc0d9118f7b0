"""docs/api.md says what the gateway does: its calls, errors, settings and examples are compared with the real ones."""

import json
import re
from pathlib import Path

from contracts.codes import HTTP_STATUS, ErrorCode
from contracts.v1.ask import AskRequest
from contracts.v1.facts import LoadFacts
from services.gateway.settings import GatewaySettings
from tests.component.gateway.doors import Doors

PAGE = Path("docs/api.md").read_text(encoding="utf-8")


async def test_lists_every_call_with_its_parameters(doors: Doors) -> None:
    document = (await doors.http.get("/openapi.json")).json()
    served = {
        (method.upper(), path): {p["name"] for p in operation.get("parameters", ()) if p["in"] == "query"}
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }

    listed = re.findall(r"^\| `([A-Z]+) (/[a-z0-9/{}-]+)(?:\?([a-z_=&]+))?`", PAGE, re.MULTILINE)

    assert {(m, path): {part.rstrip("=") for part in q.split("&") if part} for m, path, q in listed} == served


def test_lists_every_error_with_its_status() -> None:
    listed = re.findall(r"^\| `([a-z_]+)` \| (\d{3}) \|", PAGE, re.MULTILINE)

    assert {code: int(status) for code, status in listed} == {code.value: HTTP_STATUS[code] for code in ErrorCode}


def test_lists_every_setting_of_its_own() -> None:
    listed = set(re.findall(r"^\| `RAGSPINE_([A-Z_]+)` \|", PAGE, re.MULTILINE))

    own = {name.upper() for name in GatewaySettings.__annotations__}
    assert own <= listed
    assert listed <= {name.upper() for name in GatewaySettings.model_fields}


def test_its_examples_are_accepted() -> None:
    ask, rows = re.findall(r"-d '(\{.*?\})'\n", PAGE, re.DOTALL)

    assert AskRequest.model_validate_json(ask)
    assert LoadFacts.model_validate_json(rows)


async def test_its_problem_is_what_a_caller_gets(doors: Doors) -> None:
    shown = json.loads(next(iter(re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))))

    reply = await doors.ask({"question": "x", "default_entity": "NOBODY"})

    assert reply.json() == {**shown, "request_id": reply.headers["x-request-id"]}


def test_lists_every_field_of_an_ask() -> None:
    fields = set(re.findall(r"^\| `([a-z_]+)` \|", PAGE.split("## Load")[0], re.MULTILINE))

    assert fields == set(AskRequest.model_fields)
