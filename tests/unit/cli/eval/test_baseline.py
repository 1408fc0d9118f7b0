"""Gates and their baseline: what counts where, and that a worse figure is never taken for a good one."""

from pathlib import Path

import pytest

from cli.console import CliError
from cli.eval.baseline import Baseline, PackBaseline, better, read_baseline, worse, write_baseline
from cli.eval.judging import Judgement, Miss, Outcome, Reason
from cli.eval.questions import AskedQuestion, Kind, Trap
from cli.eval.report import written
from cli.eval.tallies import FAULTS, Gate, Rate, Row, gate_of, tally
from tests.support.judged import expected, question

FACT = expected("2024", "731.25")


def judgement(*reasons: Reason, outcome: Outcome = Outcome.ANSWERED, specified: bool = True) -> Judgement:
    misses = tuple(Miss(reason, "") for reason in reasons)
    return Judgement(outcome, not reasons, misses, values=2, cited=1, is_specified=specified)


@pytest.mark.parametrize(
    ("asked", "gate"),
    [
        (question("a", FACT), Gate.NUMERIC),
        (question("a", FACT, kind=Kind.COMPARE), Gate.NUMERIC),
        (question("a", FACT, kind=Kind.COMPOSITE), Gate.NUMERIC),
        (question("a", kind=Kind.COMPOSITE), None),
        (question("a", kind=Kind.NARRATIVE), None),
        (question("a", kind=Kind.UNANSWERABLE), Gate.REFUSAL),
        (question("a", kind=Kind.CONFLICT), Gate.REFUSAL),
        (question("a", kind=Kind.AMBIGUOUS), Gate.CLARIFICATION),
        (question("a", kind=Kind.TRAP, trap=Trap("asked")), Gate.CLARIFICATION),
        (question("a", kind=Kind.TRAP, trap=Trap("refused")), Gate.REFUSAL),
        (question("a", kind=Kind.TRAP, trap=Trap("answered")), Gate.NUMERIC),
    ],
)
def test_a_question_counts_at_the_gate_of_its_kind(asked: AskedQuestion, gate: Gate | None) -> None:
    assert gate_of(asked) is gate


def test_rows_are_per_kind_and_language_and_one_over_all() -> None:
    rows = tally(
        [
            (question("a", kind=Kind.AMBIGUOUS), judgement(Reason.WRONG_SCOPE)),
            (question("b", FACT), judgement()),
            (question("c", FACT), judgement(Reason.NEEDLESS_ASK, outcome=Outcome.ASKED)),
        ]
    )

    assert list(rows) == ["structured/en", "ambiguous/en", "all"]
    assert rows["structured/en"].gates == {
        Gate.NUMERIC: Rate(1, 2),
        Gate.CITATION: Rate(2, 4),
        Gate.WRONG_NUMBER: Rate(0, 2),
        Gate.WRONG_SCOPE: Rate(0, 2),
        Gate.NEEDLESS_ASK: Rate(1, 2),
    }
    assert rows["ambiguous/en"].gates[Gate.WRONG_NUMBER] == Rate(1, 1)
    assert rows["all"].questions == 3
    assert rows["all"].outcomes == {Outcome.ANSWERED: 2, Outcome.ASKED: 1}


@pytest.mark.parametrize(
    ("reason", "gates"),
    [
        (Reason.WRONG_NUMBER, {Gate.WRONG_NUMBER}),
        (Reason.WRONG_VALUE, {Gate.WRONG_NUMBER}),
        (Reason.WRONG_SCOPE, {Gate.WRONG_NUMBER, Gate.WRONG_SCOPE}),
        (Reason.NOT_CALCULATED, {Gate.WRONG_NUMBER, Gate.WRONG_SCOPE}),
        (Reason.WRONG_CALCULATION, {Gate.WRONG_NUMBER}),
        (Reason.NEEDLESS_ASK, {Gate.NEEDLESS_ASK}),
        (Reason.MISSING_FACT, set()),
    ],
)
def test_a_fault_shows_in_its_gates(reason: Reason, gates: set[Gate]) -> None:
    row = tally([(question("a", FACT), judgement(reason))])["all"]

    assert {gate for gate in FAULTS if row.gates[gate].part} == gates


def baseline(**rates: tuple[int, int]) -> Baseline:
    gates = {Gate[name]: Rate(*rate) for name, rate in rates.items()}
    pack = PackBaseline(
        reference_date="2024-06-30", questions=9, questions_digest="d", rows={"all": gates}, misses={"a": ("asked",)}
    )
    return Baseline(packs={"one": pack})


def run(**rates: tuple[int, int]) -> dict[str, dict[str, Row]]:
    return {"one": {"all": Row(gates={Gate[name]: Rate(*rate) for name, rate in rates.items()})}}


@pytest.mark.parametrize("gate", Gate)
def test_a_worse_figure_is_worse_and_the_same_one_is_not(gate: Gate) -> None:
    lower, higher = (49, 100), (50, 100)
    good, bad = (lower, higher) if gate in FAULTS else (higher, lower)

    assert [change.gate for change in worse(baseline(**{gate.name: good}), run(**{gate.name: bad}), ["one"])] == [gate]
    assert worse(baseline(**{gate.name: good}), run(**{gate.name: good}), ["one"]) == []
    assert worse(baseline(**{gate.name: bad}), run(**{gate.name: good}), ["one"]) == []
    assert [change.gate for change in better(baseline(**{gate.name: bad}), run(**{gate.name: good}), ["one"])] == [gate]


def test_rates_are_compared_as_fractions() -> None:
    assert worse(baseline(NUMERIC=(1, 3)), run(NUMERIC=(333_333, 1_000_000)), ["one"])
    assert not worse(baseline(NUMERIC=(1, 3)), run(NUMERIC=(2, 6)), ["one"])


@pytest.mark.parametrize("now", [{}, {"one": {}}, run(CITATION=(1, 1)), run(NUMERIC=(0, 0))])
def test_what_is_not_measured_any_more_is_worse(now: dict[str, dict[str, Row]]) -> None:
    assert [change.now for change in worse(baseline(NUMERIC=(9, 9)), now, ["one"])] == [None]


def test_packs_that_were_not_run_are_not_compared() -> None:
    assert worse(baseline(NUMERIC=(9, 9)), {}, []) == []


def test_a_baseline_is_read_as_it_was_written_with_a_line_per_row_and_question(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    kept = baseline(NUMERIC=(9, 10), NEEDLESS_ASK=(0, 4))

    write_baseline(path, kept)

    assert read_baseline(path) == kept
    assert '  "a": ["asked"]' in path.read_text().splitlines()


@pytest.mark.parametrize("text", ["nonsense", "{}", '{"format": 2, "packs": {}}', '{"format": 1, "packs": {"a": 1}}'])
def test_what_is_no_baseline_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "b.json"
    path.write_text(text)

    with pytest.raises(CliError, match="is no baseline"):
        read_baseline(path)


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (Rate(0, 0), ""),
        (Rate(0, 9), "0/9 0.0%"),
        (Rate(9, 9), "9/9 100.0%"),
        (Rate(9_999, 10_000), "9999/10000 99.9%"),
        (Rate(1, 10_000), "1/10000 0.1%"),
    ],
)
def test_a_rate_is_never_rounded_to_all_or_none(rate: Rate, text: str) -> None:
    assert written(rate) == text
