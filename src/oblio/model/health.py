"""What an operator should know about one store on this machine: states, counts and times, nothing about a person."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The facts that `oblio doctor` judges."""

    database_mode: int
    """Permission bits of the database file."""
    keys_mode: int
    """Permission bits of the key place."""
    keys_beside_data: bool
    """Whether one raw copy of a folder may hold both."""
    key_place: str
    """Where the keys are, for whoever runs the store."""
    sqlite_version: str
    secure_delete_default: bool
    """Whether this SQLite build overwrites what it deletes unless told otherwise. Oblio always tells it to."""
    embedder: str
    """Model of the vectors that are written."""
    meaning: bool
    """Whether that model knows meaning across languages, or parts of words only."""
    trial: bool
    unfinished: int
    """Erasure requests that have not reached their end."""
    blocked: int
    """Those of `unfinished` that wait for a person."""
    epoch: int
    """Number of the current epoch key."""
    epoch_since: datetime
    """When the current epoch key was made."""
    entries: int
    """Entries of the audit log."""
