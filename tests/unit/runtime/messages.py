"""Messages and handlers that exist only in these tests."""

from faststream.nats import NatsRouter
from pydantic import BaseModel, ConfigDict

from runtime.serving import rpc

QUEUE = "test"


class Say(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str
    times: int = 1


class Said(BaseModel):
    text: str


def say_router(subject: str = "test.say") -> NatsRouter:
    router = NatsRouter()

    @rpc(router, subject, queue=QUEUE)
    async def on_say(message: Say) -> Said:
        """Repeat what is said."""
        return Said(text=message.text * message.times)

    return router
