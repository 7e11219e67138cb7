"""The tables. Every one has an integer key that only rises; random ids stand in indexes.

Rows of `contents`, `unit_keys`, `subject_keys` and the audit log are inserted and deleted, or overwritten by the same
number of bytes: in other shapes SQLite keeps deleted bytes in rebalanced pages even with `secure_delete` (rule X14).
Every table and column has an entry in `oblio.storage.inventory` (rule X15).
"""

from typing import Any, Final

import sqlalchemy as sa

from oblio.model.consent import Basis, Purpose
from oblio.model.erasure import Level, Outcome, PlanAction, Result, ScopeKind, State
from oblio.model.memory import ItemState, ItemType, Origin
from oblio.model.subject import HolderRole, HolderState
from oblio.storage.columns import Choice, Day, Fixed, Id, Moment, Opaque, Token

REVISIONS: Final = ("0001",)
"""Every revision of the schema, oldest first; the last one is what this code reads and writes."""

metadata: Final = sa.MetaData(
    naming_convention={"pk": "%(table_name)s_pkey", "uq": "%(table_name)s_%(column_0_N_name)s_key"}
)

Column = sa.Column[Any]
_HELD: Final = "held"
_Long: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _table(name: str, *columns: Column | sa.Index | sa.UniqueConstraint) -> sa.Table:
    key: Column = sa.Column("seq", _Long, primary_key=True, autoincrement=True)
    return sa.Table(name, metadata, key, *columns, sqlite_autoincrement=True)


def _one(name: str, kind: Any, *, null: bool = False) -> Column:  # noqa: ANN401 -- any column type
    return sa.Column(name, kind, nullable=null)


def _where(name: str, *columns: str, unique: bool = False) -> sa.Index:
    """Return an index over the rows in which `columns` has a value."""
    held = sa.text(f"{columns[0]} IS NOT NULL")
    return sa.Index(name, *columns, unique=unique, sqlite_where=held, info={_HELD: held})


def _complete(target: sa.MetaData, connection: sa.Connection, **_options: object) -> None:
    """Give the indexes their condition for PostgreSQL: naming it earlier would load that dialect for every SQLite."""
    if connection.dialect.name != "postgresql":
        return
    for index in (index for table in target.tables.values() for index in table.indexes if _HELD in index.info):
        index.dialect_options["postgresql"]["where"] = index.info[_HELD]


sa.event.listen(metadata, "before_create", _complete)


schema_revision: Final = sa.Table(
    "oblio_schema",  # the table in which Alembic notes the revision, with the names that it gives
    metadata,
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="oblio_schema_pkc"),
)

store: Final = _table(
    "store",
    _one("store", Id()),
    _one("format", sa.Integer),
    _one("created_at", Moment()),
    _one("filter_mode", Token()),
    _one("seal", sa.LargeBinary(32)),
)

vault: Final = _table(
    "vault",
    _one("cur", sa.BigInteger),
    _one("new", sa.BigInteger, null=True),
    _one("progress", sa.BigInteger),
    _one("retiring", sa.BigInteger, null=True),
    _one("counter", sa.BigInteger),
    _one("rotation_started_at", Moment(), null=True),
    _one("rotation_finished_at", Moment(), null=True),
)

holders: Final = _table(
    "holders",
    _one("tenant", Token()),
    _one("holder", Id()),
    _one("role", Choice(HolderRole)),
    _one("lookup", sa.LargeBinary(32), null=True),
    _one("state", Choice(HolderState)),
    _one("slot", sa.BigInteger, null=True),
    _one("retired_slot", sa.BigInteger, null=True),
    _one("key_no", sa.BigInteger),
    _one("version", sa.BigInteger),
    _one("generation", sa.BigInteger),
    sa.UniqueConstraint("holder"),
    _where("holders_lookup", "lookup", unique=True),
    _where("holders_slot", "slot", unique=True),
    _where("holders_retired_slot", "retired_slot", unique=True),
)

free_slots: Final = _table("free_slots", _one("slot", sa.BigInteger), sa.UniqueConstraint("slot"))

subject_keys: Final = _table(
    "subject_keys",
    _one("holder", Id()),
    _one("epoch", Fixed()),
    _one("key_no", Fixed()),
    _one("wrapped", sa.LargeBinary),
    sa.UniqueConstraint("holder", "key_no"),
    sa.Index("subject_keys_epoch", "epoch"),
)

unit_keys: Final = _table(
    "unit_keys",
    _one("unit", Id()),
    _one("holder", Id()),
    _one("key_no", Fixed()),
    _one("wrapped", sa.LargeBinary),
    sa.UniqueConstraint("unit", "holder"),
    sa.Index("unit_keys_holder", "holder", "seq"),
)

