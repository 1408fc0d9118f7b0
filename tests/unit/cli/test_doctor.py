"""What `ragspine doctor` finds, and that every failure names the next step."""

import socket
from pathlib import Path

import pytest

from cli.doctor import Verdict, check_directory, check_port, check_profile, check_servers, check_stack, examine
from cli.main import main
from cli.settings import SAMPLE
from cli.stack.memory import Memory, remember
from cli.stack.state import StackPhase, write_state
from domain.profile import load_profile
from tests.unit.cli.test_stack_state import _state


def test_sound_machine_passes_every_check(tmp_path: Path) -> None:
    findings = examine(tmp_path / "data", 0, None)

    assert [finding for finding in findings if finding.verdict is Verdict.FAIL] == []


def test_every_failure_names_the_next_step(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with socket.create_server(("127.0.0.1", 0)) as server:
        findings = examine(tmp_path / "file" / "data", server.getsockname()[1], tmp_path / "missing.toml")

    failed = {finding.name: finding for finding in findings if finding.verdict is Verdict.FAIL}
    assert {"data directory", "profile", "port"} <= set(failed)
    assert all(finding.next_step for finding in failed.values())


def test_missing_server_names_the_variable_that_replaces_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.stack.binaries.find_spec", lambda name: None)

    findings = {finding.name: finding for finding in check_servers()}

    assert findings["postgres"].verdict is Verdict.FAIL
    assert "RAGSPINE_POSTGRES_URL" in findings["postgres"].next_step


def test_own_server_needs_no_embedded_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_POSTGRES_URL", "postgresql://db/x")
    monkeypatch.setattr("cli.stack.binaries.find_spec", lambda name: None)

    findings = {finding.name: finding for finding in check_servers()}

    assert findings["postgres"].verdict is Verdict.OK


def test_broken_profile_is_named_with_its_reason(tmp_path: Path) -> None:
    profile = tmp_path / "acme.toml"
    profile.write_text("nonsense")

    finding = check_profile(profile, tmp_path, None)

    assert finding.verdict is Verdict.FAIL
    assert "acme.toml" in finding.detail


def test_sample_profile_is_called_fictional(tmp_path: Path) -> None:
    finding = check_profile(None, tmp_path, None)

    assert finding.verdict is Verdict.NOTE
    assert "fictional" in finding.next_step


def test_profile_of_the_running_stack_is_the_one_that_is_checked(tmp_path: Path) -> None:
    profile = tmp_path / "acme.toml"
    profile.write_text((SAMPLE / "profile.toml").read_text(encoding="utf-8"), encoding="utf-8")
    running = _state(tmp_path).model_copy(update={"profile": str(profile), "profile_digest": "an older one"})

    finding = check_profile(None, tmp_path, running)

    assert str(profile) in finding.detail
    assert "not what the running stack uses" in finding.detail
    assert "down" in finding.next_step


def test_profile_of_the_last_start_is_checked_where_nothing_runs(tmp_path: Path) -> None:
    remember(tmp_path, Memory.of(tmp_path / "gone.toml", load_profile(SAMPLE / "profile.toml")))

    finding = check_profile(None, tmp_path, None)

    assert finding.verdict is Verdict.FAIL
    assert "gone.toml" in finding.detail


def test_failed_start_is_remembered(tmp_path: Path) -> None:
    write_state(tmp_path, _state(tmp_path).model_copy(update={"phase": StackPhase.FAILED, "reason": "no luck"}))

    finding = check_stack(tmp_path, None)

    assert finding.verdict is Verdict.FAIL
    assert "no luck" in finding.detail


def test_directory_and_port_that_are_fine(tmp_path: Path) -> None:
    assert check_directory(tmp_path / "new" / "deeper").verdict is Verdict.OK
    assert check_port(0).verdict is Verdict.OK


def test_exit_code_says_whether_something_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--data-dir", str(tmp_path), "--port", "0"]) == 0
    assert main(["doctor", "--data-dir", str(tmp_path), "--port", "0", "--profile", "/nowhere.toml"]) == 1

    assert "/nowhere.toml" in capsys.readouterr().out
