"""The data inventory: what every table and column is for, whose it is, and how it ends (rule X15).

A test compares it with the tables, so that a column without an entry, or an entry without a column, fails the build.
`docs/data-inventory.md` is made from it. Roles are those of the register of processing: the *controller* decides what
is kept, the *operator* runs the store. Articles are of the GDPR.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from oblio.storage.inventory_columns import COLUMNS

NOBODY: Final = "-"
"""Owner of rows that belong to no person."""

_CONTROLLER: Final = "controller"
_OPERATOR: Final = "operator"
_SERVICE: Final = "Art. 6(1)(a) or (b): the basis of the content it belongs to"
_DUTY: Final = "Art. 6(1)(c) with Art. 5(2), 12(3), 17: proof that a request was answered"
_SECURITY: Final = "Art. 6(1)(f) with Art. 32: security of the store"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEntry:
    """What holds for a whole table."""

    purpose: str
    owner: str
    """Column with the random id of whom a row belongs to, or `NOBODY`."""
    role: str
    basis: str
    deletion_class: str
    erasure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnEntry:
    """What holds for one column: its own purpose and everything of its table."""

    table: str
    column: str
    purpose: str
    of: TableEntry


def _entry(purpose: str, owner: str, deletion_class: str, erasure: str, *, basis: str = _SERVICE) -> TableEntry:
    role = _CONTROLLER if basis is _SERVICE else _OPERATOR
    return TableEntry(
        purpose=purpose, owner=owner, role=role, basis=basis, deletion_class=deletion_class, erasure=erasure
    )


_ROW: Final = "The row is deleted in the transaction that erases the item or the person."
_END: Final = "Ends with the store."

TABLES: Final[Mapping[str, TableEntry]] = MappingProxyType(
    {
        "oblio_schema": _entry("Revision of the tables.", NOBODY, "system", _END, basis=_SECURITY),
        "store": _entry("What this store is.", NOBODY, "system", _END, basis=_SECURITY),
        "vault": _entry("How far key rotation has come.", NOBODY, "system", _END, basis=_SECURITY),
        "holders": _entry(
            "Finds a person by a keyed hash and says whether the person's key lives.",
            "holder",
            "profile",
            "At the lock the lookup is emptied and the generation raised; with the key the slot is emptied. The random"
            " id with its state stays as the fence against late writers.",
        ),
        "free_slots": _entry("Numbers of slots that nobody owns.", NOBODY, "system", _END, basis=_SECURITY),
        "subject_keys": _entry(
            "Wrapped keys of persons and requests where no slot file is used.",
            "holder",
            "profile",
            "The row is deleted in the transaction that erases the person.",
        ),
        "unit_keys": _entry("Wrapped keys of single contents, one for each holder.", "holder", "of its item", _ROW),
        "contents": _entry(
            "Ciphertext: texts, names, titles, vectors, targets.",
            "unit",
            "of its item",
            f"{_ROW} Its keys go first, so it is unreadable even where bytes remain.",
        ),
        "items": _entry("What is stored of a person, without its content.", "subject", "deletion_class", _ROW),
        "edges": _entry(
            "Which item was made from which, so that an erasure finds everything derived.",
            "item",
            "of its item",
            "Every edge at either end of an erased item is deleted with it.",
        ),
        "consents": _entry(
            "Who allowed which use, on which notice.",
            "subject",
            "consent",
            "Deleted with the person; a withdrawal is noted before.",
            basis="Art. 7(1): proof of consent",
        ),
        "tombstones": _entry(
            "Random ids of erased items, which refuse a late writer.",
            NOBODY,
            "tombstone",
            "Deleted 90 days after the erasure.",
            basis=_SECURITY,
        ),
        "erasures": _entry(
            "Requests to erase: states, counts and times.",
            "subject",
            "request",
            "Stays as the answer to the request; it holds random ids and digests only.",
            basis=_DUTY,
        ),
        "erasure_steps": _entry(
            "How each step of a request ended.",
            "request",
            "request",
            "Stays as the answer to the request.",
            basis=_DUTY,
        ),
        "erasure_plans": _entry(
            "The items that a request is about, so that it can be carried on.",
            "subject",
            "erasure_target",
            "Deleted when the request is completed.",
            basis=_DUTY,
        ),
        "rebuilds": _entry(
            "Blanked items that wait to be made anew from what remains.",
            "subject",
            "erasure_target",
            "Deleted when the item is rebuilt or erased.",
        ),
        "receipts": _entry(
            "What the receipt of a request says, fixed when it is completed.",
            "request",
            "request",
            "Stays as proof; it holds no personal data.",
            basis=_DUTY,
        ),
        "receipt_documents": _entry(
            "The signed receipt.", "request", "request", "Stays as proof; it holds no personal data.", basis=_DUTY
        ),
        "imports": _entry(
            "How far an import of past conversations has come.",
            "subject",
            "import",
            "Deleted with the person.",
        ),
        "audit_pending": _entry(
            "Facts that wait for their place in the log.",
            NOBODY,
            "security_event",
            "Deleted when the fact has its place.",
            basis=_DUTY,
        ),
        "audit_leaves": _entry(
            "Entries of the log: times, actions, counts, random tokens.",
            NOBODY,
            "security_event",
            "The link of a token to a person dies with the person's key; the bytes of an entry can be dropped.",
            basis=_DUTY,
        ),
        "audit_nodes": _entry("Hashes that make rewriting visible.", NOBODY, "security_event", _END, basis=_DUTY),
        "audit_checkpoints": _entry("Signed states of the log.", NOBODY, "security_event", _END, basis=_DUTY),
    }
)


def inventory() -> Iterator[ColumnEntry]:
    """Yield the entry of every column, table by table."""
    for table, columns in COLUMNS.items():
        for column, purpose in columns.items():
            yield ColumnEntry(table=table, column=column, purpose=purpose, of=TABLES[table])


def page() -> str:
    """Return the inventory as a Markdown page."""
    lines = [
        "# Data inventory",
        "",
        "Made from `oblio.storage.inventory` by `tools/data_inventory.py`; a test compares both with the tables.",
        "Everything in clear text is listed here: random ids, kinds, states, times, counts. Content is ciphertext.",
    ]
    for name, table in TABLES.items():
        lines += ["", f"## {name}", "", table.purpose, ""]
        owner = "nobody's data" if table.owner == NOBODY else f"`{table.owner}`"
        lines += [
            f"* owner: {owner}",
            f"* responsible: {table.role}",
            f"* legal basis: {table.basis}",
            f"* deletion class: {table.deletion_class}",
            f"* erasure: {table.erasure}",
            "",
            "| column | purpose |",
            "|---|---|",
        ]
        lines += [f"| `{column}` | {purpose} |" for column, purpose in COLUMNS[name].items()]
    return "\n".join(lines) + "\n"
