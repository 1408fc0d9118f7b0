"""Reading the stored examples: what every later version must still be able to do with them."""

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, JsonValue, ValidationError

from scripts import contract_operations

EXAMPLES = Path("contracts/examples/v1")


def public_messages() -> dict[str, type[BaseModel]]:
    """Every message that travels by itself, by name."""
    return {model.__name__: model for model in (*contract_operations.requests(), *contract_operations.replies())}


def stored_examples() -> list[Path]:
    """All example files, in a stable order."""
    return sorted(EXAMPLES.glob("*/*.json"))


def lost(example: JsonValue, read: JsonValue, where: str) -> Iterator[str]:
    """Every part of `example` that is missing from or different in `read`, as a path below `where`."""
    if isinstance(example, dict) and isinstance(read, dict):
        for key, value in example.items():
            if key in read:
                yield from lost(value, read[key], f"{where}.{key}")
            else:
                yield f"{where}.{key}"
    elif isinstance(example, list) and isinstance(read, list) and len(example) == len(read):
        for index, value in enumerate(example):
            yield from lost(value, read[index], f"{where}[{index}]")
    elif example != read or type(example) is not type(read):
        yield where


def unreadable(model: type[BaseModel], text: str) -> list[str]:
    """What the model cannot take from a stored message or loses of it; empty when it reads everything."""
    name = model.__name__
    try:
        message = model.model_validate_json(text)
    except ValidationError as error:
        return [f"{name}.{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()]
    return list(lost(json.loads(text), message.model_dump(mode="json"), name))
