"""The volumes of a compose project as folders: scripts run on them as in containers, but for owners and modes."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tests.support.servers import Postgres

ROOT = Path(__file__).parents[2]
NEW_INIT = ROOT / "deploy/compose/init.sh"
DATABASE = "ragspine"
_WORKERS = ("gateway", "orchestrator", "intent", "facts", "narrative", "migrate", "cli")
_VOLUME = re.compile(r"(?<!\w)/(?=(?:secrets|data|keys)\b)")


@dataclass(frozen=True)
class Volumes:
    """What a project keeps."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> "Volumes":
        """Empty ones, as Docker makes them."""
        for name in ("nats", "postgres", "redis", *_WORKERS):
            (folder / "secrets" / name).mkdir(parents=True)
        for name in ("data/nats", "data/postgres", "keys"):
            (folder / name).mkdir(parents=True)
        commands = folder / "bin"
        commands.mkdir()
        for name in ("chown", "chmod"):  # whoever runs the tests may be nobody who can give files away
            (commands / name).write_text("#!/bin/sh\n")
            (commands / name).chmod(0o755)
        return cls(folder)

    def init(self, script: Path = NEW_INIT) -> None:
        """Run the `init` of a version."""
        done = self.try_script(script.read_text())
        assert done.returncode == 0, done.stderr[-2_000:]

    def make_roles(self, script: Path, server: Postgres) -> None:
        """What the image of Postgres does when it makes its database: run what is mounted for that."""
        server.sql(f"CREATE DATABASE {DATABASE} TEMPLATE template0")
        text = script.read_text().replace("/run/ragspine/", f"{self.folder}/secrets/postgres/")
        done = self._run(
            text,
            POSTGRES_USER="postgres",
            POSTGRES_DB=DATABASE,
            PGHOST=str(server.socket_folder),
            PATH=f"{server.install / 'bin'}:{os.environ['PATH']}",
        )
        assert done.returncode == 0, done.stderr[-2_000:]
        hba = server.socket_folder / "pg_hba.conf"
        hba.write_text("local all postgres trust\nlocal all all scram-sha-256\n")
        server.sql("SELECT pg_reload_conf()")

    def read(self, name: str) -> str:
        """A secret, below `secrets`."""
        return (self.folder / "secrets" / name).read_text()

    def dsn(self, server: Postgres, login: str) -> str:
        """How a login gets in, with the password that is in the volume of whoever uses it."""
        (path,) = (self.folder / "secrets").glob(f"*/{login}.pgpass")
        password = path.read_text().strip().rpartition(":")[2]
        return f"postgresql://{login}:{password}@/{DATABASE}?host={quote(str(server.socket_folder))}"

    def try_script(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run a script in a container of `init`, which has all volumes."""
        return self._run(_VOLUME.sub(f"{self.folder}/", script))

    def _run(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        commands = f"{self.folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {"PATH": commands, **variables}
        return subprocess.run(
            ["sh", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
