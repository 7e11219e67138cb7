"""The first schema."""

from collections.abc import Mapping
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0001"
down_revision: Final = None

_TABLES: Final = (
    ("store", "store bytes, format int, created_at long, filter_mode text, seal bytes", ""),
    (
        "vault",
        (
            "cur long, new long?, progress long, retiring long?, counter long, rotation_started_at long?, "
            "rotation_finished_at long?"
        ),
        "",
    ),
    (
        "holders",
        (
            "tenant text, holder bytes, role text, lookup bytes?, state text, slot long?, retired_slot "
            "long?, key_no long, version long, generation long"
        ),
        "holder",
    ),
    ("free_slots", "slot long", "slot"),
    ("subject_keys", "holder bytes, epoch bytes, key_no bytes, wrapped bytes", "holder,key_no"),
    ("unit_keys", "unit bytes, holder bytes, key_no bytes, wrapped bytes", "unit,holder"),
    ("contents", "unit bytes, sealed bytes", "unit"),
    (
        "items",
        (
            "tenant text, subject bytes, item bytes, type text, kind text, deletion_class text, state text, "
            "origin text, unit bytes?, version long, generation long, saved long, said_at long?, expires "
            "int?, deriver text?"
        ),
        "item",
    ),
    ("edges", "item bytes, source bytes", "item,source"),
    (
        "consents",
        (
            "tenant text, subject bytes, purpose text, basis text, notice text, role text, granted_at long, "
            "withdrawn_at long?"
        ),
        "",
    ),
    ("tombstones", "item bytes, until int", "item"),
    (
        "erasures",
        (
            "tenant text, request bytes, subject bytes?, scope text, state text, result text?, plan_digest "
            "text, idempotency bytes?, recovery bytes?, planned long, blanked long, rebuilt long, "
            "received_at long, locked_at long?, completed_at long?, horizon long?"
        ),
        "request",
    ),
    (
        "erasure_steps",
        "request bytes, name text, target text, level text, outcome text, count long, reason text?, attempts long",
        "request,name,target,level",
    ),
    ("erasure_plans", "request bytes, item bytes, subject bytes, unit bytes?, action text", ""),
    ("rebuilds", "tenant text, subject bytes, item bytes, request bytes?, attempts long", "item"),
    ("receipts", "request bytes, payload bytes", "request"),
    ("receipt_documents", "request bytes, document bytes", "request"),
    ("imports", "subject bytes, source bytes, position bytes", "subject,source"),
    ("audit_pending", "body bytes", ""),
    ("audit_leaves", "leaf long, body bytes", "leaf"),
    ("audit_nodes", "node long, digest bytes", "node"),
    ("audit_checkpoints", "size long, note bytes", "size"),
)

_INDEXES: Final = (
    ("holders_lookup", "holders", "lookup", True, True),
    ("holders_retired_slot", "holders", "retired_slot", True, True),
    ("holders_slot", "holders", "slot", True, True),
    ("subject_keys_epoch", "subject_keys", "epoch", False, False),
    ("unit_keys_holder", "unit_keys", "holder,seq", False, False),
    ("items_expires", "items", "expires", False, True),
    ("items_subject", "items", "subject,type,seq", False, False),
    ("edges_source", "edges", "source", False, False),
    ("consents_subject", "consents", "subject", False, False),
    ("tombstones_until", "tombstones", "until", False, False),
    ("erasures_state", "erasures", "state", False, False),
    ("erasures_subject", "erasures", "subject", False, False),
    ("erasure_plans_request", "erasure_plans", "request,seq", False, False),
)

_LONG: Final = sa.BigInteger()
_TYPES: Final[Mapping[str, sa.types.TypeEngine[Any]]] = {
    "bytes": sa.LargeBinary(),
    "long": _LONG,
    "int": sa.Integer(),
    "text": sa.Text(),
}


def _column(spec: str) -> sa.Column[Any]:
    name, kind = spec.split()
    return sa.Column(name, _TYPES[kind.rstrip("?")], nullable=kind.endswith("?"))


def _create(name: str, columns: str, unique: str) -> None:
    number = _LONG.with_variant(sa.Integer(), "sqlite")
    taken = [sa.UniqueConstraint(*unique.split(","), name=f"{name}_{unique.replace(',', '_')}_key")] if unique else []
    op.create_table(
        name,
        sa.Column("seq", number, autoincrement=True, nullable=False),
        *(_column(spec) for spec in columns.split(", ")),
        sa.PrimaryKeyConstraint("seq", name=f"{name}_pkey"),
        *taken,
        sqlite_autoincrement=True,
    )


def upgrade() -> None:
    """Make every table and index."""
    for name, columns, key in _TABLES:
        _create(name, columns, key)
    for name, table, columns, unique, partial in _INDEXES:
        names = columns.split(",")
        held = sa.text(f"{names[0]} IS NOT NULL") if partial else None
        op.create_index(name, table, names, unique=unique, sqlite_where=held, postgresql_where=held)
