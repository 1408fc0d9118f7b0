import pytest

from runtime.settings import ConfigurationError
from services.intent.app import configure, main
from tests.support.profiles import SAMPLE_PATH


def test_reads_settings_and_profile_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_PROFILE", str(SAMPLE_PATH))

    settings, _ = configure()

    assert settings.profile == SAMPLE_PATH


def test_does_not_start_without_a_profile() -> None:
    with pytest.raises(ConfigurationError, match="RAGSPINE_PROFILE"):
        configure()


def test_check_reads_everything_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_PROFILE", str(SAMPLE_PATH))
    monkeypatch.setattr("sys.argv", ["intent", "--check"])

    assert main() == 0
