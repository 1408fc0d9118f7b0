"""The server's configuration: what the table says and nothing else, and what is committed is that."""

from pathlib import Path

import pytest

from cli.bus.configuration import Password, PublicKey, Tls, accounts_text, server_text
from cli.bus.home import BusHome
from cli.bus.provide import provide
from cli.console import CliError
from runtime.bus_users import PRODUCT_USERS, USERS
from scripts.generate_bus import COMPOSE, generated_files

ROOT = Path(__file__).resolve().parents[3]
PASSWORDS = {user.name: Password(f"secret of {user.name}") for user in USERS}


@pytest.mark.parametrize("path", generated_files(), ids=str)
def test_what_is_committed_is_what_the_table_says(path: Path) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == generated_files()[path]


def test_each_app_has_an_account_and_imports_its_own_subjects_only() -> None:
    text = accounts_text(PASSWORDS, {"crm": Password("a"), "reports": Password("b")})

    _, _, of_crm = text.partition('"APP_crm" {')
    of_crm = of_crm.partition('"APP_reports" {')[0]
    assert "reports" not in of_crm
    assert 'accounts: ["APP_crm"]' in text


def test_an_nkey_takes_the_place_of_user_and_password() -> None:
    text = accounts_text({**PASSWORDS, "intent": PublicKey("UABC")}, {})

    assert 'nkey: "UABC"' in text
    assert "secret of intent" not in text


def test_tls_is_1_3_and_asks_for_certificates_where_an_authority_is_named() -> None:
    plain = accounts_text(PASSWORDS, {}, Tls(Path("/c"), Path("/k")))
    mutual = accounts_text(PASSWORDS, {}, Tls(Path("/c"), Path("/k"), Path("/a"), handshake_first=True))

    assert 'min_version: "1.3"' in plain
    assert "verify" not in plain
    assert "verify: true" in mutual
    assert "handshake_first: true" in mutual


def test_a_secret_cannot_break_out_of_its_place() -> None:
    text = accounts_text({**PASSWORDS, "cli": Password('"} ] } } # \n')}, {})

    assert r'"\"} ] } } # \n"' in text


def test_a_user_without_a_secret_stops_it() -> None:
    with pytest.raises(KeyError):
        accounts_text({}, {})


def test_the_server_listens_for_clients_and_its_monitor_only() -> None:
    settings = [line.split(":")[0] for line in server_text(COMPOSE).splitlines() if not line.startswith("#")]

    assert not {"websocket", "mqtt", "leafnodes", "cluster", "gateway", "no_auth_user"} & {
        s.strip(" {") for s in settings
    }
    assert "sync_interval: always" in server_text(COMPOSE)


def test_what_is_there_stays_and_what_is_missing_is_made(tmp_path: Path) -> None:
    provide(tmp_path)
    home = BusHome.at(tmp_path)
    before = {user.name: home.secret_file(user.name).read_text() for user in PRODUCT_USERS}
    home.secret_file("facts").unlink()

    provide(tmp_path)

    after = {user.name: home.secret_file(user.name).read_text() for user in PRODUCT_USERS}
    assert {name for name in before if before[name] != after[name]} == {"facts"}
    assert after["facts"] in home.accounts.read_text()


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    provide(tmp_path)

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == len(USERS) + 1
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_tls_and_keys_of_a_folder_are_used(tmp_path: Path) -> None:
    home = BusHome.at(tmp_path)
    home.make_secrets([user.name for user in USERS], fresh=True)
    home.key_file("facts").write_text("UABC\n")
    (tmp_path / "tls.json").write_text('{"certificate": "/c", "key": "/k"}')

    home.write_accounts()

    assert 'nkey: "UABC"' in home.accounts.read_text()
    assert 'cert_file: "/c"' in home.accounts.read_text()


@pytest.mark.parametrize("file", ["tls.json", "apps.json"])
def test_a_file_that_says_nonsense_is_refused_by_name(tmp_path: Path, file: str) -> None:
    home = BusHome.at(tmp_path)
    home.make_secrets([user.name for user in USERS], fresh=True)
    (tmp_path / file).write_text('{"a": ')

    with pytest.raises(CliError) as caught:
        home.write_accounts()

    assert file in str(caught.value.message)
