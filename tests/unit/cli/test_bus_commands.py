"""`ragspine bus` on a stack that does not run: what is kept, what is refused, what is shown."""

import json
from pathlib import Path

import pytest

from cli.bus.finding import find_home
from cli.bus.keys import new_key
from cli.main import main

APP = ["bus", "accounts"]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def at(directory: Path) -> list[str]:
    return ["--data-dir", str(directory)]


def test_credentials_are_shown_once_and_never_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *APP, "add", "reports", "--json", *at(tmp_path))
    shown = json.loads(out)

    assert code == 0
    assert shown["user"] == "reports"
    assert "takes effect when it starts" in err
    _, listed, _ = run(capsys, *APP, "list", "--json", *at(tmp_path))
    assert json.loads(listed)["reports"]["shows"] == "password"
    assert shown["password"] not in listed


def test_rotating_makes_another_password_and_removing_forgets_the_app(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, first, _ = run(capsys, *APP, "add", "reports", "--json", *at(tmp_path))
    _, second, _ = run(capsys, *APP, "rotate", "reports", "--json", *at(tmp_path))
    code, _, _ = run(capsys, *APP, "remove", "reports", *at(tmp_path))

    assert json.loads(first)["password"] != json.loads(second)["password"]
    assert code == 0
    assert find_home(tmp_path).home.apps() == {}


def test_an_app_with_a_key_of_its_own_gets_no_password(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, public = new_key()

    code, out, _ = run(capsys, *APP, "add", "reports", "--nkey", public, "--json", *at(tmp_path))

    assert code == 0
    assert json.loads(out)["nkey"] == public
    assert "password" not in json.loads(out)


def test_nobody_is_told_of_a_password_that_there_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, public = new_key()

    _, out, err = run(capsys, *APP, "add", "reports", "--nkey", public, *at(tmp_path))

    assert public in out
    assert "seed" in err
    assert "password" not in err


@pytest.mark.parametrize(
    "words",
    [
        ["add", "local"],
        ["add", "Reports"],
        ["add", "gateway"],
        ["add", "a.b"],
        ["add", "reports", "--nkey", "SUAB"],
        ["rotate", "nobody"],
        ["remove", "nobody"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_done_is_said_and_nothing_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    code, _, err = run(capsys, *APP, *words, *at(tmp_path))

    assert code == 2
    assert err.startswith("error: ")
    assert find_home(tmp_path).home.apps() == {}


def test_an_app_is_not_added_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, *APP, "add", "reports", *at(tmp_path))

    code, _, err = run(capsys, *APP, "add", "reports", *at(tmp_path))

    assert code == 2
    assert "rotate" in err


def test_a_seed_is_its_owners_alone_and_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, public, _ = run(capsys, "bus", "nkey", str(tmp_path / "seed"))

    assert code == 0
    assert public.startswith("U")
    assert (tmp_path / "seed").stat().st_mode & 0o777 == 0o600
    assert run(capsys, "bus", "nkey", str(tmp_path / "seed"))[0] == 2


def test_who_may_do_what_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "bus", "check", *at(tmp_path))

    assert code == 0
    assert "_INBOX_gateway.>" in out
    assert "no accounts to compare with" in err
