import asyncio
from collections.abc import Sequence
from ipaddress import ip_address

import pytest

from services.gateway.asks.webhooks.ports import NotTaken
from services.gateway.asks.webhooks.resolving import UnsafeAddressError, is_allowed, pinned_address
from services.gateway.asks.webhooks.sending import HttpSender
from services.gateway.asks.webhooks.targets import HostList
from tests.unit.gateway.webhooks.memory import HOSTS, counted_sockets

PRIVATE = ["10.0.0.5", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fd12:3456::1", "::ffff:10.0.0.5", "64:ff9b::a00:5"]
NEVER = [
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "fe80::1",
    "fd00:ec2::254",
    "100.100.100.200",
    "0.0.0.0",
    "::",
    "224.0.0.1",
    "ff02::1",
    "255.255.255.255",
    "240.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "2002:7f00:1::",
    "2001:0:4136:e378::1",
    "fec0::1",
    "64:ff9b:1::1",
    "::127.0.0.1",
]


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822", "::ffff:93.184.216.34"]
)
def test_a_public_address_is_allowed(address: str) -> None:
    assert is_allowed(ip_address(address), may_be_private=False)


@pytest.mark.parametrize("address", [*PRIVATE, "127.0.0.1", "::1"])
def test_an_inner_address_is_allowed_only_where_the_operator_has_said_so(address: str) -> None:
    assert not is_allowed(ip_address(address), may_be_private=False)
    assert is_allowed(ip_address(address), may_be_private=True)


@pytest.mark.parametrize("address", NEVER)
def test_metadata_link_local_and_indirect_addresses_are_never_allowed(address: str) -> None:
    assert not is_allowed(ip_address(address), may_be_private=True)


def lookup_of(*addresses: str) -> "Lookup":
    return Lookup(addresses)


class Lookup:
    def __init__(self, addresses: Sequence[str]) -> None:
        self.addresses, self.calls = addresses, 0

    async def __call__(self, host: str) -> Sequence[str]:
        self.calls += 1
        return self.addresses


async def test_the_first_address_is_taken_and_the_name_is_resolved_once() -> None:
    lookup = lookup_of("93.184.216.34", "2606:2800:220:1::1")

    address = await pinned_address("hooks.test", lookup, may_be_private=False)

    assert (address, lookup.calls) == ("93.184.216.34", 1)


@pytest.mark.parametrize("second", [*PRIVATE, *NEVER, "127.0.0.1", "no address"])
async def test_one_bad_address_among_several_makes_the_name_suspect(second: str) -> None:
    with pytest.raises(UnsafeAddressError):
        await pinned_address("hooks.test", lookup_of("93.184.216.34", second), may_be_private=False)


async def test_localhost_is_this_machine_and_no_other_name_is() -> None:
    assert await pinned_address("localhost", lookup_of("127.0.0.1"), may_be_private=True) == "127.0.0.1"
    with pytest.raises(UnsafeAddressError):
        await pinned_address("localhost", lookup_of("93.184.216.34"), may_be_private=True)
    with pytest.raises(UnsafeAddressError):
        await pinned_address("intranet.test", lookup_of("127.0.0.1"), may_be_private=True)


async def test_a_name_without_an_address_is_an_error_of_the_network() -> None:
    with pytest.raises(OSError, match="no address"):
        await pinned_address("hooks.test", lookup_of(), may_be_private=False)


async def test_a_listed_name_that_points_inwards_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    lookup = lookup_of()
    inwards = [*PRIVATE, *NEVER, "127.0.0.1", "::1"]

    async with HttpSender.open(HOSTS, timeout_seconds=1, lookup=lookup) as sender:
        with counted_sockets(monkeypatch) as sockets:
            for address in inwards:
                lookup.addresses = [address]
                assert await sender.send(HOSTS.target("https://hooks.test/"), {}, b"{}") == NotTaken("unsafe_address")

    assert lookup.calls == len(inwards)
    assert sockets() == 0


async def test_a_private_host_is_reached_where_it_is_listed_as_one() -> None:
    hosts = HostList.parse("hooks.test, intranet.test", "intranet.test")

    assert hosts.may_be_private("intranet.test")
    assert not hosts.may_be_private("hooks.test")


async def test_a_resolver_that_never_answers_takes_no_longer_than_the_attempt() -> None:
    async def never(_: str) -> Sequence[str]:
        return await asyncio.Future[Sequence[str]]()

    async with HttpSender.open(HOSTS, timeout_seconds=0.05, lookup=never) as sender:
        outcome = await sender.send(HOSTS.target("https://hooks.test/"), {}, b"{}")

    assert outcome == NotTaken("timeout")
