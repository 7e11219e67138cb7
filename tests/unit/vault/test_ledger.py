"""The erasure ledger: durable, chained, repaired after a crash, never silently wrong."""

from pathlib import Path

import pytest

from oblio.errors.vault import FormatUnknown, KeyPlaceBroken, LedgerForged
from oblio.model.ids import new_id
from oblio.ports.store import uncut
from oblio.vault import ledger as module
from oblio.vault.files import read_at
from oblio.vault.ledger import RECORD_BYTES, LedgerFile

KEY = b"k" * 32
IDS = [new_id() for _ in range(5)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


@pytest.fixture
def ledger(path: Path) -> LedgerFile:
    """A ledger with five ids."""
    made = LedgerFile(path, KEY, cut=uncut)
    made.create()
    made.append(IDS[:2])
    made.append(IDS[2:])
    return made


def test_ids_come_back_in_order_and_again_after_opening(ledger: LedgerFile, path: Path) -> None:
    assert ledger.ids() == IDS
    assert LedgerFile(path, KEY, cut=uncut).ids() == IDS


def test_appending_nothing_writes_nothing(ledger: LedgerFile, path: Path) -> None:
    before = path.read_bytes()
    ledger.append([])
    assert path.read_bytes() == before


def test_an_id_may_be_added_again(ledger: LedgerFile) -> None:
    ledger.append(IDS[:1])
    assert ledger.ids() == [*IDS, IDS[0]]


def test_the_digest_changes_with_every_id(path: Path) -> None:
    ledger = LedgerFile(path, KEY, cut=uncut)
    ledger.create()
    seen = {ledger.digest()}
    for identifier in IDS:
        ledger.append([identifier])
        seen.add(ledger.digest())
    assert len(seen) == 6


@pytest.mark.parametrize("lost", [1, 47, 48, 60, 3 * RECORD_BYTES])
def test_a_torn_tail_is_cut_off_by_the_repair(ledger: LedgerFile, path: Path, lost: int) -> None:
    path.write_bytes(path.read_bytes()[:-lost])
    ledger.repair()
    left = 5 - -(-lost // RECORD_BYTES)
    assert ledger.ids() == IDS[:left]


@pytest.mark.parametrize("size", [10, RECORD_BYTES, 2 * RECORD_BYTES + 5])
def test_a_tail_of_zeros_is_cut_off_by_the_next_append(ledger: LedgerFile, path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes() + bytes(size))
    ledger.append(IDS[:1])
    assert ledger.ids() == [*IDS, IDS[0]]


def test_an_empty_ledger_with_a_torn_first_record_becomes_empty(path: Path) -> None:
    ledger = LedgerFile(path, KEY, cut=uncut)
    ledger.create()
    path.write_bytes(path.read_bytes() + bytes(RECORD_BYTES))
    ledger.repair()
    assert ledger.ids() == []


def test_a_bad_tail_is_an_error_to_whoever_reads(ledger: LedgerFile, path: Path) -> None:
    path.write_bytes(path.read_bytes() + bytes(RECORD_BYTES))
    with pytest.raises(LedgerForged) as caught:
        ledger.ids()
    assert caught.value.facts == {"record": 5}


@pytest.mark.parametrize("record", range(4))
def test_a_changed_record_in_front_of_a_good_one_is_forged(ledger: LedgerFile, path: Path, record: int) -> None:
    found = bytearray(path.read_bytes())
    found[(1 + record) * RECORD_BYTES] ^= 1
    path.write_bytes(found)
    for act in (ledger.ids, ledger.repair, ledger.digest):
        with pytest.raises(LedgerForged):
            act()
    assert path.read_bytes() == bytes(found)


def test_an_append_reads_the_end_only(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = LedgerFile(path, KEY, cut=uncut)
    ledger.create()
    ledger.append([new_id() for _ in range(200)])
    read: list[int] = []

    def counted(descriptor: int, size: int, offset: int) -> bytes:
        read.append(size)
        return read_at(descriptor, size, offset)

    monkeypatch.setattr(module, "read_at", counted)
    ledger.append(IDS)
    assert sum(read) <= 3 * RECORD_BYTES
    monkeypatch.undo()
    assert ledger.ids()[200:] == IDS


def test_an_append_behind_a_changed_record_hides_nothing(ledger: LedgerFile, path: Path) -> None:
    found = bytearray(path.read_bytes())
    found[2 * RECORD_BYTES] ^= 1
    path.write_bytes(found)
    ledger.append(IDS[:1])
    for act in (ledger.ids, ledger.repair, ledger.digest):
        with pytest.raises(LedgerForged):
            act()


@pytest.mark.parametrize("records", [1, 2, 5])
def test_a_last_record_that_is_bad_is_replaced_by_an_append(path: Path, records: int) -> None:
    ledger = LedgerFile(path, KEY, cut=uncut)
    ledger.create()
    ledger.append(IDS[:records])
    found = bytearray(path.read_bytes())
    found[-1] ^= 1
    path.write_bytes(found)
    ledger.append(IDS[:1])
    assert ledger.ids() == [*IDS[: records - 1], IDS[0]]


def test_an_append_to_a_ledger_of_another_format_is_refused(ledger: LedgerFile, path: Path) -> None:
    path.write_bytes(b"\x02" + path.read_bytes()[1:])
    with pytest.raises(FormatUnknown):
        ledger.append(IDS)


def test_a_record_that_was_left_out_is_noticed(ledger: LedgerFile, path: Path) -> None:
    found = path.read_bytes()
    path.write_bytes(found[: 2 * RECORD_BYTES] + found[3 * RECORD_BYTES :])
    with pytest.raises(LedgerForged):
        ledger.ids()


def test_a_ledger_under_another_key_is_forged(ledger: LedgerFile, path: Path) -> None:
    assert ledger.ids()
    with pytest.raises(LedgerForged):
        LedgerFile(path, b"x" * 32, cut=uncut).ids()


def test_a_ledger_without_its_header_is_broken(ledger: LedgerFile, path: Path) -> None:
    path.write_bytes(b"\x01")
    with pytest.raises(KeyPlaceBroken):
        ledger.ids()


def test_another_format_is_refused(ledger: LedgerFile, path: Path) -> None:
    path.write_bytes(b"\x02" + path.read_bytes()[1:])
    with pytest.raises(FormatUnknown):
        ledger.ids()


def test_every_cut_is_listed(path: Path) -> None:
    seen: list[str] = []
    ledger = LedgerFile(path, KEY, cut=seen.append)
    ledger.create()
    seen.clear()
    ledger.append(IDS)
    assert tuple(seen) == module.CUTS
