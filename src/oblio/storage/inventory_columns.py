"""What every column is for."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_SEQ: Final = "Order of writing, given by the database and never given twice."
_TENANT: Final = "Customer application."
_SUBJECT: Final = "Random id of the person."
_REQUEST: Final = "Random id of the request."
_ITEM: Final = "Random id of the item."
_UNIT: Final = "Random id of the sealed version."
_WRAPPED: Final = "A key, encrypted under another: 60 bytes."


def _columns(**purposes: str) -> Mapping[str, str]:
    return MappingProxyType({"seq": _SEQ, **purposes})


COLUMNS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "oblio_schema": MappingProxyType({"version_num": "Name of the revision."}),
        "store": _columns(
            store="Random id of the store.",
            format="Version of the stored formats.",
            created_at="When it was made.",
            filter_mode="Whether the filter refuses or only counts; sealed.",
            seal="MAC over id and filter mode.",
        ),
        "vault": _columns(
            cur="Number of the current epoch.",
            new="Number of the epoch that a rotation moves to.",
            progress="Slots moved so far.",
            retiring="Number of the epoch that is being destroyed.",
            counter="Shows that a database is older than its keys.",
            rotation_started_at="When the last rotation began.",
            rotation_finished_at="When the last rotation ended.",
        ),
        "holders": _columns(
            tenant=_TENANT,
            holder="Random id of the person or of the request.",
            role="Person or request.",
            lookup="Keyed hash of tenant and external id; emptied by an erasure.",
            state="Active, locked or erased.",
            slot="Place of the wrapped key in the slot file.",
            retired_slot="Place of an older key that is not yet known to be zero.",
            key_no="Number of the current key.",
            version="Rises with the key, so that cached keys are dropped.",
            generation="Rises with an erasure, so that late writers are refused.",
        ),
        "free_slots": _columns(slot="A number below the largest ever used that is nobody's."),
        "subject_keys": _columns(
            holder="Random id of the person or of the request.",
            epoch="Number of the epoch whose key wraps this one.",
            key_no="Number of the key.",
            wrapped=_WRAPPED,
        ),
        "unit_keys": _columns(
            unit=_UNIT,
            holder="Random id of whoever can open it.",
            key_no="Number of the holder's key that wraps this one.",
            wrapped=_WRAPPED,
        ),
        "contents": _columns(unit=_UNIT, sealed="AES-256-GCM ciphertext, format version first."),
        "items": _columns(
            tenant=_TENANT,
            subject=_SUBJECT,
            item=_ITEM,
            type="Memory, message, derived text, segment, profile or target.",
            kind="Kind of a memory, role of a message, name of a deriver.",
            deletion_class="Which period holds.",
            state="Live, spent or blank.",
            origin="Said, extracted, from a tool, or imported.",
            unit="The current sealed version; empty while blank.",
            version="Number of the version.",
            generation="Generation of the person when it was written.",
            saved="When it was written; periods count from here.",
            said_at="When it was said, where an import knows it.",
            expires="Last day on which it may be read.",
            deriver="Name and version of what made a derived text.",
        ),
        "edges": _columns(item="Random id of the item that was made.", source="Random id of what it was made from."),
        "consents": _columns(
            tenant=_TENANT,
            subject=_SUBJECT,
            purpose="Memory, history, sensitive or analytics.",
            basis="Consent or contract.",
            notice="Version of the notice that the person saw.",
            role="Who granted: the person or a guardian.",
            granted_at="When it was granted.",
            withdrawn_at="When it was withdrawn.",
        ),
        "tombstones": _columns(item="Random id of an erased item.", until="Last day of the fence."),
        "erasures": _columns(
            tenant=_TENANT,
            request=_REQUEST,
            subject="Random id of the person; empty when nobody was found.",
            scope="Items or everything.",
            state="Where the request stands.",
            result="What its steps add up to.",
            plan_digest="Digest over random ids that commits to what was confirmed.",
            idempotency="Keyed hash of the caller's key, so that a second click starts nothing.",
            recovery="Hash of the recovery code.",
            planned="How many versions are to vanish.",
            blanked="How many derived texts lost a source.",
            rebuilt="How many of them were made anew.",
            received_at="When it was received.",
            locked_at="When erasing began.",
            completed_at="When it was completed.",
            horizon="From when on no backup can show what was erased.",
        ),
        "erasure_steps": _columns(
            request=_REQUEST,
            name="Name of the step.",
            target="The store or a connector.",
            level="Logical or physical.",
            outcome="How it ended.",
            count="How many were erased, over all attempts.",
            reason="Why, as a token.",
            attempts="How often it was tried.",
        ),
        "erasure_plans": _columns(
            request=_REQUEST,
            item=_ITEM,
            subject="Random id of the item's owner.",
            unit="The version that is to vanish.",
            action="Erase, blank or mark as spent.",
        ),
        "rebuilds": _columns(
            tenant=_TENANT,
            subject=_SUBJECT,
            item=_ITEM,
            request="Request that blanked it; empty after a correction.",
            attempts="How often it was tried.",
        ),
        "receipts": _columns(request=_REQUEST, payload="What the receipt says: counts, outcomes, times."),
        "receipt_documents": _columns(request=_REQUEST, document="The signed receipt with its proof."),
        "imports": _columns(
            subject=_SUBJECT,
            source="Keyed digest of the imported file.",
            position="Position behind the last stored record.",
        ),
        "audit_pending": _columns(body="The fact in its one written form."),
        "audit_leaves": _columns(leaf="Place in the log.", body="The entry; zeros when it was dropped."),
        "audit_nodes": _columns(node="Level and index of a subtree as one number.", digest="SHA-256 of the subtree."),
        "audit_checkpoints": _columns(size="Number of entries.", note="The signed note."),
    }
)
