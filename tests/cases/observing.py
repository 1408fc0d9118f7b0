"""What a stack shows of one case, in the words of `check.py`. Uses its doors only: HTTP and the bus."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import nats
from nats.aio.client import Client

from tests.support.scripted_model import ScriptedModel

SECONDS = 15.0
REFUSED, MISSING = 422, 404
INTENT_SUBJECT = "ragspine.v1.intent.parse"

Case = dict[str, Any]
Observation = dict[str, Any]


class CaseError(Exception):
    """A door did not take what the case needs: its facts and passages, its parse request."""


@dataclass
class Door:
    """The two doors of a stack, and the model behind it where it has one."""

    http: httpx.AsyncClient
    bus: Client
    model: ScriptedModel | None = None

    async def load(self, case: Case) -> None:
        """Load the facts and passages of a case, store its vetted answers; one that is refused is not there."""
        for kind in ("facts", "passages"):
            if case.get(kind):
                _expect_success(await self.http.post(f"/v1/{kind}", json={kind: case[kind]}))
        for item in case.get("faq", ()):
            reply = await self.http.put(f"/v1/faq/{item['id']}", json=_vetted(item), headers={"If-Match": "*"})
            if reply.status_code != REFUSED:
                _expect_success(reply)

    async def withdraw(self, case: Case) -> None:
        """Take all of that out again."""
        for kind, name in (("facts", "source_doc_id"), ("passages", "doc_id")):
            for document in dict.fromkeys(row[name] for row in case.get(kind, ())):
                _expect_success(await self.http.delete(f"/v1/{kind}", params={name: document}))
        for item in case.get("faq", ()):
            reply = await self.http.delete(f"/v1/faq/{item['id']}")
            if reply.status_code != MISSING:
                _expect_success(reply)

    async def parse(self, case: Case) -> Observation:
        """The slots of a case's question, over the bus."""
        request = {"question": case["question"], "reference_date": case["reference_date"]}
        reply = await self.bus.request(INTENT_SUBJECT, json.dumps(request).encode(), timeout=SECONDS)
        if reply.headers and "Nats-Service-Error" in reply.headers:
            raise CaseError(f"intent.parse: {reply.data.decode()}")
        return _slots(json.loads(reply.data))

    async def ask(self, case: Case) -> Observation:
        """The answer to a case's question, over HTTP."""
        request = {"question": case["question"], "locale": case.get("locale", "zh")}
        request |= {key: case[key] for key in ("reference_date", "default_entity", "decompose") if key in case}
        if case.get("history"):
            request["history"] = [{"role": role, "text": text} for role, text in case["history"]]
        if self.model:
            self.model.play(case["model_script"])
        observation = _answer(_expect_success(await self.http.post("/v1/ask", json=request)).json())
        return observation | self._model_seen()

    def _model_seen(self) -> Observation:
        if self.model is None:
            return {"model_calls": 0, "prompts": ""}
        return {"model_calls": len(self.model.requests), "prompts": self.model.prompts}

    async def call(self, request: dict[str, Any]) -> httpx.Response:
        """The literal request of an HTTP case."""
        return await self.http.request(request["method"], request["path"], json=request.get("json"))


@asynccontextmanager
async def open_door(http_url: str, nats_url: str, model: ScriptedModel | None = None) -> AsyncGenerator[Door]:
    """Connect to both doors; on the bus as the user `cli`, who may ask how questions are read."""
    bus = await nats.connect(nats_url, inbox_prefix="_INBOX_cli")
    try:
        async with httpx.AsyncClient(base_url=http_url, timeout=SECONDS) as http:
            yield Door(http, bus, model)
    finally:
        await bus.close()


def _expect_success(response: httpx.Response) -> httpx.Response:
    if response.status_code >= 300:
        raise CaseError(f"{response.request.url.path}: {response.status_code} {response.text[:300]}")
    return response


def _vetted(item: dict[str, Any]) -> dict[str, Any]:
    """An item of a case in the words of the API: whoever wrote the case answers for it, and for its digits."""
    enabled = item.get("enabled", True)
    state = {True: "approved", False: "disabled"}[enabled] if isinstance(enabled, bool) else enabled
    body = {key: value for key, value in item.items() if key != "enabled"}
    return {"owner": "cases", "policy_number": True, "state": state, **body}


def _slots(parsed: dict[str, Any]) -> Observation:
    def pair(period: dict[str, str] | None) -> list[str] | None:
        return [period["type"], period["value"]] if period else None

    plain = ("metric", "entity", "channel", "metrics", "entities", "channels", "external_entity", "route")
    slots = {key: parsed.get(key) for key in plain}
    slots |= {"period": pair(parsed.get("period")), "periods": [pair(p) for p in parsed["periods"]]}
    return {"slots": slots, "route": parsed["route"]}


def _answer(result: dict[str, Any]) -> Observation:
    clarification = result["clarification"] or {}
    assumed = {k: v for k, v in clarification.get("assumed_slots", {}).items() if v}
    if "period" in assumed:
        assumed["period"] = [assumed["period"]["type"], assumed["period"]["value"]]
    summary = result["tool_status_summary"]
    return {
        **{key: result[key] for key in ("route", "answer_kind", "answer", "answer_plain", "sources")},
        "clarification": clarification.get("mode"),
        "assumed": assumed,
        "options": clarification.get("narrowing_options", []),
        "tool_summary": {key: summary[key] for key in ("found", "not_found", "unrecognized")},
        "guard": result["guard"]["fabrication_guard_triggered"],
        "faq_hit": result["cache"]["faq_id"],
        "faq_version": result["cache"]["version"],
    }
