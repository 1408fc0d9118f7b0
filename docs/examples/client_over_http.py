"""Ask RAGSpine over HTTP and act on what comes back. Needs ragspine-contracts[http].

RAGSPINE_URL=http://127.0.0.1:8321 python client_over_http.py "中国内地FY2024的REVENUE是多少"
"""

import asyncio
import os
import sys
from datetime import date

from pydantic import ValidationError
from ragspine_contracts.client import ClientError, HttpClient
from ragspine_contracts.codes import AnswerKind, Locale
from ragspine_contracts.reasons import reason_of
from ragspine_contracts.v1 import AnswerResult, AskRequest


async def main(question: str) -> int:
    """Ask and print; returns the exit code."""
    try:
        request = AskRequest(question=question, reference_date=date(2025, 5, 20), locale=Locale.ZH)
        async with HttpClient(os.environ["RAGSPINE_URL"], api_key=os.environ.get("RAGSPINE_API_KEY")) as client:
            show(await client.ask(request, deadline_seconds=10))
    except ValidationError as error:  # no request: the question is blank or too long
        print(reason_of(error.errors()[0]), file=sys.stderr)
        return 2
    except ClientError as error:  # no answer: the request was refused, or something is away
        print(f"{error} (retryable: {error.retryable}, request: {error.request_id})", file=sys.stderr)
        return 1
    return 0


def show(answer: AnswerResult) -> None:
    """Print what an app would use of an answer."""
    match answer.answer_kind:
        case AnswerKind.NORMAL:  # for people: answer.answer; for programs, `value` is a Decimal, exactly as stored
            for result in answer.tool_results:
                source = result.source.doc if result.source else "-"
                print(f"{result.status}: {result.scope.metric} {result.value} {result.unit} ({source})")
        case AnswerKind.CLARIFICATION if answer.clarification:  # a choice: send an option's question back as it is
            print(answer.clarification.question)
            for option in answer.clarification.options:
                print(f"- {option.label}: {option.question}")
        case _:  # a refusal, or a part was away: say so, and put no number in its place
            print(f"{answer.answer_kind}: {answer.answer}")


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
