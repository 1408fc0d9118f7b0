"""Fresh databases for tests: migrated once per session, then copied, so that a test pays a few dozen milliseconds."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.servers import Postgres

ROOT = Path(__file__).parents[2]
_MIGRATED = "migrated_template"


@dataclass
class Databases:
    """Hands out databases of one Postgres."""

    postgres: Postgres
    _handed_out: int = 0
    _has_template: bool = False

    @contextmanager
    def fresh(self, template: str = "template0") -> Generator[str]:
        """The DSN of a copy of `template` that is dropped at the end."""
        self._handed_out += 1
        name = f"test_{self._handed_out}"
        self.postgres.sql(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        try:
            yield self.postgres.dsn(name)
        finally:
            self.postgres.sql(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def migrated(self) -> Generator[str]:
        """The DSN of a database with every migration applied."""
        if not self._has_template:
            self.postgres.sql(f"CREATE DATABASE {_MIGRATED} TEMPLATE template0")
            migrate(self.postgres.dsn(_MIGRATED))
            self._has_template = True
        with self.fresh(_MIGRATED) as dsn:
            yield dsn


def migrate(dsn: str) -> None:
    """Apply every migration, the way a deployment does."""
    environment = {**os.environ, "RAGSPINE_POSTGRES_URL": dsn}
    done = subprocess.run(
        [sys.executable, "-m", "runtime.migrate"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr[-2_000:]
