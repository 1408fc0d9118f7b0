"""The runner itself: what it skips, what it turns into profiles, and that it cleans up after a case."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from domain.profile import load_profile
from tests.cases.observing import CaseError, Door
from tests.cases.profiles import DEFAULT, profile_key, write_profile
from tests.cases.run import main
from tests.cases.running import Able, judge, read_cases


class _Door(Door):
    """A stack that answers from memory."""

    def __init__(self, observation: dict[str, Any] | None) -> None:
        self._observation = observation
        self.loaded: list[str] = []

    async def load(self, case: dict[str, Any]) -> None:
        self.loaded += _documents(case)

    async def withdraw(self, case: dict[str, Any]) -> None:
        for document in _documents(case):
            self.loaded.remove(document)

    async def ask(self, case: dict[str, Any]) -> dict[str, Any]:
        if self._observation is None:
            raise CaseError("no answer")
        return self._observation


def _documents(case: dict[str, Any]) -> list[str]:
    return [fact["source_doc_id"] for fact in case["facts"]]


def _case(**more: Any) -> dict[str, Any]:
    facts = [{"source_doc_id": "pack.xlsx"}]
    return {"id": "c-1", "file": "f", "question": "q", "facts": facts, "expect": {"route": "structured"}, **more}


def test_every_case_has_an_id_of_its_own() -> None:
    ids = Counter(case["id"] for case in read_cases())

    assert [name for name, count in ids.items() if count > 1] == []


@pytest.mark.parametrize("more", [{}, {"passages": [{}]}, {"kind": "faq", "faq": [{}]}, {"model_script": []}])
def test_every_kind_of_case_is_asked(more: dict[str, Any]) -> None:
    assert Able().reason_to_skip(_case(**more)) is None


def test_scripted_case_is_skipped_where_the_model_cannot_be_scripted() -> None:
    assert Able(model=False).reason_to_skip(_case(model_script=[])) == "needs a scripted model"


def test_every_profile_of_the_cases_becomes_a_valid_profile_file(tmp_path: Path) -> None:
    by_key = {profile_key(case): case for case in read_cases()}

    assert DEFAULT in by_key
    assert len(by_key) > 1
    for case in by_key.values():
        assert load_profile(write_profile(case, tmp_path)).competitors


@pytest.mark.parametrize(
    ("observation", "outcome"),
    [
        ({"route": "structured", "answer": "text"}, "passed"),
        ({"route": "narrative", "answer": "text"}, "failed"),
        ({"route": "structured", "answer": " "}, "failed"),
        (None, "failed"),
    ],
)
async def test_facts_of_a_case_are_withdrawn_however_it_ends(observation: dict[str, Any] | None, outcome: str) -> None:
    door = _Door(observation)

    verdict = await judge(door, _case())

    assert verdict.outcome == outcome
    assert bool(verdict.reasons) == (outcome == "failed")
    assert door.loaded == []


def test_run_reports_what_it_skipped(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    report = tmp_path / "out.jsonl"
    scripted = [case["id"] for case in read_cases() if "model_script" in case and case["profile"] == "default"]
    nowhere = ["--url", "http://127.0.0.1:9", "--nats-url", "nats://127.0.0.1:9"]

    code = main(["--only", ",".join(scripted), "--json", str(report), *nowhere])

    assert code == 0
    assert "skipped" in capsys.readouterr().out
    assert len(report.read_text().splitlines()) == len(scripted) > 0


def test_url_without_bus_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--url", "http://127.0.0.1:1"])

    assert "--nats-url" in capsys.readouterr().err
