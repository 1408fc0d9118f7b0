"""Migration files run in the order of their names, and a wrong name is seen before anything runs."""

from pathlib import Path

import pytest

from runtime.migrate import ROOT, MigrationError, find_migrations


def write(root: Path, *names: str) -> None:
    for name in names:
        service, file = name.split("/")
        path = root / "services" / service / "migrations" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"-- {name}")


def test_files_are_found_by_service_and_number(tmp_path: Path) -> None:
    write(tmp_path, "facts/0002_post_b.sql", "facts/0001_pre_a.sql", "narrative/0001_pre_a.sql")

    names = [migration.name for migration in find_migrations(tmp_path)]

    assert names == ["facts/0001_pre_a.sql", "facts/0002_post_b.sql", "narrative/0001_pre_a.sql"]


@pytest.mark.parametrize("name", ["1_pre_a.sql", "0001_a.sql", "0001_pre_A.sql", "0001_pre_.sql", "0001_pre_a b.sql"])
def test_a_wrong_name_is_an_error(tmp_path: Path, name: str) -> None:
    write(tmp_path, f"facts/{name}")

    with pytest.raises(MigrationError, match="must be named"):
        find_migrations(tmp_path)


def test_a_number_used_twice_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "facts/0001_pre_a.sql", "facts/0001_pre_b.sql")

    with pytest.raises(MigrationError, match=r"same number as 0001_pre_a\.sql"):
        find_migrations(tmp_path)


def test_a_changed_text_has_another_checksum(tmp_path: Path) -> None:
    write(tmp_path, "facts/0001_pre_a.sql")
    (before,) = find_migrations(tmp_path)
    (tmp_path / "services/facts/migrations/0001_pre_a.sql").write_text("-- changed")

    (after,) = find_migrations(tmp_path)

    assert before.checksum != after.checksum


def test_the_files_of_the_product_have_good_names() -> None:
    assert find_migrations(ROOT)
