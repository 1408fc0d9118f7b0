import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from contracts import subjects
from runtime.attributes import SPAN_ATTRIBUTES
from runtime.metrics import Metrics
from runtime.span_export import CountedExporter
from runtime.telemetry import Telemetry
from scripts import dashboards
from services.facts.observing import Observed as FactsObserved
from services.gateway.admission import Admission
from services.gateway.asks.observing import AskMetrics
from services.gateway.asks.webhooks.observing import WebhookMetrics
from services.gateway.faq.observing import FaqMetrics
from services.gateway.http.edge import Edge, Exposure
from services.gateway.http.metering import HttpMetrics
from services.gateway.observing import AnswerMetrics, watch_admission
from services.intent.observing import Observed as IntentObserved
from services.narrative.observing import Observed as NarrativeObserved
from services.orchestrator.providers.observing import ModelObserver
from services.orchestrator.reporting import Reporter
from tests.architecture import observability
from tests.architecture.observability import Expression
from tests.support.keys import open_gate

ROOT = Path(__file__).resolve().parents[2]
RUNBOOKS = Path("docs/operations/runbooks.md")
METRICS = ROOT / "docs/operations/metrics.md"
TRACES = ROOT / "docs/operations/traces-and-logs.md"
PANELS = ROOT / "docs/operations/dashboards.md"


@cache
def known() -> dict[str, frozenset[str]]:
    """What all workers export together."""
    metrics = Metrics()
    FactsObserved(metrics)
    IntentObserved(metrics)
    NarrativeObserved(metrics)
    Reporter(metrics)
    ModelObserver(metrics, Telemetry())
    AnswerMetrics(metrics)
    FaqMetrics(metrics).watch(lambda: True, lambda: True)
    AskMetrics(metrics)
    WebhookMetrics(metrics)
    watch_admission(metrics, asks=Admission(1), loads=Admission(1), requests=Admission(1))
    Edge(
        _no_app,
        requests=Admission(1),
        exposure=Exposure(),
        gate=open_gate(),
        open_paths=frozenset(),
        metrics=HttpMetrics(metrics),
        telemetry=Telemetry(),
    )
    CountedExporter(InMemorySpanExporter(), metrics)
    return observability.exported(metrics.registry)


async def _no_app(*_: Any) -> None:
    """Nobody calls it."""


def _declared() -> Iterator[str]:
    """The names in all calls of the code that make an instrument."""
    for path in [*ROOT.glob("runtime/**/*.py"), *ROOT.glob("services/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                name = node.args[0]
                is_maker = node.func.attr in {"counter", "gauge", "histogram"}
                if is_maker and isinstance(name, ast.Constant):
                    yield str(name.value)


def test_the_registries_here_hold_every_instrument_of_the_code() -> None:
    bases = {name.removesuffix("_total").removesuffix("_bucket") for name in known()}

    assert sorted(set(_declared()) - bases) == []


@pytest.mark.parametrize("of", [observability.dashboard_expressions, observability.alert_expressions])
def test_dashboards_and_alerts_name_series_labels_and_subjects_that_exist(of: Any) -> None:
    expressions = list(of(ROOT))
    served = {value for name, value in vars(subjects).items() if name.isupper() and isinstance(value, str)}

    assert expressions
    assert list(observability.unknown(expressions, known())) == []
    assert list(observability.unknown_subjects(expressions, served)) == []


def test_every_metric_of_ours_is_on_a_dashboard() -> None:
    shown = set().union(*(observability.names(e.text) for e in observability.dashboard_expressions(ROOT)))
    bases = {name.removesuffix("_total") for name in known() if name.startswith("ragspine_")}
    seen = {name.removesuffix("_total").removesuffix("_bucket").removesuffix("_sum") for name in shown}

    assert sorted({b.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for b in bases} - seen) == []


def test_every_alert_has_a_runbook_and_every_runbook_an_alert() -> None:
    assert list(observability.without_runbook(ROOT)) == []
    assert observability.runbooks_without_alert(ROOT, RUNBOOKS) == []


def test_the_dashboards_are_what_their_source_says_and_have_ids_of_their_own() -> None:
    assert dashboards.check(ROOT) == []
    assert observability.repeated_uids(ROOT) == []


def test_every_panel_is_explained() -> None:
    page = PANELS.read_text(encoding="utf-8")
    titles = [panel.title for dashboard in dashboards.read(ROOT) for panel in dashboard.panels]

    assert [title for title in titles if f"| {title} |" not in page] == []


def test_every_metric_is_explained() -> None:
    page = METRICS.read_text(encoding="utf-8")
    names = {name for name in known() if name.startswith("ragspine_")}
    bases = {name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for name in names}

    assert sorted(name for name in bases if f"| `{name}` |" not in page) == []


def test_every_attribute_of_a_span_is_explained() -> None:
    page = TRACES.read_text(encoding="utf-8")

    assert [name for name in SPAN_ATTRIBUTES if f"`{name}`" not in page] == []


def test_compose_mounts_what_grafana_and_prometheus_are_told_to_read() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    mounts = [mount for name in ("prometheus", "grafana", "otel-collector") for mount in services[name]["volumes"]]
    ours = {mount.split(":")[1]: mount.split(":")[0] for mount in mounts if mount.startswith("./")}
    folder = ROOT / "deploy/observability"
    [provider] = _yaml(folder / "grafana/provisioning/dashboards/ragspine.yml")["providers"]
    [rules] = _yaml(folder / "prometheus.yml")["rule_files"]

    assert all((ROOT / source).exists() for source in ours.values())
    assert ours[provider["options"]["path"]] == f"./{observability.DASHBOARDS}"
    assert ours[rules] == f"./{observability.ALERTS}"


def test_prometheus_asks_every_worker_where_compose_lets_it_answer() -> None:
    compose = _yaml(ROOT / "docker-compose.yml")
    [job] = _yaml(ROOT / "deploy/observability/prometheus.yml")["scrape_configs"]
    [names] = job["dns_sd_configs"]

    assert set(names["names"]) == {"gateway", "orchestrator", "intent", "facts", "narrative"}
    assert str(names["port"]) == compose["x-worker-env"]["RAGSPINE_OPS_PORT"]


def test_the_collector_joins_what_is_configured() -> None:
    collector = _yaml(ROOT / "deploy/observability/otel-collector.yml")

    for pipeline in collector["service"]["pipelines"].values():
        for kind in ("receivers", "processors", "exporters"):
            assert set(pipeline[kind]) <= set(collector[kind])


def _yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('sum by (route) (rate(ragspine_asks_total{kind="normal"}[5m]))', {"ragspine_asks_total"}),
        ("histogram_quantile(0.95, sum by (le) (rate(a_bucket[$__rate_interval])))", {"a_bucket"}),
        ("a / on () group_left () sum(b) > 1e6 and c unless d", {"a", "b", "c", "d"}),
        ('absent(up{job="x"} == 1)', {"up"}),
        ("max_over_time((a / b)[5m:15s]) > 0.9", {"a", "b"}),
        ('label_replace(a, "x", "$1", "y", "(.+)")', {"a"}),
        ("by_name + on_time", {"by_name", "on_time"}),
    ],
)
def test_series_names_are_found_in_an_expression(text: str, expected: set[str]) -> None:
    assert observability.names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rate(ragspine_ask_total[5m])", ["here: nothing exports ragspine_ask_total"]),
        ("sum by (rout) (ragspine_asks_total)", ["here: no series here has a label rout"]),
        ('ragspine_asks_total{knd="x"}', ["here: ragspine_asks_total has no label knd"]),
        ("ragspine_asks", ["here: nothing exports ragspine_asks"]),
        ("ragspine_http_seconds", ["here: nothing exports ragspine_http_seconds"]),
        ("sum by (le) (ragspine_ready)", ["here: no series here has a label le"]),
        ('ragspine_asks_total{kind="x", service="gateway"}', []),
    ],
)
def test_a_name_that_nothing_has_is_noticed(text: str, expected: list[str]) -> None:
    assert list(observability.unknown([Expression("here", text)], known())) == expected


