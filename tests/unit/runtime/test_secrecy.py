"""A secret that is none stops the start, by the name of its variable and without its value."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from runtime.secrecy import passwords_in, weakness
from runtime.settings import BaseEnvironment, ConfigurationError, NatsUrl, OwnKey, OwnKeyFile, Password, PasswordFile
from runtime.settings import load_settings as load

GOOD = "Vf8-a-good-one-q2"


class Secrets(BaseEnvironment):
    probe_password: Password | None = None
    probe_password_file: PasswordFile | None = None
    probe_url: NatsUrl | None = None
    probe_key: OwnKey | None = None
    probe_key_file: OwnKeyFile | None = None


@pytest.mark.parametrize(
    "secret", ["", " ", "changeme", "ChangeMe", "postgres", "short", "aaaaaaaaaaaa", "password123"]
)
def test_a_secret_that_everybody_finds_is_weak(secret: str) -> None:
    assert weakness(secret) is not None


@pytest.mark.parametrize("secret", [GOOD, "12345679a", "密码是很长的一句话"])
def test_other_secrets_may_be_good(secret: str) -> None:
    assert weakness(secret) is None


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("postgresql://u@h/d", []),
        ("postgresql://u:p%40w@h/d", ["p@w"]),
        ("postgresql://u:@h/d", [""]),
        ("postgresql://u@h/d?password=x&host=/s", ["x"]),
        ("unix://gateway@/run/valkey.sock", []),
        ("redis://:changeme@h:6379/0", ["changeme"]),
    ],
)
def test_passwords_in_addresses_are_seen(url: str, found: list[str]) -> None:
    assert passwords_in(url) == found


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RAGSPINE_PROBE_PASSWORD", "changeme"),
        ("RAGSPINE_PROBE_PASSWORD", "short-1"),
        ("RAGSPINE_PROBE_URL", "nats://user:postgres@h:4222"),
        ("RAGSPINE_PROBE_URL", "nats://h:4222,nats://user:@other:4222"),
        ("RAGSPINE_PROBE_KEY", "your-api-key"),
    ],
)
def test_the_start_is_refused_by_name_and_without_the_value(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(ConfigurationError) as refused:
        load(Secrets)

    assert str(refused.value).startswith(f"{variable}: ")
    assert value not in str(refused.value)


@pytest.mark.parametrize("variable", ["RAGSPINE_PROBE_PASSWORD_FILE", "RAGSPINE_PROBE_KEY_FILE"])
@pytest.mark.parametrize("content", ["", "\n", "changeme\n"])
def test_a_file_without_a_secret_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, content: str
) -> None:
    path = tmp_path / "secret"
    path.write_text(content)
    monkeypatch.setenv(variable, str(path))

    with pytest.raises(ConfigurationError, match=f"^{variable}: "):
        load(Secrets)


def test_the_key_of_a_server_of_others_may_be_any_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_PROBE_KEY", "EMPTY")

    assert load(Secrets).probe_key == SecretStr("EMPTY")


def test_good_ones_are_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text(f"{GOOD}\n")
    monkeypatch.setenv("RAGSPINE_PROBE_PASSWORD", GOOD)
    monkeypatch.setenv("RAGSPINE_PROBE_PASSWORD_FILE", str(path))
    monkeypatch.setenv("RAGSPINE_PROBE_URL", f"nats://user:{GOOD}@h:4222")

    assert load(Secrets).probe_password == SecretStr(GOOD)
