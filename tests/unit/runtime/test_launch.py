"""A process that cannot start says so in one line and with exit code 2; `--check` goes no further."""

import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from runtime.app import Build, Worker, launch
from runtime.settings import ConfigurationError, RuntimeSettings, load_settings
from tests.support.logs import restored_logging


class ProfileError(Exception):
    """Stands for the one of the domain."""


@asynccontextmanager
async def never_built(_: Worker[RuntimeSettings]) -> AsyncGenerator[None]:
    pytest.fail("nothing may be opened")
    yield


def configure() -> tuple[RuntimeSettings, Build[RuntimeSettings]]:
    settings = load_settings(RuntimeSettings)
    if settings.profile.read_text() != "good":
        raise ProfileError(f"{settings.profile}: not valid TOML:\n  line 1")
    return settings, never_built


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "profile.toml"
    path.write_text("good")
    monkeypatch.setenv("RAGSPINE_PROFILE", str(path))
    return path


@pytest.fixture
def _restored_logging() -> Generator[None]:
    with restored_logging():
        yield


def refusal(capsys: pytest.CaptureFixture[str]) -> str:
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


@pytest.mark.usefixtures("profile")
def test_check_reads_settings_and_profile_and_ends() -> None:
    assert launch("intent", configure, ["--check"]) == 0


@pytest.mark.parametrize("argv", [[], ["--check"]])
def test_a_missing_setting_ends_with_its_name(capsys: pytest.CaptureFixture[str], argv: list[str]) -> None:
    assert launch("intent", configure, argv) == 2
    assert refusal(capsys) == "ragspine intent: RAGSPINE_PROFILE: is missing"


@pytest.mark.parametrize("argv", [[], ["--check"]])
def test_a_wrong_profile_ends_with_file_and_reason_in_one_line(
    capsys: pytest.CaptureFixture[str], profile: Path, argv: list[str]
) -> None:
    profile.write_text("bad")

    assert launch("intent", configure, argv) == 2
    assert refusal(capsys) == f"ragspine intent: RAGSPINE_PROFILE: {profile}: not valid TOML: line 1"


@pytest.mark.usefixtures("profile")
def test_a_wrong_telemetry_variable_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "perhaps")

    assert launch("intent", configure, []) == 2
    assert refusal(capsys).startswith("ragspine intent: OTEL_SDK_DISABLED: ")


@pytest.mark.usefixtures("profile")
def test_a_taken_operations_port_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setenv("RAGSPINE_OPS_PORT", str(taken.getsockname()[1]))

        assert launch("intent", configure, []) == 2

    assert "RAGSPINE_OPS_PORT: cannot listen there" in refusal(capsys)


@pytest.mark.usefixtures("profile", "_restored_logging")
@pytest.mark.parametrize(
    ("error", "code"), [(ConfigurationError("RAGSPINE_X: is wrong"), 2), (RuntimeError("SENTINEL"), 1)]
)
def test_what_fails_while_resources_open_decides_the_exit_code(
    capsys: pytest.CaptureFixture[str], error: Exception, code: int
) -> None:
    @asynccontextmanager
    async def failing(_: Worker[RuntimeSettings]) -> AsyncGenerator[None]:
        raise error
        yield

    assert launch("intent", lambda: (load_settings(RuntimeSettings), failing), []) == code

    written = capsys.readouterr().err
    assert "SENTINEL" not in written
    assert ("ragspine intent: RAGSPINE_X: is wrong" in written) == (code == 2)


def test_an_unknown_argument_ends_with_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        launch("intent", configure, ["--nonsense"])

    assert ended.value.code == 2
    assert "python -m services.intent" in capsys.readouterr().err
