"""The table of logins: room for every pool, few rights, and passwords that never travel."""

from pathlib import Path

import pytest

from runtime.granting import RolesError, read_passwords
from runtime.roles import GROUPS, LOGINS, OWNER, Login, connections_needed, scram_verifier
from services.facts.settings import FactsSettings
from services.gateway.settings import GatewaySettings
from services.narrative.settings import NarrativeSettings

BY_NAME = {login.name: login for login in LOGINS}
REPLICAS = 3


@pytest.mark.parametrize(
    ("login", "pool"),
    [
        ("facts_read", FactsSettings.model_fields["facts_connections"].default),
        ("facts_load", FactsSettings.model_fields["facts_loader_connections"].default),
        ("narrative_read", NarrativeSettings.model_fields["narrative_connections"].default),
        ("narrative_load", NarrativeSettings.model_fields["narrative_loader_connections"].default),
        (
            "faq_keep",  # one more hears of changes
            sum(GatewaySettings.model_fields[name].default for name in ("faq_connections", "asks_connections")) + 1,
        ),
    ],
)
def test_three_processes_and_one_that_replaces_another_get_their_connections(login: str, pool: int) -> None:
    assert BY_NAME[login].limit(REPLICAS) >= pool * (REPLICAS + 1)


def test_the_server_has_room_for_all_logins_at_once() -> None:
    assert connections_needed(REPLICAS) > sum(login.limit(REPLICAS) for login in LOGINS)


def test_only_known_groups_are_given_and_the_owner_needs_none() -> None:
    assert {group for login in LOGINS for group in login.groups} == set(GROUPS)
    assert BY_NAME[OWNER].groups == ()


def test_a_reader_can_neither_load_nor_stage() -> None:
    readers = [login for login in LOGINS if login.name.endswith("_read")]

    assert all(login.settings["default_transaction_read_only"] == "on" for login in readers)
    assert not any(group.endswith("_load") for login in readers for group in login.groups)
    assert not any(login.may_stage for login in readers)


def test_a_verifier_is_the_one_that_postgres_would_make() -> None:
    # The exchange of RFC 7677, section 3: user "user", password "pencil", 4096 rounds.
    salt = bytes.fromhex("5b6d99689d12 35 8eec a04b141236fa81".replace(" ", ""))

    assert scram_verifier("pencil", salt) == (
        "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY="
        ":wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
    )


def test_a_file_with_all_passwords_is_read(tmp_path: Path) -> None:
    path = tmp_path / "roles"
    path.write_text("".join(f"{login.name} Vf8-of-{login.name}\n" for login in LOGINS))

    assert read_passwords(path)["facts_read"] == "Vf8-of-facts_read"


@pytest.mark.parametrize("line", ["", "facts_read", "facts_read changeme", "facts_read short"])
def test_a_missing_or_weak_password_is_refused_by_login_and_without_the_value(tmp_path: Path, line: str) -> None:
    path = tmp_path / "roles"
    others = [login for login in LOGINS if login.name != "facts_read"]
    path.write_text("".join(f"{login.name} Vf8-of-{login.name}\n" for login in others) + line)

    with pytest.raises(RolesError, match="the password of facts_read is ") as refused:
        read_passwords(path)

    assert "changeme" not in str(refused.value)


def test_a_login_of_no_worker_does_not_grow_with_the_workers() -> None:
    assert Login("x", connections=4, is_of_worker=False).limit(16) == 4
