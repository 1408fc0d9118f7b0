"""`ragspine eval`: questions to a stack, judgements to the terminal, and an exit code for scripts."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from cli.ask import UrlOption
from cli.client import Gateway
from cli.console import CliError, ExitCode, note, out
from cli.eval.asking import Asker
from cli.eval.baseline import Baseline, Change, better, read_baseline, worse, write_baseline
from cli.eval.naming import Names
from cli.eval.private import PrivateStack, ended_by_signals
from cli.eval.questions import read_questions
from cli.eval.report import PackReport, as_json, baseline_of, show, show_changed_questions, show_changes
from cli.eval.suite import Pack, read_suite
from cli.eval.tallies import has_faults
from cli.finding import find_stack
from cli.settings import DataDirOption, environment_text
from domain.profile import CompanyProfile, ProfileError, load_profile

HELP: Final = """Ask questions whose right answers are known, judge every answer, and compare with a baseline.

QUESTIONS is a JSONL file for a running stack (or for a private one: --start), or a TOML file of several sets, each of
which gets a private stack that is started, loaded, asked and stopped. docs/evaluation.md explains both and every gate.

\b
A line of questions:
  {"question": "香港2024营收", "kind": "structured", "expect": {"facts": [{"metric": "REVENUE",
   "entity": "ACME_HK", "period": "2024", "value": "428", "unit": "USD_M"}]}}
kind: structured, compare (with expect.derived, the computed figure), composite, narrative, unanswerable, conflict,
ambiguous. An expect of "asked", "refused" or "answered:METRIC/ENTITY/PERIOD, …" makes it a trap. Where needed: id,
lang, context.default_entity, reference_date, history.

\b
Exit codes: 0 as good as the baseline (without one: no wrong number, no wrong source, no part away), 1 worse,
            2 wrong use, 7 the stack is away.

\b
Examples:
  ragspine eval questions.jsonl --baseline baseline.json
  ragspine eval questions.jsonl --baseline baseline.json --write-baseline
  ragspine eval questions.jsonl --start --facts facts.csv --profile acme.toml
  ragspine eval evaluation/real.toml --baseline evaluation/real.baseline.json --json report.json
