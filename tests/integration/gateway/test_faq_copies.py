"""What Redis and concurrent edits can do to vetted answers: never a wrong, old or disabled one, and none is lost."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from contracts.codes import FaqState
from contracts.v1.faq import ListFaq
from runtime.deadline import Deadline
from runtime.errors import ConflictError
from services.gateway.faq.changes import Condition
from services.gateway.faq.vetted import Miss, MissReason
from tests.support.profiles import acme
from tests.support.servers import Valkey, running_valkey
from tests.support.vetting import Vetting, vetting

pytestmark = [pytest.mark.connected, pytest.mark.timeout(120)]

ITEMS, EDITS = 50, 1_000


@pytest.fixture
def own_valkey() -> Generator[Valkey]:
    with running_valkey() as server:
        yield server


@pytest.fixture
async def vetted(database: str, own_valkey: Valkey) -> AsyncGenerator[Vetting]:
    async with vetting(database, own_valkey.url) as here:
        yield here


async def test_what_a_reply_says_is_what_the_next_ask_gets(vetted: Vetting) -> None:
    first = await vetted.put("canteen", Condition.UNSAID)
    assert await vetted.answer() == "三楼。"

    second = await vetted.put("canteen", first.revision, answer="四楼。")
    assert (second.version, await vetted.answer()) == (2, "四楼。")

    await vetted.catalogue.disable("canteen", Condition.UNSAID, who="t")
    assert await vetted.answer() is None

    await vetted.catalogue.approve("canteen", Condition.UNSAID, Deadline.after(5), who="t")
    assert await vetted.answer() == "四楼。"

    await vetted.catalogue.delete("canteen", Condition.UNSAID, who="t")
    assert await vetted.answer() is None


async def test_two_gateways_see_each_others_changes_at_once(database: str, own_valkey: Valkey) -> None:
    async with vetting(database, own_valkey.url) as one, vetting(database, own_valkey.url) as other:
        for place in range(5):
            stored = await one.put("canteen", Condition.ANY, answer=f"{'一二三四五'[place]}楼。")
            assert await other.answer() == stored.answer
            await other.catalogue.disable("canteen", Condition.UNSAID, who="t")
            assert await one.answer() is None


async def test_a_thousand_edits_at_once_lose_none_and_tear_none(vetted: Vetting) -> None:
    wins = dict.fromkeys((f"item-{i}" for i in range(ITEMS)), 0)
    for i, name in enumerate(wins):
        await vetted.put(name, Condition.NEW, question=f"第{'甲乙丙丁戊'[i % 5]}{i}类物品如何领取", answer="空")
    start = {item.id: item.version for item in (await vetted.catalogue.page(ListFaq(limit=1000))).items}

    async def edit(number: int) -> None:
        name = f"item-{number % ITEMS}"
        while True:
            seen = await vetted.catalogue.get(name)
            words = chr(0x4E00 + number)
            try:
                text = {"question": seen.question, "answer": words * 40, "source": words, "owner": words}
                await vetted.put(name, seen.revision, **text)
            except ConflictError:
                await asyncio.sleep(random.random() / 50)
                continue
            wins[name] += 1
            return

    limit = asyncio.Semaphore(100)

    async def bounded(number: int) -> None:
        async with limit:
            await edit(number)

    await asyncio.gather(*(bounded(number) for number in range(EDITS)))

    items = (await vetted.catalogue.page(ListFaq(limit=1000))).items
    assert sum(wins.values()) == EDITS
    assert {item.id: item.version - start[item.id] for item in items} == wins  # no update was lost
    assert all(set(item.answer) == set(item.source or "") == set(item.owner) for item in items)  # none is torn
    for item in items:
        assert await vetted.answer(item.question) == item.answer


@pytest.mark.parametrize("data", ["none", "old", "current"])
async def test_a_restart_of_redis_serves_nothing_wrong_and_loses_nothing(
    database: str, tmp_path: Path, data: str
) -> None:
    keeping = ("--dir", str(tmp_path), "--dbfilename", "dump.rdb")
    with running_valkey(arguments=keeping) as valkey:
        async with vetting(database, valkey.url) as vetted:
            await vetted.put("canteen", Condition.UNSAID)
            await vetted.put("shuttle", Condition.UNSAID, question="班车在哪", answer="北门。")
            await _save(vetted)
            if data != "current":
                await vetted.catalogue.disable("canteen", Condition.UNSAID, who="t")
                await vetted.put("shuttle", Condition.ANY, question="班车在哪", answer="南门。")
            else:
                await _save(vetted)

            valkey.server.kill()
            if data == "none":
                (tmp_path / "dump.rdb").unlink()
            valkey.server.start()

            wanted = (None, "南门。") if data != "current" else ("三楼。", "北门。")
            async with asyncio.timeout(20):
                while await vetted.answer("班车在哪") != wanted[1]:
                    assert await vetted.answer() in {None, wanted[0]}
                    assert await vetted.answer("班车在哪") in {None, wanted[1]}
                    await asyncio.sleep(0.01)
            assert await vetted.answer() == wanted[0]


async def test_a_frozen_redis_costs_its_timeout_once_and_is_a_miss(vetted: Vetting, own_valkey: Valkey) -> None:
    await vetted.put("canteen", Condition.UNSAID)
    assert await vetted.answer() == "三楼。"

    own_valkey.server.pause()
    start = time.perf_counter()
    missed = await vetted.find()
    first = time.perf_counter() - start
    rest = [await vetted.find() for _ in range(200)]
    seconds = time.perf_counter() - start

    assert missed == Miss(MissReason.COPY_UNREADABLE)
    assert set(rest) == {missed}
    assert first < 0.4  # its timeout here is 0.2
    assert seconds < 0.8  # and not 200 times that
    own_valkey.server.resume()
    await vetted.until_answered("三楼。")


async def test_a_full_redis_is_a_miss_and_loses_nothing(database: str) -> None:
    with running_valkey(arguments=("--maxmemory-policy", "noeviction")) as valkey:
        async with vetting(database, valkey.url) as vetted, Redis.from_url(valkey.url) as operator:
            await vetted.put("canteen", Condition.UNSAID)

            await operator.config_set("maxmemory", 1)
            stored = await vetted.put("canteen", Condition.ANY, answer="四楼。")
            seen = {await vetted.answer() for _ in range(20)}
            await operator.config_set("maxmemory", 0)
            await vetted.until_answered("四楼。")

    assert (stored.answer, seen) == ("四楼。", {None})


async def test_a_change_made_while_redis_is_frozen_is_never_contradicted_by_what_it_still_holds(
    vetted: Vetting, own_valkey: Valkey
) -> None:
    await vetted.put("canteen", Condition.UNSAID)

    own_valkey.server.pause()
    await vetted.catalogue.disable("canteen", Condition.UNSAID, who="t")
    own_valkey.server.resume()
    async with asyncio.timeout(10):
        while (await vetted.find()) != Miss(MissReason.NO_ITEM):  # the copy was made anew
            assert await vetted.answer() is None
            await asyncio.sleep(0.01)

    assert (await vetted.catalogue.get("canteen")).state is FaqState.DISABLED


async def test_without_postgres_being_heard_nothing_is_served(vetted: Vetting, database: str) -> None:
    await vetted.put("canteen", Condition.UNSAID)

    vetted.upkeep._silenced()

    assert await vetted.find() == Miss(MissReason.NOT_READY)
    await vetted.until_answered("三楼。")


async def test_another_profile_screens_everything_again(database: str, own_valkey: Valkey) -> None:
    with_cue = acme().model_copy(update={"faq": acme().faq.model_copy(update={"realtime_cues": ("食堂",)})})
    with_cue.__dict__.pop("_digest", None)

    async with vetting(database, own_valkey.url) as one:
        await one.put("canteen", Condition.UNSAID)
        async with vetting(database, own_valkey.url, profile=with_cue) as other:
            assert other.profile.digest() != one.profile.digest()
            assert await other.answer() is None
            assert (await other.catalogue.get("canteen")).surfaces[0].reason == "real_time"
        assert await one.answer() == "三楼。"


async def test_the_first_approved_of_two_items_answers_until_it_may_not(vetted: Vetting) -> None:
    await vetted.put("first", Condition.NEW, answer="旧。", valid_until="2025-05-20")
    second = await vetted.put("second", Condition.NEW, answer="新。")

    assert second.surfaces[0].conflicts_with == ("first",)
    assert await vetted.answer() == "旧。"
    await vetted.catalogue.disable("first", Condition.UNSAID, who="t")
    assert await vetted.answer() == "新。"


async def _save(vetted: Vetting) -> None:
    await vetted.copy._writing.save()
