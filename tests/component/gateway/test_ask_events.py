"""`/v1/asks/{id}/events`: order, heartbeats, what a client that comes again gets, and that nothing stays behind."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from contracts.codes import AskState, ErrorCode
from contracts.v1.asks import AskStatus, SubmitAsk
from contracts.v1.errors import ErrorReply
from runtime.errors import UnavailableError
from runtime.http_server import listen, serve_http
from tests.component.gateway.doors import ANSWER, QUESTION, Doors, open_doors
from tests.support.asks import AsksInMemory
from tests.support.keys import NOW, bearer, new_key, store

FAILURE = ErrorReply(code=ErrorCode.INTERNAL, retryable=False, message="An internal error occurred.")


@dataclass
class Stream:
    """A stream as its client sees it."""

    task: asyncio.Task[None]
    received: list[bytes] = field(default_factory=list[bytes])
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict[str, str])
    left: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def text(self) -> str:
        return b"".join(self.received).decode()

    @property
    def events(self) -> list[str]:
        return [line.removeprefix("event: ") for line in self.text.splitlines() if line.startswith("event: ")]

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not done():
                await asyncio.sleep(0.001)

    async def ended(self) -> None:
        async with asyncio.timeout(5):
            await asyncio.wait({self.task})


@pytest.fixture
async def desk() -> AsksInMemory:
    asks = AsksInMemory()
    await asks.accept("local", SubmitAsk(question=QUESTION), None)
    return asks


async def until_it_began(stream: Stream) -> None:
    await stream.until(lambda: bool(stream.events))


def follow(doors: Doors, headers: dict[str, str] | None = None, *, method: str = "GET") -> Stream:
    """Open a stream without a server, so that the client's side is the test's."""
    encoded = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    path = "/v1/asks/ask1/events"
    scope: dict[str, Any] = {
        **{"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b""},
        **{"headers": [(b"host", b"127.0.0.1:8321"), *encoded], "http_version": "1.1", "scheme": "http"},
        "asgi": {"version": "3.0"},
    }
    is_read = False

    async def receive() -> dict[str, Any]:
        nonlocal is_read
        if not is_read:
            is_read = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await stream.left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            stream.status = message["status"]
            stream.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            stream.received.append(message["body"])

    stream = Stream(asyncio.create_task(call(doors.app, scope, receive, send)))
    return stream


async def call(app: Callable[..., Awaitable[None]], scope: Any, receive: Any, send: Any) -> None:
    await app(scope, receive, send)


@asynccontextmanager
async def gateway(desk: AsksInMemory, **settings: object) -> AsyncGenerator[Doors]:
    async with open_doors(desk=desk, **settings) as doors:
        before = asyncio.all_tasks()
        yield doors
        doors.streams.stop()
        async with asyncio.timeout(5):
            while asyncio.all_tasks() - before:
                await asyncio.sleep(0.001)
    assert doors.streams.admission.running == 0


async def test_every_state_comes_as_an_event_and_the_final_one_ends_the_stream(desk: AsksInMemory) -> None:
    async with gateway(desk) as doors:
        stream = follow(doors)
        await stream.until(lambda: stream.events == ["queued"])
        desk.move("local", "ask1", AskState.WORKING)
        await stream.until(lambda: stream.events[-1] == "working")
        desk.move("local", "ask1", AskState.ANSWERED, answer=ANSWER)
        await stream.ended()

    assert stream.events == ["queued", "working", "answered"]
    assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert stream.headers["cache-control"] == "no-store"
    last = AskStatus.model_validate_json(stream.text.rpartition("data: ")[2])
    assert last.answer == ANSWER


async def test_a_client_that_comes_again_gets_only_what_is_new(desk: AsksInMemory) -> None:
    desk.move("local", "ask1", AskState.WORKING)

    async with gateway(desk) as doors:
        stream = follow(doors, {"Last-Event-ID": "1-working"})
        await stream.until(lambda: stream.status == 200)
        desk.move("local", "ask1", AskState.FAILED, error=FAILURE)
        await stream.ended()

    assert stream.events == ["failed"]
    assert "id: 1-failed\n" in stream.text


async def test_a_client_that_was_told_the_end_is_told_to_stay_away(desk: AsksInMemory) -> None:
    desk.move("local", "ask1", AskState.FAILED, error=FAILURE)

    async with gateway(desk) as doors:
        stream = follow(doors, {"Last-Event-ID": "0-failed"})
        await stream.ended()

    assert (stream.status, stream.text) == (204, "")


@pytest.mark.parametrize("seen", ["", "0-queued", "nonsense", "9" * 5_000])
async def test_an_id_of_another_state_changes_nothing(desk: AsksInMemory, seen: str) -> None:
    desk.move("local", "ask1", AskState.FAILED, error=FAILURE)

    async with gateway(desk) as doors:
        stream = follow(doors, {"Last-Event-ID": seen})
        await stream.ended()

    assert stream.events == ["failed"]


async def test_a_sign_of_life_comes_while_nothing_happens(desk: AsksInMemory) -> None:
    async with gateway(desk) as doors:
        doors.streams.heartbeat_seconds = 0.005
        stream = follow(doors)
        await stream.until(lambda: stream.text.count(": alive") >= 3)

    assert stream.events == ["queued"]


async def test_a_client_that_leaves_frees_its_place(desk: AsksInMemory) -> None:
    async with gateway(desk, max_streams=1) as doors:
        stream = follow(doors)
        await stream.until(lambda: stream.events == ["queued"])
        refused = follow(doors)
        await refused.ended()
        stream.left.set()
        await stream.ended()
        again = follow(doors)
        await again.until(lambda: again.events == ["queued"])

    assert (refused.status, refused.headers["content-type"]) == (429, "application/problem+json")
    assert refused.headers["retry-after"] == "1"


async def test_one_app_leaves_room_for_the_others(desk: AsksInMemory) -> None:
    async with gateway(desk, max_streams=4) as doors:
        streams = [follow(doors) for _ in range(4)]
        await streams[3].ended()
        with doors.streams.admit("sales"):
            running = doors.streams.admission.running

    assert [stream.status for stream in streams] == [200, 200, 200, 429]
    assert running == 4


async def test_who_wants_the_head_alone_holds_no_stream(desk: AsksInMemory) -> None:
    async with gateway(desk) as doors:
        stream = follow(doors, method="HEAD")
        await stream.ended()

    assert stream.status == 200


async def test_streams_end_when_the_gateway_stops(desk: AsksInMemory) -> None:
    async with gateway(desk) as doors:
        streams = [follow(doors) for _ in range(5)]
        for stream in streams:
            await until_it_began(stream)
        doors.streams.stop()
        for stream in streams:
            await stream.ended()

    assert {stream.events[0] for stream in streams} == {"queued"}


async def test_a_stream_is_over_by_the_deadline_of_its_client(desk: AsksInMemory) -> None:
    async with gateway(desk) as doors:
        stream = follow(doors, {"Ragspine-Deadline": "1"})
        await stream.ended()

    assert stream.status == 200
    assert stream.events in ([], ["queued"])


async def test_a_ledger_that_goes_away_ends_the_stream_and_nothing_else(desk: AsksInMemory) -> None:
    class Desk(AsksInMemory):
        async def follow(self, app: str, ask_id: str) -> AsyncGenerator[AskStatus]:
            found = await self.find(app, ask_id)
            assert found is not None
            yield found
            raise UnavailableError

    async with gateway(Desk(kept=desk.kept)) as doors:
        stream = follow(doors)
        await stream.ended()
        stream.task.result()

    assert stream.events == ["queued"]


@asynccontextmanager
async def connected(desk: AsksInMemory) -> AsyncGenerator[tuple[Doors, asyncio.StreamReader, asyncio.StreamWriter]]:
    """A client of a real server that has received the first event."""
    async with (
        gateway(desk) as doors,
        serve_http(doors.app, listen("127.0.0.1", 0), stop_grace_seconds=5, protocol=doors.protocol) as port,
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /v1/asks/ask1/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        await reader.readuntil(b"event: queued")
        yield doors, reader, writer
        writer.close()


async def test_over_a_socket_the_server_stops_at_once_although_a_stream_is_open(desk: AsksInMemory) -> None:
    async with connected(desk) as (doors, reader, _):
        doors.streams.stop()
        async with asyncio.timeout(2):
            rest = await reader.readuntil(b"0\r\n\r\n")

    assert b'"state":"queued"' in rest


async def test_over_a_socket_a_client_that_hangs_up_frees_its_place(desk: AsksInMemory) -> None:
    async with connected(desk) as (doors, _, writer):
        writer.transport.abort()
        async with asyncio.timeout(5):
            while doors.streams.admission.running:
                await asyncio.sleep(0.001)

    assert doors.streams.admission.running == 0


async def test_a_revoked_key_hears_no_further_event(tmp_path: Path) -> None:
    key, path = new_key("crm"), tmp_path / "keys.json"
    desk = AsksInMemory()
    await desk.accept("crm", SubmitAsk(question=QUESTION), None)

    async with gateway(desk, http_keys_file=store(path, key)) as doors:
        stream = follow(doors, bearer(key))
        await stream.until(lambda: stream.events == ["queued"])
        store(path, new_key("crm", revoked=NOW))
        await doors.keys.look()
        desk.move("crm", "ask1", AskState.ANSWERED, answer=ANSWER)
        await stream.ended()

    assert stream.events == ["queued"]


async def test_a_silent_stream_ends_with_its_key(tmp_path: Path) -> None:
    key, path = new_key("crm"), tmp_path / "keys.json"
    desk = AsksInMemory()
    await desk.accept("crm", SubmitAsk(question=QUESTION), None)

    async with gateway(desk, http_keys_file=store(path, key)) as doors:
        doors.streams.heartbeat_seconds = 0.01
        stream = follow(doors, bearer(key))
        await stream.until(lambda: "alive" in stream.text)
        store(path)
        await doors.keys.look()
        await stream.ended()

    assert stream.events == ["queued"]
