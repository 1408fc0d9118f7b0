"""A stack that is watched from every side, and asks that carry planted texts through all of its workers."""

import asyncio
import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import nats
import psutil

from contracts import subjects
from tests.support.canaries import Canary, Place, files_below, letters, number, sentence, word
from tests.support.otlp_sink import Edge, Sink, otlp_sink
from tests.support.scripted_model import Reply, ScriptedModel, model_settings, scripted_model_in_thread
from tests.support.stacks import Stack, running_stack

SECONDS = 30.0

FRONT: frozenset[Edge] = frozenset({("caller", "gateway"), ("gateway", "orchestrator"), ("orchestrator", "intent")})
FACTS: Edge = ("orchestrator", "facts")
NARRATIVE: Edge = ("orchestrator", "narrative")
MODEL: Edge = ("orchestrator", "model")


@dataclass(frozen=True)
class Planted:
    """Texts that may be in an answer, in the facts and in a prompt, and nowhere else."""

    question: Canary = field(default_factory=lambda: word("question"))
    narrative_question: Canary = field(default_factory=lambda: sentence("narrative_question"))
    history: Canary = field(default_factory=lambda: sentence("history"))
    passage: Canary = field(default_factory=lambda: sentence("passage"))
    """A text as it stands in a document; somebody has pasted it into the history."""
    reply: Canary = field(default_factory=lambda: sentence("reply"))
    arguments: Canary = field(default_factory=lambda: word("arguments"))
    value: Canary = field(default_factory=lambda: number("value"))
    document: Canary = field(default_factory=lambda: word("document"))
    locator: Canary = field(default_factory=lambda: word("locator"))
    key: Canary = field(default_factory=lambda: word("key"))
    header: Canary = field(default_factory=lambda: word("header"))
    vetted_question: Canary = field(default_factory=lambda: letters("vetted_question"))
    vetted_answer: Canary = field(default_factory=lambda: letters("vetted_answer"))
    owner: Canary = field(default_factory=lambda: word("owner"))
    junk: Canary = field(default_factory=lambda: word("junk"))
    """In requests that are refused."""

    def all(self) -> list[Canary]:
        return list(vars(self).values())


@dataclass(frozen=True)
class Ask:
    """A question, what the model will say to it, and what the trace of it must look like."""

    name: str
    question: str
    edges: frozenset[Edge]
    kind: str
    script: Sequence[Reply] = ()
    over_nats: bool = False
    is_guarded: bool = False
    reasons: Sequence[str] = ()


def asks(planted: Planted) -> list[Ask]:
    """Every way that a question can go."""
    p, right = planted, {"metric": "REVENUE", "entity": "ACME_CN", "period": "FY2024"}
    calls = {"text": p.reply.text, "tool_calls": [{"arguments": right}]}
    strays = [
        {"arguments": {**right, "entity": p.arguments.text}},
        {"arguments": f"{{{p.arguments.text}"},
        {"name": p.arguments.text, "arguments": right},
        {"arguments": {**right, "entity": "ACME_HK"}},
    ]
    with_model = FRONT | {FACTS, MODEL}
    return [
        Ask("structured", "中国内地FY2024的REVENUE是多少", with_model, "normal", [calls, {"text": p.reply.text}]),
        Ask(
            "over-nats",
            "中国内地FY2024的REVENUE是多少",
            with_model,
            "normal",
            [{"text": p.value.text}],
            over_nats=True,
            reasons=["no_tool_call:1"],
        ),
        Ask("several", "中国内地FY2023和FY2024的REVENUE分别是多少", FRONT | {FACTS}, "normal"),
        Ask(
            "composite",
            f"中国内地FY2024的REVENUE为什么下降，和{p.narrative_question.text}有关吗",
            with_model | {NARRATIVE},
            "normal",
            [calls, {"text": p.reply.text}],
        ),
        Ask("narrative", f"为什么{p.narrative_question.text}", FRONT | {NARRATIVE}, "refusal"),
        Ask("refused", f"竞安FY2024的REVENUE是多少 {p.question.text}", FRONT, "refusal"),
        Ask("asked-back", f"中国内地FY2024的REVENUE {p.question.text}是多少", FRONT, "clarification"),
        Ask(
            "not-found",
            "中国内地FY2019的REVENUE是多少",
            with_model,
            "refusal",
            [{"text": p.reply.text, "tool_calls": strays}, {"text": p.value.text}],
            is_guarded=True,
            reasons=["bad_arguments:2", "scope_drift:1", "unknown_tool:1"],
        ),
        Ask(
            "model-down",
            "中国内地FY2024的REVENUE是多少",
            FRONT | {MODEL},
            "degraded",
            [{"status": 500, "raw": json.dumps({"error": {"message": p.reply.text, "code": p.reply.text}})}],
        ),
        Ask("model-rubbish", "中国内地FY2024的REVENUE是多少", FRONT | {MODEL}, "degraded", [{"raw": p.reply.text}]),
    ]


