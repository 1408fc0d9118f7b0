"""One attempt at one webhook over HTTP: to the address that was looked at, without redirects, in bounded time.

Of the reply only the status and `Retry-After` are read. No proxy, cookie or variable of the environment has a say.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final, Self

import httpx2

from services.gateway.asks.webhooks.ports import NotTaken, Outcome, Taken, Unwanted
from services.gateway.asks.webhooks.resolving import Lookup, UnsafeAddressError, pinned_address, system_lookup
from services.gateway.asks.webhooks.targets import HostList, Target

GONE: Final = 410
_REDIRECTS: Final = range(300, 400)
_SUCCESS: Final = range(200, 300)


@dataclass(frozen=True)
class HttpSender:
    """Sends webhooks over HTTP."""

    transport: httpx2.AsyncBaseTransport
    hosts: HostList
    lookup: Lookup
    timeout_seconds: float

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        hosts: HostList,
        *,
        timeout_seconds: float,
        tls: ssl.SSLContext | None = None,
        lookup: Lookup = system_lookup,
    ) -> AsyncGenerator[Self]:
        """A sender whose connections end with it."""
        transport = httpx2.AsyncHTTPTransport(
            verify=tls or ssl.create_default_context(),
            trust_env=False,
            # Never kept open: connections are pooled by address, and two names may share one.
            limits=httpx2.Limits(max_keepalive_connections=0),
        )
        async with transport:
            yield cls(transport, hosts, lookup, timeout_seconds)

    async def send(self, target: Target, headers: dict[str, str], body: bytes) -> Outcome:
        """One attempt; what goes wrong is a code."""
        try:
            async with asyncio.timeout(self.timeout_seconds):
                private = self.hosts.may_be_private(target.host)
                address = await pinned_address(target.host, self.lookup, may_be_private=private)
                return await self._post(target, address, headers, body)
        except UnsafeAddressError:
            return NotTaken("unsafe_address")
        except (TimeoutError, httpx2.TimeoutException):
            return NotTaken("timeout")
        except (OSError, httpx2.TransportError, UnicodeError):  # a name that no resolver takes is a UnicodeError
            return NotTaken("connection")

    async def _post(self, target: Target, address: str, headers: dict[str, str], body: bytes) -> Outcome:
        request = httpx2.Request(
            "POST",
            target.at(address),
            headers={"Host": target.authority, "Content-Type": "application/json", "Connection": "close", **headers},
            content=body,
            extensions={"sni_hostname": target.host},  # the certificate is that of the name, not of the address
        )
        response = await self.transport.handle_async_request(request)
        try:
            return _outcome(response)
        finally:
            await response.aclose()


def _outcome(response: httpx2.Response) -> Outcome:
    status = response.status_code
    if status in _SUCCESS:
        return Taken()
    if status == GONE:
        return Unwanted("gone")
    if status in _REDIRECTS:
        return NotTaken("redirect")
    return NotTaken(f"status_{status}", _retry_after(response.headers.get("retry-after", "")))


def _retry_after(value: str) -> float | None:
    with suppress(ValueError):
        return max(0.0, float(value))
    return None
