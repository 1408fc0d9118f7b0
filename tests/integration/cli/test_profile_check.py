"""`ragspine profile check QUESTIONS` asks the parser of a running stack over a real bus."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli.console import CliError, ExitCode
from cli.profile import app
from runtime.metrics import Metrics
from services.intent.handlers import make_router
from services.intent.observing import Observed
from services.intent.parser import RuleIntentParser
from tests.integration.runtime.clients import connected
from tests.support.profiles import REFERENCE_DATE, acme
from tests.support.servers import running_nats

ROUTER = make_router(RuleIntentParser(acme()), lambda: REFERENCE_DATE, Observed(Metrics()))

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]


def check(path: Path, url: str, *options: str) -> Result:
    return CliRunner().invoke(app, ["check", str(path), "--nats-url", url, *options])


async def test_the_report_is_about_the_vocabulary_in_force(tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    lines = [json.dumps({"question": text}) for text in ["hk revenue 2024", "hk blorp revenue 2024"] * 20]
    questions.write_text("\n".join(lines), encoding="utf-8")

    with running_nats() as server:
        async with connected(server.url, ROUTER):
            table = await asyncio.to_thread(check, questions, server.url)
            document = await asyncio.to_thread(check, questions, server.url, "--json")
        nobody = await asyncio.to_thread(check, questions, server.url)

    report = json.loads(document.stdout)
    assert (table.exit_code, document.exit_code) == (0, 0)
    assert (report["questions"], report["understood"], report["profile_digest"]) == (40, 20, acme().digest())
    [word] = report["words"]
    assert word == {"text": "blorp", "kind": "unknown", "count": 20, "alone": 20, "example": "hk blorp revenue 2024"}
    assert "blorp" in table.stdout
    assert isinstance(nobody.exception, CliError)
    assert nobody.exception.code is ExitCode.DEGRADED
