"""`ragspine demo`: a fictional company, five questions, and what each answer shows."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Final

import typer
from rich.rule import Rule
from rich.text import Text

from cli.answers import show_answer
from cli.ask import ask_gateway
from cli.client import Gateway
from cli.console import command_name, note, out
from cli.down import stop_stack
from cli.sample import load_sample, load_sample_passages
from cli.settings import DEFAULT_PORT, SAMPLE, check_writable, demo_data_dir
from cli.stack.net import is_free
from cli.stack.plan import Options
from cli.stack.state import StackState, running_stack
from cli.up import start_detached
from contracts.codes import AnswerKind
from domain.profile import load_profile

HELP = """Start a stack with a fictional company, ask it five questions, and stop it again.

It keeps its data in a directory of its own (.ragspine/demo), so it never touches facts of yours.

\b
Examples:
  ragspine demo
  ragspine demo --keep       leave it running, to ask more
"""

REFERENCE_DATE: Final = "2025-05-20"
"""The sample's today, so that "last year" always means the same."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A question, and what its answer shows."""

    title: str
    question: str
    point: str
    expected: AnswerKind


SCENES: Final = (
    Scene(
        "Found",
        "中国内地FY2024的REVENUE是多少",
        "The number is a loaded fact, with the document and the cell it comes from.",
        AnswerKind.NORMAL,
    ),
    Scene(
        "Refused",
        "中国内地FY2025的REVENUE是多少",
        "Nothing is loaded for that year. No number is guessed.",
        AnswerKind.REFUSAL,
    ),
    Scene(
        "Assumed",
        "What was the revenue of Hong Kong?",
        "No period was named: the last complete fiscal year is assumed, said, and can be changed.",
        AnswerKind.NORMAL,
    ),
    Scene(
        "Asked back",
        "集团2024年是多少",
        "No metric was named. Guessing which number is meant would be a grave mistake.",
        AnswerKind.CLARIFICATION,
    ),
    Scene(
        "Explained",
        "中国内地2024年营收为什么增长",
        "The number is a fact; the reason is quoted from loaded passages, with the paragraph it stands in.",
        AnswerKind.NORMAL,
    ),
)


def demo(
    keep: Annotated[bool, typer.Option("--keep", help="Leave the stack running.")] = False,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help=f"HTTP port. Default: {DEFAULT_PORT}, or a free one.")
    ] = None,
) -> None:
    """Run the scenes."""
    with _demo_stack(port, keep=keep) as stack:
        url = stack.http_url
        gateway = Gateway(url)
        loaded = load_sample(gateway)
        note(f"loaded {loaded.received} facts of the fictional ACME Group from deploy/sample/facts.csv", style="dim")
        note(f"loaded {load_sample_passages(stack.loading_url)} passages from deploy/sample/passages", style="dim")
        note(f"asking as if today were {REFERENCE_DATE}: what is assumed depends on the day", style="dim")
        for number, scene in enumerate(SCENES, start=1):
            _play(gateway, number, scene)
    _say_what_next(url, keep=keep)


@contextmanager
def _demo_stack(port: int | None, *, keep: bool) -> Generator[StackState]:
    """The demo stack; started when it does not run, and then stopped again unless `keep`."""
    directory = demo_data_dir()
    running = running_stack(directory)
    if running is not None:
        note(f"using the demo stack that runs at {running.http_url}", style="dim")
        yield running
        return
    check_writable(directory)
    note(f"starting NATS, Postgres, a Redis server and five workers in {directory}", style="dim")
    profile = SAMPLE / "profile.toml"
    chosen = port if port is not None else DEFAULT_PORT if is_free("127.0.0.1", DEFAULT_PORT) else 0
    options = Options(directory, "127.0.0.1", chosen, profile, load_profile(profile).digest())
    state = start_detached(options, [])
    is_done = False
    try:
        yield state
        is_done = True
    finally:
        if not (keep and is_done):
            note("stopping the demo stack", style="dim")
            stop_stack(directory)


def _play(gateway: Gateway, number: int, scene: Scene) -> None:
    result = ask_gateway(gateway, {"question": scene.question, "reference_date": REFERENCE_DATE}, None)
    out.print()
    out.print(Rule(Text(f"{number}. {scene.title}", "bold"), align="left", style="dim", characters="─"))
    out.print(Text.assemble(("Q  ", "dim"), scene.question))
    show_answer(result)
    out.print(Text(f"   {scene.point}", "italic dim"))


def _say_what_next(url: str, *, keep: bool) -> None:
    me = command_name()
    out.print()
    if keep:
        lines = (
            f'{me} ask "香港2023和2024营收"        ask the demo stack ("last year" counts from today there)',
            f"{url}/docs                  its HTTP interface",
            f"{me} down --data-dir {demo_data_dir()}",
        )
    else:
        lines = (
            f'{me} demo --keep   then   {me} ask "香港2023和2024营收"',
            f"{me} up --profile FILE              your own company",
            f"{me} load facts FILE                your own facts",
        )
    out.print(Text("Next:", "bold"))
    for line in lines:
        out.print(Text(f"  {line}"))
