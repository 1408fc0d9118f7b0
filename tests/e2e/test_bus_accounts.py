"""Accounts of apps on a running stack: added, used, rotated and taken away while everything else goes on."""

import asyncio
import gc
import json
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import nats
import pytest
from nats.aio.client import Client
from nats.errors import Error
from nats.js.errors import NotFoundError

from contracts import subjects
from tests.support.bus import connect_as
from tests.support.stacks import Stack, ragspine, running_stack

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(240)]

QUESTION = json.dumps({"question": "中国内地FY2024的REVENUE是多少", "locale": "zh"}).encode()


@pytest.fixture(scope="module")
def stack() -> Generator[Stack]:
    with running_stack() as running:
        yield running


def accounts(stack: Stack, *words: str) -> dict[str, Any]:
    done = ragspine("bus", "accounts", *words, "--data-dir", str(stack.data_dir))
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout) if "--json" in words else {}
    return printed


@asynccontextmanager
async def app(account: dict[str, Any]) -> AsyncGenerator[Client]:
    client = await nats.connect(
        account["url"],
        user=account["user"],
        password=account["password"],
        allow_reconnect=False,
        max_reconnect_attempts=1,
        error_cb=_ignore,
    )
    try:
        yield client
    finally:
        await client.close()


async def _ignore(_: Exception) -> None:
    """What is refused is seen where it is used."""


async def answer(client: Client, name: str, ask_id: str) -> bytes:
    """The stored answer of a durable ask, read by its subject."""
    async with asyncio.timeout(30):
        while True:
            try:
                subject = subjects.answers(name, ask_id)
                found = await client.jetstream().get_last_msg(subjects.ANSWER_STREAM, subject, direct=True)
            except NotFoundError:
                await asyncio.sleep(0.1)
            else:
                return found.data or b""


def pids(stack: Stack) -> dict[str, int]:
    return {name: unit["pid"] for name, unit in stack.state["processes"].items()}


async def test_an_app_that_is_added_asks_at_once_and_nobody_else_notices(stack: Stack) -> None:
    before = pids(stack)
    log = (stack.data_dir / "logs" / "gateway.log").read_text()

    account = accounts(stack, "add", "reports", "--json")
    async with app(account) as client:
        reply = await client.request(subjects.ask("reports"), QUESTION, timeout=20)
        consumer = await client.jetstream().pull_subscribe_bind(consumer="reports", stream=subjects.ANSWER_STREAM)
        await client.jetstream().publish(subjects.asks("reports", "one"), QUESTION)
        (taken,) = await consumer.fetch(1, timeout=30)
        await taken.ack_sync()

    assert json.loads(reply.data)["answer_kind"] in ("normal", "refusal")
    assert taken.subject == subjects.answers("reports", "one")
    assert pids(stack) == before
    assert "nats_disconnected" not in (stack.data_dir / "logs" / "gateway.log").read_text().removeprefix(log)


async def test_a_reply_to_header_sends_no_answer_anywhere_else(stack: Stack) -> None:
    account = accounts(stack, "add", "liar", "--json")
    forged = subjects.answers("victim", "forged")

    async with app(account) as client:
        await client.jetstream().publish(subjects.asks("liar", "one"), QUESTION, headers={"reply_to": forged})
        own = await answer(client, "liar", "one")
    gateway = await connect_as(stack, "gateway")
    try:
        with pytest.raises(NotFoundError):
            await gateway.jetstream().get_last_msg(subjects.ANSWER_STREAM, forged, direct=True)
    finally:
        await gateway.close()

    assert own


# nats-py leaves the socket of a connection that the server has ended to the garbage collector, which complains.
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
async def test_rotated_credentials_replace_the_old_ones_and_removed_ones_end(stack: Stack) -> None:
    old = accounts(stack, "add", "crm", "--json")
    async with app(old) as connected:
        new = accounts(stack, "rotate", "crm", "--json")
        await _until_closed(connected)
    with pytest.raises(Error):
        async with app(old):
            pass
    async with app(new) as connected:
        accounts(stack, "remove", "crm")
        await _until_closed(connected)

    gc.collect()  # here, and not in a test that has nothing to do with it

    assert "crm" not in accounts(stack, "list", "--json")


async def _until_closed(client: Client) -> None:
    async with asyncio.timeout(10):
        while not client.is_closed:
            await asyncio.sleep(0.05)


async def test_a_request_with_a_foreign_reply_is_not_run(stack: Stack) -> None:
    gateway = await connect_as(stack, "gateway")
    try:
        await gateway.publish(subjects.INTENT_PARSE, b"{}", reply=subjects.answers("victim", "injected"))
        await gateway.flush()
        await gateway.flush()
        with pytest.raises(NotFoundError):
            await gateway.jetstream().get_last_msg(
                subjects.ANSWER_STREAM, subjects.answers("victim", "injected"), direct=True
            )
    finally:
        await gateway.close()

    assert await _counted(stack, subjects.INTENT_PARSE) == 1


async def _counted(stack: Stack, subject: str) -> float:
    line = f'ragspine_foreign_replies_total{{subject="{subject}"}}'
    url = stack.state["processes"]["intent"]["ops_url"]
    async with asyncio.timeout(10), httpx.AsyncClient() as http:
        while True:
            text = (await http.get(f"{url}/metrics")).text
            found = [float(row.rsplit(" ", 1)[1]) for row in text.splitlines() if row.startswith(line)]
            if found:
                return found[0]
            await asyncio.sleep(0.1)


def test_what_the_server_reads_is_what_the_table_says(stack: Stack) -> None:
    assert ragspine("bus", "check", "--data-dir", str(stack.data_dir)).returncode == 0

    accounts_file = next(stack.data_dir.glob("run/bus/accounts.conf"))
    text = accounts_file.read_text()
    accounts_file.write_text(text.replace("_INBOX_facts.>", "_INBOX.>"))
    done = ragspine("bus", "check", "--data-dir", str(stack.data_dir))
    accounts_file.write_text(text)

    assert done.returncode == 1
    assert "is not what the table says" in done.stderr
