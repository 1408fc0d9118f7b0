"""`python -m scripts.lint_rules`: every rule over the product's code; 1 when one of them is violated."""

import sys
from pathlib import Path
from typing import Final

from scripts.lint_rules import fact_numbers, subject_literals, telemetry_names, validation_input
from scripts.lint_rules.runner import Rule, check_tree

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDERS: Final = ("contracts", "domain", "runtime", "services", "cli")
RULES: Final[tuple[Rule, ...]] = (fact_numbers, subject_literals, telemetry_names, validation_input)


def main() -> int:
    """Print every finding."""
    findings = check_tree(RULES, ROOT, FOLDERS)
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
