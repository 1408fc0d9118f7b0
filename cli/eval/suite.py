"""Sets of questions ("packs") in a TOML file: which questions are asked on which facts, with which vocabulary.

```toml
reference_date = 2024-06-30          # what "last year" counts from

[packs.annual]
questions = ["questions.jsonl"]
only = [""]                          # only lines with this `pack`; left out: all
facts = ["facts.csv"]
profile = "profile.toml"             # or, as `ragspine profile from-csv` would make it:
[packs.annual.from_csv]
metrics = "metrics.csv"
```

Paths count from the file, or from the directory that is given.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cli.console import CliError, ExitCode
from cli.eval.questions import AskedQuestion, read_questions
from cli.profile.commands import from_csv
from domain.profile import CompanyProfile, ProfileError, load_profile


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Glossaries(_Strict):
    """The tables beside the facts from which a profile is built."""

    metrics: Path | None = None
    entities: Path | None = None
    aliases: Path | None = None


class _Pack(_Strict):
    questions: tuple[Path, ...] = Field(min_length=1)
    only: tuple[str, ...] | None = None
    facts: tuple[Path, ...] = ()
    profile: Path | None = None
    from_csv: Glossaries | None = None
    reference_date: date | None = None


class _Suite(_Strict):
    reference_date: date | None = None
    packs: Mapping[str, _Pack] = Field(min_length=1)


@dataclass(frozen=True)
class Pack:
    """Questions, and what the stack that they are put to is made of."""

    name: str
    questions: Sequence[AskedQuestion]
    reference_date: date
    facts: Sequence[Path] = ()
    profile: Path | None = None
    glossaries: Glossaries | None = None
    """Tables for a profile that is built from the facts; None when there is a profile."""

    def make_profile(self, folder: Path) -> tuple[Path, CompanyProfile]:
        """The profile, built in `folder` where there is none. Raises `CliError` when it cannot be used."""
        path = self.profile or folder / f"{self.name}.toml"
        if self.glossaries is not None:
            tables = self.glossaries
            from_csv(
                self.facts[0],
                metrics=tables.metrics,
                entities=tables.entities,
                aliases=tables.aliases,
                target=path,
                quiet=True,
            )
        try:
            return path, load_profile(path)
        except ProfileError as error:
            raise CliError(str(error), code=ExitCode.USAGE) from None


def read_suite(path: Path, data: Path | None, today: date) -> list[Pack]:
    """The packs of a TOML file. Raises `CliError` that names what is wrong and where."""
    suite = _read(path)
    home = data or path.parent
    return [
        _pack(path, home, name, pack, pack.reference_date or suite.reference_date or today)
        for name, pack in suite.packs.items()
    ]


def _read(path: Path) -> _Suite:
    try:
        return _Suite.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"{path}: cannot be read: {error}", code=ExitCode.USAGE) from None
    except tomllib.TOMLDecodeError as error:
        raise CliError(f"{path}: is no TOML: {error}", code=ExitCode.USAGE) from None
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise CliError(
            f"{path}: {place}: {problem['msg']}", hint="see docs/evaluation.md", code=ExitCode.USAGE
        ) from None


def _pack(path: Path, home: Path, name: str, pack: _Pack, reference_date: date) -> Pack:
    if (pack.profile is None) == (pack.from_csv is None):
        raise CliError(f"{path}: packs.{name}: give either profile or from_csv", code=ExitCode.USAGE)
    if pack.from_csv is not None and len(pack.facts) != 1:
        raise CliError(f"{path}: packs.{name}: from_csv needs one file of facts", code=ExitCode.USAGE)
    asked = [question for file in pack.questions for question in read_questions(home / file)]
    chosen = [question for question in asked if pack.only is None or question.pack in pack.only]
    if not chosen:
        raise CliError(f"{path}: packs.{name}: no question has such a pack", code=ExitCode.USAGE)
    return Pack(
        name=name,
        questions=chosen,
        reference_date=reference_date,
        facts=[home / file for file in pack.facts],
        profile=home / pack.profile if pack.profile else None,
        glossaries=_placed(home, pack.from_csv),
    )


def _placed(home: Path, tables: Glossaries | None) -> Glossaries | None:
    if tables is None:
        return None
    named = tables.model_dump(exclude_none=True)
    return Glossaries.model_validate({table: home / file for table, file in named.items()})
