"""`python -m tests.real SET.toml`: the sets of `ragspine eval`, asked in process and judged by the same judge.

The real parser, clarification, guard and rendering run over facts in memory; no bus, no database. What it prints is
what `ragspine eval` prints; use that one for a baseline.
"""

import argparse
import asyncio
import sys
import tempfile
from datetime import date
from pathlib import Path

from cli.eval.asking import Asked
from cli.eval.figures import figures_of
from cli.eval.judging import judge
from cli.eval.naming import Names
from cli.eval.questions import AskedQuestion
from cli.eval.report import PackReport, as_json, show
from cli.eval.suite import Pack, read_suite
from cli.eval.tallies import has_faults
from contracts.v1.ask import AnswerQuestion, AnswerResult
from domain.profile import CompanyProfile
from runtime.errors import AskError
from services.orchestrator.flow import answer
from services.orchestrator.ports import Ports
from tests.real.facts import FileFacts
from tests.support.inprocess import ParsedInProcess, ports


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--data", type=Path, help="where the files of the set are")
    parser.add_argument("--pack", action="append", help="only this one; repeatable")
    parser.add_argument("--quiet", action="store_true", help="only the tables")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    packs = read_suite(options.suite, options.data, date.today())
    reports = [asked_in_process(pack) for pack in packs if not options.pack or pack.name in options.pack]
    for report in reports:
        show(report, with_misses=not options.quiet)
    if options.json:
        options.json.write_text(as_json(reports, []), encoding="utf-8")
    return 1 if any(has_faults(report.rows) for report in reports) else 0


def asked_in_process(pack: Pack) -> PackReport:
    """Ask and judge a pack without a stack."""
    with tempfile.TemporaryDirectory() as folder:
        _, profile = pack.make_profile(Path(folder))
    facts = FileFacts.read(pack.facts, profile)
    reached, names = ports(ParsedInProcess(profile), facts), Names(profile)

    def one(question: AskedQuestion) -> Asked:
        result, said = asyncio.run(_answer(question, pack.reference_date, reached, profile))
        stored = facts.of(figure.scope for figure in figures_of(result)) if result else ()
        return Asked(question, result, said, judge(question, result, stored, names))

    return PackReport.of(pack.name, pack.reference_date, [one(question) for question in pack.questions])


async def _answer(
    question: AskedQuestion, reference_date: date, reached: Ports, profile: CompanyProfile
) -> tuple[AnswerResult | None, str]:
    request = AnswerQuestion(
        question=question.text,
        reference_date=question.reference_date or reference_date,
        default_entity=question.default_entity,
        history=question.history,
        request_id="real",
        profile_digest=profile.digest(),
    )
    try:
        result = await answer(request, reached, profile)
    except AskError as error:
        return None, f"{error.code}: {error.message}"
    return result, result.answer


if __name__ == "__main__":
    sys.exit(main())
