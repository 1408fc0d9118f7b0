# pyright: reportPrivateUsage=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
"""The five places where nats-py must be reached below its public surface, with the reason for each.

The version is pinned, and tests with a real server fail when one of these changes its meaning.
"""

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import ConnectionClosedError


async def stop_delivery(client: Client, subscription: Subscription) -> None:
    """Tell the server to deliver nothing more, and return when all that it had delivered has arrived.

    UNSUB waits in the flusher's buffer while the first flush's PING goes straight to the socket, so the server may
    answer that one before it has seen UNSUB. The second flush closes the gap; `Subscription.drain` has it.
    """
    await client._send_unsubscribe(subscription._id)
    await client.flush()
    await client.flush()


async def finish_delivered(subscription: Subscription) -> None:
    """Wait until the callback has taken every message that has arrived; there is no public way to ask."""
    await subscription._pending_queue.join()


def fail_waiting_requests(client: Client) -> int:
    """Let every request that waits for a reply fail now; returns how many there were.

    A reply cannot come any more once the connection is lost, but nats-py would wait for the whole time-out.
    """
    waiting = [future for future in client._resp_map.values() if not future.done()]
    for future in waiting:
        future.set_exception(ConnectionClosedError())
    return len(waiting)


def server_id(client: Client) -> str:
    """The identity of the server that this connection leads to; the public surface has its version only."""
    return str(client._server_info.get("server_id", ""))


def read_any_subject(client: Client) -> None:
    """Let a subject that is no UTF-8 be read with marks in the place of what cannot be.

    nats-py decodes subjects in the loop that reads the connection: one such message, from anybody who may publish to a
    wildcard, would end that loop and leave the process connected and deaf.
    """
    build = client._build_message

    def tolerant(sid: int, subject: bytes, reply: bytes, data: bytes, headers: dict[str, str] | None) -> Msg:
        message: Msg = build(sid, _readable(subject), _readable(reply), data, headers)
        return message

    object.__setattr__(client, "_build_message", tolerant)


def _readable(subject: bytes) -> bytes:
    return subject if subject.isascii() else subject.decode("utf-8", "replace").encode()
