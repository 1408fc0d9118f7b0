"""What `ragspine faq` makes of options and files before it asks the gateway."""

import json
from pathlib import Path

import pytest

from cli.console import CliError, ExitCode
from cli.faq.files import export_items, read_items
from cli.faq.items import depends_on, item_path, new_item
from cli.main import main
from contracts.v1.faq import FaqItems
from tests.support.vetted import shown


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("REVENUE", {"metric": "REVENUE"}),
        ("REVENUE/ACME_CN", {"metric": "REVENUE", "entity": "ACME_CN"}),
        ("REVENUE//2024", {"metric": "REVENUE", "period": "2024"}),
        ("REVENUE/ACME_CN/FY2024", {"metric": "REVENUE", "entity": "ACME_CN", "period": "FY2024"}),
    ],
)
def test_a_dependency_is_written_in_one_word(text: str, wanted: dict[str, str]) -> None:
    assert depends_on(text) == wanted


@pytest.mark.parametrize("text", ["", "/ACME_CN", "A/B/C/D"])
def test_a_wrong_dependency_shows_how_it_is_written(text: str) -> None:
    with pytest.raises(CliError) as refused:
        depends_on(text)

    assert refused.value.code is ExitCode.USAGE
    assert "REVENUE/ACME_CN/2024" in refused.value.hint


def test_what_was_not_given_is_not_sent() -> None:
    body = new_item(question="q", source=None, aliases=[], policy_number=None, version=1)

    assert body == {"question": "q", "version": 1}


def test_an_id_is_quoted_in_a_path() -> None:
    assert item_path("a/b", "approve") == "/v1/faq/a%2Fb/approve"


def test_an_export_is_an_import() -> None:
    text = json.dumps({"items": export_items([shown()])})

    [item] = FaqItems.model_validate_json(text).items
    assert (item.id, item.answer, item.state, item.sensitivity) == ("canteen", "三楼。", "approved", "INTERNAL")


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe{}", b""])
def test_a_file_that_is_no_json_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "faq.json"
    file.write_bytes(content)

    with pytest.raises(CliError) as refused:
        read_items(str(file))

    assert refused.value.code is ExitCode.USAGE


def test_a_missing_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faq", "import", str(tmp_path / "no.json"), "--url", "http://127.0.0.1:1"]) == ExitCode.USAGE

    assert "no.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["list", "show", "add", "approve", "disable", "import", "export", "test", "suggest"]
)
def test_every_command_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faq", command, "--help"]) == 0

    assert f"ragspine faq {command}" in capsys.readouterr().out
