"""What is particular to PostgreSQL: addresses, passwords, locks, and a schema that migrations make too."""

import traceback
from collections.abc import Iterator
from contextlib import closing
from functools import partial

import pytest
import sqlalchemy as sa

from oblio.errors.base import Fault
from oblio.errors.storage import AddressUnreadable, SchemaNewer, StoreBusy, StoreUnreachable
from oblio.storage.postgres import PostgresExclusive, PostgresStore, open_postgres
from oblio.storage.upgrade import upgrade
from oblio.testing import rows

pytestmark = pytest.mark.slow

LAYOUT = (
    (
        "SELECT table_name || '.' || column_name, data_type || is_nullable || coalesce(column_default, '')"
        " FROM information_schema.columns WHERE table_schema = 'public'"
    ),
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
)


@pytest.fixture
def store(postgres_url: sa.URL) -> Iterator[PostgresStore]:
    with closing(open_postgres(postgres_url)) as store:
        yield store


def engine_of(url: sa.URL) -> sa.Engine:
    """Return an engine without a pool."""
    return sa.create_engine(url.set(drivername="postgresql+psycopg"), poolclass=sa.NullPool)


def layout(url: sa.URL) -> list[tuple[str, str]]:
    """Return columns, indexes and constraints."""
    with engine_of(url).connect() as connection:
        return sorted((str(a), str(b)) for query in LAYOUT for a, b in connection.exec_driver_sql(query))


def shown(fault: BaseException) -> str:
    """Return everything that a log could show of an error."""
    return "".join(traceback.format_exception(fault)) + repr(fault.__cause__) + repr(fault.__context__)


def test_a_migrated_database_equals_a_fresh_one(postgres_url: sa.URL) -> None:
    engine = engine_of(postgres_url)
    with engine.begin() as connection:
        upgrade(connection)
    migrated = layout(postgres_url)
    open_postgres(postgres_url).close()  # accepts it as it is
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    open_postgres(postgres_url).close()
    assert layout(postgres_url) == migrated
    assert len(migrated) > 150


def test_a_newer_schema_is_refused(postgres_url: sa.URL) -> None:
    open_postgres(postgres_url).close()
    with engine_of(postgres_url).begin() as connection:
        connection.exec_driver_sql("UPDATE oblio_schema SET version_num = '9999'")
    with pytest.raises(SchemaNewer):
        open_postgres(postgres_url)


def test_an_address_as_text_with_a_quoted_password_works(postgres_url: sa.URL) -> None:
    with closing(open_postgres(postgres_url.render_as_string(hide_password=False))) as store, store.read() as tx:
        assert tx.holders.free_slot() == 0


@pytest.mark.parametrize(
    "address", ["postgresql://u:pa@ss:/?#%w@h:port/x", "pa@ss:/?#%w", "mysql://u:pa@h/x", "postgresql://u:pa@h:99x/x"]
)
def test_an_unreadable_address_is_not_repeated(address: str) -> None:
    with pytest.raises((AddressUnreadable, StoreUnreachable)) as caught:
        open_postgres(address)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "pa" not in f"{caught.value!r}"


def test_a_server_that_is_down_and_a_wrong_password_are_said_without_either(postgres_url: sa.URL) -> None:
    for wrong in (postgres_url.set(port=1), postgres_url.set(password="wr@ng:/?#%")):
        with pytest.raises(StoreUnreachable) as caught:
            open_postgres(wrong)
        for secret in ("wr@ng", "127.0.0.1", "psycopg", str(wrong.port)):
            assert secret not in f"{caught.value} {caught.value!r}"
        assert "psycopg.OperationalError" not in shown(caught.value)


def test_a_connection_that_was_cut_is_reported_and_replaced(store: PostgresStore, postgres_url: sa.URL) -> None:
    with store.read() as tx:
        assert tx.holders.free_slot() == 0
        with engine_of(postgres_url).begin() as connection:
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        with pytest.raises(StoreUnreachable):
            tx.holders.free_slot()
    attempts = [partial(_reads, store)] * 2  # the first may still meet a connection that was cut
    assert any(attempt() for attempt in attempts)


def _reads(store: PostgresStore) -> bool:
    try:
        with store.read() as tx:
            return tx.holders.free_slot() == 0
    except Fault:
        return False


def test_a_writer_of_another_process_is_waited_for_and_reported(store: PostgresStore, postgres_url: sa.URL) -> None:
    with closing(open_postgres(postgres_url, seconds=1)) as other, store.write():
        with pytest.raises(StoreBusy), other.write():
            pass
        with other.read() as tx:
            assert tx.holders.free_slot() == 0


def test_the_engine_lock_is_held_by_one_worker(store: PostgresStore, postgres_url: sa.URL) -> None:
    with closing(open_postgres(postgres_url)) as other:
        with store.engine_lock.hold(wait=False) as taken, other.engine_lock.hold(wait=False) as again:
            assert (taken, again) == (True, False)
        with other.engine_lock.hold(wait=True) as taken:
            assert taken


def test_who_waits_for_the_engine_lock_gives_up_in_time(store: PostgresStore) -> None:
    hasty = PostgresExclusive(store._alone, seconds=1)
    with store.engine_lock.hold(wait=False), hasty.hold(wait=True) as taken:
        assert not taken
    with hasty.hold(wait=True) as taken:
        assert taken


def test_options_of_the_address_are_kept(postgres_url: sa.URL) -> None:
    url = postgres_url.set(query={"options": "-c application_name=kept"})
    with closing(open_postgres(url)) as store, store._writer.connect() as connection:
        assert connection.exec_driver_sql("SHOW application_name").scalar_one() == "kept"
        assert connection.exec_driver_sql("SHOW lock_timeout").scalar_one() == "30s"


def test_a_view_is_read_only_in_the_server_too(store: PostgresStore) -> None:
    with store._readers.connect() as connection, pytest.raises(sa.exc.InternalError, match="read-only transaction"):
        connection.exec_driver_sql("DELETE FROM items")


def test_no_value_of_a_refused_row_is_in_the_error(store: PostgresStore) -> None:
    row = rows.holder()
    with store.write() as tx:
        tx.holders.add(row)
    with pytest.raises(Fault) as caught, store.write() as tx:
        tx.holders.add(row)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert row.holder not in shown(caught.value)
