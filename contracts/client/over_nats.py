"""Asking over the bus."""

import asyncio
import logging
import re
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict

from .. import subjects
from ..codes import ErrorCode
from ..v1.ask import AnswerResult, AskRequest
from ..v1.asks import APP_PATTERN, ASK_ID_PATTERN, DurableAnswer, SubmitAsk
from ..v1.errors import ErrorReply
from .asking import Client, encoded
from .errors import ClientError, failure, need, no_answer, read

if TYPE_CHECKING:
    from nats.aio.client import Client as Connection
    from nats.aio.msg import Msg

CONNECT_SECONDS: Final = 5.0
LOOK_SECONDS: Final = 2.0
"""For one look into the stream of answers; a bus that hangs is asked again."""
PING_SECONDS: Final = 5
MAX_OUTSTANDING_PINGS: Final = 2
"""A network that loses everything in silence is noticed after so many pings; asks meanwhile end by their deadlines."""
RECONNECT_WAIT_SECONDS: Final = 0.2
"""Shorter than the pause before a retry, so that the retry after a restart of the bus finds it."""
RETURN_SECONDS: Final = 5.0
"""A bus that restarts is back by then; one that is not is away, and that is said before a long deadline is over."""

_ASK_ID: Final = re.compile(ASK_ID_PATTERN)
_DURABLE_APP: Final = re.compile(APP_PATTERN)
_REFUSED_BY_LIMIT: Final = 10_077
"""The stream's one code for all that its limits forbid; the text says which, and a full stream has kept nothing."""
_IS_THERE: Final = "maximum messages per subject"
"""To a second message under one subject: the first one has arrived."""
_NOTHING: Final = "404"
_NOT_KEPT: Final = "The bus keeps no durable asks, or has no room for more."

_SEED: Final = re.compile(r"SU[A-Z2-7]{56}")
_APP: Final = re.compile(r"[A-Za-z0-9_-]+")
_REFUSED: Final = "authorization"
"""What the server's error says in every case of wrong or missing credentials."""

_log = logging.getLogger(__name__)


