"""Writes contracts/schemas/v1 and contracts/asyncapi.json from the models; the same models give the same bytes.

`--check` writes nothing and fails when a stored file differs, is missing or is left over.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from scripts import contract_operations
from scripts.contract_asyncapi import asyncapi_document

ROOT: Final = Path(__file__).resolve().parent.parent
SCHEMA_FOLDER: Final = Path("contracts/schemas/v1")
ASYNCAPI_FILE: Final = Path("contracts/asyncapi.json")
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def _schema(model: type[BaseModel], *, received: bool) -> dict[str, Any]:
    body = model.model_json_schema(mode="validation" if received else "serialization")
    return {"$schema": DIALECT, "$id": f"urn:ragspine:v1:{model.__name__}", **body}


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def generated_files() -> dict[Path, str]:
    """Path in the repository → text, for every generated file."""
    files = {ASYNCAPI_FILE: _text(asyncapi_document())}
    for model in contract_operations.requests():
        files[SCHEMA_FOLDER / f"{model.__name__}.schema.json"] = _text(_schema(model, received=True))
    for model in contract_operations.replies():
        files[SCHEMA_FOLDER / f"{model.__name__}.schema.json"] = _text(_schema(model, received=False))
    return files


def differences(root: Path) -> list[str]:
    """What is stale below `root`, one sentence per file; empty when everything is as generated."""
    files = generated_files()
    found: list[str] = []
    for path, text in files.items():
        stored = root / path
        if not stored.exists():
            found.append(f"{path} is missing")
        elif stored.read_text(encoding="utf-8") != text:
            found.append(f"{path} differs from the models")
    for stored in sorted((root / SCHEMA_FOLDER).glob("*.json")):
        if stored.relative_to(root) not in files:
            found.append(f"{stored.relative_to(root)} belongs to no message")
    return found


def write(root: Path) -> None:
    """Write all generated files below `root` and remove schemas that belong to no message."""
    files = generated_files()
    (root / SCHEMA_FOLDER).mkdir(parents=True, exist_ok=True)
    for stored in (root / SCHEMA_FOLDER).glob("*.json"):
        if stored.relative_to(root) not in files:
            stored.unlink()
    for path, text in files.items():
        (root / path).write_text(text, encoding="utf-8")


def main() -> int:
    """Write, or with `--check` compare; 1 when a stored file is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only")
    if not parser.parse_args().check:
        write(ROOT)
        return 0
    stale = differences(ROOT)
    for line in stale:
        print(f"{line}: run `make schemas`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
