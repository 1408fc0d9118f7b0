import pytest

from runtime.settings import ConfigurationError
from services.narrative.app import configure, main
from tests.support.answers import SAMPLE_PROFILE


def test_reads_settings_and_profile_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_PROFILE", str(SAMPLE_PROFILE))
    monkeypatch.setenv("RAGSPINE_POSTGRES_URL", "postgresql://reader@db/ragspine")

    settings, _ = configure()

    assert settings.profile == SAMPLE_PROFILE


def test_does_not_start_without_a_profile() -> None:
    with pytest.raises(ConfigurationError, match="RAGSPINE_PROFILE"):
        configure()


def test_check_reads_everything_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_PROFILE", str(SAMPLE_PROFILE))
    monkeypatch.setenv("RAGSPINE_POSTGRES_URL", "postgresql://reader@db/ragspine")
    monkeypatch.setattr("sys.argv", ["narrative", "--check"])

    assert main() == 0
