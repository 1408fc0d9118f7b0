"""A wrong setting stops the start, naming the variable and never its value."""

from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field

from runtime.settings import ConfigurationError, OtelSettings, RuntimeSettings, load_settings


class Own(RuntimeSettings):
    limit: Annotated[int, Field(ge=1)] = 8


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "profile.toml"
    path.write_text("")
    monkeypatch.setenv("RAGSPINE_PROFILE", str(path))
    return path


def _refusal(kind: type[RuntimeSettings] = RuntimeSettings) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(kind)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_missing_profile_is_named() -> None:
    assert _refusal() == "RAGSPINE_PROFILE: is missing"


def test_a_profile_that_is_no_file_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAGSPINE_PROFILE", str(tmp_path))

    assert _refusal() == "RAGSPINE_PROFILE: names no readable file"


@pytest.mark.usefixtures("profile")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RAGSPINE_OPS_PORT", "70000"),
        ("RAGSPINE_OPS_PORT", "SENTINEL"),
        ("RAGSPINE_NATS_URL", "http://SENTINEL"),
        ("RAGSPINE_LOG_LEVEL", "SENTINEL"),
        ("RAGSPINE_LLM", "SENTINEL"),
        ("RAGSPINE_DEFAULT_DEADLINE_SECONDS", "0"),
        ("RAGSPINE_DEFAULT_DEADLINE_SECONDS", "nan"),
        ("RAGSPINE_NATS_PASSWORD_FILE", "/SENTINEL"),
        ("RAGSPINE_LIMIT", "0"),
    ],
)
def test_a_wrong_value_names_the_variable_and_not_the_value(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)

    refusal = _refusal(Own)

    assert refusal.startswith(f"{variable}: ")
    assert "SENTINEL" not in refusal


@pytest.mark.usefixtures("profile")
def test_all_wrong_variables_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_OPS_PORT", "x")
    monkeypatch.setenv("RAGSPINE_LIMIT", "y")

    refusal = _refusal(Own)

    assert "RAGSPINE_OPS_PORT" in refusal
    assert "RAGSPINE_LIMIT" in refusal


@pytest.mark.usefixtures("profile")
def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_OPS_PORT", "")

    assert load_settings(RuntimeSettings).ops_port == 0


@pytest.mark.usefixtures("profile")
def test_several_nats_servers_may_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_NATS_URL", "nats://a:4222,tls://b:4222")

    assert load_settings(RuntimeSettings).nats_url == "nats://a:4222,tls://b:4222"


@pytest.mark.usefixtures("profile")
def test_a_secret_comes_from_its_file_and_is_not_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("from-file\n")
    monkeypatch.setenv("RAGSPINE_NATS_PASSWORD", "from-variable")
    monkeypatch.setenv("RAGSPINE_NATS_PASSWORD_FILE", str(secret))

    settings = load_settings(RuntimeSettings)

    assert settings.nats_secret() == "from-file"
    assert "from-variable" not in repr(settings)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "none"}, False),
    ],
)
def test_traces_are_made_only_when_somebody_asked_for_them(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], *, expected: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert load_settings(OtelSettings).exports_traces is expected
