"""The gateway tells that the profile file has changed, and reads it again only when it was touched."""

from pathlib import Path

import pytest

from domain.profile import load_profile
from services.gateway import profile_file
from services.gateway.profile_file import watch_profile_file

SAMPLE = Path(__file__).parents[3] / "deploy" / "sample" / "profile.toml"


async def test_says_what_has_become_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "acme.toml"
    text = SAMPLE.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    watch = watch_profile_file(path, load_profile(path).digest())

    seen = [await watch()]
    for content in (text.replace("营收", "总收入"), text + "\n# a remark\n", "nonsense"):
        path.write_text(content, encoding="utf-8")
        seen.append(await watch())
    path.unlink()
    seen.append(await watch())

    assert seen == ["same", "changed", "same", "unreadable", "unreadable"]


async def test_file_that_changed_before_this_process_began_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "acme.toml"
    path.write_text(SAMPLE.read_text(encoding="utf-8"), encoding="utf-8")

    assert await watch_profile_file(path, "another digest")() == "changed"


async def test_untouched_file_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Path] = []
    compare = profile_file.compare_file
    monkeypatch.setattr(profile_file, "compare_file", lambda path, digest: reads.append(path) or compare(path, digest))
    watch = watch_profile_file(SAMPLE, load_profile(SAMPLE).digest())

    assert {await watch() for _ in range(5)} == {"same"}
    assert len(reads) == 1
