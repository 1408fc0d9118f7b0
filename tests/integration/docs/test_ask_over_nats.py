import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import nats
import pytest
from nats.aio.msg import Msg

from contracts import subjects
from contracts.codes import HTTP_STATUS, ErrorCode
from contracts.v1 import AnswerResult, AskRequest, ErrorReply

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "docs/examples/ask_over_nats.py"
QUESTION = "中国内地FY2024的REVENUE是多少"
EXAMPLE = ROOT / "contracts/examples/v1/AnswerResult/structured_found.json"

pytestmark = pytest.mark.connected


@asynccontextmanager
async def _gateway(url: str, error: ErrorCode | None = None) -> AsyncIterator[list[Msg]]:
    """What an app meets on the bus: every request gets the stored example, or an error reply."""
    asked: list[Msg] = []
    connection = await nats.connect(url)

    async def reply(message: Msg) -> None:
        asked.append(message)
        AskRequest.model_validate_json(message.data)
        if error is None:
            await message.respond(EXAMPLE.read_bytes())
            return
        headers = {subjects.HEADER_ERROR: error.value, subjects.HEADER_ERROR_CODE: str(HTTP_STATUS[error])}
        body = ErrorReply(code=error, retryable=True, message="try again").model_dump_json().encode()
        await connection.publish(message.reply, body, headers=headers)

    await connection.subscribe(subjects.ASK_ANY_APP, queue=subjects.QUEUE_GATEWAY, cb=reply)
    await connection.flush()
    try:
        yield asked
    finally:
        await connection.close()


async def _run(url: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(PROGRAM),
        QUESTION,
        env={**os.environ, "NATS_URL": url, "PYTHONUTF8": "1"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


async def test_the_example_of_the_readme_prints_the_answer(nats_url: str) -> None:
    expected = AnswerResult.model_validate_json(EXAMPLE.read_bytes())

    async with _gateway(nats_url) as asked:
        code, out, err = await _run(nats_url)

    assert (code, out, err) == (0, f"{expected.answer}\n", "")
    assert [message.subject for message in asked] == [subjects.ask()]
    assert int(asked[0].headers[subjects.HEADER_DEADLINE]) > 0


async def test_the_example_of_the_readme_names_the_error(nats_url: str) -> None:
    async with _gateway(nats_url, error=ErrorCode.UNAVAILABLE):
        code, out, err = await _run(nats_url)

    assert (code, out) == (1, "")
    assert err.rstrip().endswith("RuntimeError: unavailable: try again")