@dataclass
class Watched:
    """A running stack, what it exported and what it answered."""

    stack: Stack
    sink: Sink
    model: ScriptedModel
    planted: Planted
    state: dict[str, Any]
    answers: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    prompts: str = ""
    refusals: list[Place] = field(default_factory=list[Place])
    """Bodies and headers of everything that was not answered."""

    def post(self, path: str, body: Any, headers: Mapping[str, str] | None = None) -> httpx.Response:
        return httpx.post(self.state["http_url"] + path, json=body, headers=headers, timeout=SECONDS)

    def put(self, ask: Ask) -> dict[str, Any]:
        """Ask, and remember the answer under the name of the ask, which is its request id too."""
        self.model.play(ask.script)
        request = {
            "question": ask.question,
            "locale": "zh",
            "reference_date": "2025-05-20",
            "request_id": ask.name,
            "history": [
                {"role": "user", "text": f"{self.planted.history.text} {self.planted.passage.text}"},
                {"role": "assistant", "text": f"{self.planted.value.text} {self.planted.passage.text}"},
            ],
        }
        if ask.over_nats:
            answer = asyncio.run(self.over_nats(json.dumps(request).encode()))
        else:
            reply = self.post("/v1/ask", request, self.headers())
            assert reply.status_code == 200, reply.text
            answer = reply.json()
        self.prompts += self.model.prompts
        self.answers[ask.name] = answer
        return answer

    def vet(self) -> None:
        """Keep a planted vetted answer, as an expert would."""
        planted = self.planted
        item = {"question": planted.vetted_question.text, "answer": planted.vetted_answer.text, "state": "approved"}
        url = f"{self.state['http_url']}/v1/faq/planted?by={planted.owner.text}"
        reply = httpx.put(url, json={**item, "owner": planted.owner.text}, headers=self.headers(), timeout=SECONDS)
        assert reply.status_code == 200, reply.text

    async def over_nats(self, body: bytes) -> dict[str, Any]:
        client = await nats.connect(self.state["nats_url"])
        try:
            reply = await client.request("ragspine.v1.ask.local", body, timeout=SECONDS, headers=self.headers())
        finally:
            await client.close()
        answer: dict[str, Any] = json.loads(reply.data)
        return answer

    def headers(self) -> dict[str, str]:
        """What callers send beside a request, and what must stay at the door."""
        text = self.planted.header.text
        return {
            "tracestate": f"vendor={text}",
            "baggage": f"question={text}",
            "user-agent": text,
            "cookie": f"session={text}",
            "authorization": f"Bearer {text}",
            "x-request-id": f"no id: {text}",
        }

    def everything_seen(self) -> list[Place]:
        """Whatever somebody can see who may not see a question, an answer, a fact or a key."""
        directory = self.stack.data_dir
        seen = [(f"export {i}", body) for i, body in enumerate(self.sink.bodies)]
        seen += [(f"span {span.service} {span.name}", repr(span).encode()) for span in self.sink.spans]
        seen += self._pages()
        seen += [place for place in files_below(directory, but_not=[directory / "postgres"]) if not _is_kept(place)]
        seen += [(f"command line of {name}", line) for name, line in self._command_lines()]
        seen.append(("status", json.dumps(self.state, ensure_ascii=False).encode()))
        return seen + self.refusals

    def log(self, service: str) -> list[dict[str, Any]]:
        """The lines that a worker has written."""
        text = (self.stack.data_dir / "logs" / f"{service}.log").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def _pages(self) -> list[Place]:
        bases = {name: part["ops_url"] for name, part in self.state["processes"].items() if part["ops_url"]}
        bases["http"] = self.state["http_url"]
        return [
            (f"{name} {path}", httpx.get(base + path, timeout=SECONDS).content)
            for name, base in bases.items()
            for path in ("/metrics", "/readyz", "/healthz")
        ]

    def _command_lines(self) -> list[tuple[str, bytes]]:
        pids = {name: part["pid"] for name, part in self.state["processes"].items()} | {"up": self.state["pid"]}
        return [(name, " ".join(psutil.Process(pid).cmdline()).encode()) for name, pid in pids.items()]


def _is_kept(place: Place) -> bool:
    """Whether a file is where asks and their answers are meant to be."""
    return any(f"/streams/{stream}/" in place[0] for stream in (subjects.ASK_STREAM, subjects.ANSWER_STREAM))


def wait_until(is_so: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
    """Ask again and again for something that comes by itself."""
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, f"not in time: {what}"
        time.sleep(0.1)


def rows(planted: Planted) -> list[dict[str, Any]]:
    """Facts whose value and lineage are planted."""
    row = {
        "metric_code": "REVENUE",
        "entity": "ACME_CN",
        "period_type": "FY",
        "unit": "USD_M",
        "source_doc_id": f"{planted.document.text}.pptx",
        "source_locator": f"slide=2,row={planted.locator.text}",
    }
    return [{**row, "period": "2024", "value": planted.value.text}, {**row, "period": "2023", "value": "7.5"}]


@contextmanager
def watched_stack() -> Generator[Watched]:
    """A stack with every kind of watching switched on, and planted facts loaded."""
    planted = Planted()
    with otlp_sink() as sink, scripted_model_in_thread() as model:
        environment = {
            **model_settings(model.url, LLM_API_KEY=planted.key.text),
            **sink.environment,
            "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
            "OTEL_TRACES_SAMPLER_ARG": "1.0",
            "RAGSPINE_LOG_LEVEL": "debug",
        }
        with running_stack(environment=environment) as stack:
            watched = Watched(stack, sink, model, planted, stack.state)
            loaded = watched.post("/v1/facts", {"facts": rows(planted)}, {"x-request-id": "load"})
            assert loaded.status_code == 200, loaded.text
            watched.vet()
            yield watched
