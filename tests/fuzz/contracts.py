"""Every message of contracts/v1: any bytes are read, or refused without repeating them; what is read can be written."""

import json
from functools import cache
from random import Random
from typing import Any

from pydantic import BaseModel, ValidationError

import contracts.v1 as messages
from contracts.v1.base import EdgeMessage
from contracts.v1.errors import ErrorReply
from runtime.errors import AskError, from_error_reply, invalid_request, to_error_reply
from runtime.repeats import refuse_repeats
from tests.contract.examples import stored_examples
from tests.fuzz.mutating import broken
from tests.fuzz.payloads import BrokenClaimError, Payload, assert_no_mark
from tests.fuzz.schemas import made


@cache
def models() -> dict[str, type[BaseModel]]:
    """Every public message, by name."""
    exported = {name: getattr(messages, name) for name in messages.__all__}
    return {name: kind for name, kind in exported.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}


@cache
def examples() -> dict[str, list[Any]]:
    """The stored examples of each message."""
    found: dict[str, list[Any]] = {name: [] for name in models()}
    for path in stored_examples():
        if path.parent.name in found:
            found[path.parent.name].append(json.loads(path.read_text(encoding="utf-8")))
    return found


@cache
def _schema(name: str) -> dict[str, Any]:
    return models()[name].model_json_schema()


class Contracts:
    """The readers of all messages."""

    name = "contracts"
    seconds = 1.0

    def make(self, random: Random) -> Payload:
        """A stored example or a message made from its schema, broken."""
        part = random.choice(list(models()))
        stored = examples()[part]
        valid = random.choice(stored) if stored and random.random() < 0.6 else made(_schema(part), random)
        return Payload(self.name, part, broken(valid, random))

    async def attempt(self, payload: Payload) -> str:
        """Read it as the doors do."""
        kind = models()[payload.part]
        try:
            message = kind.model_validate_json(payload.body)
            if issubclass(kind, EdgeMessage):
                refuse_repeats(payload.body)
        except ValidationError as error:
            if "input_value=" in str(error):
                raise BrokenClaimError("the text of the error shows its input") from error
            return _refused(invalid_request(error))
        except AskError as error:
            return _refused(error)
        again = kind.model_validate_json(message.model_dump_json())
        if again.model_dump_json() != message.model_dump_json():
            raise BrokenClaimError("what was read is written as something else")
        return "read"


def _refused(error: AskError) -> str:
    reply = ErrorReply.model_validate_json(to_error_reply(error).model_dump_json())
    if not reply.problems:
        raise BrokenClaimError("the refusal names no problem")
    for problem in reply.problems:
        assert_no_mark(problem.reason, "a reason")
    return f"refused {from_error_reply(reply).code.value}"
