"""Which worker gets which part of the environment."""

from pathlib import Path

import pytest

from cli.settings import environment_copy
from cli.stack.layout import Layout
from cli.stack.units import Unit
from cli.stack.workers import BEHIND_THE_GATEWAY, MIGRATE, WORKERS, migration, worker, worker_environment

SETTINGS = {
    "RAGSPINE_LLM": "openai",
    "RAGSPINE_LLM_BASE_URL": "http://127.0.0.1:1/v1",
    "RAGSPINE_LLM_MODEL": "m",
    "RAGSPINE_LLM_API_KEY": "sk-planted",
    "RAGSPINE_LLM_API_KEY_FILE": "/run/secrets/model",
    "RAGSPINE_LLM_TIMEOUT_SECONDS": "7",
}


@pytest.fixture
def units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Unit]:
    """Every process that runs our own code, planned with a model in the environment."""
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    layout = Layout(tmp_path, *(tmp_path / part for part in ("logs", "run", "nats", "valkey")))
    environment = worker_environment({}, tmp_path / "profile.toml", origin=tmp_path / "acme.toml")
    planned = [worker(service, number, layout, environment, ("", 1)) for service in WORKERS for number in (1, 2)]
    return {unit.name: unit for unit in (migration(layout, environment), *planned)}


def test_only_the_orchestrator_gets_the_model_and_its_key(units: dict[str, Unit]) -> None:
    given = {name: unit.environment for name, unit in units.items()}

    for name in ("orchestrator", "orchestrator-2"):
        assert SETTINGS.items() <= given[name].items()
    for name in set(given) - {"orchestrator", "orchestrator-2"}:
        assert {key for key in given[name] if key.startswith("RAGSPINE_LLM")} == {"RAGSPINE_LLM"}
        assert "sk-planted" not in " ".join(given[name].values())


def test_only_the_narrative_worker_gets_the_model_of_embeddings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_EMBEDDINGS", "openai")
    monkeypatch.setenv("RAGSPINE_EMBEDDINGS_API_KEY", "sk-other")
    layout = Layout(tmp_path, *(tmp_path / part for part in ("logs", "run", "nats", "valkey")))
    environment = worker_environment({}, tmp_path / "profile.toml", origin=tmp_path / "acme.toml")

    planned = {name: worker(name, 1, layout, environment, ("", 1)).environment for name in WORKERS}

    assert {name for name in WORKERS if "sk-other" in planned[name].values()} == {"narrative"}


def test_every_worker_knows_whether_there_is_a_model(units: dict[str, Unit]) -> None:
    assert {unit.environment["RAGSPINE_LLM"] for unit in units.values()} == {"openai"}


def test_no_key_is_on_a_command_line(units: dict[str, Unit]) -> None:
    assert "sk-planted" not in " ".join(part for unit in units.values() for part in unit.command)


def test_a_relative_file_of_a_secret_is_found_by_children_that_work_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGSPINE_LLM_API_KEY_FILE", "model.key")
    monkeypatch.setenv("RAGSPINE_NATS_PASSWORD_FILE", "")

    copied = environment_copy()

    assert copied["RAGSPINE_LLM_API_KEY_FILE"] == str(tmp_path / "model.key")
    assert copied["RAGSPINE_NATS_PASSWORD_FILE"] == ""


def test_every_worker_lets_the_gateway_have_the_processors_first(units: dict[str, Unit]) -> None:
    niceness = {name: unit.niceness for name, unit in units.items() if name != MIGRATE}

    assert {niceness.pop(name) for name in ("gateway", "gateway-2")} == {0}
    assert set(niceness.values()) == {BEHIND_THE_GATEWAY}
