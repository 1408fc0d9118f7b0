"""`ragspine demo` from nothing, and the launcher that makes its environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.asking import ANSWER
from tests.support.stacks import ROOT, data_directory, ragspine

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(400)]


def test_demo_shows_five_answers_and_leaves_nothing_running() -> None:
    with data_directory() as directory:
        done = ragspine("demo", "--port", "0", environment={"RAGSPINE_DATA_DIR": str(directory)}, timeout=180)

        assert done.returncode == 0, done.stderr
        assert ANSWER in done.stdout
        assert "查不到：REVENUE / ACME_CN / 2025（渠道 TOTAL）" in done.stdout
        assert "731.25" in done.stdout  # the assumption, answered
        assert "  1. " in done.stdout  # the question back, with its options
        assert "china_2024.md" in done.stdout  # the reason, with its source
        assert not (directory / "demo" / "stack.json").exists()


def test_kept_demo_answers_those_who_name_it() -> None:
    with data_directory() as directory:
        environment = {"RAGSPINE_DATA_DIR": str(directory)}
        kept = ragspine("demo", "--keep", "--port", "0", environment=environment, timeout=180)
        try:
            unnamed = ragspine("ask", "中国内地FY2024的REVENUE是多少", environment=environment)
            named = ragspine("ask", "中国内地FY2024的REVENUE是多少", "--data-dir", str(directory / "demo"))
            again = ragspine("demo", environment=environment)
        finally:
            down = ragspine("down", environment=environment)

        assert kept.returncode == 0, kept.stderr
        assert (unnamed.returncode, unnamed.stdout) == (7, "")
        assert "fictional" in unnamed.stderr
        assert str(directory / "demo") in unnamed.stderr
        assert (named.returncode, named.stdout) == (0, ANSWER + "\n")
        assert "demo" in down.stderr
        assert not (directory / "demo" / "stack.json").exists()
        assert again.returncode == 0
        assert "loaded 49 facts" in again.stderr


def _launch(*arguments: str, start: Path = ROOT / "ragspine", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(start), *arguments],
        cwd="/",
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_launcher_makes_its_environment_once_and_starts_through_a_link(tmp_path: Path) -> None:
    link = tmp_path / "linked"
    link.symlink_to(ROOT / "ragspine")
    home = {"RAGSPINE_ENV_DIR": str(tmp_path / "env"), "RAGSPINE_PYTHON": sys.executable}

    first = _launch("--help", start=link, **home)
    second = _launch("--help", start=link, **home)

    assert first.returncode == 0, first.stderr
    assert "environment ready" in first.stderr
    assert "Usage:" in first.stdout
    assert (second.returncode, second.stderr) == (0, "")


def test_launcher_without_a_python_says_what_to_install(tmp_path: Path) -> None:
    home = {"RAGSPINE_ENV_DIR": str(tmp_path / "env"), "RAGSPINE_PYTHON": "/nowhere/python3"}

    done = _launch("--help", **home)

    assert done.returncode == 1
    assert "Python 3.11" in done.stderr
    assert "python3-venv" in done.stderr


def test_launcher_that_may_not_write_names_the_variable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    done = _launch("--help", RAGSPINE_ENV_DIR=str(tmp_path / "file" / "env"))

    assert done.returncode == 1
    assert "RAGSPINE_ENV_DIR" in done.stderr


def test_launcher_that_may_not_write_into_an_existing_directory_does_not_wait() -> None:
    with data_directory() as folder:
        for name in ("ragspine", "uv.lock", "pyproject.toml"):
            shutil.copy(ROOT / name, folder / name)
        (folder / "env").mkdir()
        (folder / "env").chmod(0o555)
        nobody: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}

        done = subprocess.run(
            [str(folder / "ragspine"), "--help"],
            env={**os.environ, "RAGSPINE_ENV_DIR": str(folder / "env")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=20,
            **nobody,
        )

        assert done.returncode == 1
        assert f"cannot write to {folder / 'env'}" in done.stderr
        assert "RAGSPINE_ENV_DIR" in done.stderr
