"""The command table and what a user's mistakes look like."""

from pathlib import Path

import pytest

from cli.console import ExitCode
from cli.main import COMMANDS, main


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0

    shown = capsys.readouterr().out
    assert "Usage:" in shown
    assert "\\b" not in shown


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])

    shown = capsys.readouterr().out
    assert all(command in shown for command in COMMANDS)


@pytest.mark.parametrize("arguments", [["nonsense"], ["up", "--port", "many"], ["ask"], ["down", "--nonsense"]])
def test_wrong_use_ends_with_two_and_no_traceback(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == ExitCode.USAGE

    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err


def test_down_without_a_stack_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["down", "--data-dir", str(tmp_path)]) == 0

    assert "nothing runs" in capsys.readouterr().err


def test_status_without_a_stack_says_how_to_start_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--data-dir", str(tmp_path)]) == ExitCode.FAILED

    assert "up" in capsys.readouterr().err


def test_logs_without_a_stack_names_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["logs", "--data-dir", str(tmp_path)]) == ExitCode.FAILED

    assert "--data-dir" in capsys.readouterr().err


def test_logs_of_one_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "facts.log").write_text("one\ntwo [b]\n")
    (tmp_path / "logs" / "intent.log").write_text("other\n")

    assert main(["logs", "facts", "-n", "1", "--data-dir", str(tmp_path)]) == 0

    assert capsys.readouterr().out == "facts | two [b]\n"


def test_logs_of_an_unknown_process_lists_the_known_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "facts.log").touch()

    assert main(["logs", "fact", "--data-dir", str(tmp_path)]) == ExitCode.USAGE

    assert "facts" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["ask", " "], "empty"),
        (["ask", "revenue", "--reference-date", "2025-13-01"], "--reference-date"),
        (["up", "--scale", "facts=0"], "--scale"),
        (["up", "--scale", "nobody=2"], "--scale"),
    ],
)
def test_wrong_values_are_named(
    arguments: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([*arguments, "--data-dir", str(tmp_path)])

    assert code == ExitCode.USAGE
    assert named in capsys.readouterr().err


def test_up_with_a_broken_profile_names_file_and_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = tmp_path / "acme.toml"
    profile.write_text('[company]\nname = "A"\ndefault_entity = "B"\nnonsense = 1\n')

    code = main(["up", "--data-dir", str(tmp_path / "data"), "--profile", str(profile)])

    assert code == ExitCode.USAGE
    shown = capsys.readouterr().err
    assert "acme.toml" in shown
    assert "nonsense" in shown


def test_up_where_a_file_stands_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()

    assert main(["up", "--data-dir", str(tmp_path / "file" / "below")]) == ExitCode.USAGE

    assert "--data-dir" in capsys.readouterr().err
