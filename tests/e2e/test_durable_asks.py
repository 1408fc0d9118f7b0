"""Durable asks on a running stack, from outside: the command, HTTP, the bus, events, and a webhook that fails first."""

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from contracts.client import ClientError, HttpClient, NatsClient
from contracts.codes import AskState, ErrorCode, Locale
from contracts.v1 import AskRequest
from contracts.v1.asks import AskStatus
from services.gateway.asks.webhooks.signing import signature
from tests.component.gateway.receiver import Received, receiving, reply
from tests.e2e.asking import ANSWER, QUESTION, load_sample
from tests.support.answers import TODAY
from tests.support.servers import free_port
from tests.support.stacks import ROOT, Stack, ragspine, running_stack

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(240)]

SECRET = "k3Jx9-Qw7zR2mT5vB8nL0pYc"
REQUEST = AskRequest(question=QUESTION, reference_date=TODAY, locale=Locale.ZH)
BODY = REQUEST.model_dump(mode="json", exclude_defaults=True)
PORTS = (free_port(), free_port())
"""Of the receivers: they must be listed before the stack starts."""


@pytest.fixture(scope="module")
def stack() -> Generator[Stack]:
    """A stack with the sample company that may tell two receivers on loopback."""
    hosts = ",".join(f"127.0.0.1:{port}" for port in PORTS)
    environment = {"RAGSPINE_WEBHOOK_HOSTS": hosts, "RAGSPINE_WEBHOOK_SECRET": SECRET}
    with running_stack(environment=environment) as running:
        load_sample(running.http_url)
        yield running


def test_the_command_waits_for_the_answer_and_lists_it(stack: Stack) -> None:
    on = ("--data-dir", str(stack.data_dir))
    done = ragspine("ask", QUESTION, "--reference-date", str(TODAY), "--locale", "zh", "--durable", *on)
    listed = ragspine("asks", "list", "--json", *on)
    newest = AskStatus.model_validate_json(listed.stdout.splitlines()[0])
    shown = ragspine("asks", "show", newest.ask_id, *on)
    retried = ragspine("asks", "retry", newest.ask_id, *on)

    assert (done.returncode, done.stdout) == (0, ANSWER + "\n"), done.stderr
    assert done.stderr.splitlines()[0] == f"accepted as {newest.ask_id}"
    assert (shown.returncode, shown.stdout, newest.state) == (0, ANSWER + "\n", AskState.ANSWERED)
    assert (retried.returncode, retried.stdout) == (2, "")


async def test_a_replay_is_flagged_a_mismatch_refused_and_a_foreign_id_unknown(stack: Stack) -> None:
    async with httpx.AsyncClient(base_url=stack.http_url) as http:
        key = {"Idempotency-Key": "order 66"}
        first = await http.post("/v1/asks", json=BODY, headers=key)
        await finished(http, first.headers["location"])
        second = await http.post("/v1/asks", json=BODY, headers=key)
        other = await http.post("/v1/asks", json={**BODY, "locale": "en"}, headers=key)
        unknown = await http.get("/v1/asks/nobody")

    assert (first.status_code, "idempotency-replayed" in first.headers) == (202, False)
    assert (second.status_code, second.headers["idempotency-replayed"]) == (202, "true")
    assert second.json()["ask_id"] == first.json()["ask_id"]
    assert second.json()["answer"]["answer"] == ANSWER
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")


async def test_events_come_in_order_and_end(stack: Stack) -> None:
    async with httpx.AsyncClient(base_url=stack.http_url) as http:
        ask_id = (await http.post("/v1/asks", json=BODY)).json()["ask_id"]
        async with http.stream("GET", f"/v1/asks/{ask_id}/events", timeout=20) as stream:
            lines = [line async for line in stream.aiter_lines()]
        last = next(line for line in reversed(lines) if line.startswith("id: ")).removeprefix("id: ")
        again = await http.get(f"/v1/asks/{ask_id}/events", headers={"Last-Event-ID": last})

    names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    order = ["queued", "working", "answered"]
    assert names == sorted(names, key=order.index)
    assert names[-1] == "answered"
    assert again.status_code == 204