"""


AT_ONCE: Final = 2
"""Private stacks that run at the same time: more would only take the processors from each other."""


def evaluate(
    questions: Annotated[Path, typer.Argument(help="Questions (.jsonl), or sets of them (.toml).")],
    baseline: Annotated[Path | None, typer.Option(metavar="FILE", help="Compare with this earlier run.")] = None,
    write: Annotated[
        bool, typer.Option("--write-baseline", help="Write this run into --baseline instead of comparing.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help='Write the whole report; "-": standard output.')
    ] = None,
    start: Annotated[bool, typer.Option("--start", help="Start a private stack with --facts and --profile.")] = False,
    facts: Annotated[list[Path] | None, typer.Option(metavar="FILE", help="Facts for --start; repeatable.")] = None,
    profile: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Profile for --start, or that of the stack behind --url (for names)."),
    ] = None,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the files of a .toml are.")] = None,
    pack: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this set of a .toml; repeatable.")
    ] = None,
    reference_date: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="Default: today.")
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, max=32, help="Questions asked at the same time.")] = 4,
    deadline: Annotated[float, typer.Option(min=0.1, max=300, metavar="SECONDS", help="For each answer.")] = 30.0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the tables, no misses.")] = False,
    url: Annotated[str | None, UrlOption] = None,
    data_dir: Annotated[Path | None, DataDirOption] = None,
) -> None:
    """Run, report, and end with the fitting exit code."""
    if write and baseline is None:
        raise CliError("--write-baseline needs --baseline FILE", code=ExitCode.USAGE)
    before = read_baseline(baseline) if baseline and not write else None
    today = reference_date.date() if reference_date else datetime.now(UTC).date()
    is_suite = questions.suffix.lower() == ".toml"
    _check_use(is_suite=is_suite, start=start, facts=facts or [], profile=profile, url=url, pack=pack or [])
    how = _How(at_once, deadline)
    try:
        if is_suite:
            reports = _on_private_stacks(_chosen(read_suite(questions, data, today), pack or []), how)
        elif start:
            one = Pack(questions.stem, read_questions(questions), today, facts or [], profile)
            reports = _on_private_stacks([one], how)
        else:
            reports = [_on_running_stack(questions, today, how, profile, url, data_dir)]
    except KeyboardInterrupt:
        raise CliError("interrupted; nothing was compared or written", code=ExitCode.INTERRUPTED) from None
    changes = _report(reports, before, quiet=quiet, json_file=json_file)
    if write and baseline:
        kept = dict(read_baseline(baseline).packs) if pack and baseline.exists() else {}
        write_baseline(baseline, Baseline(packs=kept | dict(baseline_of(reports).packs)))
        note(f"written: {baseline}")
    elif changes or (before is None and any(has_faults(report.rows) for report in reports)):
        raise typer.Exit(ExitCode.FAILED)


@dataclass(frozen=True)
class _How:
    at_once: int
    deadline_seconds: float

    def ask(self, pack: Pack, url: str, company: CompanyProfile | None) -> PackReport:
        asker = Asker(Gateway(url), Names(company), pack.reference_date, self.deadline_seconds, self.at_once)
        return PackReport.of(pack.name, pack.reference_date, asker.ask_all(pack.questions, pack.name))


def _check_use(
    *, is_suite: bool, start: bool, facts: Sequence[Path], profile: Path | None, url: str | None, pack: Sequence[str]
) -> None:
    if is_suite and (start or facts or profile or url):
        raise CliError(
            "a .toml says itself what is started",
            hint="leave --start, --facts, --profile and --url",
            code=ExitCode.USAGE,
        )
    if pack and not is_suite:
        raise CliError("--pack chooses a set of a .toml", code=ExitCode.USAGE)
    if start and (url or profile is None):
        raise CliError("--start needs --profile (and --facts), and no --url", code=ExitCode.USAGE)
    if facts and not start:
        raise CliError("--facts are loaded into a private stack only", hint="add --start", code=ExitCode.USAGE)


def _chosen(packs: Sequence[Pack], names: Sequence[str]) -> list[Pack]:
    known = {pack.name for pack in packs}
    if unknown := sorted(set(names) - known):
        raise CliError(f"--pack {unknown[0]}: no such set", hint=f"one of {', '.join(known)}", code=ExitCode.USAGE)
    return [pack for pack in packs if not names or pack.name in names]


def _on_private_stacks(packs: Sequence[Pack], how: _How) -> list[PackReport]:
    """Each pack on a stack of its own; the next one starts, and the last one stops, while questions are asked."""
    reports: list[PackReport] = []
    with tempfile.TemporaryDirectory() as folder, ended_by_signals(), ExitStack() as running:
        made = [pack.make_profile(Path(folder)) for pack in packs]
        stacks = [
            running.enter_context(PrivateStack(*profile, pack.facts)) for profile, pack in zip(made, packs, strict=True)
        ]
        for number, (pack, stack) in enumerate(zip(packs, stacks, strict=True)):
            for coming in stacks[number : number + AT_ONCE]:
                coming.launch()
            note(f"{pack.name}: starting a private stack", style="dim")
            reports.append(how.ask(pack, stack.ready(), made[number][1]))
            stack.end()
    return reports


def _on_running_stack(
    questions: Path, today: date, how: _How, profile: Path | None, url: str | None, data_dir: Path | None
) -> PackReport:
    pack = Pack(questions.stem, read_questions(questions), today)
    given = url or environment_text("RAGSPINE_URL")
    if given:
        return how.ask(pack, given, _profile_at(profile))
    state = find_stack(data_dir, "--url or RAGSPINE_URL", may_be_demo=False)
    return how.ask(pack, state.http_url, _profile_at(profile or Path(state.profile)))


def _profile_at(path: Path | None) -> CompanyProfile | None:
    """The profile of the stack that is asked, for the names of metrics and entities; None when it is not at hand."""
    if path is None:
        note("without --profile, needless asks are not counted, and a cited place may hold any metric", style="dim")
        return None
    try:
        return load_profile(path)
    except ProfileError as error:
        raise CliError(str(error), code=ExitCode.USAGE) from None


def _report(
    reports: Sequence[PackReport], before: Baseline | None, *, json_file: Path | None, quiet: bool
) -> list[Change]:
    """Print and write everything; returns what is worse than the baseline."""
    changes: list[Change] = []
    is_json_only = json_file == Path("-")
    if before is not None:
        rows, names = {report.name: report.rows for report in reports}, [report.name for report in reports]
        changes = worse(before, rows, names)
    if not is_json_only:
        for report in reports:
            show(report, with_misses=not quiet)
        if before is not None:
            _compare(reports, before, changes)
    if json_file is not None:
        _write(json_file, as_json(reports, changes))
    return changes


def _compare(reports: Sequence[PackReport], before: Baseline, changes: Sequence[Change]) -> None:
    for report in reports:
        if report.name in before.packs:
            show_changed_questions(report, before.packs[report.name])
        else:
            note(f"{report.name}: not in the baseline")
    gained = better(before, {report.name: report.rows for report in reports}, [report.name for report in reports])
    show_changes("BETTER than the baseline (keep it with --write-baseline):", gained)
    show_changes("WORSE than the baseline:", changes)
    if not changes:
        out.print("as good as the baseline")


def _write(target: Path, text: str) -> None:
    if target == Path("-"):
        out.print(text, markup=False)
        return
    try:
        target.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise CliError(f"{target}: cannot be written: {error.strerror}", code=ExitCode.USAGE) from None
