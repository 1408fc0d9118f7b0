"""Writes the Grafana dashboards of deploy/observability/grafana/dashboards from deploy/observability/dashboards.yml.

`--check` compares instead. People edit the short source; Grafana reads the JSON, which is committed so that
`docker compose up` needs nothing else.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCE: Final = Path("deploy/observability/dashboards.yml")
FOLDER: Final = Path("deploy/observability/grafana/dashboards")
DATASOURCE: Final = {"type": "prometheus", "uid": "prometheus"}
COLUMNS: Final = 2
WIDTH: Final = 24  # Grafana's own grid
HEIGHT: Final = 8


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Query(_Part):
    """One line, or one family of lines, of a panel."""

    expr: str
    legend: str


class Panel(_Part):
    """One diagram."""

    title: str
    unit: str
    text: str
    queries: Annotated[tuple[Query, ...], Field(min_length=1)]


class Dashboard(_Part):
    """One page."""

    uid: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
    title: str
    panels: Annotated[tuple[Panel, ...], Field(min_length=1)]


def read(root: Path) -> tuple[Dashboard, ...]:
    """The dashboards of the source; raises pydantic's `ValidationError`."""
    text = (root / SOURCE).read_text(encoding="utf-8")
    return TypeAdapter(tuple[Dashboard, ...]).validate_python(yaml.safe_load(text))


def render(dashboard: Dashboard) -> str:
    """What Grafana reads."""
    page = {
        "uid": dashboard.uid,
        "title": f"RAGSpine · {dashboard.title}",
        "tags": ["ragspine"],
        "editable": False,
        "graphTooltip": 1,
        "refresh": "30s",
        "schemaVersion": 39,
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "browser",
        "links": [
            {"type": "dashboards", "title": "RAGSpine", "tags": ["ragspine"], "asDropdown": True, "keepTime": True}
        ],
        "panels": [_panel(number, panel) for number, panel in enumerate(dashboard.panels)],
    }
    return json.dumps(page, ensure_ascii=False, indent=1) + "\n"


def _panel(number: int, panel: Panel) -> dict[str, Any]:
    width = WIDTH // COLUMNS
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.text,
        "datasource": DATASOURCE,
        "gridPos": {
            "h": HEIGHT,
            "w": width,
            "x": width * (number % COLUMNS),
            "y": HEIGHT * (number // COLUMNS),
        },
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(ord("A") + i), "datasource": DATASOURCE, "expr": query.expr, "legendFormat": query.legend}
            for i, query in enumerate(panel.queries)
        ],
    }


def files(root: Path) -> dict[Path, str]:
    """Every file that should be there, with its text."""
    return {root / FOLDER / f"{dashboard.uid}.json": render(dashboard) for dashboard in read(root)}


def check(root: Path) -> list[str]:
    """Files that are missing, left over or not as the source says."""
    wanted = files(root)
    there = set((root / FOLDER).glob("*.json"))
    stale = [path for path, text in wanted.items() if path not in there or path.read_text(encoding="utf-8") != text]
    return sorted(path.name for path in {*stale, *(there - set(wanted))})


def write(root: Path) -> None:
    """Make the folder as the source says."""
    wanted = files(root)
    for path in set((root / FOLDER).glob("*.json")) - set(wanted):
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")


def main() -> int:
    """Write, or with `--check` compare; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, say what is not up to date")
    if not parser.parse_args().check:
        write(ROOT)
        return 0
    stale = check(ROOT)
    for name in stale:
        print(f"{FOLDER / name}: not as {SOURCE} says; run python -m scripts.dashboards")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
