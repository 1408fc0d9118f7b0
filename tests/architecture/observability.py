"""What dashboards and alert rules may name: metrics, labels and subjects that exist, and runbooks that are written.

Every function yields what is wrong, as a line for a person.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from prometheus_client import CollectorRegistry
from prometheus_client.metrics import MetricWrapperBase

DASHBOARDS = Path("deploy/observability/grafana/dashboards")
ALERTS = Path("deploy/observability/alerts.yml")

_SCRAPE_LABELS = frozenset({"job", "instance", "service"})
"""Added by prometheus.yml."""
_EXPORTED = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}

_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_SELECTOR = re.compile(r"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)?\s*\{(?P<matchers>[^{}]*)\}")
_MATCHER = re.compile(r"(?P<label>[a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*(?P<value>\"[^\"]*\")")
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\((?P<labels>[^()]*)\)")
_WINDOW = re.compile(r"\[[^\]]*\]")
_NAME = re.compile(r"(?<![\w.$])[a-zA-Z_:][a-zA-Z0-9_:]*(?!\s*\()\b")
_FUNCTION = re.compile(r"[a-zA-Z_]\w*\s*\(")
_WORDS = frozenset({"and", "or", "unless", "bool", "offset", "inf", "nan"})
_SUBJECT = re.compile(r"ragspine\.v\d+\.")


@dataclass(frozen=True)
class Expression:
    """A PromQL expression and where it stands."""

    where: str
    text: str


def exported(*registries: CollectorRegistry) -> dict[str, frozenset[str]]:
    """The labels of every series name that processes with these registries show."""
    found: dict[str, frozenset[str]] = {"up": frozenset()}
    for registry in registries:
        for instrument in {*registry._collector_to_names}:
            if isinstance(instrument, MetricWrapperBase):
                labels = frozenset(instrument._labelnames)
                for suffix in _EXPORTED[instrument._type]:
                    found[instrument._name + suffix] = labels | ({"le"} if suffix == "_bucket" else set())
        for family in registry.collect():
            found |= {s.name: frozenset(s.labels) for s in family.samples if s.name not in found}
    return found


def dashboard_expressions(root: Path) -> Iterator[Expression]:
    """Every query of every dashboard."""
    for path in sorted((root / DASHBOARDS).glob("*.json")):
        for panel in json.loads(path.read_text(encoding="utf-8"))["panels"]:
            for target in panel["targets"]:
                yield Expression(f"{path.name}: {panel['title']}", target["expr"])


def rules(root: Path) -> Iterator[dict[str, Any]]:
    """Every alert rule."""
    for group in yaml.safe_load((root / ALERTS).read_text(encoding="utf-8"))["groups"]:
        yield from group["rules"]


def alert_expressions(root: Path) -> Iterator[Expression]:
    """The condition of every alert."""
    for rule in rules(root):
        yield Expression(rule["alert"], rule["expr"])


def names(text: str) -> set[str]:
    """The series names in a PromQL expression."""
    plain = _WINDOW.sub(" ", _SELECTOR.sub(lambda found: f"{found['name'] or ''} ", text))
    plain = _GROUPING.sub(" ", _STRING.sub(" ", plain))
    return {name for name in _NAME.findall(_FUNCTION.sub("(", plain)) if name not in _WORDS}


def unknown(expressions: Iterable[Expression], known: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Series that nothing exports, and labels that they do not have."""
    for expression in expressions:
        used = names(expression.text)
        for name in sorted(used - set(known)):
            yield f"{expression.where}: nothing exports {name}"
        labels = _SCRAPE_LABELS.union(*(known.get(name, frozenset()) for name in used))
        for label in sorted(set(_grouped_by(expression.text)) - labels):
            yield f"{expression.where}: no series here has a label {label}"
        for name, label in sorted(set(_matched(expression.text))):
            if name in known and label not in known[name] | _SCRAPE_LABELS:
                yield f"{expression.where}: {name} has no label {label}"


def unknown_subjects(expressions: Iterable[Expression], subjects: Iterable[str]) -> Iterator[str]:
    """Values of `subject` that match no subject of the contracts."""
    known = set(subjects)
    for expression in expressions:
        for found in _MATCHER.finditer(expression.text):
            value = found["value"][1:-1]
            is_there = value in known or any(re.fullmatch(value, subject) for subject in known)
            if _SUBJECT.match(value) and not is_there:
                yield f"{expression.where}: there is no subject {value}"


def repeated_uids(root: Path) -> list[str]:
    """Dashboards that Grafana would take for one another."""
    uids = [json.loads(p.read_text(encoding="utf-8"))["uid"] for p in sorted((root / DASHBOARDS).glob("*.json"))]
    return sorted({uid for uid in uids if uids.count(uid) > 1})


def without_runbook(root: Path) -> Iterator[str]:
    """Alerts whose annotation leads to no section of its own name."""
    for rule in rules(root):
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        path = root / page
        headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE) if path.exists() else []
        if rule["alert"] not in headings or anchor != rule["alert"].lower():
            yield f"{rule['alert']}: no section in {page}"


def runbooks_without_alert(root: Path, page: Path) -> list[str]:
    """Sections for alerts that there are not."""
    headings = re.findall(r"^#+ (Ragspine\w+)$", (root / page).read_text(encoding="utf-8"), re.MULTILINE)
    return sorted(set(headings) - {rule["alert"] for rule in rules(root)})


def _grouped_by(text: str) -> Iterator[str]:
    for found in _GROUPING.finditer(text):
        yield from (label.strip() for label in found["labels"].split(",") if label.strip())


def _matched(text: str) -> Iterator[tuple[str, str]]:
    for found in _SELECTOR.finditer(text):
        yield from ((found["name"] or "", matcher["label"]) for matcher in _MATCHER.finditer(found["matchers"]))
