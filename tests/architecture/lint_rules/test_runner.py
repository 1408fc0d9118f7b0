import subprocess
import sys
from pathlib import Path, PurePosixPath

from scripts.lint_rules import fact_numbers
from scripts.lint_rules.__main__ import FOLDERS, RULES
from scripts.lint_rules.runner import check_text, check_tree

GUARD = PurePosixPath("services/orchestrator/guard.py")
ROOT = Path(__file__).resolve().parents[3]


def test_an_escape_with_a_reason_excuses_its_line() -> None:
    code = "x = float(y)  # allow-fact-number: a load factor, not a fact\n"

    assert check_text(fact_numbers, GUARD, code) == []


def test_an_escape_without_a_reason_excuses_nothing() -> None:
    code = "x = float(y)  # allow-fact-number\n"

    assert [finding.line for finding in check_text(fact_numbers, GUARD, code)] == [1]


def test_an_escape_of_another_rule_excuses_nothing() -> None:
    code = "x = float(y)  # allow-subject-literal: no\n"

    assert [finding.line for finding in check_text(fact_numbers, GUARD, code)] == [1]


def test_an_escape_that_excuses_nothing_is_reported() -> None:
    code = "x = 1  # allow-fact-number: left over\n"

    assert [finding.line for finding in check_text(fact_numbers, GUARD, code)] == [1]


def test_findings_name_file_line_and_rule(tmp_path: Path) -> None:
    (tmp_path / "services/clarify").mkdir(parents=True)
    (tmp_path / "services/clarify/bad.py").write_text("\nx = float(y)\n", encoding="utf-8")

    findings = check_tree(RULES, tmp_path, FOLDERS)

    assert [str(f).split(": float")[0] for f in findings] == ["services/clarify/bad.py:2: fact-number"]


def test_the_command_fails_on_a_violation(tmp_path: Path) -> None:
    (tmp_path / "services/facts").mkdir(parents=True)
    (tmp_path / "services/facts/bad.py").write_text("x = 'ragspine.v1.facts.query'\n", encoding="utf-8")
    code = (
        "import sys; from pathlib import Path; from scripts.lint_rules import __main__ as m;"
        f"m.ROOT = Path({str(tmp_path)!r}); sys.exit(m.main())"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True, text=True)

    assert done.returncode == 1
    assert "services/facts/bad.py:1: subject-literal" in done.stderr
