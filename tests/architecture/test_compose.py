from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.architecture import compose

ROOT = Path(__file__).resolve().parents[2]
HEALTHY: dict[str, Any] = {"image": "nats:2.12-alpine", "healthcheck": {"test": ["CMD", "true"]}}


def _services(path: Path) -> compose.Services:
    return yaml.safe_load(path.read_text(encoding="utf-8"))["services"]


RULES: list[compose.Rule] = [
    compose.loose_images,
    compose.unchecked,
    compose.exposed,
    compose.writable,
    compose.privileged,
    compose.roots,
    compose.unbounded,
    compose.misplaced,
    compose.inline_secrets,
    compose.shared_secrets,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_our_compose_file_keeps_the_rule(rule: compose.Rule) -> None:
    assert rule(_services(ROOT / "docker-compose.yml")) == []


def test_our_compose_file_runs_every_worker() -> None:
    assert {"gateway", "orchestrator", "intent", "facts", "narrative"} <= set(_services(ROOT / "docker-compose.yml"))


def test_the_gateway_gets_the_processors_before_the_workers_behind_it() -> None:
    services = _services(ROOT / "docker-compose.yml")
    shares = {name: services[name]["cpu_shares"] for name in ("orchestrator", "intent", "facts", "narrative")}

    assert max(shares.values()) < services["gateway"]["cpu_shares"]


def test_strangers_on_loopback_may_look_at_grafana_and_change_nothing() -> None:
    environment = _services(ROOT / "docker-compose.yml")["grafana"]["environment"]

    assert environment["GF_AUTH_ANONYMOUS_ORG_ROLE"] == "Viewer"


@pytest.mark.parametrize("image", ["nats", "nats:latest", "registry.example:5000/nats", "${IMAGE:-nats:latest}"])
def test_a_loose_image_is_noticed(image: str) -> None:
    assert compose.loose_images({"nats": {**HEALTHY, "image": image}}) == ["nats"]


@pytest.mark.parametrize("image", ["nats:2.12-alpine", "${IMAGE:-nats:2.12}", "registry.example:5000/nats:2.12"])
def test_a_pinned_image_is_fine(image: str) -> None:
    assert compose.loose_images({"nats": {**HEALTHY, "image": image}}) == []


def test_a_missing_healthcheck_is_noticed_unless_the_service_runs_once() -> None:
    services: compose.Services = {
        "nats": {"image": "nats:2.12"},
        "migrate": {"image": "ragspine:1"},
        "cli": {"image": "ragspine:1", "profiles": ["cli"]},
        "grafana": {"image": "grafana:1", "profiles": ["observability"], "restart": "unless-stopped"},
        "facts": {**HEALTHY, "depends_on": {"migrate": {"condition": "service_completed_successfully"}}},
    }

    assert compose.unchecked(services) == ["grafana", "nats"]


@pytest.mark.parametrize("port", ["8321:8321", "0.0.0.0:8321:8321", "${HOST:-0.0.0.0}:8321:8321", 8321])
def test_a_port_that_the_world_can_reach_is_noticed(port: object) -> None:
    assert compose.exposed({"gateway": {**HEALTHY, "ports": [port]}}) == [f"gateway: {port}"]


def test_a_published_port_of_a_store_is_noticed() -> None:
    services: compose.Services = {"postgres": {**HEALTHY, "ports": ["127.0.0.1:5432:5432"]}}

    assert compose.exposed(services) == ["postgres: 127.0.0.1:5432:5432"]


@pytest.mark.parametrize("port", ["127.0.0.1:8321:8321", "${RAGSPINE_HTTP_BIND:-127.0.0.1}:8321:8321"])
def test_the_gateway_may_publish_on_loopback(port: str) -> None:
    assert compose.exposed({"gateway": {**HEALTHY, "ports": [port]}}) == []
