"""Ports, replicas and folders of a stack."""

import socket
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from cli.console import CliError, ExitCode
from cli.stack.layout import LONGEST_SOCKET, MAX_SOCKET_CHARS, Layout
from cli.stack.owner import can_reach
from cli.stack.plan import check_port, parse_replicas


@pytest.fixture
def short_folder() -> Generator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def test_taken_port_is_named_with_the_option() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        with pytest.raises(CliError, match=str(port)) as caught:
            check_port("127.0.0.1", port)

    assert "--port" in caught.value.hint


def test_port_zero_is_any_free_one() -> None:
    check_port("127.0.0.1", 0)


def test_replicas_by_service() -> None:
    assert parse_replicas(["facts=2", "intent=1"]) == {"facts": 2, "intent": 1}


@pytest.mark.parametrize("value", ["facts", "facts=", "facts=0", "facts=-1", "facts=x", "facts=99", "postgres=2", ""])
def test_replicas_that_make_no_sense_are_refused(value: str) -> None:
    with pytest.raises(CliError) as caught:
        parse_replicas([value])

    assert caught.value.code is ExitCode.USAGE


@pytest.mark.parametrize("depth", [1, 30])
def test_socket_paths_stay_short_however_deep_the_directory(
    tmp_path: Path, depth: int, short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(short_folder))
    directory = tmp_path.joinpath(*["nested"] * depth)
    directory.mkdir(parents=True)

    layout = Layout.prepare(directory, None)

    assert len(str(layout.run / "pg" / LONGEST_SOCKET)) < MAX_SOCKET_CHARS


def test_folder_behind_a_private_one_cannot_be_reached(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)

    assert not can_reach(private / "below")
    assert can_reach(Path("/usr/bin"))