async def test_both_clients_bring_the_answer_and_an_ask_of_the_bus_is_seen_over_http(stack: Stack) -> None:
    async with NatsClient(stack.state["nats_url"]) as bus, HttpClient(stack.http_url) as http:
        over_bus = await bus.ask_durably(REQUEST, key="over-the-bus", deadline_seconds=20)
        over_http = await http.ask_durably(REQUEST, deadline_seconds=20)
        seen = await http.answer_to("over-the-bus", deadline_seconds=5)
        again = await bus.ask_durably(REQUEST, key="over-the-bus", deadline_seconds=20)
        with pytest.raises(ClientError) as raised:
            await http.ask_durably(REQUEST.model_copy(update={"default_entity": "NOBODY"}), deadline_seconds=20)

    assert over_bus.answer == over_http.answer == ANSWER
    assert over_bus == seen == again
    assert raised.value.code is ErrorCode.INVALID_REQUEST


async def test_a_webhook_that_fails_twice_arrives_signed(stack: Stack) -> None:
    async with receiving(port=PORTS[0]) as receiver, httpx.AsyncClient(base_url=stack.http_url) as http:
        receiver.says = [reply(500), b""]
        url = f"http://127.0.0.1:{PORTS[0]}/done"
        accepted = (await http.post("/v1/asks", json={**BODY, "webhook_url": url})).json()
        async with asyncio.timeout(20):
            while len(receiver.received) < 3:
                await asyncio.sleep(0.05)
        refused = await http.post("/v1/asks", json={**BODY, "webhook_url": "http://127.0.0.1:1/"})

    assert {request.headers["ragspine-ask-id"] for request in receiver.received} == {accepted["ask_id"]}
    assert {json.loads(request.body)["answer"]["answer"] for request in receiver.received} == {ANSWER}
    assert all(request.headers["ragspine-signature"] == signed(request) for request in receiver.received)
    assert refused.status_code == 422


def test_the_receiver_of_the_documents_takes_what_is_signed_and_nothing_else(stack: Stack) -> None:
    program = ROOT / "docs/examples" / "receive_webhook.py"
    url = f"http://127.0.0.1:{PORTS[1]}/"

    with receiver_program(program) as process:
        forged = post(
            url, {"ask_id": "forged"}, {"Ragspine-Timestamp": str(int(time.time())), "Ragspine-Signature": "v1=0"}
        )
        post(f"{stack.http_url}/v1/asks", {**BODY, "webhook_url": url}, {})
        assert process.stdout is not None
        line = process.stdout.readline()

    assert forged == 401
    assert "answered" in line
    assert "1320" in line


def signed(request: Received) -> str:
    """What its signature should be."""
    return "v1=" + signature(SECRET.encode(), request.body, at=int(request.headers["ragspine-timestamp"]))


async def finished(http: httpx.AsyncClient, location: str) -> None:
    async with asyncio.timeout(20):
        while (await http.get(location)).json()["state"] not in {"answered", "failed"}:
            await asyncio.sleep(0.05)


@contextmanager
def receiver_program(program: Path) -> Generator[subprocess.Popen[str]]:
    """The program once it listens."""
    process = subprocess.Popen(
        [sys.executable, str(program), str(PORTS[1])],
        env={"RAGSPINE_WEBHOOK_SECRET": SECRET, "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with suppress(OSError), socket.create_connection(("127.0.0.1", PORTS[1]), timeout=1):
                break
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.communicate()


def post(url: str, body: dict[str, Any], headers: dict[str, str]) -> int:
    """The status of the reply."""
    return httpx.post(url, json=body, headers=headers, timeout=10).status_code
