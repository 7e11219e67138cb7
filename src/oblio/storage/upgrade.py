"""Runs Alembic's migrations over an open connection, without a configuration file."""

from pathlib import Path
from typing import Final

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext, RevisionStep
from alembic.script import ScriptDirectory

from oblio.storage.schema import schema_revision

_SCRIPTS: Final = Path(__file__).parent / "migrations"


def scripts() -> ScriptDirectory:
    """Return the migrations."""
    return ScriptDirectory(str(_SCRIPTS))


def upgrade(connection: sa.Connection, /) -> None:
    """Bring a database, empty or older, to the newest revision within the open transaction."""
    directory = scripts()

    def steps(revision: object, _context: MigrationContext) -> list[RevisionStep]:
        return directory._upgrade_revs("head", revision)  # type: ignore[arg-type]  # noqa: SLF001 -- as `alembic upgrade` does

    with EnvironmentContext(Config(), directory, fn=steps, destination_rev="head") as environment:
        environment.configure(connection=connection, version_table=schema_revision.name)
        environment.run_migrations()
