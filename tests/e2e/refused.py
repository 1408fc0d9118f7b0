"""Requests that must be refused, each full of planted texts."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import nats

from tests.e2e.watched import SECONDS, Watched, rows

Request = dict[str, Any]
"""What `httpx.request` takes."""


def refuse_everything(watched: Watched) -> None:
    """Send all of them, and keep what came back."""
    text = watched.planted.junk.text
    requests = [*_bad_asks(text), *_bad_loads(watched, text), *_bad_queries(text), *_no_requests(text)]
    with httpx.Client(base_url=watched.state["http_url"], timeout=SECONDS) as client:
        for number, request in enumerate(requests):
            headers = {**watched.headers(), **request.pop("headers", {})}
            reply = client.request(**request, headers=headers)
            assert reply.status_code >= 400, f"{request} was answered"
            watched.refusals.append((f"reply {number} {request['method']} {request['url'][:40]}", _whole(reply)))
    watched.refusals += [(f"bus reply {i}", reply) for i, reply in enumerate(asyncio.run(_over_nats(watched, text)))]


def _whole(reply: httpx.Response) -> bytes:
    return repr(sorted(reply.headers.items())).encode() + reply.content


def _ask(**changes: Any) -> Request:
    return {"method": "POST", "url": "/v1/ask", "json": {"question": "营收", **changes}}


def _bad_asks(text: str) -> Iterator[Request]:
    for field in ("question", "reference_date", "locale", "default_entity", "history", "decompose"):
        for value in (text, f"2024-01-01{text}", [text], {"a": text}, [{"role": text, "text": text}]):
            if field != "question" or not isinstance(value, str):
                yield _ask(**{field: value})
    yield _ask(question=text * 2_000)
    yield _ask(question=f"{text}\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace") * 500)
    yield _ask(history=[{"role": "user", "text": text * 1_000}])
    yield _ask(history=[{"role": "user", "text": text}] * 30)
    yield _ask(history=[{"role": "user", "text": text, "note": text}])
    yield _ask(request_id=f"{text} {text}")
    yield _ask(answer=text)
    yield _ask(question="ACME_CN FY1990到FY2020的REVENUE", history=[{"role": "user", "text": text}])
    yield {**_ask(), "headers": {"ragspine-deadline": text}}
    yield {**_ask(question=text), "headers": {"ragspine-deadline": "1"}}
    yield {**_ask(question=text), "headers": {"origin": f"https://{text.lower()}.example"}}
    yield {**_ask(question=text), "headers": {"host": f"{text.lower()}.example"}}


def _bad_loads(watched: Watched, text: str) -> Iterator[Request]:
    good = rows(watched.planted)[0]
    for field in good:
        for value in (text, [text], {"a": text}, None, f"NaN{text}", f"1e5{text}"):
            if not isinstance(value, str) or field not in {"unit", "source_doc_id", "source_locator"}:
                yield _load([{**good, field: value}])
    yield _load([good, {**good, "value": "1"}])  # two values for one scope and document
    yield _load([{**good, "source_doc_id": text * 500}])
    yield _load([{**good, "review_status": text}])
    yield _load([{**good, "valid_as_of": text}])
    yield _load([{**good, "channel": text}])
    yield _load([{**good, "note": text}])
    yield _load([text, 5])
    yield _load([good] * 1_001)


def _load(facts: list[Any]) -> Request:
    return {"method": "POST", "url": "/v1/facts", "json": {"facts": facts}}


def _bad_queries(text: str) -> Iterator[Request]:
    yield {"method": "DELETE", "url": "/v1/facts", "params": {"source_doc": "x", "source_doc_id": text}}
    yield {"method": "GET", "url": "/v1/facts", "params": {"limit": text}}
    yield {"method": "GET", "url": "/v1/facts", "params": {"metric": [text, text]}}
    yield {"method": "GET", "url": "/v1/catalogue", "params": {"locale": text}}
    yield {"method": "GET", "url": f"/v1/{text}"}
    yield {"method": "PUT", "url": "/v1/ask", "json": {"question": text}}
    yield {"method": "GET", "url": f"/{text}?{text}={text}"}


def _no_requests(text: str) -> Iterator[Request]:
    yield {"method": "POST", "url": "/v1/ask", "content": text}
    yield {"method": "POST", "url": "/v1/ask", "content": f'{{"question": "{text}'}
    yield {"method": "POST", "url": "/v1/ask", "content": f'["{text}"]'}
    yield {"method": "POST", "url": "/v1/ask", "content": f'"{text}"'.encode("utf-16")}
    yield {"method": "POST", "url": "/v1/ask", "content": text * 10_000}
    yield {"method": "POST", "url": "/v1/ask", "content": text, "headers": {"content-type": f"text/{text.lower()}"}}
    yield {
        "method": "POST",
        "url": "/v1/ask",
        "content": "{}",
        "headers": {"content-type": f"application/json; charset={text.lower()}"},
    }


async def _over_nats(watched: Watched, text: str) -> list[bytes]:
    bad_deadline = {"Ragspine-Deadline": text}
    of_an_app = [
        ("ragspine.v1.ask.local", text.encode(), {}),
        ("ragspine.v1.ask.local", json.dumps({"question": "", "note": text}).encode(), {}),
        ("ragspine.v1.ask.local", json.dumps({"question": "营收", "default_entity": text}).encode(), {}),
        ("ragspine.v1.ask.local", json.dumps({"question": text}).encode(), bad_deadline),
        ("ragspine.v1.ask.local", json.dumps({"question": text}).encode(), {"Ragspine-Deadline": "1"}),
    ]
    of_the_gateway = [
        ("ragspine.v1.intent.parse", json.dumps({"question": [text]}).encode(), {}),
        ("ragspine.v1.orchestrator.answer", json.dumps({"question": text, "profile_digest": text}).encode(), {}),
    ]
    of_the_orchestrator = [
        ("ragspine.v1.facts.query", json.dumps({"queries": [text], "profile_digest": text}).encode(), {}),
        ("ragspine.v1.facts.query", json.dumps({"queries": [], "profile_digest": text}).encode(), {}),
        ("ragspine.v1.narrative.search", json.dumps({"question": text, "profile_digest": text}).encode(), {}),
    ]
    return [
        *await _replies(watched, watched.state["nats_url"], "_INBOX", of_an_app),
        *await _replies(watched, watched.stack.bus_url("gateway"), "_INBOX_gateway", of_the_gateway),
        *await _replies(watched, watched.stack.bus_url("orchestrator"), "_INBOX_orchestrator", of_the_orchestrator),
    ]


async def _replies(
    watched: Watched, url: str, inbox: str, requests: list[tuple[str, bytes, dict[str, str]]]
) -> list[bytes]:
    client = await nats.connect(url, inbox_prefix=inbox)
    replies: list[bytes] = []
    try:
        for subject, body, headers in requests:
            reply = await client.request(subject, body, timeout=SECONDS, headers=watched.headers() | headers)
            assert "Nats-Service-Error" in (reply.headers or {}), f"{subject} answered {body!r}"
            replies.append(repr(reply.headers).encode() + reply.data)
    finally:
        await client.close()
    return replies
