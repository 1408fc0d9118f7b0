"""What can go wrong in a model call, as a `ProviderError` with a code and nothing else: one set of rules for all."""

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

import httpx2
from pydantic import ValidationError

from services.orchestrator.conversation import ProviderError
from services.orchestrator.providers.ports import Completed

MAX_REPLY_BYTES: Final = 1_048_576
"""A turn of a model is a few kilobytes; more is not read."""

_NOTHING_DONE: Final = frozenset({429, 503, 529})
"""Too many requests, unavailable, overloaded: the server says that it did nothing."""


@dataclass(frozen=True, slots=True)
class SdkErrors:
    """The exceptions of one SDK, from the special to the general."""

    timeout: type[Exception]
    connection: type[Exception]
    every: type[Exception]


@contextmanager
def as_provider_errors(sdk: SdkErrors) -> Generator[None]:
    """Every failure of a call by this SDK, or of reading its body, becomes a `ProviderError`."""
    try:
        yield
    except sdk.timeout:
        raise ProviderError("timeout") from None
    except sdk.connection as error:
        raise ProviderError("connection", is_unprocessed=_was_never_sent(error)) from None
    except sdk.every as error:
        raise _status_error(error) or ProviderError("provider") from None
    except httpx2.TimeoutException:
        raise ProviderError("timeout") from None  # while the body was read, which the SDKs leave to us
    except httpx2.HTTPError:
        raise ProviderError("connection") from None


async def read_turn(sdk: SdkErrors, reply: Awaitable[bytes], read: Callable[[bytes], Completed]) -> Completed:
    """The turn in the reply of a model. Raises `ProviderError`, also for a reply that is none."""
    with as_provider_errors(sdk):
        body = await reply
    try:
        return read(body)
    except (ValidationError, RecursionError):
        raise ProviderError("malformed_reply") from None


async def read_bounded(parts: AsyncIterator[bytes]) -> bytes:
    """The whole body of a reply. Raises `ProviderError` for one that no turn of a model needs."""
    body = bytearray()
    async for part in parts:
        body += part
        if len(body) > MAX_REPLY_BYTES:
            raise ProviderError("reply_too_large")
    return bytes(body)


def _was_never_sent(error: Exception) -> bool:
    """Whether the connection could not be opened: then the server did nothing."""
    return isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)


def _status_error(error: Exception) -> ProviderError | None:
    """A status is retried only where it says that nothing was done."""
    response = getattr(error, "response", None)
    if not isinstance(response, httpx2.Response):
        return None
    return ProviderError(
        f"status_{response.status_code}",
        is_unprocessed=response.status_code in _NOTHING_DONE,
        retry_after_seconds=_retry_after(response.headers),
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    with suppress(ValueError):
        return max(0.0, float(headers.get("retry-after", "")))
    return None