contents: Final = _table("contents", _one("unit", Id()), _one("sealed", sa.LargeBinary), sa.UniqueConstraint("unit"))

items: Final = _table(
    "items",
    _one("tenant", Token()),
    _one("subject", Id()),
    _one("item", Id()),
    _one("type", Choice(ItemType)),
    _one("kind", Token()),
    _one("deletion_class", Token()),
    _one("state", Choice(ItemState)),
    _one("origin", Choice(Origin)),
    _one("unit", Id(), null=True),
    _one("version", sa.BigInteger),
    _one("generation", sa.BigInteger),
    _one("saved", Moment()),
    _one("said_at", Moment(), null=True),
    _one("expires", Day(), null=True),
    _one("deriver", Token(), null=True),
    sa.UniqueConstraint("item"),
    sa.Index("items_subject", "subject", "type", "seq"),
    _where("items_expires", "expires"),
)

edges: Final = _table(
    "edges",
    _one("item", Id()),
    _one("source", Id()),
    sa.UniqueConstraint("item", "source"),
    sa.Index("edges_source", "source"),
)

consents: Final = _table(
    "consents",
    _one("tenant", Token()),
    _one("subject", Id()),
    _one("purpose", Choice(Purpose)),
    _one("basis", Choice(Basis)),
    _one("notice", Token()),
    _one("role", Token()),
    _one("granted_at", Moment()),
    _one("withdrawn_at", Moment(), null=True),
    sa.Index("consents_subject", "subject"),
)

tombstones: Final = _table(
    "tombstones",
    _one("item", Id()),
    _one("until", Day()),
    sa.UniqueConstraint("item"),
    sa.Index("tombstones_until", "until"),
)

erasures: Final = _table(
    "erasures",
    _one("tenant", Token()),
    _one("request", Id()),
    _one("subject", Id(), null=True),
    _one("scope", Choice(ScopeKind)),
    _one("state", Choice(State)),
    _one("result", Choice(Result), null=True),
    _one("plan_digest", Token()),
    _one("idempotency", sa.LargeBinary(32), null=True),
    _one("recovery", sa.LargeBinary(32), null=True),
    _one("planned", sa.BigInteger),
    _one("blanked", sa.BigInteger),
    _one("rebuilt", sa.BigInteger),
    _one("received_at", Moment()),
    _one("locked_at", Moment(), null=True),
    _one("completed_at", Moment(), null=True),
    _one("horizon", Moment(), null=True),
    sa.UniqueConstraint("request"),
    sa.Index("erasures_subject", "subject"),
    sa.Index("erasures_state", "state"),
)

erasure_steps: Final = _table(
    "erasure_steps",
    _one("request", Id()),
    _one("name", Token()),
    _one("target", Token()),
    _one("level", Choice(Level)),
    _one("outcome", Choice(Outcome)),
    _one("count", sa.BigInteger),
    _one("reason", Token(), null=True),
    _one("attempts", sa.BigInteger),
    sa.UniqueConstraint("request", "name", "target", "level"),
)

erasure_plans: Final = _table(
    "erasure_plans",
    _one("request", Id()),
    _one("item", Id()),
    _one("subject", Id()),
    _one("unit", Id(), null=True),
    _one("action", Choice(PlanAction)),
    sa.Index("erasure_plans_request", "request", "seq"),
)

rebuilds: Final = _table(
    "rebuilds",
    _one("tenant", Token()),
    _one("subject", Id()),
    _one("item", Id()),
    _one("request", Id(), null=True),
    _one("attempts", sa.BigInteger),
    sa.UniqueConstraint("item"),
)

receipts: Final = _table(
    "receipts", _one("request", Id()), _one("payload", sa.LargeBinary), sa.UniqueConstraint("request")
)

receipt_documents: Final = _table(
    "receipt_documents", _one("request", Id()), _one("document", sa.LargeBinary), sa.UniqueConstraint("request")
)

imports: Final = _table(
    "imports",
    _one("subject", Id()),
    _one("source", sa.LargeBinary),
    _one("position", Opaque()),
    sa.UniqueConstraint("subject", "source"),
)

audit_pending: Final = _table("audit_pending", _one("body", sa.LargeBinary))

audit_leaves: Final = _table(
    "audit_leaves", _one("leaf", sa.BigInteger), _one("body", sa.LargeBinary), sa.UniqueConstraint("leaf")
)

audit_nodes: Final = _table(
    "audit_nodes", _one("node", sa.BigInteger), _one("digest", sa.LargeBinary(32)), sa.UniqueConstraint("node")
)

audit_checkpoints: Final = _table(
    "audit_checkpoints", _one("size", sa.BigInteger), _one("note", sa.LargeBinary), sa.UniqueConstraint("size")
)
