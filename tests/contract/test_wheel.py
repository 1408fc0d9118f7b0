import re
import zipfile
from pathlib import Path

import pytest

from tests.support.wheels import app_environment, build_contracts_wheel, run

ROOT = Path(__file__).resolve().parents[2]

ASK_AND_PRINT = """
import importlib.util
assert importlib.util.find_spec("contracts") is None, "the name of our folder leaked"
from ragspine_contracts import subjects
from ragspine_contracts.v1 import AskRequest
print(subjects.ask("reports"), AskRequest(question="REVENUE?").model_dump_json(exclude_defaults=True))
"""

CLIENTS_WITHOUT_THEIR_PACKAGES = """
import sys
sys.modules["nats"] = sys.modules["httpx"] = None
from ragspine_contracts.client import ClientError, HttpClient, NatsClient
for make in (lambda: NatsClient("nats://127.0.0.1:4222"), lambda: HttpClient("http://127.0.0.1:8321")):
    try:
        make()
    except ImportError as error:
        print(error)
"""

CLIENTS_WITH_THEM = """
import asyncio
from ragspine_contracts.client import ClientError, HttpClient, NatsClient

async def main():
    for client in (NatsClient("nats://127.0.0.1:9"), HttpClient("http://127.0.0.1:9")):
        try:
            async with client:
                await client.ask("REVENUE?", deadline_seconds=5)
        except ClientError as error:
            print(type(client).__name__, error.code, error.retryable)

asyncio.run(main())
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_contracts_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def app_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return app_environment(tmp_path_factory.mktemp("app"), wheel)


def test_the_installed_wheel_imports_alone_under_its_own_name(app_python: Path, tmp_path: Path) -> None:
    printed = run(app_python, "-I", "-c", ASK_AND_PRINT, cwd=tmp_path)

    assert printed == 'ragspine.v1.ask.reports {"question":"REVENUE?"}\n'


def test_a_client_without_its_package_says_what_to_install(app_python: Path, tmp_path: Path) -> None:
    printed = run(app_python, "-I", "-c", CLIENTS_WITHOUT_THEIR_PACKAGES, cwd=tmp_path)

    assert printed.splitlines() == [
        "this client needs nats-py: pip install 'ragspine-contracts[nats]'",
        "this client needs httpx: pip install 'ragspine-contracts[http]'",
    ]


def test_the_clients_of_the_wheel_work(app_python: Path, tmp_path: Path) -> None:
    printed = run(app_python, "-I", "-W", "error", "-c", CLIENTS_WITH_THEM, cwd=tmp_path)

    assert printed.splitlines() == ["NatsClient unavailable True", "HttpClient unavailable True"]


def test_the_clients_packages_are_extras_of_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        [name] = [name for name in packed.namelist() if name.endswith("METADATA")]
        metadata = packed.read(name).decode()

    needed = [line.removeprefix("Requires-Dist: ") for line in metadata.splitlines() if "Requires-Dist" in line]
    assert [_name(need) for need in needed if "extra" not in need] == ["pydantic"]
    assert {_name(need) for need in needed if "extra" in need} == {"nats-py[nkeys]", "httpx"}


def _name(requirement: str) -> str:
    return re.split("[<>=;]", requirement)[0]


def test_the_wheel_holds_every_module_and_nothing_else(wheel: Path) -> None:
    sources = {"__init__.py", "py.typed", "subjects.py", "codes.py", "reasons.py"}
    sources |= {f"{path.parent.name}/{path.name}" for path in (ROOT / "contracts").glob("*/*.py")}

    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}

    assert packed == {f"ragspine_contracts/{name}" for name in sources}
