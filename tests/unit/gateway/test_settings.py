import pytest
from pydantic import ValidationError

from runtime.settings import ConfigurationError, load_settings
from services.gateway.settings import GatewaySettings, is_loopback
from tests.support.answers import SAMPLE_PROFILE


def settings(**values: object) -> GatewaySettings:
    return GatewaySettings.model_validate({"profile": SAMPLE_PROFILE, **values})


def test_listens_on_loopback_unless_told_otherwise() -> None:
    chosen = settings()

    assert (chosen.http_host, chosen.http_port) == ("127.0.0.1", 8321)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST"])
def test_accepts_addresses_that_only_this_machine_reaches(host: str) -> None:
    assert settings(http_host=host).http_host == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.com", "127.0.0.1.example.com"])
def test_knows_addresses_that_others_reach(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "null",
        "https://*.example.com",
        "example.com",
        "https://a.example/",
        "https://u@a.example",
        "file://x",
        "https://A.example",
    ],
)
def test_refuses_what_no_browser_sends_as_an_origin(origin: str) -> None:
    with pytest.raises(ValidationError, match="must be origins such as"):
        settings(http_cors_origins=f"https://app.example.com, {origin}")


def test_reads_origins_from_one_variable() -> None:
    chosen = settings(http_cors_origins=" https://a.example , http://127.0.0.1:8080,")

    assert chosen.cors_origins == {"https://a.example", "http://127.0.0.1:8080"}


def test_names_the_variable_of_a_wrong_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_PROFILE", str(SAMPLE_PROFILE))
    monkeypatch.setenv("RAGSPINE_HTTP_CORS_ORIGINS", "0.0.0.0")
    monkeypatch.setenv("RAGSPINE_HTTP_PORT", "80800")
    monkeypatch.setenv("RAGSPINE_MAX_ASKS", "0")

    with pytest.raises(ConfigurationError) as caught:
        load_settings(GatewaySettings)

    message = str(caught.value)
    assert all(f"RAGSPINE_{name}: " in message for name in ("HTTP_CORS_ORIGINS", "HTTP_PORT", "MAX_ASKS"))
    assert "0.0.0.0" not in message
    assert "80800" not in message


def test_webhooks_without_a_secret_are_refused_naming_both_ways_to_give_one() -> None:
    with pytest.raises(ValidationError, match=r"RAGSPINE_WEBHOOK_SECRET or RAGSPINE_WEBHOOK_SECRET_FILE"):
        settings(webhook_hosts="hooks.test")


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        ({}, 10),
        ({"llm": "openai"}, 60),
        ({"llm": "anthropic", "default_deadline_seconds": 10}, 10),
        ({"default_deadline_seconds": 5}, 5),
    ],
)
def test_an_ask_has_more_time_where_a_model_takes_part(values: dict[str, object], seconds: float) -> None:
    assert settings(**values).ask_seconds == seconds


def test_reads_host_names_from_one_variable() -> None:
    assert settings(http_allowed_hosts=" A.example , b.example,").allowed_hosts == {"a.example", "b.example"}


@pytest.mark.parametrize(
    ("values", "places"),
    [({}, 64), ({"llm": "openai"}, 256), ({"max_asks": 8}, 8), ({"llm": "openai", "max_asks": 8}, 8)],
)
def test_there_are_more_places_where_asks_wait_for_a_model(values: dict[str, object], places: int) -> None:
    assert settings(**values).asks_at_once == places
