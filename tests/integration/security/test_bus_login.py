"""How a worker knows the server and the server the worker: TLS 1.3 and NKeys, on a real server with the table."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import nats
import pytest
import trustme
from nats.aio.msg import Msg
from nats.errors import Error

from cli.bus.configuration import Tls
from cli.bus.keys import is_public_key, new_key
from contracts import subjects
from contracts.client import ClientError, NatsClient
from contracts.codes import ErrorCode
from runtime.broker import make_broker
from runtime.bus_apps import provide_answers, reload
from runtime.bus_login import connect_options
from runtime.errors import UnavailableError
from runtime.observer import Observer
from runtime.settings import RuntimeSettings
from tests.component.gateway.doors import ANSWER
from tests.integration.runtime.worker_process import PROFILE
from tests.integration.security.bus_server import PASSWORD, configuration, guarded_nats
from tests.support.servers import Nats

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

USER = "intent"
APP = "app1"


@dataclass
class Encrypted:
    """A server that talks TLS only, and what belongs to it."""

    server: Nats
    folder: Path
    handshake_first: bool

    def settings(self, **others: object) -> RuntimeSettings:
        """Those of a worker that knows the right authority and signs with the right key."""
        usual = {
            "nats_url": f"tls://localhost:{self.server.port}",
            "profile": PROFILE,
            "nats_tls_ca_file": self.folder / "ca.pem",
            "nats_nkey_file": self.folder / "seed",
            "nats_tls_handshake_first": self.handshake_first,
        }
        return RuntimeSettings.model_validate({k: v for k, v in {**usual, **others}.items() if v is not None})

    def client(self, seed: str) -> NatsClient:
        """That of an app that signs with a key."""
        return NatsClient(
            f"tls://localhost:{self.server.port}",
            app=APP,
            nkey_file=self.folder / seed,
            tls=ssl.create_default_context(cafile=self.folder / "ca.pem"),
            tls_handshake_first=self.handshake_first,
        )

    @asynccontextmanager
    async def gateway(self) -> AsyncGenerator[None]:
        """Answers every ask, with the rights of the gateway."""
        shown = connect_options(self.settings(nats_nkey_file=None, nats_user="gateway", nats_password=PASSWORD))
        connection = await nats.connect(self.settings().nats_url, **shown, inbox_prefix="_INBOX_gateway")

        async def serve(message: Msg) -> None:
            await message.respond(ANSWER.model_dump_json().encode())

        await connection.subscribe(subjects.ASK_ANY_APP, queue=subjects.QUEUE_GATEWAY, cb=serve)
        await connection.flush()
        try:
            yield
        finally:
            await connection.close()


@pytest.fixture(scope="module", params=[False, True], ids=["after the greeting", "handshake first"])
def encrypted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Generator[Encrypted]:
    folder = tmp_path_factory.mktemp("tls")
    authority, stranger = trustme.CA(), trustme.CA()
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    certificate.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    stranger.cert_pem.write_to_path(folder / "stranger.pem")
    seeds = {"seed": new_key(), "app": new_key(), "other": new_key()}
    for name, (seed, _) in seeds.items():
        (folder / name).write_text(seed)
    tls = Tls(folder / "server.pem", folder / "server.pem", handshake_first=request.param)
    with guarded_nats(folder, configuration(tls=tls, keys={USER: seeds["seed"][1], APP: seeds["app"][1]})) as server:
        yield Encrypted(server, folder, request.param)


async def test_the_right_authority_and_the_right_key_are_let_in(encrypted: Encrypted) -> None:
    broker = make_broker(encrypted.settings(), USER, Observer(), on_fault=lambda _: None)

    await broker.connect()
    try:
        await broker.connection.flush()
        tls = broker.connection._transport._io_writer.get_extra_info("ssl_object")
        assert broker.connection.is_connected
        assert tls.version() == "TLSv1.3"
    finally:
        await broker.connection.close()


@pytest.mark.parametrize(
    "wrong",
    [
        {"nats_tls_ca_file": "stranger.pem"},
        {"nats_nkey_file": "other"},
        {"nats_nkey_file": None},
        {"nats_nkey_file": None, "nats_user": USER, "nats_password": PASSWORD},
    ],
    ids=["another authority", "another key", "no credential", "a password in place of the key"],
)
async def test_anything_else_is_refused(encrypted: Encrypted, wrong: dict[str, str | None]) -> None:
    others = {k: encrypted.folder / v if v and k.endswith("_file") else v for k, v in wrong.items()}

    with pytest.raises((Error, OSError, ssl.SSLError, TimeoutError)):
        await _once(encrypted.settings(**others))


async def test_an_app_asks_with_the_seed_that_the_command_has_made(encrypted: Encrypted) -> None:
    async with encrypted.gateway(), encrypted.client("app") as client:
        assert await client.ask("REVENUE?") == ANSWER


async def test_an_app_with_the_seed_of_another_one_is_told_so(encrypted: Encrypted) -> None:
    with pytest.raises(ClientError) as raised:
        await encrypted.client("other").open()

    assert (raised.value.code, raised.value.retryable) == (ErrorCode.UNAUTHENTICATED, False)


@pytest.mark.parametrize("content", [None, b"", b"UAAA", b"SUAA", b"\xff", b"S\xc3\x9c"])
def test_a_file_without_a_seed_is_told_where_the_client_is_made(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "seed").write_bytes(content)

    with pytest.raises(ValueError, match="nkey_file"):
        NatsClient("nats://127.0.0.1:4222", nkey_file=tmp_path / "seed")


async def test_without_tls_nothing_is_let_in(encrypted: Encrypted) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", encrypted.server.port)
    writer.write(b'CONNECT {"verbose":false,"user":"gateway","pass":"%s"}\r\nPING\r\n' % PASSWORD.encode())

    async with asyncio.timeout(10):
        said = await reader.read()
    writer.close()

    assert b"PONG" not in said


async def _once(settings: RuntimeSettings) -> None:
    """One attempt with what a worker would show; it would go on trying."""
    client = await nats.connect(
        settings.nats_url,
        **connect_options(settings),
        allow_reconnect=False,
        max_reconnect_attempts=1,
        connect_timeout=2,
        reconnect_time_wait=0,
    )
    await client.close()


def test_a_made_key_has_a_public_half_that_the_server_takes() -> None:
    seed, public = new_key()

    assert seed.startswith("SU")
    assert is_public_key(public)


def test_what_is_no_public_key_is_told_apart() -> None:
    seed, public = new_key()

    for text in ("", "U" * 56, "SUAA", public[:-1], public.lower(), seed):
        assert not is_public_key(text)


async def test_accounts_are_brought_into_force_over_tls_too(
    encrypted: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"tls://localhost:{encrypted.server.port}"
    monkeypatch.setenv("RAGSPINE_NATS_TLS_CA_FILE", str(encrypted.folder / "ca.pem"))
    monkeypatch.setenv("RAGSPINE_NATS_TLS_HANDSHAKE_FIRST", str(encrypted.handshake_first))

    await reload(address, PASSWORD)

    with pytest.raises(UnavailableError):
        await reload(address, "another password")


async def test_a_bus_without_durable_asks_has_no_answers_to_follow(
    encrypted: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_NATS_TLS_CA_FILE", str(encrypted.folder / "ca.pem"))
    monkeypatch.setenv("RAGSPINE_NATS_TLS_HANDSHAKE_FIRST", str(encrypted.handshake_first))

    assert await provide_answers(f"tls://localhost:{encrypted.server.port}", PASSWORD, "app1") is False