def test_a_subject_that_nobody_serves_is_noticed() -> None:
    served = ["ragspine.v1.facts.query"]

    def wrong(value: str) -> list[str]:
        text = f'ragspine_requests_served_total{{subject=~"{value}"}}'
        return list(observability.unknown_subjects([Expression("here", text)], served))

    assert wrong("ragspine.v1.facts.query") == []
    assert wrong("ragspine.v1.facts.+") == []
    assert wrong("ragspine.v1.fact.query") == ["here: there is no subject ragspine.v1.fact.query"]


def _folder(root: Path, alert: str, section: str, *uids: str) -> Path:
    (root / observability.DASHBOARDS).mkdir(parents=True)
    for number, uid in enumerate(uids):
        (root / observability.DASHBOARDS / f"{number}.json").write_text(json.dumps({"uid": uid, "panels": []}))
    rule = {"alert": alert, "expr": "up", "annotations": {"runbook": f"{RUNBOOKS}#{alert.lower()}"}}
    (root / observability.ALERTS).write_text(yaml.safe_dump({"groups": [{"name": "g", "rules": [rule]}]}))
    (root / RUNBOOKS).parent.mkdir(parents=True)
    (root / RUNBOOKS).write_text(f"# Runbooks\n\n## {section}\n")
    return root


def test_an_alert_without_a_runbook_and_a_runbook_without_an_alert_are_noticed(tmp_path: Path) -> None:
    root = _folder(tmp_path, "RagspineSlow", "RagspineSlower")

    assert list(observability.without_runbook(root)) == [f"RagspineSlow: no section in {RUNBOOKS}"]
    assert observability.runbooks_without_alert(root, RUNBOOKS) == ["RagspineSlower"]


def test_an_alert_with_its_runbook_is_fine(tmp_path: Path) -> None:
    root = _folder(tmp_path, "RagspineSlow", "RagspineSlow")

    assert list(observability.without_runbook(root)) == []


def test_dashboards_with_one_id_are_noticed(tmp_path: Path) -> None:
    root = _folder(tmp_path, "RagspineSlow", "RagspineSlow", "one", "two", "one")

    assert observability.repeated_uids(root) == ["one"]


def test_a_dashboard_that_was_edited_by_hand_is_noticed(tmp_path: Path) -> None:
    for path in (dashboards.SOURCE, dashboards.FOLDER):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / dashboards.SOURCE).write_text((ROOT / dashboards.SOURCE).read_text(encoding="utf-8"))
    (tmp_path / dashboards.FOLDER).mkdir()
    dashboards.write(tmp_path)
    edited = tmp_path / dashboards.FOLDER / "ragspine-asks.json"
    edited.write_text(edited.read_text(encoding="utf-8").replace("kind", "route"))
    (tmp_path / dashboards.FOLDER / "left-over.json").write_text("{}")

    assert dashboards.check(tmp_path) == ["left-over.json", "ragspine-asks.json"]
