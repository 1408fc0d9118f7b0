"""The keys file and the keys in force, state by state."""

import asyncio
import hmac
import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from contracts.codes import Scope
from runtime.errors import UnauthenticatedError
from services.gateway.access import ring as ring_module
from services.gateway.access.failures import ALLOWED, FailedAttempts
from services.gateway.access.key_file import KeyFileError, KeyRate, changing, read_keys
from services.gateway.access.ring import KeyRing
from services.gateway.access.watching import KeysWatch
from tests.support.keys import NOW, new_key, open_gate, store


def test_a_key_leads_to_its_app_and_scopes() -> None:
    key = new_key("crm", Scope.ASK, Scope.LOAD, rate=KeyRate(asks_per_minute=60, burst=6))

    caller = KeyRing([key.stored]).caller(f"Bearer {key.key}", NOW)

    assert caller is not None
    assert (caller.app, caller.scopes, caller.key_id) == ("crm", {Scope.ASK, Scope.LOAD}, key.stored.id)
    assert caller.rate == KeyRate(asks_per_minute=60, burst=6)


def test_a_key_opens_nothing_from_the_moment_it_ends() -> None:
    expiring, revoked = new_key(expires=NOW), new_key(revoked=NOW)
    ring, before = KeyRing([expiring.stored, revoked.stored]), NOW - timedelta(seconds=1)

    assert [ring.caller(f"Bearer {key.key}", now) is None for key in (expiring, revoked) for now in (before, NOW)] == [
        False,
        True,
        False,
        True,
    ]


def test_one_comparison_in_constant_time_is_made_whatever_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    good, other = new_key(), new_key()
    ring, compared = KeyRing([good.stored]), list[int]()

    def compare(a: bytes, b: bytes) -> bool:
        compared.append(len(a) + len(b))
        return hmac.compare_digest(a, b)

    monkeypatch.setattr(ring_module, "compare_digest", compare)
    for sent in (None, "", "Bearer", "Bearer x", "Basic x", f"Bearer {other.key}", f"Bearer {good.key}"):
        ring.caller(sent, NOW)

    assert compared == [64] * 7


def test_no_form_of_a_key_shows_its_secret() -> None:
    key = new_key()
    shown = (
        f"{key!r} {key.stored!r} {KeyRing([key.stored])!r} {KeyRing([key.stored]).caller(f'Bearer {key.key}', NOW)!r}"
    )

    assert key.key.partition(".")[2] not in shown
    assert key.stored.sha256 not in shown


def test_the_file_holds_no_secret_and_is_its_owners_only(tmp_path: Path) -> None:
    key = new_key()

    path = store(tmp_path / "keys.json", key)

    assert path.stat().st_mode & 0o777 == 0o600
    assert key.key.partition(".")[2] not in path.read_text()
    assert read_keys(path).keys == (key.stored,)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o777])
def test_a_file_that_others_reach_is_not_used(tmp_path: Path, mode: int) -> None:
    path = store(tmp_path / "keys.json", new_key())
    path.chmod(mode)

    with pytest.raises(KeyFileError, match="chmod 600") as refused:
        read_keys(path)

    assert refused.value.reason == "open_to_others"


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"extra": 1},
        {"keys": [{"id": "short"}]},
        {"keys": "SECRETCANARY"},
    ],
)
def test_a_file_of_another_form_is_not_used_and_not_repeated(tmp_path: Path, change: dict[str, object]) -> None:
    path = store(tmp_path / "keys.json", new_key())
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))

    with pytest.raises(KeyFileError) as refused:
        read_keys(path)

    assert refused.value.reason == "invalid"
    assert "SECRETCANARY" not in str(refused.value)


def test_two_keys_of_one_id_are_refused(tmp_path: Path) -> None:
    key = new_key()
    path = store(tmp_path / "keys.json", key)
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "keys": content["keys"] * 2}))

    with pytest.raises(KeyFileError, match="two keys have the same id"):
        read_keys(path)


def test_a_change_begins_with_no_file(tmp_path: Path) -> None:
    with changing(tmp_path / "new" / "keys.json") as keys:
        assert keys.keys == ()


def watched(path: Path) -> KeysWatch:
    watch = KeysWatch(open_gate(), path)
    watch.start()
    return watch


async def test_no_file_needs_no_key_and_the_first_key_closes_the_door(tmp_path: Path) -> None:
    watch = watched(tmp_path / "keys.json")
    before = watch.state

    store(tmp_path / "keys.json", new_key())
    await watch.look()

    assert (before, watch.state) == ("off", "in_force")


def _spoil(path: Path, state: str) -> None:
    match state:
        case "missing":
            path.unlink()
        case "invalid":
            path.write_text("{")
        case "emptied":
            path.write_text("")
        case "pipe":
            path.unlink()
            os.mkfifo(path, 0o600)
        case _:
            path.chmod(0o644)


@pytest.mark.parametrize("state", ["missing", "invalid", "emptied", "open_to_others"])
async def test_a_file_that_is_spoilt_leaves_the_last_keys_in_force(tmp_path: Path, state: str) -> None:
    key = new_key()
    watch = watched(store(tmp_path / "keys.json", key))

    _spoil(tmp_path / "keys.json", state)
    await watch.look()

    assert watch.state == ("invalid" if state == "emptied" else state)
    assert watch.gate.caller(f"Bearer {key.key}", "").app == "crm"


async def test_a_pipe_in_place_of_the_file_does_not_keep_a_later_revocation_out(tmp_path: Path) -> None:
    key = new_key()
    watch = watched(store(tmp_path / "keys.json", key))
    _spoil(tmp_path / "keys.json", "pipe")

    async with asyncio.timeout(5):
        await watch.look()

    assert (watch.state, watch.gate.caller(f"Bearer {key.key}", "").app) == ("invalid", "crm")
    store(tmp_path / "keys.json")
    await watch.look()
    assert watch.state == "in_force"


async def test_an_empty_list_of_keys_ends_every_key_and_does_not_open_the_door(tmp_path: Path) -> None:
    key = new_key()
    watch = watched(store(tmp_path / "keys.json", key))

    store(tmp_path / "keys.json")
    await watch.look()

    assert watch.state == "in_force"
    for sent in (f"Bearer {key.key}", None):
        with pytest.raises(UnauthenticatedError):
            watch.gate.caller(sent, "")


def test_a_broken_file_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text("{")

    with pytest.raises(KeyFileError):
        watched(tmp_path / "keys.json")


def test_wrong_keys_of_one_address_are_bounded_and_neighbours_in_ipv6_are_one() -> None:
    now = 0.0
    failures = FailedAttempts(lambda: now)

    waits = [failures.note(f"2001:db8::{number:x}") for number in range(1, ALLOWED.burst + 2)]

    assert not any(waits[:-1])
    assert waits[-1] == pytest.approx(3.0)
    assert failures.note("2001:db8:0:1::1") == 0
    assert failures.note("192.0.2.1") == 0
    now = waits[-1]
    assert failures.note("2001:db8::1") == 0
