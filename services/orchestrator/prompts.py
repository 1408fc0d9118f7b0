"""What a model is told on the numeric route. A prompt is a request; the promise is kept by code, not here."""

from collections.abc import Sequence

from contracts.v1.ask import AnswerQuestion, HistoryTurn
from domain.profile import CompanyProfile
from services.orchestrator.conversation import Instructions, Message, Turn, UserText
from services.orchestrator.query_metric import NAME


def numeric_messages(ask: AnswerQuestion, profile: CompanyProfile) -> Sequence[Message]:
    """Instructions, earlier turns as context, the question."""
    instructions = (
        f"You help to look up stored figures of {profile.company.name}. Today is {ask.reference_date.isoformat()}. "
        f"Call {NAME} with exactly the metric, entity, period and channel that the question asks for. "
        "Never state a figure yourself: the system shows the stored one with its source. "
        "When the tool finds nothing, say that nothing was found."
    )
    return (Instructions(instructions), *map(_earlier, ask.history), UserText(ask.question))


def _earlier(turn: HistoryTurn) -> Message:
    return UserText(turn.text) if turn.role == "user" else Turn(text=turn.text)
