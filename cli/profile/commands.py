"""`ragspine profile`: make, check and show the vocabulary from which questions are answered."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import ValidationError

from cli.console import CliError, ExitCode, note, out, speaks_to_people
from cli.finding import find_bus
from cli.profile.build import Built, Tables, build_profile, calendar_keys
from cli.profile.tables import read_concepts, read_entities, read_facts, read_metrics
from cli.profile.toml import write_toml
from cli.settings import DataDirOption
from contracts.codes import Locale
from domain.profile import CompanyProfile, FiscalCalendar, FiscalYearLabel, ProfileError, load_profile

HELP: Final = "Make, check and show a company profile: the metrics, entities and channels that can be asked for."

app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode=None)


FROM_CSV_HELP: Final = """Build a profile from a facts file and glossaries; what could mean two things is left out.

What was left out is listed on standard error.

\b
Examples:
  ragspine profile from-csv facts.csv --out profile.toml
  ragspine profile from-csv facts.csv --metrics metrics.csv --entities entities.csv --out profile.toml
"""


@app.command("from-csv", help=FROM_CSV_HELP)
def from_csv(
    facts: Annotated[Path, typer.Argument(help="Facts in CSV, with label columns.")],
    *,
    metrics: Annotated[Path | None, typer.Option(help="Metric glossary: code, label, unit, aliases.")] = None,
    entities: Annotated[Path | None, typer.Option(help="Entity glossary: code, label, full name.")] = None,
    aliases: Annotated[
        Path | None, typer.Option(help="Concepts: the stored codes and names that mean one metric.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Company name. Default: that of the default entity.")] = None,
    default_entity: Annotated[str | None, typer.Option(help="Meant when none is named. Default: most facts.")] = None,
    time_zone: Annotated[str, typer.Option(help="Decides what today is.")] = "UTC",
    fiscal_year_start_month: Annotated[int, typer.Option(min=1, max=12)] = 1,
    fiscal_year_label: Annotated[
        FiscalYearLabel, typer.Option(help="Which calendar year names it.")
    ] = FiscalYearLabel.END,
    target: Annotated[Path | None, typer.Option("--out", help="Where to write. Default: standard output.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that exists.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say how much was left out.")] = False,
) -> None:
    """Build a profile and write it."""
    if target is not None and target.exists() and not force:
        raise CliError(
            f"{target} exists already, and may have been edited by hand",
            hint="write to another file, or over this one with --force",
            code=ExitCode.USAGE,
        )
    tables = Tables(
        facts=read_facts(facts),
        metrics=read_metrics(metrics) if metrics else (),
        entities=read_entities(entities) if entities else (),
        concepts=read_concepts(aliases) if aliases else (),
    )
    if not tables.facts:
        raise CliError(f"{facts}: holds no facts", code=ExitCode.USAGE)
    calendar = FiscalCalendar(start_month=fiscal_year_start_month, label=fiscal_year_label)
    company: dict[str, object] = {"name": name or "", "default_entity": "", "time_zone": time_zone}
    built = build_profile(tables, company | calendar_keys(calendar), calendar, default_entity)
    profile = _validated(built, name)
    heading = [
        "Company profile built by `ragspine profile from-csv`.",
        "",
        *_sources(facts, metrics, entities, aliases),
    ]
    _write(write_toml(heading, built.profile), target)
    _report(built, profile, quiet=quiet)


def _validated(built: Built, name: str | None) -> CompanyProfile:
    """The finished profile, by the rules that every stack starts with."""
    company = built.profile["company"]
    default = str(company["default_entity"])
    if default not in built.profile["entities"]:
        known = ", ".join(list(built.profile["entities"])[:8])
        raise CliError(f"--default-entity {default}: no such entity", hint=f"one of {known} …", code=ExitCode.USAGE)
    company["name"] = name or default
    try:
        profile = CompanyProfile.model_validate(built.profile)
        company["name"] = name or profile.entity_label(default, Locale.EN)
        return CompanyProfile.model_validate(built.profile)
    except ValidationError as error:
        raise CliError(f"the tables give no valid profile: {error}", code=ExitCode.USAGE) from error


def _sources(*paths: Path | None) -> list[str]:
    return [f"From {', '.join(path.name for path in paths if path)}."]


def _write(text: str, target: Path | None) -> None:
    if target is None:
        out.print(text, end="", markup=False)
        return
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CliError(f"{target}: cannot be written: {error.strerror}") from error


def _report(built: Built, profile: CompanyProfile, *, quiet: bool) -> None:
    note(f"{len(profile.metrics)} metrics, {len(profile.entities)} entities, {len(profile.channels)} channels")
    if not quiet:
        for line in built.merged:
            note(f"one metric: {line}")
        for line in built.left_out:
            note(f"left out: {line}")
    note(f"{len(built.merged)} metrics gather several stored codes; {len(built.left_out)} names were left out")


CHECK_HELP: Final = """Check a profile, or ask a running stack which words of questions it does not understand.