class NatsClient(Client):
    """Asks over the bus, as the app that the bus knows. Needs `ragspine-contracts[nats]`.

    User and password may stand in the address; `nkey_file` is the seed of an NKey in their place, `credentials` a file
    of the NATS tools. `tls_handshake_first` is for a server that encrypts before it says anything. Once open, it
    reconnects for as long as it lives; meanwhile asks fail as `unavailable` at once, and nothing is sent late. The one
    retry of an ask waits up to five seconds for the connection, within the deadline.
    """

    def __init__(
        self,
        url: str,
        *,
        app: str = subjects.LOCAL_APP,
        user: str | None = None,
        password: str | None = None,
        credentials: str | None = None,
        nkey_file: str | Path | None = None,
        tls: ssl.SSLContext | None = None,
        tls_handshake_first: bool = False,
    ) -> None:
        super().__init__()
        if not _APP.fullmatch(app):
            raise ValueError("app is one token of a subject: letters, digits, - and _")
        need("nats", install="nats-py", extra="nats")
        if nkey_file is not None:
            need("nkeys", install="nkeys", extra="nats")
        self._servers = [part.strip() for part in url.split(",")]
        self._subject = subjects.ask(app)
        self._app = app
        self._user, self._password, self._credentials = user, password, credentials
        self._nkey_file = None if nkey_file is None else _checked(nkey_file)
        self._tls, self._tls_handshake_first = tls, tls_handshake_first
        self._connection: Connection | None = None
        self._lost: asyncio.Future[None] | None = None
        self._is_back = asyncio.Event()

    async def open(self) -> None:
        """Connect within five seconds; raises `ClientError`."""
        from nats.aio.client import Client as Connection  # noqa: PLC0415 -- an optional dependency
        from nats.errors import Error  # noqa: PLC0415 -- an optional dependency

        connection = Connection()
        self._on_found()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._connect(connection)
            self._connection = connection
        except (TimeoutError, OSError, Error):
            raise failure(ErrorCode.UNAVAILABLE, "The bus cannot be reached.") from None
        finally:
            if self._connection is not connection:
                await connection.close()

    async def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()
        self._is_back.set()  # nobody need wait any longer

    async def _connect(self, connection: "Connection") -> None:
        async def failed(error: Exception) -> None:
            _log.debug("nats: %s", type(error).__name__)
            if self._connection is None and _REFUSED in str(error).lower():  # it would try again until the time is over
                raise failure(ErrorCode.UNAUTHENTICATED, "The bus does not know this user.")

        async def lost() -> None:
            if self._connection is not None:  # else we have closed it ourselves
                _log.warning("the connection to the bus was lost")
            self._is_back.clear()
            if self._lost is not None and not self._lost.done():
                self._lost.set_result(None)

        async def found() -> None:
            _log.info("connected to the bus again")
            self._on_found()

        await connection.connect(
            self._servers,
            name=f"ragspine-app-{self._app}",
            user=self._user,
            password=self._password,
            user_credentials=self._credentials,
            nkeys_seed=self._nkey_file,
            tls=self._tls,
            tls_handshake_first=self._tls_handshake_first,
            ping_interval=PING_SECONDS,
            max_outstanding_pings=MAX_OUTSTANDING_PINGS,
            max_reconnect_attempts=-1,
            reconnect_time_wait=RECONNECT_WAIT_SECONDS,  # type: ignore[arg-type]  # nats-py says int and takes float
            error_cb=failed,
            disconnected_cb=lost,
            reconnected_cb=found,
        )

    def _on_found(self) -> None:
        self._lost = asyncio.get_running_loop().create_future()
        self._is_back.set()

    async def _until_back(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(min(max(0.0, seconds), RETURN_SECONDS)):
                await self._is_back.wait()
        except TimeoutError:
            _log.debug("the bus did not come back in time")

    async def _exchange(self, body: bytes, headers: Mapping[str, str], seconds: float) -> AnswerResult:
        reply = await self._request(self._subject, body, headers, seconds)
        if subjects.HEADER_ERROR in (reply.headers or {}):
            raise ClientError(read(reply.data, ErrorReply))
        return read(reply.data, AnswerResult)

    async def _submit(self, key: str, request: AskRequest, headers: Mapping[str, str], seconds: float) -> str:
        if not _ASK_ID.fullmatch(key) or not _DURABLE_APP.fullmatch(self._app):
            raise failure(ErrorCode.INVALID_REQUEST, "The key is 1 to 64 of A-Z a-z 0-9 _ -, the app in lower case.")
        if isinstance(request, SubmitAsk) and request.webhook_url is not None:
            raise failure(ErrorCode.INVALID_REQUEST, "Webhooks are for asks over HTTP.")
        kept = {name: value for name, value in headers.items() if name != subjects.HEADER_DEADLINE}  # it may wait
        reply = await self._request(subjects.asks(self._app, key), encoded(request), kept, seconds)
        said = read(reply.data, _PubAck)
        if said.error is not None and not said.error.is_there():
            raise failure(ErrorCode.UNAVAILABLE, _NOT_KEPT)
        return key

    async def _look(self, ask_id: str, seconds: float) -> DurableAnswer | None:
        if not _ASK_ID.fullmatch(ask_id):
            raise failure(ErrorCode.NOT_FOUND, "There is no such ask.")
        reply = await self._request(subjects.answer_lookup(self._app, ask_id), b"", {}, min(seconds, LOOK_SECONDS))
        if (reply.headers or {}).get("Status") == _NOTHING:
            return None
        return read(reply.data, DurableAnswer)

    async def _request(self, subject: str, body: bytes, headers: Mapping[str, str], seconds: float) -> "Msg":
        """The reply, or `ClientError`; a connection that is lost in between ends the wait at once."""
        connection, lost = self._connection, self._lost
        if connection is None or lost is None:
            raise RuntimeError("use the client inside `async with`, or call open() first")
        if not connection.is_connected:
            self._is_back.clear()  # the library says so a moment before it calls `lost`
            raise failure(ErrorCode.UNAVAILABLE, "The bus is not connected at the moment.")
        request = asyncio.create_task(_reply_of(connection, subject, body, headers, seconds))
        try:
            waiting: set[asyncio.Future[Any]] = {request, lost}
            await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if request.done():
                return request.result()
            if lost.done():
                raise failure(ErrorCode.UNAVAILABLE, "The connection to the bus was lost.")
            raise no_answer()
        finally:
            request.cancel()


def _checked(seed_file: str | Path) -> str:
    """The file, once it was seen to hold a seed: else the bus would seem to be away. It is read at every connection."""
    try:
        seed = Path(seed_file).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        seed = ""
    if not _SEED.fullmatch(seed):
        raise ValueError("nkey_file is the file with the seed of a user: SU and 56 more capital letters and digits")
    return str(seed_file)


class _PubAckError(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    err_code: int = 0
    description: str = ""

    def is_there(self) -> bool:
        """Whether the stream holds a message under that subject already."""
        return self.err_code == _REFUSED_BY_LIMIT and _IS_THERE in self.description


class _PubAck(BaseModel):
    """What a stream says to a message: that it is kept, or why not."""

    model_config = ConfigDict(hide_input_in_errors=True)

    error: _PubAckError | None = None


async def _reply_of(
    connection: "Connection", subject: str, body: bytes, headers: Mapping[str, str], seconds: float
) -> "Msg":
    from nats.errors import Error, NoRespondersError  # noqa: PLC0415 -- an optional dependency
    from nats.errors import TimeoutError as NoReplyError  # noqa: PLC0415 -- an optional dependency

    try:
        return await connection.request(subject, body, timeout=seconds, headers=dict(headers) or None)
    except NoReplyError:
        raise no_answer() from None
    except NoRespondersError:
        raise failure(ErrorCode.UNAVAILABLE, "Nobody answers asks at the moment.") from None
    except Error:
        raise failure(ErrorCode.UNAVAILABLE, "The bus did not take the request.") from None
