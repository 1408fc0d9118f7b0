"""Writes docs/adr/README.md, the index of the decisions; `--check` compares and looks at the form of every decision.

A decision that does not say what it rejected and when to look at it again is not finished.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = Path("docs/adr")
SECTIONS: Final = ("Context", "Decision", "Consequences", "Alternatives", "Revisit when")
STATUS: Final = re.compile(r"^- Status: (proposed|accepted|superseded by \d{4})$", re.MULTILINE)

_NAME: Final = re.compile(r"(?P<number>\d{4})-[a-z0-9-]+\.md")
_TITLE: Final = re.compile(r"# (?P<number>\d{4})\. (?P<title>.+)")
_HEAD: Final = """# Decisions

Why things are as they are, with what was rejected and when to look again. Made by `python -m scripts.adr_index`.

"""


def decisions(root: Path) -> list[Path]:
    """The files of all decisions, by number."""
    return sorted(path for path in (root / FOLDER).glob("*.md") if path.name != "README.md")


def faults(path: Path) -> Iterator[str]:
    """What is missing in one decision."""
    text = path.read_text(encoding="utf-8")
    name, title = _NAME.fullmatch(path.name), _TITLE.match(text)
    if not name or not title or name["number"] != title["number"]:
        yield f"{path.name}: name `NNNN-words.md` and title `# NNNN. Title` must carry the same number"
    if not STATUS.search(text):
        yield f"{path.name}: no line `- Status: proposed | accepted | superseded by NNNN`"
    headings = tuple(re.findall(r"^## (.+)$", text, re.MULTILINE))
    if headings != SECTIONS:
        yield f"{path.name}: the sections are {', '.join(SECTIONS)}, in this order"


def index(root: Path) -> str:
    """The text of the index."""
    lines: list[str] = []
    for path in decisions(root):
        text = path.read_text(encoding="utf-8")
        title, status = _TITLE.match(text), STATUS.search(text)
        note = f" ({status[1]})" if status and status[1] != "accepted" else ""
        lines.append(f"- [{title['number']} {title['title']}]({path.name}){note}\n" if title else f"- {path.name}\n")
    return _HEAD + "".join(lines)


def check(root: Path) -> list[str]:
    """Everything that is wrong; empty when the decisions are in order and the index is up to date."""
    found = [fault for path in decisions(root) for fault in faults(path)]
    numbers = [path.name[:4] for path in decisions(root)]
    found += [f"the number {number} is used twice" for number in sorted(set(numbers)) if numbers.count(number) > 1]
    stored = root / FOLDER / "README.md"
    if not stored.exists() or stored.read_text(encoding="utf-8") != index(root):
        found.append("the index is stale: run `python -m scripts.adr_index`")
    return found


def main() -> int:
    """Write, or with `--check` compare; 1 when something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only")
    if not parser.parse_args().check:
        (ROOT / FOLDER / "README.md").write_text(index(ROOT), encoding="utf-8")
        return 0
    found = check(ROOT)
    for fault in found:
        print(f"{FOLDER}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
