"""What nats-server says about itself on its monitoring port: whether it writes to disk before it acknowledges.

One without `sync_interval: always` acknowledges what a power cut then takes away, so nothing durable may be accepted
through it. Whoever cannot be asked, is another server, or does not say yes counts as no.
"""

import asyncio
import json
from typing import Annotated, Any, Final, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, build_opener

from nats.aio.client import Client
from pydantic import AfterValidator

from runtime.nats_internals import server_id

ASK_SECONDS: Final = 2.0

_MAX_BYTES: Final = 1_048_576


class NotSyncingError(Exception):
    """The server does not promise that what it acknowledges is on disk; the message says what to set."""


def _are_monitor_urls(value: str) -> str:
    for url in split_urls(value):
        address = urlsplit(url)
        if address.scheme not in ("http", "https") or not address.hostname or address.username:
            raise ValueError("must be http://host:port of the server's monitoring port, several separated by commas")
    return value


MonitorUrls = Annotated[str, AfterValidator(_are_monitor_urls)]
"""The monitoring port of each NATS server, separated by commas."""


def split_urls(value: str) -> tuple[str, ...]:
    """The addresses of a setting."""
    return tuple(url.strip().rstrip("/") for url in value.split(","))


async def require_syncing(client: Client, urls: str) -> None:
    """Return when every server syncs each message and the connected one is among them.

    Raises `NotSyncingError`, or `ConnectionError` while a monitoring port does not answer.
    """
    told = [await _varz(url) for url in split_urls(urls)]
    if server_id(client) not in {server.get("server_id") for server in told}:
        raise NotSyncingError(
            "RAGSPINE_NATS_MONITOR_URL: that is the monitoring port of another server than RAGSPINE_NATS_URL leads to"
        )
    if not all(_syncs(server) for server in told):
        raise NotSyncingError(
            "the NATS server acknowledges messages before they are on disk, so no durable ask can be accepted: set "
            "`sync_interval: always` in its `jetstream` block, or run without durable asks by leaving "
            "RAGSPINE_NATS_MONITOR_URL unset"
        )


def _syncs(told: dict[str, Any]) -> bool:
    match told:
        case {"jetstream": {"config": {"sync_always": True}}}:
            return True
        case _:
            return False


async def _varz(url: str) -> dict[str, Any]:
    try:
        async with asyncio.timeout(2 * ASK_SECONDS):
            body = await asyncio.to_thread(_get, f"{url}/varz")
        told = json.loads(body)
    except (URLError, HTTPError, OSError, TimeoutError, ValueError) as error:
        raise ConnectionError(f"RAGSPINE_NATS_MONITOR_URL: no answer there: {type(error).__name__}") from error
    return cast("dict[str, Any]", told) if isinstance(told, dict) else {}


def _get(url: str) -> bytes:
    request = Request(url, headers={"Accept": "application/json"})  # noqa: S310 - the setting admits http and https only
    with build_opener().open(request, timeout=ASK_SECONDS) as reply:
        return cast("bytes", reply.read(_MAX_BYTES))
