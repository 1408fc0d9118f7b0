"""What keeps a container of the compose project in its place; each rule notices what breaks it."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.stack.stores import POSTGRES_SETTINGS
from runtime.redis_rights import LIMITS
from runtime.roles import connections_needed
from tests.architecture import compose

ROOT = Path(__file__).resolve().parents[2]
CONFINED: dict[str, Any] = {
    "image": "ragspine:1",
    "user": "10001:10001",
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges:true"],
    "mem_limit": "64m",
    "pids_limit": 64,
    "logging": {"driver": "json-file", "options": {"max-size": "10m"}},
    "networks": ["bus", "telemetry"],
}
FILE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


def _without(key: str) -> dict[str, Any]:
    return {name: value for name, value in CONFINED.items() if name != key}


def _command(service: str) -> list[str]:
    return [str(word) for word in FILE["services"][service]["command"]]


@pytest.mark.parametrize(
    "rule", [compose.writable, compose.privileged, compose.roots, compose.unbounded, compose.misplaced]
)
def test_a_confined_service_is_fine(rule: compose.Rule) -> None:
    assert rule({"intent": CONFINED}) == []


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        (compose.writable, _without("read_only")),
        (compose.writable, {**CONFINED, "read_only": False}),
        (compose.privileged, _without("cap_drop")),
        (compose.privileged, {**CONFINED, "cap_drop": ["NET_RAW"]}),
        (compose.privileged, {**CONFINED, "cap_add": ["SYS_ADMIN"]}),
        (compose.privileged, {**CONFINED, "cap_add": ["CHOWN"]}),
        (compose.privileged, _without("security_opt")),
        (compose.privileged, {**CONFINED, "privileged": True}),
        (compose.roots, _without("user")),
        (compose.roots, {**CONFINED, "user": "0:0"}),
        (compose.roots, {**CONFINED, "user": "root"}),
        (compose.unbounded, _without("mem_limit")),
        (compose.unbounded, _without("pids_limit")),
        (compose.unbounded, {**CONFINED, "pids_limit": -1}),
        (compose.unbounded, _without("logging")),
        (compose.misplaced, _without("networks")),
        (compose.misplaced, {**CONFINED, "networks": ["bus", "telemetry", "data"]}),
        (compose.misplaced, {**CONFINED, "network_mode": "none"}),
    ],
)
def test_a_service_that_is_not_confined_is_noticed(rule: compose.Rule, broken: dict[str, Any]) -> None:
    assert rule({"intent": broken}) == ["intent"]


def test_a_service_that_the_table_of_networks_does_not_name_is_noticed() -> None:
    assert compose.misplaced({"newcomer": CONFINED}) == ["newcomer"]


def test_networks_are_internal_unless_something_outside_is_needed() -> None:
    assert compose.leaky_networks(FILE["networks"]) == []


@pytest.mark.parametrize("how", [None, {}, {"internal": False}])
def test_an_open_network_of_the_stores_is_noticed(how: dict[str, Any] | None) -> None:
    assert compose.leaky_networks({"data": how, "edge": None}) == ["data"]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("POSTGRES_PASSWORD", "changeme"),
        ("RAGSPINE_LLM_API_KEY", "${RAGSPINE_LLM_API_KEY:-sk-default}"),
        ("RAGSPINE_POSTGRES_URL", "postgresql://facts_read:secret@postgres/ragspine"),
    ],
)
def test_a_secret_in_the_file_is_noticed(variable: str, value: str) -> None:
    assert compose.inline_secrets({"facts": {"environment": {variable: value}}}) == [f"facts: {variable}"]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RAGSPINE_LLM_API_KEY", "${RAGSPINE_LLM_API_KEY:-}"),
        ("RAGSPINE_NATS_PASSWORD_FILE", "/run/ragspine/nats"),
        ("RAGSPINE_POSTGRES_URL", "postgresql://facts_read@postgres/ragspine?passfile=/run/ragspine/facts_read.pgpass"),
    ],
)
def test_a_secret_from_a_file_or_the_operator_is_fine(variable: str, value: str) -> None:
    assert compose.inline_secrets({"facts": {"environment": {variable: value}}}) == []


@pytest.mark.parametrize(
    ("mount", "found"),
    [
        ("secrets-facts:/run/ragspine:ro", []),
        ("secrets-facts:/run/ragspine", ["facts: secrets-facts"]),
        ("secrets-gateway:/run/ragspine:ro", ["facts: secrets-gateway"]),
        ("keys:/run/ragspine/keys:ro", ["facts: keys"]),
    ],
)
def test_secrets_of_others_and_writable_ones_are_noticed(mount: str, found: list[str]) -> None:
    assert compose.shared_secrets({"facts": {"volumes": [mount]}}) == found


def test_the_gateway_may_read_the_keys_and_not_write_them() -> None:
    assert compose.shared_secrets({"gateway": {"volumes": ["keys:/run/ragspine/keys:ro"]}}) == []
    assert compose.shared_secrets({"gateway": {"volumes": ["keys:/run/ragspine/keys"]}}) == ["gateway: keys"]


def test_postgres_runs_with_the_settings_of_the_embedded_stack() -> None:
    command = _command("postgres")

    assert set(POSTGRES_SETTINGS) <= set(command)
    assert all(command[command.index(setting) - 1] == "-c" for setting in POSTGRES_SETTINGS)


def test_postgres_has_room_for_the_connections_of_three_processes_of_each_worker() -> None:
    setting = next(word for word in _command("postgres") if word.startswith("max_connections="))

    assert int(setting.rpartition(":-")[2].rstrip("}")) >= connections_needed(3)


def test_redis_runs_with_the_limits_of_the_embedded_stack_and_with_users() -> None:
    command = _command("redis")

    for name, value in LIMITS.items():
        place = command.index(f"--{name}")
        words = value.split() or [""]
        assert command[place + 1 : place + 1 + len(words)] == words
    assert "--aclfile" in command
