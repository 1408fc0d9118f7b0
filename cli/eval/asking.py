"""Asks a running stack over HTTP, a few questions at a time, and judges each answer as it comes.

An error of one question is a judgement about that question; a stack that cannot be reached ends the run.
"""

import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Final

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cli.client import Gateway, Reply
from cli.console import CliError, ExitCode, err, note
from cli.eval.figures import figures_of
from cli.eval.judging import Judgement, judge
from cli.eval.naming import Names
from cli.eval.questions import AskedQuestion
from cli.eval.stored import StoredFacts
from contracts.v1.ask import AnswerResult

BUSY: Final = frozenset({429, 503})
TRIES: Final = 4
WAIT_SECONDS: Final = 0.5
"""Before a stack that is busy is asked again; longer each time."""
NOTED_EVERY: Final = 100
"""How many questions lie between two lines of progress where no bar can be drawn."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what was said, and what it was worth."""

    question: AskedQuestion
    result: AnswerResult | None
    said: str
    judgement: Judgement


@dataclass(frozen=True)
class Asker:
    """How questions are put to one stack."""

    gateway: Gateway
    names: Names
    reference_date: date
    deadline_seconds: float
    at_once: int

    def ask_all(self, questions: Sequence[AskedQuestion], label: str) -> list[Asked]:
        """Ask and judge all questions; the order of the questions is kept. Ctrl-C leaves the rest unasked."""
        stored = StoredFacts(self.gateway)
        pool = ThreadPoolExecutor(self.at_once, thread_name_prefix="ask")
        try:
            tasks = {pool.submit(self._ask, question, stored): n for n, question in enumerate(questions)}
            done: dict[int, Asked] = {}
            with _progress(label, len(questions)) as advance:
                for task in as_completed(tasks):
                    done[tasks[task]] = task.result()
                    advance(len(done))
            return [done[number] for number in sorted(done)]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self, question: AskedQuestion, stored: StoredFacts) -> Asked:
        reply = self._answered(question)
        if reply.status != 200:
            problem = reply.json()
            said = f"{problem.get('code', reply.status)}: {problem.get('detail') or problem.get('title') or ''}"
            return Asked(question, None, said, judge(question, None, (), self.names))
        try:
            result = AnswerResult.model_validate_json(reply.text)
        except ValueError:
            raise CliError(f"{self.gateway.url} is not a RAGSpine gateway", code=ExitCode.USAGE) from None
        facts = stored.of(figure.scope for figure in figures_of(result))
        return Asked(question, result, result.answer, judge(question, result, facts, self.names))

    def _answered(self, question: AskedQuestion) -> Reply:
        body = body_of(question, self.reference_date)
        for trial in range(1, TRIES):
            reply = self.gateway.send("POST", "/v1/ask", body=body, deadline_seconds=self.deadline_seconds)
            if reply.status not in BUSY:
                return reply
            time.sleep(WAIT_SECONDS * trial)
        return self.gateway.send("POST", "/v1/ask", body=body, deadline_seconds=self.deadline_seconds)


def body_of(question: AskedQuestion, reference_date: date) -> dict[str, object]:
    """The request for a question."""
    body: dict[str, object] = {
        "question": question.text,
        "reference_date": (question.reference_date or reference_date).isoformat(),
    }
    body |= {"default_entity": question.default_entity} if question.default_entity else {}
    body |= {"history": [turn.model_dump() for turn in question.history]} if question.history else {}
    return body


@contextmanager
def _progress(label: str, total: int) -> Generator[Callable[[int], None]]:
    """A bar on a terminal, else a line now and then; both on standard error."""
    if not err.is_terminal:
        yield lambda done: note(f"{label}: {done}/{total} asked") if done % NOTED_EVERY == 0 or done == total else None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task(label, total=total)
        yield lambda done: progress.update(task, completed=done)