Every fault of a profile is told with line and key, as every worker tells it at its start. Questions are JSON lines
with a "question" each (where needed "reference_date" and "default_entity"), or plain lines.

\b
Examples:
  ragspine profile check profile.toml
  ragspine profile check questions.jsonl
  ragspine profile check questions.txt --nats-url nats://127.0.0.1:4222 --json
"""


@app.command("check", help=CHECK_HELP)
def check(
    file: Annotated[Path, typer.Argument(help="A profile (.toml), or questions (.jsonl, or one a line).")],
    *,
    nats_url: Annotated[
        str | None,
        typer.Option("--nats-url", "--url", help="Bus to ask. Default: RAGSPINE_NATS_URL, else the running stack."),
    ] = None,
    data_dir: Annotated[Path | None, DataDirOption] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The whole report as one JSON object.")] = False,
) -> None:
    """Check a profile, or questions against a running stack."""
    if file.suffix.lower() != ".toml":
        # Half a second that no other command of this group needs.
        from cli.profile.questions import check_questions  # noqa: PLC0415

        bus = find_bus(nats_url, data_dir, may_be_demo=speaks_to_people() and not as_json)
        check_questions(file, bus, as_json=as_json)
        return
    digest = _load(file).digest()
    if as_json:
        out.print(json.dumps({"file": str(file), "valid": True, "digest": digest}, ensure_ascii=False), markup=False)
    else:
        out.print(f"{file}: valid, digest {digest}", markup=False)


@app.command()
def show(
    profile: Annotated[Path, typer.Argument(help="The profile to show.")],
    *,
    locale: Annotated[Locale, typer.Option(help="Language of the labels.")] = Locale.EN,
) -> None:
    """List what can be asked, with the names that questions may use."""
    loaded = _load(profile)
    company = loaded.company
    out.print(f"{company.name}: default entity {company.default_entity}, {company.time_zone}", markup=False)
    for code, entity in loaded.entities.items():
        _line("entity", code, loaded.entity_label(code, locale), entity.synonyms)
    for code, metric in loaded.metrics.items():
        _line("metric", code, f"{loaded.metric_label(code, locale)} [{metric.unit}]", metric.synonyms)
    for code, ratio in loaded.derived.items():
        label = ratio.label.in_locale(locale) if ratio.label else code
        _line("derived", code, f"{label} [{ratio.unit}] = {ratio.numerator} / {ratio.denominator}", ratio.synonyms)
    for code, channel in loaded.channels.items():
        _line("channel", code, loaded.channel_label(code, locale), channel.synonyms)
    for name, codes in loaded.ambiguous.items():
        _line("ambiguous", name, "asked back", codes)
    for name, synonyms in loaded.competitors.items():
        _line("competitor", name, name, synonyms)


def _line(kind: str, code: str, label: str, synonyms: tuple[str, ...]) -> None:
    out.print(f"{kind:<10} {code}  {label}  {' | '.join(synonyms)}", markup=False)


def _load(path: Path) -> CompanyProfile:
    try:
        return load_profile(path)
    except ProfileError as error:
        raise CliError(str(error), code=ExitCode.USAGE) from error
