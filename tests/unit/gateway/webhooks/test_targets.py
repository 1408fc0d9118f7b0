"""Which URLs may be told. Each form below is refused from its text alone: no name is resolved, no socket is opened."""

import asyncio

import pytest

from runtime.errors import InvalidRequestError
from services.gateway.asks.webhooks.sending import HttpSender
from services.gateway.asks.webhooks.targets import HostList
from tests.unit.gateway.webhooks.memory import HOSTS, MemoryWebhooks, counted_sockets, delivery, due

REFUSED = [
    # other hosts
    "https://evil.test/",
    "https://hooks.test.evil.test/",
    "https://evil.test/hooks.test",
    "https://evilhooks.test/",
    "https://sub.hooks.test/",
    "https://hooks.test./",
    "https://hooks..test/",
    "https://.hooks.test/",
    "https://-hooks.test/",
    "https://hooks.test:8443/",
    "https://other.test/",
    "https://hooks.test:0/",
    "https://hooks.test:99999/",
    "https://hooks.test:+443/",
    "https://hooks.test:443:443/",
    # a host that two parsers see differently
    "https://hooks.test@evil.test/",
    "https://evil.test@hooks.test/",
    "https://evil.test:x@hooks.test/",
    "https://hooks.test\\@evil.test/",
    "https://evil.test\\.hooks.test/",
    "https://evil.test#@hooks.test/",
    "https://hooks.test#fragment",
    "https://evil.test?@hooks.test/",
    "https:///hooks.test/",
    "https:hooks.test/",
    "https:/hooks.test/",
    "//hooks.test/",
    "hooks.test/",
    "https://hooks.test%2eevil.test/",
    "https://hooks.test%00.evil.test/",
    "https://%68ooks.test/",
    "https://ｈooks.test/",
    "https://hooks。test/",
    "https://hooks.tes\u200bt/",
    "https://hooks.test\t/",
    "https://hooks.test/\r\nHost: evil.test",
    " https://hooks.test/",
    "https://hooks.test/ ",
    "https://hooks.test/\x00",
    "https://hooks.test/a b",
    "https://hooks.test/%zz",
    "https://hooks.test/ü",
    # other schemes
    "http://hooks.test/",
    "ftp://hooks.test/",
    "file:///etc/passwd",
    "gopher://hooks.test/",
    "javascript:alert(1)",
    "unix:///var/run/docker.sock",
    "",
    # addresses, in all the ways in which resolvers read them
    "https://169.254.169.254/latest/meta-data/",
    "https://[fd00:ec2::254]/",
    "https://[::ffff:169.254.169.254]/",
    "https://[::1]:9000/",
    "https://[::]/",
    "https://[fe80::1%25eth0]/",
    "http://127.0.0.1/",
    "http://127.0.0.1:9001/",
    "http://127.1:9000/",
    "http://127.0.1:9000/",
    "http://0177.0.0.1:9000/",
    "http://127.000.000.001:9000/",
    "http://2130706433:9000/",
    "http://017700000001:9000/",
    "http://0x7f000001:9000/",
    "http://0x7f.0.0.1:9000/",
    "http://127.0.0.1.:9000/",
    "http://127.0.0.1.nip.test:9000/",
    "http://0.0.0.0:9000/",
    "http://0:9000/",
    "http://localhost.:9000/",
    "http://localhost:9000@evil.test/",
    "https://10.0.0.5/",
    "https://hooks.test/" + "a" * 2_048,
]


def test_there_are_many_of_them_and_each_is_another_one() -> None:
    assert len(set(REFUSED)) == len(REFUSED) >= 40


@pytest.mark.parametrize("url", REFUSED)
def test_a_url_that_is_not_plainly_a_listed_one_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        HOSTS.target(url)

    (problem,) = raised.value.problems
    assert problem.field == "webhook_url"
    assert "evil" not in problem.reason


async def test_none_of_them_opens_a_socket_even_if_it_had_been_accepted_before(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = MemoryWebhooks([due(url, ask_id=str(number), app=f"app{number}") for number, url in enumerate(REFUSED)])

    async with HttpSender.open(HOSTS, timeout_seconds=1) as sender:
        with counted_sockets(monkeypatch) as sockets:
            sending = asyncio.create_task(delivery(ledger, sender).run())
            async with asyncio.timeout(10):
                while len(ledger.given_up) < len(REFUSED):
                    await asyncio.sleep(0)
            sending.cancel()

    assert sockets() == 0
    assert {code for _, code in ledger.given_up} == {"not_listed"}


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("https://hooks.test", "https://192.0.2.7:443/"),
        ("HTTPS://Hooks.TEST/done?a=1&b=%20", "https://192.0.2.7:443/done?a=1&b=%20"),
        ("https://hooks.test:443/", "https://192.0.2.7:443/"),
        ("https://other.test:8443/x/@y", "https://192.0.2.7:8443/x/@y"),
        ("http://127.0.0.1:9000/?q", "http://192.0.2.7:9000/?q"),
        ("http://localhost:9000/", "http://192.0.2.7:9000/"),
        ("https://localhost:9000/", "https://192.0.2.7:9000/"),
    ],
)
def test_a_listed_host_is_taken_with_its_path(url: str, seen: str) -> None:
    target = HOSTS.target(url)

    assert target.at("192.0.2.7") == seen


def test_without_hosts_webhooks_are_off_and_the_setting_is_named() -> None:
    with pytest.raises(InvalidRequestError) as raised:
        HostList.parse("").target("https://hooks.test/")

    assert "RAGSPINE_WEBHOOK_HOSTS" in raised.value.problems[0].reason


@pytest.mark.parametrize(
    "listed", ["https://hooks.test", "hooks.test/", "a b", "*.test", "hooks.test:0", "127.1", "a@b"]
)
def test_a_list_that_cannot_be_compared_exactly_is_refused(listed: str) -> None:
    with pytest.raises(ValueError, match=r"must be host|a port that is none"):
        HostList.parse(listed)


def test_a_private_host_must_be_a_listed_one() -> None:
    with pytest.raises(ValueError, match="not in RAGSPINE_WEBHOOK_HOSTS"):
        HostList.parse("hooks.test", "intranet.test")
