"""The documents and pages of the interface: complete, readable without the internet, and nothing that a CSP refuses."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from contracts.codes import ErrorCode
from tests.component.gateway.doors import ANSWER, Doors


def references(node: object) -> Iterator[str]:
    match node:
        case {"$ref": str(reference)}:
            yield reference
        case dict():
            for child in node.values():
                yield from references(child)
        case list():
            for child in node:
                yield from references(child)
        case _:
            return


def stored(name: str) -> dict[str, Any]:
    """A generated file of the contracts."""
    return json.loads((Path("contracts") / name).read_text(encoding="utf-8"))


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


async def openapi(doors: Doors) -> dict[str, Any]:
    return (await doors.http.get("/openapi.json")).json()


async def test_openapi_lists_every_call(doors: Doors) -> None:
    assert set(operations(await openapi(doors))) == {
        "POST /v1/ask",
        "POST /v1/asks",
        "GET /v1/asks",
        "GET /v1/asks/{id}",
        "GET /v1/asks/{id}/events",
        "POST /v1/asks/{id}/retry",
        "POST /v1/facts",
        "DELETE /v1/facts",
        "GET /v1/facts",
        "POST /v1/passages",
        "DELETE /v1/passages",
        "GET /v1/faq",
        "POST /v1/faq",
        "POST /v1/faq/test",
        "GET /v1/faq/{id}",
        "PUT /v1/faq/{id}",
        "DELETE /v1/faq/{id}",
        "POST /v1/faq/{id}/approve",
        "POST /v1/faq/{id}/disable",
        "GET /v1/faq/{id}/audit",
        "GET /v1/faq-suggestions",
        "GET /v1/catalogue",
        "GET /healthz",
        "GET /readyz",
        "GET /metrics",
    }


async def test_every_reference_of_openapi_leads_somewhere(doors: Doors) -> None:
    document = await openapi(doors)

    names = {reference.removeprefix("#/components/schemas/") for reference in references(document)}
    assert names <= set(document["components"]["schemas"])
    assert {"AskRequest", "AnswerResult", "LoadFacts", "Problem", "Readiness"} <= names


async def test_openapi_carries_the_messages_as_the_contracts_define_them(doors: Doors) -> None:
    schemas = (await openapi(doors))["components"]["schemas"]

    for name in ("AskRequest", "AnswerResult"):
        own = stored(f"schemas/v1/{name}.schema.json")
        assert set(schemas[name]["properties"]) == set(own["properties"])
        assert schemas[name].get("required") == own.get("required")


async def test_a_real_answer_and_a_real_problem_fit_their_schemas(doors: Doors) -> None:
    document = await openapi(doors)
    answer = (await doors.ask({"question": "x", "request_id": ANSWER.request_id})).json()
    problem = (await doors.ask({"quesiton": "x"})).json()

    for instance, name in ((answer, "AnswerResult"), (problem, "Problem")):
        Draft202012Validator({**document, "$ref": f"#/components/schemas/{name}"}).validate(instance)


async def test_every_example_of_openapi_is_accepted(doors: Doors) -> None:
    document = await openapi(doors)

    for operation in operations(document).values():
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content:
            Draft202012Validator({**document, **content["schema"]}).validate(content["example"])


async def test_every_call_documents_its_errors_as_problems(doors: Doors) -> None:
    for name, operation in operations(await openapi(doors)).items():
        if " /v1/" in name:
            replies = operation["responses"]
            failures = {status: reply for status, reply in replies.items() if not status.startswith("2")}
            assert failures != replies
            assert {"403", "413", "422", "429", "500", "503", "504"} <= set(failures)
            assert all("application/problem+json" in reply["content"] for reply in failures.values())


@pytest.mark.parametrize("path", ["/docs", "/asyncapi.html"])
async def test_a_page_needs_nothing_but_itself(doors: Doors, path: str) -> None:
    reply = await doors.http.get(path)

    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert not re.findall(r"<(script|link|img|iframe|object)\b|https?://|url\(|@import|\son\w+=", reply.text)
    styles = re.findall(r"<style>(.*?)</style>", reply.text, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() for style in styles]
    assert [f"'sha256-{digest}'" for digest in hashes] == re.findall(
        r"'sha256-[^']+'", reply.headers["content-security-policy"]
    )


@pytest.mark.parametrize("path", ["/docs", "/asyncapi.html"])
async def test_every_link_of_a_page_leads_somewhere(doors: Doors, path: str) -> None:
    page = (await doors.http.get(path)).text

    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert targets
    assert targets <= set(re.findall(r'id="([^"]+)"', page))
    for other in set(re.findall(r'href="(/[^"]*)"', page)):
        assert (await doors.http.get(other)).status_code == 200


async def test_the_type_of_every_error_is_explained_on_the_page(doors: Doors) -> None:
    page = (await doors.http.get("/docs")).text

    assert {f'id="{code}"' for code in ErrorCode} <= set(re.findall(r'id="[a-z_]+"', page))


async def test_the_page_shows_an_example_of_every_body(doors: Doors) -> None:
    page = (await doors.http.get("/docs")).text

    assert "中国内地FY2024的REVENUE是多少" in page
    assert "ACME_FY2024_Review.pptx" in page


async def test_the_front_page_leads_to_the_documentation(doors: Doors) -> None:
    reply = await doors.http.get("/")

    assert (reply.status_code, reply.headers["location"]) == (307, "/docs")


async def test_asyncapi_is_the_document_of_the_contracts(doors: Doors) -> None:
    reply = await doors.http.get("/asyncapi")

    assert reply.json() == stored("asyncapi.json")
    assert "ragspine.v1.orchestrator.answer" in (await doors.http.get("/asyncapi.html")).text


async def test_head_is_get_without_its_body(doors: Doors) -> None:
    got, headed = await doors.http.get("/docs"), await doors.http.head("/docs")

    assert headed.status_code == 200
    assert headed.headers["content-length"] == got.headers["content-length"]
