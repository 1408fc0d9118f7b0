"""The profile of a stack: read once for all processes, remembered by the directory, compared with its file."""

import json
from pathlib import Path

import pytest

from cli.main import main
from cli.settings import SAMPLE
from cli.stack.agreement import agree
from cli.stack.layout import Layout
from cli.stack.memory import MEMORY_FILE, Memory, changes, recall, remember
from cli.stack.net import HttpReply
from cli.stack.plan import _copied
from cli.up import choose_profile
from domain.profile import ProfileFile, compare_file, load_profile
from tests.unit.cli.held import held
from tests.unit.cli.test_stack_state import _state

TEXT = (SAMPLE / "profile.toml").read_text(encoding="utf-8")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "acme.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def _memory(path: Path) -> Memory:
    return Memory.of(path, load_profile(path))


def test_workers_read_a_copy_that_edits_of_the_file_do_not_reach(tmp_path: Path, written: Path) -> None:
    (tmp_path / "data").mkdir()
    layout = Layout.prepare(tmp_path / "data", None)

    copy = _copied(written, layout.profile)
    written.write_text("nonsense", encoding="utf-8")

    assert copy.read_text(encoding="utf-8") == TEXT


def test_copy_of_a_start_that_was_killed_may_be_named_itself(tmp_path: Path, written: Path) -> None:
    copy = _copied(written, tmp_path / "profile.toml")

    assert _copied(copy, copy).read_text(encoding="utf-8") == TEXT


def test_file_is_compared_by_what_it_means(written: Path) -> None:
    digest = load_profile(written).digest()

    written.write_text(f"# a remark\n{TEXT}", encoding="utf-8")
    assert compare_file(written, digest) is ProfileFile.SAME
    written.write_text(TEXT.replace("营收", "总收入"), encoding="utf-8")
    assert compare_file(written, digest) is ProfileFile.CHANGED
    written.unlink()
    assert compare_file(written, digest) is ProfileFile.UNREADABLE


def test_directory_remembers_the_profile_of_its_last_start(tmp_path: Path, written: Path) -> None:
    memory = _memory(written)

    remember(tmp_path, memory)

    assert recall(tmp_path) == memory
    assert choose_profile(None, recall(tmp_path)).profile == str(written)


def test_memory_that_cannot_be_read_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / MEMORY_FILE).write_text("{}", encoding="utf-8")

    assert recall(tmp_path) is None


def test_another_profile_is_taken_when_named_and_its_changes_are_told(
    tmp_path: Path, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.toml"
    changed = TEXT.replace("[metrics.ROE]", "[metrics.RETURN]").replace('"USD_M"', '"HKD_M"', 1)
    other.write_text(changed.replace('synonyms = ["roe"', 'synonyms = ["roe2"'), encoding="utf-8")

    chosen = choose_profile(other, _memory(written))

    told = capsys.readouterr().err
    assert chosen.profile == str(other)
    assert str(written) in told
    assert "metrics no longer asked for: ROE" in told
    assert "metrics new: RETURN" in told
    assert "REVENUE USD_M → HKD_M" in told


def test_edited_profile_is_told_and_an_unchanged_one_is_not(written: Path) -> None:
    before = _memory(written)

    assert list(changes(before, _memory(written))) == []
    written.write_text(TEXT.replace("营收", "总收入"), encoding="utf-8")
    assert "has changed" in "".join(changes(before, _memory(written)))


def test_remembered_profile_that_is_gone_stops_the_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = _memory(SAMPLE / "profile.toml").model_copy(update={"profile": str(tmp_path / "gone.toml")})
    remember(tmp_path, gone)

    assert main(["up", "--data-dir", str(tmp_path), "--port", "0"]) == 2

    shown = capsys.readouterr().err
    assert "gone.toml, as at the last start" in shown
    assert "--profile" in shown


def _reply(digest: str) -> HttpReply:
    return HttpReply(200, {"status": "ready", "profile_digest": digest})


def test_worker_with_another_profile_is_named_with_the_code(tmp_path: Path, written: Path) -> None:
    state = _state(tmp_path).model_copy(update={"profile": str(written), "profile_digest": "aa"})

    agreement = agree(state, {"facts": _reply("bb"), "intent": _reply("aa"), "nats": None})

    assert not agreement.workers_agree
    told = list(agreement.complaints(tmp_path))
    assert told[0].startswith("profile_mismatch")
    assert "facts bb" in told[0]
    assert "the profile FILE has changed since start" in told[1]
    assert f"down --data-dir {tmp_path} && " in told[1]


def test_status_tells_that_the_file_has_changed_and_is_content_all_the_same(
    tmp_path: Path, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with held(tmp_path / "data", profile=str(written), processes={}):
        code = main(["status", "--json", "--data-dir", str(tmp_path / "data")])

    shown = capsys.readouterr()
    assert code == 0
    assert json.loads(shown.out)["profile_file"] == "changed"
    assert "the profile FILE has changed since start; restart to use it" in shown.err
