"""Small questions to ports: is it free, does it answer."""

import asyncio
import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import cast

TIMEOUT_SECONDS = 3.0


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def free_port(host: str) -> int:
    """A port that is free at this moment."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True, slots=True)
class HttpReply:
    """Status and JSON object of a reply; an empty object when the body is none."""

    status: int
    body: dict[str, object]


async def http_get(host: str, port: int, path: str, timeout_seconds: float = TIMEOUT_SECONDS) -> HttpReply | None:
    """One GET without keep-alive; None when nobody answers in time."""
    try:
        async with asyncio.timeout(timeout_seconds):
            return await _http_get(host, port, path)
    except (OSError, TimeoutError, ValueError, IndexError):
        return None


async def _http_get(host: str, port: int, path: str) -> HttpReply:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        head, _, body = (await reader.read(-1)).partition(b"\r\n\r\n")
    finally:
        writer.close()
    status = int(head.split(b" ", 2)[1])
    return HttpReply(status, _json_object(body))


def _json_object(body: bytes) -> dict[str, object]:
    start, end = body.find(b"{"), body.rfind(b"}")  # also inside chunked framing
    try:
        value: object = json.loads(body[start : end + 1]) if start >= 0 else {}
    except ValueError:
        return {}
    return cast(dict[str, object], value) if isinstance(value, dict) else {}


async def tcp_greets(host: str, port: int, greeting: bytes) -> bool:
    """Whether the server there opens with `greeting`."""
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                return (await reader.read(len(greeting))) == greeting
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False


async def socket_answers(path: Path, request: bytes, answer: bytes) -> bool:
    """Whether the server behind a Unix socket replies to `request` with `answer`."""
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            reader, writer = await asyncio.open_unix_connection(str(path))
            try:
                writer.write(request)
                await writer.drain()
                return (await reader.read(len(answer))) == answer
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False
