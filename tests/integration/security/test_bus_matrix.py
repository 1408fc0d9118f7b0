"""Every user of the bus on everything it could try: what the server lets through is what the table says, exactly."""

from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from runtime.bus_users import PRODUCT_ACCOUNT, PRODUCT_USERS, REPLY_MAX, SYSTEM_ACCOUNT, SYSTEM_USER, BusUser, account
from tests.integration.security.bus_actions import (
    concrete,
    may_hear,
    may_publish,
    subjects_to_hear,
    subjects_to_publish,
)
from tests.integration.security.bus_server import (
    APPS,
    all_is_delivered,
    connection,
    guarded_nats,
    observer_of,
)
from tests.support.servers import Nats

pytestmark = [pytest.mark.connected, pytest.mark.timeout(120)]

NAMES = [*(user.name for user in PRODUCT_USERS), SYSTEM_USER.name, *APPS]
PART = 200
"""Subjects at once: times their queues below the subscriptions that a connection may have."""
QUEUES = ("", "gateway", "orchestrator", "intent", "facts", "narrative", "spies")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Nats]:
    with guarded_nats(tmp_path_factory.mktemp("bus")) as running:
        yield running


def home(name: str) -> str:
    """The account of a user."""
    if name in APPS:
        return account(name)
    return SYSTEM_ACCOUNT if name == SYSTEM_USER.name else PRODUCT_ACCOUNT


async def listen(client: Client, heard: set[str]) -> None:
    async def keep(message: Msg) -> None:
        heard.add(message.data.decode(errors="replace"))

    await client.subscribe(">", cb=keep)
    await all_is_delivered(client)


@pytest.mark.parametrize("name", NAMES)
async def test_what_a_user_publishes_arrives_where_the_table_says_and_nowhere_else(server: Nats, name: str) -> None:
    tried = subjects_to_publish()
    inside: set[str] = set()
    in_product: set[str] = set()
    async with (
        connection(server, name) as user,
        connection(server, observer_of(home(name))) as observer,
        connection(server, observer_of(PRODUCT_ACCOUNT)) as of_product,
    ):
        await listen(observer, inside)
        await listen(of_product, in_product)

        for subject in tried:
            await user.publish(subject, f"tried {subject}".encode())
        await all_is_delivered(user, observer, of_product)

    arrived = {body.removeprefix("tried ") for body in inside | in_product if body.startswith("tried ")}
    assert arrived == {subject for subject in tried if may_publish(name, subject)}
    if name in APPS:
        assert {body for body in inside if body.startswith("tried ")} <= in_product, "an app said something to itself"


@pytest.mark.parametrize("name", NAMES)
async def test_what_a_user_hears_is_what_the_table_says(server: Nats, name: str) -> None:
    heard: set[tuple[str, str]] = set()
    async with connection(server, name) as user, connection(server, observer_of(home(name))) as observer:
        for part in apart(subjects_to_hear()):
            held = [await _hear(user, subject, queue, heard) for subject in part for queue in QUEUES]
            await all_is_delivered(user)
            for subject in part:
                await observer.publish(concrete(subject), f"heard {subject}".encode())
            await all_is_delivered(observer, user)
            for subscription in held:
                await subscription.unsubscribe()

    tried = {(subject, queue) for subject in subjects_to_hear() for queue in QUEUES}
    assert heard == {(subject, queue) for subject, queue in tried if may_hear(name, subject, queue)}


def apart(listed: Sequence[str]) -> Iterator[Sequence[str]]:
    """Parts in which no subject means another one: members of one queue group would take messages from each other."""
    plain = [subject for subject in listed if "*" not in subject and ">" not in subject]
    for start in range(0, len(plain), PART):
        yield plain[start : start + PART]
    yield from ((subject,) for subject in listed if subject not in plain)


async def _hear(user: Client, subject: str, queue: str, heard: set[tuple[str, str]]) -> Subscription:
    async def keep(message: Msg) -> None:
        if message.data.startswith(b"heard "):
            heard.add((subject, queue))

    return await user.subscribe(subject, queue, cb=keep)


@pytest.mark.parametrize("app", APPS)
async def test_an_app_hears_nothing_of_the_product(server: Nats, app: str) -> None:
    heard: set[str] = set()
    async with connection(server, app) as user, connection(server, observer_of(PRODUCT_ACCOUNT)) as observer:
        await listen(user, heard)

        async def keep(message: Msg) -> None:
            heard.add(message.subject)

        await user.subscribe("_INBOX.>", cb=keep)
        await all_is_delivered(user)
        for subject in subjects_to_publish():
            await observer.publish(subject, b"told to the product")
        await all_is_delivered(observer, user)

    assert heard == set()


@pytest.mark.parametrize("user", [user for user in PRODUCT_USERS if user.answers], ids=lambda user: user.name)
async def test_a_request_may_be_answered_once(server: Nats, user: BusUser) -> None:
    subject = user.serves[0].replace("*", "x")
    arrived: list[bytes] = []
    async with connection(server, user.name) as worker, connection(server, observer_of(PRODUCT_ACCOUNT)) as observer:

        async def answer(message: Msg) -> None:
            for number in range(3):
                await worker.publish(message.reply, b"answer %d" % number)

        async def keep(message: Msg) -> None:
            arrived.append(message.data)

        await worker.subscribe(user.serves[0], user.name, cb=answer)
        await observer.subscribe("somebody.inbox", cb=keep)
        await all_is_delivered(worker, observer)

        await observer.publish(subject, b"request", reply="somebody.inbox")
        await all_is_delivered(observer, worker, observer)

    assert len(arrived) == REPLY_MAX


def test_the_matrix_tries_what_must_never_be_allowed(tmp_path: Path) -> None:
    tried = subjects_to_publish()

    for word in ("DELETE", "PURGE", "RESTORE", "SNAPSHOT", "MSG.GET", "MSG.DELETE"):
        assert any(f"$JS.API.STREAM.{word}." in subject for subject in tried)
    assert len(tried) * len(NAMES) > 2_000
    worst = {(name, s) for name in NAMES for s in tried if (".DELETE." in s or ".PURGE." in s) and may_publish(name, s)}
    assert worst == {("gateway", "$JS.API.STREAM.MSG.DELETE.RAGSPINE_ANSWERS")}
