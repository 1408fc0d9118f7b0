"""Runs cases against stacks and judges them: the facts and passages of a case are loaded for it alone.

Cases of one profile share a stack without a model; those with a `model_script` share a second one, whose model says
what the case under test wants.
"""

import json
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.cases.check import check_case, check_http
from tests.cases.observing import Case, CaseError, Door, open_door
from tests.cases.profiles import profile_key, write_profile
from tests.support.scripted_model import ScriptedModel, model_settings, scripted_model
from tests.support.stacks import Stack, running_stack

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Verdict:
    """How one case ended: `passed`, `failed` or `skipped`, and why."""

    id: str
    file: str
    outcome: str
    reasons: tuple[str, ...] = ()

    def as_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


@dataclass(frozen=True)
class Able:
    """What the stacks under test can be asked beyond facts."""

    model: bool = True
    """Whether their model can be scripted: that of a stack that runs already cannot."""

    def reason_to_skip(self, case: Case) -> str | None:
        """Why a case cannot be asked yet; None when it can."""
        if not self.model and "model_script" in case:
            return "needs a scripted model"
        return None


def read_cases(files: Iterable[str] | None = None) -> list[Case]:
    """The cases of the named files (without `.jsonl`), each with its file's name; all files by default."""
    names = sorted(path.stem for path in FOLDER.glob("*.jsonl")) if files is None else list(files)
    cases: list[Case] = []
    for name in names:
        lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        cases += [{**json.loads(line), "file": name} for line in lines if line.strip()]
    return cases


def by_stack(cases: Sequence[Case]) -> dict[tuple[str, bool], list[Case]]:
    """Cases that can share a stack: those of one profile, with a model and without."""
    groups: dict[tuple[str, bool], list[Case]] = {}
    for case in cases:
        groups.setdefault((profile_key(case), "model_script" in case), []).append(case)
    return groups


async def judge_all(
    cases: Sequence[Case], able: Able, *, folder: Path, doors: tuple[str, str] | None = None
) -> list[Verdict]:
    """Judge cases; starts the stacks they need, or uses the given `(http_url, nats_url)` for the sample's cases."""
    verdicts = [
        Verdict(case["id"], case["file"], "skipped", (reason,))
        for case in cases
        if (reason := able.reason_to_skip(case))
    ]
    runnable = [case for case in cases if able.reason_to_skip(case) is None]
    for group in by_stack(runnable).values():
        async with _door_for(group[0], folder, doors) as door:
            verdicts += [await judge(door, case) for case in group]
    return verdicts


async def judge(door: Door, case: Case) -> Verdict:
    """Judge one case; its facts, passages and vetted answers are there for it alone."""
    try:
        await door.load(case)
        try:
            failures = await _failures(door, case)
        finally:
            await door.withdraw(case)
    except (CaseError, OSError, TimeoutError) as error:
        failures = [f"{type(error).__name__}: {error}"]
    return Verdict(case["id"], case["file"], "failed" if failures else "passed", tuple(failures))


async def _failures(door: Door, case: Case) -> list[str]:
    if case.get("kind") == "http":
        response = await door.call(case["request"])
        return check_http(case, response.status_code, response.text, _json_or_none(response.text))
    if case.get("kind") == "intent":
        return check_case(case, await door.parse(case))
    observation = await door.ask(case)
    if "slots" in case["expect"]:
        observation["slots"] = (await door.parse(case))["slots"]
    return check_case(case, observation)


def _json_or_none(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


@asynccontextmanager
async def _door_for(case: Case, folder: Path, doors: tuple[str, str] | None) -> AsyncGenerator[Door]:
    async with AsyncExitStack() as parts:
        if doors is not None:
            yield await parts.enter_async_context(open_door(*doors))
            return
        model = await parts.enter_async_context(scripted_model()) if "model_script" in case else None
        state = parts.enter_context(_stack(case, folder, model)).state
        yield await parts.enter_async_context(open_door(state["http_url"], state["nats_cli_url"], model))


def _stack(case: Case, folder: Path, model: ScriptedModel | None) -> AbstractContextManager[Stack]:
    environment = model_settings(model.url) if model else None
    return running_stack(profile=write_profile(case, folder), environment=environment)
