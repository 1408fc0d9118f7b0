"""Faults of shape do not hide faults of names and codes: a profile is mended in one round, not in several."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from domain.profile import CompanyProfile, ProfileError, load_profile
from domain.profile.loading import _all_problems

FAULTY = """
[company]
name = 3
default_entity = "NOBODY"

[entities.HQ]
label = {}
synonyms = ["hq", "", 7, "acme"]

[entities.CN]
synonyms = ["acme"]
fiscal_year_label = "middle"

[metrics.REVENUE]
synonyms = ["revenue", "profit"]

[metrics.PROFIT]
unit = 5
source_codes = ["REVENUE"]
percent_of = { HQ = "SALES" }

[channels]
TOTAL = {}
AGENCY = 3

[competitors]
"Rival" = ["cn"]
"""
JARGON = re.compile(
    r"input should|should (be|have|match)|field required|validation|instance of|dictionary|pydantic", re.I
)


def _message(path: Path, source: str) -> str:
    path.write_text(source, encoding="utf-8")
    with pytest.raises(ProfileError) as raised:
        load_profile(path)
    return str(raised.value)


def test_shape_names_and_codes_are_told_together_by_line(tmp_path: Path) -> None:
    message = _message(tmp_path / "p.toml", FAULTY)

    lines = [line.strip() for line in message.splitlines()[1:]]
    assert (
        "\n".join(lines)
        == """\
line 3, company.name: must be a text
line 4, company.default_entity: 'NOBODY' is not one of [entities]
line 7, entities.HQ.label: must be a text, or a table with one text for each of zh, en, it
line 8, entities.HQ.synonyms[1]: must not be empty
line 8, entities.HQ.synonyms[2]: must be a text
line 11, entities.CN.synonyms[0]: 'acme' names CN and HQ (line 8, entities.HQ.synonyms[3])
line 12, entities.CN.fiscal_year_label: must be 'end' or 'start'
line 14, metrics.REVENUE.unit: is missing
line 15, metrics.REVENUE.synonyms[1]: 'profit' names REVENUE and PROFIT (line 17, metrics.PROFIT)
line 18, metrics.PROFIT.unit: must be a text
line 19, metrics.PROFIT.source_codes: 'REVENUE' is a stored code of REVENUE already
line 20, metrics.PROFIT.percent_of.HQ: 'SALES' is not another one of [metrics]
line 23, channels.TOTAL: TOTAL is built in and cannot be declared
line 24, channels.AGENCY: must be a table
line 27, competitors.Rival[0]: 'cn' names competitor Rival and our CN (line 10, entities.CN)"""
    )


def test_a_profile_without_metrics_is_told_without_guesses(tmp_path: Path) -> None:
    message = _message(tmp_path / "p.toml", '[company]\nname = "A"\ndefault_entity = "X"\n[entities.A]\n')

    assert message.endswith("metrics: is missing")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=4,
)


@given(st.data())
def test_whatever_is_wrong_ends_in_own_words(data: st.DataObject) -> None:
    profile = tomllib.loads(FAULTY)
    for _ in range(data.draw(st.integers(0, 4))):
        _replace_somewhere(profile, data)

    with pytest.raises(ValidationError) as raised:
        CompanyProfile.model_validate(profile)
    problems = _all_problems(profile, raised.value)

    assert problems
    assert [problem.reason for problem in problems if JARGON.search(problem.reason)] == []
    assert not any("stand in" in problem.reason for problem in problems)


def _replace_somewhere(profile: dict[str, Any], data: st.DataObject) -> None:
    """Put anything in one place of a nested value."""
    holder: Any = profile
    while True:
        keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        inner = holder[key]
        if not isinstance(inner, dict | list) or data.draw(st.booleans()):
            holder[key] = data.draw(VALUES)
            return
        holder = inner
