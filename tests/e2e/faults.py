"""Planted texts in everything that a caller can send, sent while parts of a stack are dead, frozen or wrong."""

import os
import signal
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import httpx

from tests.e2e.asking import frozen
from tests.e2e.watched import Watched, rows
from tests.support.canaries import Canary, Place, word

DEADLINE_SECONDS: Final = 2.0
_ASK: Final = {"question": "中国内地FY2024的REVENUE是多少"}
_VETTED: Final = {"question": "食堂在哪", "answer": "三楼。", "owner": "o"}

Request = dict[str, Any]
"""What `httpx.Client.request` takes."""


def _post(path: str, body: object, **headers: str) -> Request:
    return {"method": "POST", "url": path, "json": body, "headers": headers}


def _fact(watched: Watched, **changes: str) -> Request:
    return _post("/v1/facts", {"facts": [{**rows(watched.planted)[0], "period": "2011", **changes}]})


def _passage(**changes: str) -> Request:
    return _post("/v1/passages", {"passages": [{"doc_id": "d", "locator": "l", "text": "t", **changes}]})


def _item(item_id: str, **changes: str) -> Request:
    return {"method": "PUT", "url": f"/v1/faq/{item_id}", "json": {**_VETTED, **changes}}


_KINDS: Final[Mapping[str, Callable[[Watched, str], Request]]] = {
    "question": lambda _, t: _post("/v1/ask", {"question": f"中国内地FY2024的REVENUE {t}"}),
    "narrative question": lambda _, t: _post("/v1/ask", {"question": f"为什么{t}下降"}),
    "history": lambda _, t: _post("/v1/ask", {**_ASK, "history": [{"role": "user", "text": t}]}),
    "entity": lambda _, t: _post("/v1/ask", {**_ASK, "default_entity": t}),
    "broken body": lambda _, t: {"method": "POST", "url": "/v1/ask", "content": f'{{"question":"{t}'},
    "fact document": lambda w, t: _fact(w, source_doc_id=t),
    "fact locator": lambda w, t: _fact(w, source_locator=t, source_doc_id="x"),
    "fact value": lambda w, t: _fact(w, value=t),
    "fact metric": lambda w, t: _fact(w, metric_code=t),
    "passage": lambda _, t: _passage(text=f"{t} 香港门店客流回落。", locator=t),
    "passage entity": lambda _, t: _passage(entity=t),
    "faq question": lambda _, t: _item("f1", question=f"{t}在哪"),
    "faq answer": lambda _, t: _item("f2", answer=t),
    "faq owner": lambda _, t: _item("f3", owner=t),
    "key": lambda _, t: _post("/v1/ask", _ASK, authorization=f"Bearer rsk_{t}.{t}"),
    "idempotency key": lambda _, t: {**_post("/v1/asks", _ASK), "headers": {"idempotency-key": t}},
    "webhook": lambda _, t: {
        **_post("/v1/asks", {**_ASK, "webhook_url": f"https://{t.lower()}.example/{t}"}),
        "headers": {"idempotency-key": f"webhook {len(t)}"},
    },
    "durable question": lambda _, t: {
        **_post("/v1/asks", {"question": f"中国内地FY2024的REVENUE {t}"}),
        "headers": {"idempotency-key": "durable"},
    },
    "request id": lambda _, t: {**_post("/v1/ask", _ASK), "headers": {"x-request-id": f"{t} {t}"}},
    "query": lambda _, t: {"method": "GET", "url": "/v1/facts", "params": {"metric": t, "limit": "1"}},
    "withdrawn document": lambda _, t: {"method": "DELETE", "url": "/v1/facts", "params": {"source_doc_id": t}},
    "path": lambda _, t: {"method": "GET", "url": f"/v1/asks/{t}"},
    "header": lambda _, t: {**_post("/v1/ask", _ASK), "headers": {"cookie": t, "tracestate": f"a={t}", "baggage": t}},
    "deadline": lambda _, t: {**_post("/v1/ask", _ASK), "headers": {"ragspine-deadline": t}},
}


@contextmanager
def _killed(watched: Watched, part: str) -> Generator[None]:
    os.kill(watched.stack.pid(part), signal.SIGKILL)
    yield


@contextmanager
def _model_says(watched: Watched, reply: Mapping[str, Any]) -> Generator[None]:
    watched.model.play([dict(reply)])
    yield


def send_under_faults(watched: Watched, count: int, faults: Sequence[str]) -> list[Canary]:
    """Send `count` planted texts, shared out among the faults, and keep what refuses; returns what was planted."""
    planted: list[Canary] = []
    share = -(-count // len(faults))
    for place, fault in enumerate(faults):
        kinds = [list(_KINDS)[(place * share + n) % len(_KINDS)] for n in range(share)]
        canaries = [word(kind.replace(" ", "")) for kind in kinds]
        requests = [_KINDS[kind](watched, canary.text) for kind, canary in zip(kinds, canaries, strict=True)]
        with _fault(watched, fault, canaries[0].text), ThreadPoolExecutor(8) as pool:
            for refusals in pool.map(partial(_send, watched, fault), requests):
                watched.refusals += refusals
        planted += canaries
    return planted


def _fault(watched: Watched, fault: str, text: str) -> Any:
    how, _, part = fault.partition(" ")
    match how:
        case "frozen":
            return frozen(watched.stack.pid(part))
        case "killed":
            return _killed(watched, part)
        case _:
            return _model_says(watched, {"status": 500, "raw": f'{{"error": {{"message": "{text}"}}}}'})


def _send(watched: Watched, fault: str, request: Request) -> list[Place]:
    """The reply where it refuses: an answer may repeat the question."""
    deadline = str(int((time.time() + DEADLINE_SECONDS) * 1000))
    headers = {"ragspine-deadline": deadline, **request.get("headers", {})}
    reply = httpx.request(
        **{**request, "url": watched.state["http_url"] + request["url"], "headers": headers},
        timeout=DEADLINE_SECONDS + 20,
    )
    if reply.status_code < 400:
        return []
    return [(f"{reply.status_code} while {fault}", repr(sorted(reply.headers.items())).encode() + reply.content)]
