"""What `ragspine keys` makes of a file."""

import json
from pathlib import Path

import pytest

from cli.client import Gateway
from cli.console import CliError, ExitCode
from cli.keys.store import period
from cli.main import main
from cli.settings import api_key
from contracts.codes import Scope
from services.gateway.access.key_file import KeyRate, read_keys


def keys(path: Path, *words: str) -> int:
    return main(["keys", *words, "--file", str(path)])


def added(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert keys(path, "add", "--app", "crm", "--scope", "ask", *options) == ExitCode.OK
    return capsys.readouterr().out.strip()


def test_a_key_is_printed_alone_and_its_digest_is_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stack" / "keys.json"

    key = added(path, capsys, "--scope", "load", "--expires", "90d", "--rate", "600")

    (stored,) = read_keys(path).keys
    assert key.startswith(f"rsk_{stored.id}.")
    assert (stored.app, stored.scopes) == ("crm", {Scope.ASK, Scope.LOAD})
    assert stored.rate == KeyRate(asks_per_minute=600, burst=60)
    assert stored.expires is not None
    assert (stored.expires - stored.created).days == 90


def test_json_has_the_key_once_and_the_list_never(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "keys.json"
    made = json.loads(added(path, capsys, "--json"))

    keys(path, "list", "--json")

    listed = json.loads(capsys.readouterr().out)
    assert made["key"].startswith(f"rsk_{made['id']}.")
    assert listed == [{k: v for k, v in made.items() if k != "key"}]
    assert "sha256" not in listed[0]


def test_a_revoked_key_stays_in_the_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "keys.json"
    key = added(path, capsys)

    assert keys(path, "revoke", key.partition(".")[0]) == ExitCode.OK

    keys(path, "list", "--json")
    assert [one["state"] for one in json.loads(capsys.readouterr().out)] == ["revoked"]


@pytest.mark.parametrize(("overlap", "state"), [("24h", "valid"), ("0", "revoked")])
def test_rotating_makes_an_equal_key_and_lets_the_old_one_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], overlap: str, state: str
) -> None:
    path = tmp_path / "keys.json"
    added(path, capsys, "--rate", "60")
    (old,) = read_keys(path).keys

    assert keys(path, "rotate", old.id, "--overlap", overlap) == ExitCode.OK

    capsys.readouterr()
    keys(path, "list", "--json")
    first, second = json.loads(capsys.readouterr().out)
    assert (first["state"], second["state"]) == (state, "valid")
    assert {name: first[name] for name in ("app", "scopes", "rate")} == {
        name: second[name] for name in ("app", "scopes", "rate")
    }


def test_rotating_again_does_not_let_the_old_key_live_longer_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "keys.json"
    added(path, capsys)
    (old,) = read_keys(path).keys
    keys(path, "rotate", old.id, "--overlap", "1h")
    ends = read_keys(path).keys[0].revoked
    capsys.readouterr()

    assert keys(path, "rotate", old.id, "--overlap", "24h") == ExitCode.OK

    assert ends is not None
    assert read_keys(path).keys[0].revoked == ends
    assert f"until {ends:%Y-%m-%d %H:%M} UTC" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["add", "--app", "No App", "--scope", "ask"],
        ["add", "--app", "crm", "--scope", "everything"],
        ["add", "--app", "crm", "--scope", "ask", "--expires", "soon"],
        ["add", "--app", "crm", "--scope", "ask", "--burst", "3"],
        ["revoke", "unknown"],
        ["rotate", "unknown"],
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(tmp_path: Path, words: list[str]) -> None:
    path = tmp_path / "keys.json"

    assert keys(path, *words) == ExitCode.USAGE

    assert not path.exists()


def test_a_file_that_others_read_is_not_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "keys.json"
    added(path, capsys)
    path.chmod(0o644)
    before = path.read_bytes()

    assert keys(path, "add", "--app", "crm", "--scope", "ask") == ExitCode.FAILED

    assert path.read_bytes() == before
    assert "chmod 600" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "d", "90", "-1d", "1y", "9999999w", "1.5h"])
def test_a_period_has_a_number_and_a_unit(text: str) -> None:
    with pytest.raises(CliError):
        period(text, "--expires")


def test_the_key_of_a_command_comes_from_the_environment_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_text("rsk_a.b\n")
    monkeypatch.setenv("RAGSPINE_API_KEY_FILE", str(tmp_path / "key"))
    of_the_file = api_key()
    monkeypatch.setenv("RAGSPINE_API_KEY", "rsk_c.d")

    assert (of_the_file, api_key()) == ("rsk_a.b", "rsk_c.d")


def test_a_key_that_would_break_a_header_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_API_KEY", "rsk_a.b\r\nX-Evil: 1")

    with pytest.raises(CliError) as refused:
        Gateway("http://127.0.0.1:1")

    assert "rsk_a" not in refused.value.message
