"""`ragspine ask` and `ragspine facts` against a running stack: texts, exit codes, what goes to which stream."""

import json

import pytest

from tests.e2e.asking import ANSWER, QUESTION
from tests.support.stacks import Stack, ragspine

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(240)]

ON = ("--reference-date", "2025-05-20", "--locale", "zh")


def test_found_answer_goes_to_stdout_as_it_stands(stack: Stack) -> None:
    done = ragspine("ask", QUESTION, *ON, "--data-dir", str(stack.data_dir))

    assert (done.returncode, done.stdout, done.stderr) == (0, ANSWER + "\n", "")


@pytest.mark.parametrize(
    ("question", "code"),
    [
        (QUESTION, 0),
        ("中国内地FY2025的REVENUE是多少", 3),
        ("集团2024年是多少", 4),
        ("竞安2024营收多少", 5),
    ],
)
def test_exit_code_says_what_the_answer_is(stack: Stack, question: str, code: int) -> None:
    done = ragspine("ask", question, *ON, "--data-dir", str(stack.data_dir))

    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout.strip()


def test_quiet_prints_the_digits_or_nothing(stack: Stack) -> None:
    found = ragspine("ask", QUESTION, *ON, "-q", "--data-dir", str(stack.data_dir))
    refused = ragspine("ask", "中国内地FY2025的REVENUE是多少", *ON, "-q", "--data-dir", str(stack.data_dir))

    assert (found.returncode, found.stdout) == (0, "1320\n")
    assert (refused.returncode, refused.stdout) == (3, "")


def test_json_is_the_whole_result(stack: Stack) -> None:
    done = ragspine("ask", QUESTION, *ON, "--json", "--data-dir", str(stack.data_dir))

    result = json.loads(done.stdout)
    assert result["answer"] == ANSWER
    assert result["tool_results"][0]["value"] == "1320"


def test_verbose_adds_the_scope_on_stderr(stack: Stack) -> None:
    done = ragspine("ask", QUESTION, *ON, "-v", "--data-dir", str(stack.data_dir))

    assert done.stdout == ANSWER + "\n"
    assert all(word in done.stderr for word in ("structured", "REVENUE", "ACME_CN", "FY2024", "TOTAL", "1320"))


def test_choosing_an_option_gives_the_narrowed_answer(stack: Stack) -> None:
    asked = ragspine("ask", "中国内地2024年是多少", *ON, "--data-dir", str(stack.data_dir))
    chosen = ragspine("ask", "中国内地2024年是多少", *ON, "--choose", "1", "--data-dir", str(stack.data_dir))

    assert asked.returncode == 4
    assert "1. " in asked.stdout
    assert (chosen.returncode, chosen.stdout) == (0, ANSWER + "\n")


def test_choosing_what_is_not_offered_is_wrong_use(stack: Stack) -> None:
    done = ragspine("ask", "集团2024年是多少", *ON, "--choose", "99", "--data-dir", str(stack.data_dir))

    assert done.returncode == 2
    assert "99" in done.stderr


def test_default_entity_that_is_unknown_is_wrong_use(stack: Stack) -> None:
    done = ragspine("ask", "营收", "--default-entity", "NOBODY", "--data-dir", str(stack.data_dir))

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_question_beyond_the_limit_is_wrong_use(stack: Stack) -> None:
    done = ragspine("ask", "营" * 2_001, "--data-dir", str(stack.data_dir))

    assert done.returncode == 2
    assert "question" in done.stderr


def test_facts_are_listed_with_their_lineage(stack: Stack) -> None:
    done = ragspine(
        "facts", "list", "--entity", "ACME_CN", "--period", "2024", "--metric", "REVENUE", "--data-dir",
        str(stack.data_dir),
    )  # fmt: skip

    assert done.returncode == 0
    assert "ACME_FY2024_Review.pptx · slide=2,table=1,row=REVENUE,col=FY2024" in done.stdout
    assert "1320" in done.stdout


def test_listing_all_facts_as_json_pages_through(stack: Stack) -> None:
    done = ragspine("facts", "list", "--json", "--data-dir", str(stack.data_dir))

    values = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(values) >= 49
    assert all(value["source_doc_id"] and value["source_locator"] for value in values)


def test_withdrawing_an_unknown_document_says_so(stack: Stack) -> None:
    done = ragspine("facts", "withdraw", "nothing.xlsx", "--data-dir", str(stack.data_dir))

    assert done.returncode == 1
    assert "nothing.xlsx" in done.stderr


def test_withdrawn_document_answers_no_more_and_loading_it_again_revives_it(stack: Stack) -> None:
    question, document = "香港FY2022的REVENUE是多少", "ACME_Annual_Report_2022.pdf"
    before = ragspine("ask", question, *ON, "-q", "--data-dir", str(stack.data_dir))

    withdrawn = ragspine("facts", "withdraw", document, "--data-dir", str(stack.data_dir))
    without = ragspine("ask", question, *ON, "-q", "--data-dir", str(stack.data_dir))

    assert before.stdout == "650\n"
    assert withdrawn.returncode == 0
    assert (without.returncode, without.stdout) == (3, "")


def test_doctor_and_status_are_content_with_a_running_stack(stack: Stack) -> None:
    doctor = ragspine("doctor", "--data-dir", str(stack.data_dir))
    status = ragspine("status", "--data-dir", str(stack.data_dir))

    assert doctor.returncode == 0, doctor.stdout
    assert "ready at" in doctor.stdout
    assert status.returncode == 0
    assert all(name in status.stdout for name in ("nats", "postgres", "redis", "intent", "orchestrator", "gateway"))


def test_logs_hold_no_question_no_answer_and_no_value(stack: Stack) -> None:
    ragspine("ask", QUESTION, *ON, "--data-dir", str(stack.data_dir))

    everything = "".join(log.read_text(errors="replace") for log in (stack.data_dir / "logs").iterdir())
    assert "REVENUE是多少" not in everything
    assert "731.25" not in everything
    assert "ACME_FY2024_Review" not in everything
