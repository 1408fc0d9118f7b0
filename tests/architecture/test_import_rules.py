"""Each import rule of pyproject.toml is shown one violation, in a copy that holds nothing but empty modules."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINTER = "from importlinter.cli import lint_imports_command; lint_imports_command(prog_name='lint-imports')"

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]

# Contract → (importer, imported) pairs, each of which must break it. `None`: the module's mere existence does.
VIOLATIONS: dict[str, list[tuple[str, str | None]]] = {
    "layers": [
        ("services.intent.parser", "services.facts"),
        ("services.gateway.handlers", "services.orchestrator.flow"),
        ("services.clarify.cues", "services.orchestrator"),
        ("runtime.bus", "domain"),
        ("domain.glossary", "runtime"),
        ("contracts.v1", "domain"),
        ("runtime.bus", "cli"),
        ("services.facts.loader", "cli.console"),
    ],
    "rooms": [("services.billing", None)],
    "pure": [
        ("domain.glossary", "opentelemetry"),
        ("contracts.v1", "faststream"),
        ("contracts.client.asking", "nats"),
        ("contracts.subjects", "httpx"),
        ("services.clarify.cues", "nats"),
        ("services.clarify.options", "runtime.bus"),
        ("services.orchestrator.guard", "runtime.bus"),
        ("services.orchestrator.guard", "asyncpg"),
        ("services.intent.parser", "redis"),
        ("services.narrative.visibility", "asyncpg"),
        ("services.narrative.classifier", "runtime.bus"),
    ],
    "decision": [("services.gateway.handlers", "services.clarify.decision")],
    "clarify": [
        ("services.intent.parser", "services.clarify"),
        ("services.facts.store", "services.clarify.texts"),
        ("services.narrative.search", "services.clarify"),
    ],
    "bus": [("services.facts.store", "faststream"), ("domain.glossary", "faststream"), ("cli.up", "faststream")],
    "nats": [("services.gateway.handlers", "nats"), ("cli.up", "nats"), ("contracts.v1", "nats")],
    "nkeys": [("runtime.broker", "nkeys"), ("cli.bus.commands", "nkeys")],
    "client": [("cli.ask", "contracts.client"), ("contracts.v1", "contracts.client.asking")],
    "http-client": [("cli.ask", "httpx"), ("contracts.client.over_nats", "httpx")],
    "outgoing-http": [
        ("services.gateway.handlers", "httpx2"),
        ("services.gateway.asks.webhooks.delivery", "httpx2"),
        ("services.orchestrator.flow", "httpx2"),
        ("runtime.bus", "httpx2"),
    ],
    "postgres": [
        ("services.gateway.handlers", "asyncpg"),
        ("services.facts.lookup", "asyncpg"),
        ("cli.load", "asyncpg"),
        ("services.narrative.search", "asyncpg"),
        ("runtime.bus", "asyncpg"),
        ("services.gateway.faq.cache", "asyncpg"),
    ],
    "index": [
        ("services.narrative.search", "tantivy"),
        ("services.narrative.ranking", "rjieba"),
        ("services.orchestrator.flow", "Stemmer"),
    ],
    "likeness": [("services.clarify.decision", "rapidfuzz"), ("domain.glossary", "pypinyin")],
    "veto": [
        ("services.gateway.faq.admission", "services.clarify.cues"),
        ("services.gateway.handlers", "services.clarify.texts"),
        ("services.gateway.http", "services.clarify"),
    ],
    "redis": [
        ("services.gateway.handlers", "redis"),
        ("services.gateway.faq.store", "redis"),
        ("services.gateway.access.rates", "redis"),
        ("services.facts.store", "redis"),
        ("cli.up", "redis"),
        ("runtime.bus", "redis"),
    ],
    "telemetry": [("services.facts.handlers", "opentelemetry"), ("cli.up", "opentelemetry")],
    "metrics": [("services.facts.handlers", "prometheus_client"), ("services.gateway.app", "prometheus_client")],
    "web": [("services.facts.handlers", "fastapi"), ("cli.ask", "starlette"), ("services.intent.app", "uvicorn")],
    "models": [("services.orchestrator.flow", "openai"), ("services.orchestrator.writing", "anthropic")],
    "cli": [
        ("cli.ask", "services.orchestrator.flow"),
        ("cli.load", "services.clarify.texts"),
        ("cli.up", "services.gateway.access.key_file"),
    ],
    "judge": [
        ("cli.eval.judging", "cli.client"),
        ("cli.eval.figures", "services.orchestrator.rendering"),
        ("cli.eval.naming", "domain.glossary"),
        ("cli.eval.tallies", "rich"),
    ],
}


def _names(value: object) -> Iterator[str]:
    """Every module name below a part of the configuration."""
    if isinstance(value, str):
        yield from (name.strip() for name in value.split("|"))
    elif isinstance(value, list):
        for item in value:
            yield from _names(item)


def _own_modules() -> set[str]:
    keys = ("source_modules", "forbidden_modules", "protected_modules", "allowed_importers", "layers")
    named = {name for contract in CONFIG["contracts"] for key in keys for name in _names(contract.get(key))}
    rooms = {f"services.{name}" for name in named if "." not in name} & {f"services.{room}" for room in _rooms()}
    roots = tuple(CONFIG["root_packages"])
    return {name for name in named | rooms if "*" not in name and name.split(".")[0] in roots} | set(roots)


def _rooms() -> set[str]:
    return {
        name for contract in CONFIG["contracts"] if contract["id"] == "rooms" for name in _names(contract["layers"])
    }


def _add_module(root: Path, module: str, text: str = "") -> None:
    """Write a package of that name; packages above it are made, and nothing is emptied."""
    folder = root
    for part in module.split("."):
        folder = folder / part
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").touch()
    with (folder / "__init__.py").open("a", encoding="utf-8") as file:
        file.write(text)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The rules as they are, over empty modules."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(text[text.index("[tool.importlinter]") :], encoding="utf-8")
    for module in _own_modules():
        _add_module(tmp_path, module)
    # The linter knows external modules only where something imports them.
    drivers = {name for contract in CONFIG["contracts"] for name in _names(contract.get("protected_modules"))}
    external = {name.split(".")[0] for name in drivers} - set(CONFIG["root_packages"])
    for contract in CONFIG["contracts"]:
        for driver in external & set(_names(contract.get("protected_modules"))):
            _add_module(tmp_path, _first_home(contract), f"import {driver}\n")
    return tmp_path


def _first_home(contract: dict[str, Any]) -> str:
    return next(name for name in _names(contract["allowed_importers"]) if "*" not in name)


def _lint(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", LINTER, "--no-cache", *arguments]
    return subprocess.run(command, cwd=root, env=environment, check=False, capture_output=True, text=True)


def test_every_rule_has_a_violation_here() -> None:
    assert set(VIOLATIONS) == {contract["id"] for contract in CONFIG["contracts"]}


def test_rules_name_only_modules_that_exist() -> None:
    missing = [
        name
        for name in _own_modules()
        if not (ROOT / Path(*name.split("."))).is_dir()
        and not (ROOT / Path(*name.split("."))).with_suffix(".py").exists()
    ]

    assert missing == []


def test_empty_modules_break_no_rule(copy: Path) -> None:
    done = _lint(copy)

    assert (done.returncode, "0 broken" in done.stdout) == (0, True), done.stdout


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_every_violation_breaks_its_rule(copy: Path, contract: str) -> None:
    for importer, imported in VIOLATIONS[contract]:
        if imported and imported.split(".")[0] in CONFIG["root_packages"]:
            _add_module(copy, imported)
        _add_module(copy, importer, f"import {imported}\n" if imported else "")

    done = _lint(copy, "--contract", contract)

    assert (done.returncode, "1 broken" in done.stdout) == (1, True), done.stdout + done.stderr
    assert [pair for pair in VIOLATIONS[contract] if not _is_reported(pair, done.stdout)] == [], done.stdout


def _is_reported(violation: tuple[str, str | None], report: str) -> bool:
    importer, imported = violation
    return f"{importer} -> {imported} (l." in report if imported else importer.rsplit(".", 1)[-1] in report
