"""A model endpoint on loopback, in the OpenAI and the Anthropic protocol, that says what a test wants, faults included.

It speaks HTTP by hand, so that it can also do what no well-behaved server does: cut a reply, send rubbish, hang.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from queue import Queue
from threading import Thread
from typing import Any

Reply = Mapping[str, Any]
"""One turn, in the words of the shared cases: `text`, `tool_calls: [{name?, arguments}]`, `error: provider|crash`.

And for faults: `status` (with `headers`), `raw` (the body as it is), `cut` (stop in the middle), `hang` (seconds before
the reply), `drip` (seconds between pieces of it), `huge` (this many bytes of text), `storm` (this many tool calls).
"""

Obey = Callable[[dict[str, Any]], Reply]
"""Makes a reply from a request, for a model that does what it reads."""


@dataclass
class ScriptedModel:
    """What the endpoint will say, and what it was told. An exhausted script gives an empty text."""

    url: str
    script: deque[Reply] = field(default_factory=deque[Reply])
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    obey: Obey | None = None
    """What to say when the script is exhausted, instead of an empty text."""

    @property
    def keys(self) -> list[str]:
        """What every call carried as authorization."""
        return [headers.get("authorization") or headers.get("x-api-key", "") for headers in self.headers]

    def play(self, turns: Iterable[Reply]) -> None:
        """Forget what happened so far; say these turns, one for each call."""
        self.script = deque(turns)
        self.requests = []

    @property
    def prompts(self) -> str:
        """Everything that was sent to the model."""
        return "\n".join(json.dumps(request, ensure_ascii=False) for request in self.requests)


@asynccontextmanager
async def scripted_model(port: int = 0) -> AsyncGenerator[ScriptedModel]:
    """Serve on a loopback port (0: a free one) until the block ends."""
    model = ScriptedModel(url="")
    open_connections: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_connections.add(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await _answer_one(model, reader, writer)
        open_connections.discard(writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port)
    model.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield model
    finally:
        server.close()
        for writer in open_connections:
            writer.close()


@contextmanager
def scripted_model_in_thread(port: int = 0) -> Generator[ScriptedModel]:
    """The same beside a test that blocks."""
    started: Queue[tuple[ScriptedModel, asyncio.AbstractEventLoop, asyncio.Event]] = Queue()

    async def serve() -> None:
        async with scripted_model(port) as model:
            is_over = asyncio.Event()
            started.put((model, asyncio.get_running_loop(), is_over))
            await is_over.wait()

    thread = Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    model, loop, is_over = started.get(timeout=10)
    try:
        yield model
    finally:
        loop.call_soon_threadsafe(is_over.set)
        thread.join(timeout=10)


def model_settings(url: str, **more: str) -> dict[str, str]:
    """The environment of a stack that speaks to this endpoint; `more` are further settings without their prefix."""
    settings = {"LLM": "openai", "LLM_BASE_URL": url, "LLM_MODEL": "scripted", "LLM_API_KEY": "scripted-key"}
    return {f"RAGSPINE_{name}": value for name, value in (settings | more).items()}


async def _answer_one(model: ScriptedModel, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head.splitlines()[1:])}
    request = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))))
    model.headers.append(headers)
    model.requests.append(request)
    turn = model.script.popleft() if model.script else model.obey(request) if model.obey else {}
    await asyncio.sleep(turn.get("hang", 0))
    if turn.get("error") == "crash":
        writer.transport.abort()
        return
    reply = _response(turn, anthropic=head.split(maxsplit=2)[1].endswith("/messages"))
    for piece in _pieces(reply) if "drip" in turn else (reply,):
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(turn.get("drip", 0))


def _pieces(reply: bytes, size: int = 64) -> Iterator[bytes]:
    return (reply[place : place + size] for place in range(0, len(reply), size))


def _response(turn: Reply, *, anthropic: bool) -> bytes:
    status = 500 if turn.get("error") == "provider" else turn.get("status", 200)
    said = {"text": "x" * turn["huge"]} if "huge" in turn else turn
    calls = [{"name": f"tool_{place}", "arguments": {}} for place in range(turn.get("storm", 0))]
    said = {**said, "tool_calls": [*said.get("tool_calls", ()), *calls]}
    made = _message(said) if anthropic else _completion(said)
    body = turn["raw"].encode() if "raw" in turn else json.dumps(made).encode()
    lines = [
        f"HTTP/1.1 {status} Scripted",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "connection: close",
        *(f"{name}: {value}" for name, value in turn.get("headers", {}).items()),
    ]
    sent = body[: len(body) // 2] if turn.get("cut") else body
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + sent


def _completion(turn: Reply) -> dict[str, Any]:
    calls = [_call(i, call) for i, call in enumerate(turn.get("tool_calls", ()))]
    message = {"role": "assistant", "content": turn.get("text", "")} | ({"tool_calls": calls} if calls else {})
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def _message(turn: Reply) -> dict[str, Any]:
    """The same in the Anthropic protocol."""
    text = turn.get("text", "")
    uses = [
        {"type": "tool_use", "id": f"call_{i}", "name": call.get("name", "query_metric"), "input": call["arguments"]}
        for i, call in enumerate(turn.get("tool_calls", ()))
    ]
    return {
        "id": "scripted",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [*([{"type": "text", "text": text}] if text else []), *uses],
        "stop_reason": "tool_use" if uses else "end_turn",
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }


def _call(place: int, call: Mapping[str, Any]) -> dict[str, Any]:
    arguments = call.get("arguments", {})
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {
        "id": f"call_{place}",
        "type": "function",
        "function": {"name": call.get("name", "query_metric"), "arguments": text},
    }
