"""One attempt at a webhook against a receiver on loopback: what it is sent, and what its replies come to."""

import shutil
import socket
import ssl
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from services.gateway.asks.webhooks.ports import NotTaken, Outcome, Taken, Unwanted
from services.gateway.asks.webhooks.sending import HttpSender
from services.gateway.asks.webhooks.targets import HostList
from tests.component.gateway.receiver import Receiver, receiving, reply

BODY = '{"answer": "1320 百万"}'.encode()


async def loopback(_: str) -> Sequence[str]:
    return ["127.0.0.1"]


async def send(port: int, *, path: str = "/done?x=1", host: str = "127.0.0.1", seconds: float = 5.0) -> Outcome:
    hosts = HostList.parse(f"{host}:{port}")
    async with HttpSender.open(hosts, timeout_seconds=seconds, lookup=loopback) as sender:
        return await sender.send(hosts.target(f"http://{host}:{port}{path}"), {"Ragspine-Timestamp": "7"}, BODY)


async def said(receiver: Receiver, what: bytes | None, *, seconds: float = 5.0) -> Outcome:
    receiver.says = [what]
    return await send(receiver.port, seconds=seconds)


async def test_the_receiver_gets_the_body_and_the_headers_under_the_name_that_was_listed() -> None:
    async with receiving() as receiver:
        outcome = await send(receiver.port, host="localhost")

    (request,) = receiver.received
    assert outcome == Taken()
    assert (request.line, request.body) == ("POST /done?x=1 HTTP/1.1", BODY)
    assert request.headers["host"] == f"localhost:{receiver.port}"
    assert (request.headers["content-type"], request.headers["ragspine-timestamp"]) == ("application/json", "7")
    assert not {"cookie", "authorization", "traceparent"} & set(request.headers)


async def test_what_a_receiver_says_has_a_meaning_and_nothing_is_followed() -> None:
    async with receiving() as receiver, receiving() as elsewhere:
        location = f"Location: http://127.0.0.1:{elsewhere.port}/\r\n"
        outcomes = [
            (await said(receiver, reply(200, "Set-Cookie: a=b\r\n", b"x" * 100_000)), Taken()),
            (await said(receiver, reply(299)), Taken()),
            (await said(receiver, reply(302, location)), NotTaken("redirect")),
            (await said(receiver, reply(307, location)), NotTaken("redirect")),
            (await said(receiver, reply(404)), NotTaken("status_404")),
            (await said(receiver, reply(410)), Unwanted("gone")),
            (await said(receiver, reply(503, "Retry-After: 7\r\n")), NotTaken("status_503", 7.0)),
            (await said(receiver, reply(429, "Retry-After: tomorrow\r\n")), NotTaken("status_429", None)),
            (await said(receiver, b"SMTP ready\r\n"), NotTaken("connection")),
            (await said(receiver, b""), NotTaken("connection")),
        ]

    assert [outcome for outcome, _ in outcomes] == [expected for _, expected in outcomes]
    assert elsewhere.connections == 0
    assert receiver.connections == len(outcomes)
    assert all("cookie" not in request.headers for request in receiver.received)


@pytest.mark.parametrize("what", [None, b"HTTP/1.1 200 X\r\nX: "], ids=["nothing", "half a head"])
async def test_a_receiver_that_hangs_takes_no_longer_than_the_attempt(what: bytes | None) -> None:
    async with receiving() as receiver:
        receiver.hangs = True
        outcome = await said(receiver, what, seconds=0.2)

    assert outcome == NotTaken("timeout")


async def test_a_head_without_end_is_not_read_to_its_end() -> None:
    async with receiving() as receiver:
        outcome = await said(receiver, b"HTTP/1.1 200 X\r\n" + b"X: y\r\n" * 200_000)

    assert outcome == NotTaken("connection")


async def test_of_a_body_without_end_nothing_is_waited_for() -> None:
    async with receiving() as receiver:
        outcome = await said(receiver, b"HTTP/1.1 200 X\r\nContent-Length: 9999999999\r\n\r\n" + b"x" * 1_000)

    assert outcome == Taken()


async def test_a_closed_port_is_an_attempt_that_failed() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))

        outcome = await send(taken.getsockname()[1])

    assert outcome == NotTaken("connection")


async def test_variables_of_the_environment_lead_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiving() as receiver, receiving() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        outcome = await send(receiver.port)

    assert (outcome, proxy.connections) == (Taken(), 0)


def certificate(folder: Path, name: str) -> Path:
    """Key and self-signed certificate for a name, in one file."""
    made = folder / f"{name}.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"),
            *("-keyout", made, "-out", folder / "certificate.pem"),
        ],
        check=True,
        capture_output=True,
    )
    made.write_bytes(made.read_bytes() + (folder / "certificate.pem").read_bytes())
    return made


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
@pytest.mark.parametrize(
    ("name", "trusted", "expected"),
    [
        ("localhost", True, Taken()),
        ("elsewhere.test", True, NotTaken("connection")),
        ("localhost", False, NotTaken("connection")),
    ],
    ids=["the listed name", "another name", "nobody's word"],
)
async def test_the_certificate_must_be_that_of_the_listed_name(
    tmp_path: Path, name: str, trusted: bool, expected: Outcome
) -> None:
    made = certificate(tmp_path, name)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(made)
    trusting = ssl.create_default_context(cafile=made) if trusted else None

    async with receiving(serving) as receiver:
        hosts = HostList.parse(f"localhost:{receiver.port}")
        async with HttpSender.open(hosts, timeout_seconds=5, tls=trusting, lookup=loopback) as sender:
            outcome = await sender.send(hosts.target(f"https://localhost:{receiver.port}/"), {}, BODY)

    assert outcome == expected
    assert len(receiver.received) == (expected == Taken())
