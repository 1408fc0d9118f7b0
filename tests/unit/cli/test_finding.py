"""Which stack a command means: never the fictional demo for a program or for a change, unless it was named."""

import json
from pathlib import Path

import pytest

from cli.console import CliError, ExitCode
from cli.finding import find_bus, find_gateway, settle_directory
from cli.main import main
from cli.settings import command_in
from tests.unit.cli.held import held

DEMO = "http://127.0.0.1:1"


@pytest.fixture
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The usual directory, in which nothing runs."""
    monkeypatch.setenv("RAGSPINE_DATA_DIR", str(tmp_path))
    return tmp_path


def _pretend_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.ask.speaks_to_people", lambda: True)
    monkeypatch.setattr("cli.facts.speaks_to_people", lambda: True)


def test_address_of_the_environment_wins_over_the_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_URL", "http://gateway:8321")
    monkeypatch.setenv("RAGSPINE_NATS_URL", "nats://bus")

    assert find_gateway(None, tmp_path, may_be_demo=True) == "http://gateway:8321"
    assert find_gateway("http://other", tmp_path, may_be_demo=True) == "http://other"
    assert find_bus(None, tmp_path, may_be_demo=True) == "nats://bus"


def test_directory_without_a_stack_names_the_next_command(tmp_path: Path) -> None:
    with pytest.raises(CliError, match="no stack runs") as caught:
        find_gateway(None, tmp_path, may_be_demo=True)

    assert f"up --data-dir {tmp_path}" in caught.value.hint
    assert (caught.value.code, caught.value.reason) == (ExitCode.DEGRADED, "no_stack")


def test_demo_is_used_for_people_only_and_said(usual: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with held(usual / "demo"):
        assert find_gateway(None, None, may_be_demo=True) == DEMO

        shown = capsys.readouterr().err
        assert "fictional" in shown
        assert DEMO in shown
        with pytest.raises(CliError, match="fictional") as caught:
            find_gateway(None, None, may_be_demo=False)

    assert f"--data-dir {usual / 'demo'}" in caught.value.hint


def test_demo_is_not_used_where_another_directory_was_named(usual: Path) -> None:
    with held(usual / "demo"), pytest.raises(CliError, match="no stack runs"):
        find_gateway(None, usual, may_be_demo=True)


def test_a_stack_of_ones_own_comes_before_the_demo(usual: Path) -> None:
    with held(usual / "demo"), held(usual, http_url="http://127.0.0.1:2"):
        assert find_gateway(None, None, may_be_demo=True) == "http://127.0.0.1:2"


@pytest.mark.parametrize(
    "arguments",
    [["ask", "营收"], ["ask", "营收", "-q"], ["ask", "营收", "--json"], ["facts", "list"], ["facts", "list", "--json"]],
)
def test_a_program_does_not_get_the_demo_unasked(
    usual: Path, arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if arguments[-1] in ("-q", "--json"):
        _pretend_terminal(monkeypatch)

    with held(usual / "demo"):
        code = main(arguments)

    shown = capsys.readouterr()
    assert code == ExitCode.DEGRADED
    assert str(usual / "demo") in shown.err
    assert shown.out == "" or json.loads(shown.out)["error"]["code"] == "no_stack"


@pytest.mark.parametrize("arguments", [["facts", "withdraw", "A.pdf"], ["load", "facts", "a.csv"]])
def test_the_demo_is_not_changed_unless_it_is_named(
    usual: Path, arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _pretend_terminal(monkeypatch)

    with held(usual / "demo"):
        code = main(arguments)

    assert code == ExitCode.DEGRADED
    assert str(usual / "demo") in capsys.readouterr().err


def test_commands_about_processes_see_a_demo_that_was_kept(usual: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with held(usual / "demo", processes={}):
        assert settle_directory(None) == usual / "demo"
        assert settle_directory(usual) == usual
        code = main(["status"])

    shown = capsys.readouterr()
    assert DEMO in shown.out
    assert "demo" in shown.err
    assert code == ExitCode.FAILED  # no terminal: a script must not take it for its own stack


def test_status_for_programs_is_that_of_the_named_directory_only(
    usual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with held(usual / "demo"):
        code = main(["status", "--json"])

    shown = capsys.readouterr()
    assert (code, json.loads(shown.out)) == (ExitCode.FAILED, {"phase": "stopped"})
    assert str(usual / "demo") in shown.err


def test_stack_of_another_user_is_not_taken_for_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, flags: int) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    with held(tmp_path):
        monkeypatch.setattr("cli.stack.state.os.open", refuse)
        codes = {main([*command, "--data-dir", str(tmp_path)]) for command in (["status"], ["down"], ["ask", "x"])}

    assert codes == {ExitCode.DENIED}
    assert f"belongs to {tmp_path.owner()}" in capsys.readouterr().err


def test_hints_name_the_directory_unless_it_is_the_usual_one(usual: Path) -> None:
    assert command_in(usual, "up") == "ragspine up"
    assert command_in(usual / "a b", "up") == f"ragspine up --data-dir '{usual / 'a b'}'"
