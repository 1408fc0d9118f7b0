"""`ragspine eval` against a gateway that answers from the sample: exit codes, table, JSON, baseline, planted faults."""

import json
import threading
from collections.abc import Generator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest

from cli.console import ExitCode
from cli.main import main
from contracts.v1.facts import FactList, FactRow, StoredFact
from tests.support.judged import said, sample_rows
from tests.support.profiles import SAMPLE_PATH

FACT = {"metric": "REVENUE", "entity": "ACME_HK", "period": "2024", "value": "731.25", "unit": "USD_M"}
ROWS: list[dict[str, Any]] = [
    {"id": "right", "question": "What was the REVENUE of Hong Kong in 2024?", "expect": {"facts": [FACT]}},
    {"id": "unknown", "question": "hk revenue 2031", "kind": "unanswerable"},
    {"id": "trap", "question": "hk adjusted revenue 2024", "expect": "asked"},
]


class Answering(BaseHTTPRequestHandler):
    """A gateway over the real flow; `plant` changes what it says."""

    plant: ClassVar[Mapping[str, str]] = {}
    busy: ClassVar[int] = 0
    asked: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        if Answering.busy:
            Answering.busy -= 1
            self._reply(503, json.dumps({"code": "unavailable", "detail": "away"}))
            return
        text = said(body["question"]).model_dump_json()
        for old, new in self.plant.items():
            text = text.replace(old, new)
        self._reply(200, text)

    def do_GET(self) -> None:
        wanted = {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()}
        rows = [row for row in sample_rows() if (row.entity, row.period) == (wanted["entity"], wanted["period"])]
        after = int(wanted.get("after", "0"))
        facts = tuple(stored(number, row) for number, row in enumerate(rows, start=1) if number > after)[:1]
        page = FactList(facts=facts, next_after=facts[0].id if facts and facts[0].id < len(rows) else None)
        self._reply(200, page.model_dump_json())

    def _reply(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output quiet."""


def stored(number: int, row: FactRow) -> StoredFact:
    listed = row.model_dump(mode="json") | {"id": number, "withdrawn": False, "ingested_at": "2024-01-01T00:00:00Z"}
    return StoredFact.model_validate(listed)


@pytest.fixture
def url() -> Generator[str]:
    Answering.plant, Answering.busy, Answering.asked = {}, 0, []
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "q.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return path


def evaluate(questions: Path, url: str, *more: str) -> int:
    options = ("--profile", str(SAMPLE_PATH), "--reference-date", "2025-05-20", "--url", url)
    return main(["eval", str(questions), *options, *more])


def test_a_right_run_ends_with_zero_and_prints_a_plain_table(
    url: str, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(questions, url) == ExitCode.OK

    shown = capsys.readouterr()
    assert "q: 3 questions, reference date 2025-05-20" in shown.out
    assert "1/1 100.0%" in shown.out
    assert "\x1b" not in shown.out
    assert "q: 3/3 asked" in shown.err


def test_the_request_says_day_and_entity(url: str, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    row = {"question": "hk revenue 2024", "kind": "narrative", "default_entity": "ACME_CN", "history": ["before"]}
    path.write_text(json.dumps(row))

    evaluate(path, url)

    (body,) = Answering.asked
    assert body["reference_date"] == "2025-05-20"
    assert body["default_entity"] == "ACME_CN"
    assert body["history"] == [{"role": "user", "text": "before"}]


def test_a_stack_that_is_busy_is_asked_again(url: str, questions: Path) -> None:
    Answering.busy = 1

    assert evaluate(questions, url, "--at-once", "1") == ExitCode.OK

    assert len(Answering.asked) == 4


def baseline_of(questions: Path, url: str) -> Path:
    path = questions.with_name("baseline.json")
    assert evaluate(questions, url, "--baseline", str(path), "--write-baseline") == ExitCode.OK
    return path


def test_the_same_run_is_as_good_as_its_baseline(url: str, questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(questions, url, "--baseline", str(baseline_of(questions, url))) == ExitCode.OK

    assert "as good as the baseline" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("plant", "gate", "reason"),
    [
        ({"731.25": "731.26"}, "wrong number", "wrong_value"),
        ({"FY2024 REVENUE: 731.25": "FY2024 REVENUE: 1731.25"}, "wrong number", "wrong_number"),
        ({"slide=3": "slide=4"}, "citation", "wrong_citation"),
        ({'"value":"2024"': '"value":"2023"'}, "wrong scope", "wrong_scope"),
    ],
)
def test_a_planted_fault_is_worse_than_the_baseline(
    url: str, questions: Path, plant: dict[str, str], gate: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = baseline_of(questions, url)
    Answering.plant = plant
    capsys.readouterr()

    assert evaluate(questions, url, "--baseline", str(path)) == ExitCode.FAILED

    worse = capsys.readouterr().out.partition("WORSE than the baseline")[2]
    assert gate in worse
    assert evaluate(questions, url) == ExitCode.FAILED
    assert f"{reason}:" in capsys.readouterr().out


def test_a_needless_ask_and_a_dropped_word_are_worse_than_the_baseline(url: str, questions: Path) -> None:
    path = baseline_of(questions, url)
    asked = said("hk adjusted revenue 2024").model_dump_json()

    for number, given in ((0, asked), (2, said(ROWS[0]["question"]).model_dump_json())):
        Answering.plant = {said(ROWS[number]["question"]).model_dump_json(): given}
        assert evaluate(questions, url, "--baseline", str(path)) == ExitCode.FAILED


def test_a_question_that_is_left_out_is_worse_than_the_baseline(url: str, questions: Path) -> None:
    path = baseline_of(questions, url)
    questions.write_text(json.dumps(ROWS[0]))

    assert evaluate(questions, url, "--baseline", str(path)) == ExitCode.FAILED


def test_a_better_run_says_what_is_better(url: str, questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Answering.plant = {"slide=3": "slide=4"}
    path = baseline_of(questions, url)
    Answering.plant = {}
    capsys.readouterr()

    assert evaluate(questions, url, "--baseline", str(path)) == ExitCode.OK

    shown = capsys.readouterr().out
    assert "BETTER than the baseline" in shown
    assert "q right: wrong_citation → right" in shown


def test_the_whole_report_goes_to_a_file_or_to_standard_output(
    url: str, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = questions.with_name("report.json")

    evaluate(questions, url, "--json", str(target))
    capsys.readouterr()
    evaluate(questions, url, "--json", "-")

    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(target.read_text(encoding="utf-8"))
    right = printed["packs"]["q"]["questions"][0]
    assert (right["id"], right["outcome"], right["misses"]) == ("right", "answered", [])
    assert right["result"]["tool_results"][0]["value"] == "731.25"


@pytest.mark.parametrize(
    ("options", "said_of_it"),
    [
        (["--write-baseline"], "--write-baseline needs --baseline"),
        (["--baseline", "none.json"], "none.json: cannot be read"),
        (["--facts", "f.csv"], "--facts are loaded into a private stack only"),
        (["--start"], "--start needs --profile"),
        (["--pack", "x"], "--pack chooses a set of a .toml"),
        (["--reference-date", "soon"], "reference-date"),
        (["--profile", "none.toml", "--url", "http://127.0.0.1:1"], "none.toml"),
    ],
)
def test_wrong_use_ends_with_two_before_anything_is_asked(
    questions: Path, options: list[str], said_of_it: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", str(questions), *options]) == ExitCode.USAGE

    assert said_of_it in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--url", "http://127.0.0.1:1"], ["--start"], ["--pack", "no"]])
def test_a_set_says_itself_what_is_started(questions: Path, options: list[str]) -> None:
    path = questions.with_name("set.toml")
    path.write_text(f'[packs.x]\nquestions = ["q.jsonl"]\nprofile = "{SAMPLE_PATH}"')

    assert main(["eval", str(path), *options]) == ExitCode.USAGE


def test_a_stack_that_is_away_ends_the_run(questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(questions, "http://127.0.0.1:1") == ExitCode.DEGRADED

    assert "cannot be reached" in capsys.readouterr().err
