"""The settings of ruff are shown code that they must refuse, and the same code where it is allowed."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _codes(path: str, code: str) -> set[str]:
    """The rules that a file of that name and content breaks; docstrings are given."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--no-cache",
        "--output-format",
        "concise",
        "--stdin-filename",
        path,
    ]
    text = f'"""A module."""\n\n{code}\n'
    done = subprocess.run([*command, "-"], cwd=ROOT, input=text, check=False, capture_output=True, text=True)
    return {line.split()[1] for line in done.stdout.splitlines() if line.startswith(path)}


CLOCK = "import datetime\n\nNOW = datetime.datetime.now(datetime.UTC)"
TODAY = "from datetime import date\n\nTODAY = date.today()  # noqa: DTZ011"
EPOCH = "import time\n\nNOW = time.time()"
ENVIRONMENT = "import os\n\nURL = os.environ['RAGSPINE_NATS_URL']"
GETENV = "import os\n\nURL = os.getenv('RAGSPINE_NATS_URL')"
PRINT = "print('hello')"
SWALLOWED = "try:\n    import json\nexcept Exception:\n    json = None"
RELATIVE = "from .lookup import choose"
LATE_IMPORT = "def load() -> None:\n    '''Load.'''\n    import json\n\n    json.dumps(1)"
ANY = "from typing import Any\n\n\ndef load(row: Any) -> None:\n    '''Load.'''"


@pytest.mark.parametrize(
    ("path", "code", "rule"),
    [
        ("services/facts/store.py", CLOCK, "TID251"),
        ("domain/periods/calendar.py", TODAY, "TID251"),
        ("services/clarify/decision.py", EPOCH, "TID251"),
        ("services/facts/store.py", ENVIRONMENT, "TID251"),
        ("domain/profile/loading.py", GETENV, "TID251"),
        ("services/facts/store.py", PRINT, "T201"),
        ("services/orchestrator/flow.py", SWALLOWED, "BLE001"),
        ("services/facts/store.py", RELATIVE, "TID252"),
        ("services/facts/store.py", LATE_IMPORT, "PLC0415"),
        ("services/facts/store.py", ANY, "ANN401"),
    ],
)
def test_refuses(path: str, code: str, rule: str) -> None:
    assert rule in _codes(path, code)


@pytest.mark.parametrize(
    ("path", "code", "rule"),
    [
        ("services/facts/app.py", EPOCH, "TID251"),
        ("runtime/deadline.py", EPOCH, "TID251"),
        ("cli/ask.py", ENVIRONMENT, "TID251"),
        ("cli/ask.py", PRINT, "T201"),
        ("runtime/serving.py", SWALLOWED, "BLE001"),
        ("contracts/v1/facts.py", RELATIVE, "TID252"),
    ],
)
def test_allows_where_it_belongs(path: str, code: str, rule: str) -> None:
    assert rule not in _codes(path, code)
