"""Which schema a database has: made when it is new, upgraded when it is older, refused when it is newer.

Alembic is loaded only for an upgrade: opening a database that is up to date must not wait for it.
"""

from importlib import import_module

import sqlalchemy as sa

from oblio.errors.storage import ForeignDatabase, SchemaNewer
from oblio.storage.schema import REVISIONS, metadata, schema_revision
from oblio.storage.session import guarded

_REVISION = sa.select(schema_revision.c.version_num)


def is_current(connection: sa.Connection, /) -> bool:
    """Say whether nothing is to be done.

    Raises:
        SchemaNewer: the revision is not one of ours.
    """
    if not guarded(lambda: sa.inspect(connection).has_table(schema_revision.name)):
        return False
    revision = guarded(lambda: connection.execute(_REVISION).scalar())
    if revision is not None and revision not in REVISIONS:
        raise SchemaNewer
    return revision == REVISIONS[-1]


def bring_up_to_date(connection: sa.Connection, /, *, alone: bool) -> None:
    """Make or upgrade the schema within the open transaction, which holds the writer lock.

    Args:
        connection: inside a write transaction.
        alone: the database may hold no tables but ours.

    Raises:
        ForeignDatabase: `alone`, and there are tables but none of ours.
        SchemaNewer: the revision is not one of ours.
    """
    if is_current(connection):
        return
    tables = guarded(lambda: sa.inspect(connection).get_table_names())
    if schema_revision.name in tables:
        guarded(lambda: import_module("oblio.storage.upgrade").upgrade(connection))
        return
    if alone and tables:
        raise ForeignDatabase(tables=len(tables))
    guarded(lambda: metadata.create_all(connection, checkfirst=False))
    guarded(lambda: connection.execute(sa.insert(schema_revision).values(version_num=REVISIONS[-1])))
