"""What every `Store` must do with holders, keys, ciphertext and items. See `contract_store` for how to use it."""

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import ClassVar

from oblio.model.ids import HolderId, ItemId
from oblio.model.memory import ItemState, ItemType
from oblio.model.subject import HolderState
from oblio.ports.store import Store
from oblio.ports.tables import Cursor, UnitKeyRow
from oblio.testing import rows
from oblio.testing.claims import refused, same, true

MANY = 2_000


class HoldersContract:
    """Holders and their slots."""

    def test_a_holder_comes_back_as_it_went_in_and_is_found_by_its_lookup(self, store: Store) -> None:
        """Claim it."""
        row, other = rows.holder(slot=0, retired=7), rows.holder()
        with store.write() as tx:
            tx.holders.add(row)
            tx.holders.add(other)
        with store.read() as tx:
            same(tx.holders.get(row.holder), row)
            same(tx.holders.find(row.lookup or b""), row)
            same(tx.holders.find(os.urandom(32)), None)
            same(tx.holders.get(rows.subject_id()), None)

    def test_putting_a_holder_changes_that_one_only(self, store: Store) -> None:
        """Claim it."""
        row, other = rows.holder(slot=0), rows.holder(slot=1)
        changed = replace(row, lookup=None, state=HolderState.LOCKED, slot=2, retired_slot=0, key_no=9, version=8)
        with store.write() as tx:
            tx.holders.add(row)
            tx.holders.add(other)
            tx.holders.put(changed)
        with store.read() as tx:
            same((tx.holders.get(row.holder), tx.holders.get(other.holder)), (changed, other))

    def test_a_holder_that_is_not_there_cannot_be_put(self, store: Store) -> None:
        """Claim it."""
        with refused("a change of nobody"), store.write() as tx:
            tx.holders.put(rows.holder())

    def test_an_id_a_lookup_and_a_slot_have_one_owner(self, store: Store) -> None:
        """Claim it."""
        row = rows.holder(slot=0, retired=1)
        with store.write() as tx:
            tx.holders.add(row)
        thieves = (
            rows.holder(slot=0),
            rows.holder(slot=1),
            rows.holder(slot=5, retired=0),
            rows.holder(slot=5, retired=5),
            replace(rows.holder(), lookup=row.lookup),
            replace(rows.holder(), holder=row.holder),
        )
        for thief in thieves:
            with refused("a second owner"), store.write() as tx:
                tx.holders.add(thief)

    def test_many_holders_have_no_lookup_and_no_slot(self, store: Store) -> None:
        """Claim it."""
        gone = [replace(rows.holder(), lookup=None) for _ in range(3)]
        with store.write() as tx:
            for row in gone:
                tx.holders.add(row)
            same(tx.holders.free_slot(), 0)
            same(tx.holders.last_slot(), -1)
            same(tx.holders.find(b""), None)

    def test_the_free_slot_is_the_smallest_that_is_nobodys_retired_ones_included(self, store: Store) -> None:
        """Claim it."""
        first, second, third = rows.holder(slot=0), rows.holder(slot=1), rows.holder(slot=5)
        with store.write() as tx:
            seen = [tx.holders.free_slot()]
            for row in (first, second, third):
                tx.holders.add(row)
                seen.append(tx.holders.free_slot())
            tx.holders.put(replace(first, slot=2, retired_slot=0))
            seen.append(tx.holders.free_slot())
            tx.holders.put(replace(first, slot=2, retired_slot=None))
            seen.append(tx.holders.free_slot())
            tx.holders.delete(second.holder)
            tx.holders.put(replace(first, slot=0))
            seen.append(tx.holders.free_slot())
            tx.holders.put(replace(third, slot=None))
            seen.append(tx.holders.last_slot())
        same(seen, [0, 1, 2, 2, 3, 0, 1, 0], "the free slot after each change")

    def test_every_free_slot_is_given_before_a_new_one(self, store: Store) -> None:
        """Claim it."""
        with store.write() as tx:
            tx.holders.add(rows.holder(slot=4))
            taken = []
            for _ in range(6):
                slot = tx.holders.free_slot()
                tx.holders.add(rows.holder(slot=slot))
                taken.append(slot)
        same(taken, [0, 1, 2, 3, 5, 6], "the slots given")

    def test_owners_of_a_range_come_by_slot_without_the_retired(self, store: Store) -> None:
        """Claim it."""
        a, b, c = rows.holder(slot=3), rows.holder(slot=1, retired=2), rows.holder(slot=9)
        with store.write() as tx:
            for row in (a, b, c, rows.holder()):
                tx.holders.add(row)
        with store.read() as tx:
            same(tx.holders.owners(start=1, stop=9), [b, a])
            same(tx.holders.owners(start=4, stop=4), [])
            same(tx.holders.retired(), [b])
            same(tx.holders.last_slot(), 9)

    def test_pages_of_holders_go_through_all_of_them_once(self, store: Store) -> None:
        """Claim it."""
        with store.write() as tx:
            for _ in range(25):
                tx.holders.add(rows.holder())
        seen: list[HolderId] = []
        with store.read() as tx:
            while page := tx.holders.page(after=seen[-1] if seen else None, limit=10):
                seen += [row.holder for row in page]
        same((len(seen), sorted(set(seen))), (25, seen), "the holders of all pages")

    def test_deleting_a_holder_leaves_the_others_and_is_quiet_again(self, store: Store) -> None:
        """Claim it."""
        row, other = rows.holder(slot=0), rows.holder(slot=1)
        with store.write() as tx:
            tx.holders.add(row)
            tx.holders.add(other)
            tx.holders.delete(row.holder)
            tx.holders.delete(row.holder)
            same((tx.holders.get(row.holder), tx.holders.get(other.holder)), (None, other))


class KeysContract:
    """Wrapped keys and ciphertext."""

    lacks: ClassVar[frozenset[str]] = frozenset()

    def test_subject_keys_are_found_by_holder_and_by_epoch_and_rewrapped(self, store: Store) -> None:
        """Claim it."""
        ana, bo = rows.subject_id(), rows.subject_id()
        keys = [rows.subject_key(ana), rows.subject_key(ana, key_no=2), rows.subject_key(bo)]
        again = replace(keys[0], epoch=300, wrapped=os.urandom(60))
        with store.write() as tx:
            for key in keys:
                tx.subject_keys.add(key)
            tx.subject_keys.rewrap([again])
            tx.subject_keys.rewrap([])
        with store.read() as tx:
            same(_by_no(tx.subject_keys.get(ana)), [again, keys[1]])
            same(tx.subject_keys.under(300, limit=9), [again])
            same(len(tx.subject_keys.under(1, limit=1)), 1)
            same(len(tx.subject_keys.under(1, limit=9)), 2)

    def test_deleting_subject_keys_touches_one_holder_only(self, store: Store) -> None:
        """Claim it."""
        ana, bo = rows.subject_id(), rows.subject_id()
        keep = rows.subject_key(bo)
        with store.write() as tx:
            for key in (rows.subject_key(ana), rows.subject_key(ana, key_no=2), rows.subject_key(ana, key_no=3), keep):
                tx.subject_keys.add(key)
            same(tx.subject_keys.delete(ana, key_no=2), 1)
            same(tx.subject_keys.delete(ana), 2)
            same(tx.subject_keys.delete(ana), 0)
            same((tx.subject_keys.get(ana), tx.subject_keys.get(bo)), ([], [keep]))

    def test_the_same_key_twice_is_refused(self, store: Store) -> None:
        """Claim it."""
        ana, unit = rows.subject_id(), rows.unit_id()
        with refused("a second key of one number"), store.write() as tx:
            tx.subject_keys.add(rows.subject_key(ana))
            tx.subject_keys.add(rows.subject_key(ana))
        with refused("a second wrap for one holder"), store.write() as tx:
            tx.unit_keys.add([rows.unit_key(unit, ana)])
            tx.unit_keys.add([rows.unit_key(rows.unit_id(), ana), rows.unit_key(unit, ana)])
        with refused("a second content of one unit"), store.write() as tx:
            tx.contents.add(unit, b"one")
            tx.contents.add(unit, b"two")

    def test_unit_keys_are_found_by_holder_and_by_unit(self, store: Store) -> None:
        """Claim it."""
        ana, bo, one, two = rows.subject_id(), rows.subject_id(), rows.unit_id(), rows.unit_id()
        keys = [rows.unit_key(one, ana), rows.unit_key(two, ana), rows.unit_key(one, bo)]
        with store.write() as tx:
            tx.unit_keys.add(keys)
            tx.unit_keys.add([])
        with store.read() as tx:
            mine = tx.unit_keys.get(ana, [one, two, rows.unit_id(), one])
            same({u: k.wrapped for u, k in mine.items()}, {one: keys[0].wrapped, two: keys[1].wrapped})
            same(tx.unit_keys.get(ana, []), {})
            same(
                {(k.holder, k.wrapped) for k in tx.unit_keys.holders([one])}, {(k.holder, k.wrapped) for k in keys[::2]}
            )
            same(list(tx.unit_keys.holders([])), [])

    def test_pages_of_unit_keys_go_through_all_of_them_once_by_seq(self, store: Store) -> None:
        """Claim it."""
        ana = rows.subject_id()
        keys = [rows.unit_key(rows.unit_id(), ana) for _ in range(25)]
        with store.write() as tx:
            tx.unit_keys.add(keys)
            tx.unit_keys.add([rows.unit_key(rows.unit_id(), rows.subject_id())])
        seen: list[UnitKeyRow] = []
        after = 0
        with store.read() as tx:
            while page := tx.unit_keys.of(ana, after=after, limit=10):
                seen += page
                after = page[-1].seq
        same([k.wrapped for k in seen], [k.wrapped for k in keys])
        same(sorted({k.seq for k in seen}), [k.seq for k in seen], "the order of seq")

    def test_rewrapping_keeps_row_and_size_and_touches_no_other_holder(self, store: Store) -> None:
        """Claim it."""
        ana, bo, unit = rows.subject_id(), rows.subject_id(), rows.unit_id()
        other = rows.unit_key(unit, bo)
        with store.write() as tx:
            tx.unit_keys.add([rows.unit_key(unit, ana), other])
            before = tx.unit_keys.get(ana, [unit])[unit]
            after = replace(before, key_no=70_000, wrapped=os.urandom(60))
            tx.unit_keys.rewrap([after])
            tx.unit_keys.rewrap([])
        with store.read() as tx:
            same(tx.unit_keys.get(ana, [unit])[unit], after)
            same(tx.unit_keys.get(bo, [unit])[unit].wrapped, other.wrapped)

    def test_a_wrap_of_another_size_or_of_no_row_is_refused(self, store: Store) -> None:
        """Claim it."""
        ana, unit = rows.subject_id(), rows.unit_id()
        with store.write() as tx:
            tx.unit_keys.add([rows.unit_key(unit, ana)])
        with store.read() as tx:
            row = tx.unit_keys.get(ana, [unit])[unit]
        with refused("a wrap of no row"), store.write() as tx:
            tx.unit_keys.rewrap([replace(row, seq=row.seq + 1_000)])
        if "sizes" not in self.lacks:
            with refused("a longer wrap"), store.write() as tx:
                tx.unit_keys.rewrap([replace(row, wrapped=bytes(61))])

    def test_two_thousand_units_are_written_read_and_deleted_and_nobody_else_is_touched(self, store: Store) -> None:
        """Claim it."""
        ana, bo, shared = rows.subject_id(), rows.subject_id(), rows.unit_id()
        units = [rows.unit_id() for _ in range(MANY)]
        with store.write() as tx:
            tx.unit_keys.add([rows.unit_key(unit, ana) for unit in [*units, shared]])
            tx.unit_keys.add([rows.unit_key(shared, bo)])
            for unit in [*units, shared]:
                tx.contents.add(unit, unit.encode())
        with store.read() as tx:
            same(len(tx.unit_keys.get(ana, units)), MANY)
            same(tx.contents.get(units), {unit: unit.encode() for unit in units})
        with store.write() as tx:
            same((tx.unit_keys.delete(units), tx.contents.delete(units)), (MANY, MANY))
            same((tx.unit_keys.delete(units), tx.contents.delete(units)), (0, 0))
            same(tx.unit_keys.delete_held(ana), 1)
        with store.read() as tx:
            same(tx.contents.get([*units, shared]), {shared: shared.encode()})
            same([key.holder for key in tx.unit_keys.holders([*units, shared])], [bo])

    def test_an_empty_list_deletes_nothing(self, store: Store) -> None:
        """Claim it."""
        ana, unit, row = rows.subject_id(), rows.unit_id(), rows.item(rows.subject_id())
        with store.write() as tx:
            tx.unit_keys.add([rows.unit_key(unit, ana)])
            tx.contents.add(unit, b"x")
            tx.items.add(row)
            tx.edges.add(row.item, [rows.item_id()])
            deleted = (
                tx.unit_keys.delete([]),
                tx.contents.delete([]),
                tx.items.delete([]),
                tx.items.mark([], ItemState.SPENT),
                tx.edges.delete([]),
            )
            same(deleted, (0, 0, 0, 0, 0), "the count of an empty list")
            true(tx.contents.get([unit]), "the content is there")
            true(tx.items.get(row.subject, row.item), "the item is there")

    def test_any_bytes_come_back(self, store: Store) -> None:
        """Claim it."""
        odd = [b"\0", b"\0" * 70_000, bytes(range(256)), os.urandom(300_000), b"'; DROP TABLE contents; --"]
        units = {rows.unit_id(): body for body in odd}
        with store.write() as tx:
            for unit, body in units.items():
                tx.contents.add(unit, body)
        with store.fresh() as tx:
            same(tx.contents.get(units), units)


class ItemsContract:
    """Rows of items."""

    lacks: ClassVar[frozenset[str]] = frozenset()

    def test_an_item_comes_back_as_it_went_in_for_its_owner_only(self, store: Store) -> None:
        """Claim it."""
        row = rows.item(rows.subject_id(), expires=rows.AT.date())
        bare = replace(rows.item(row.subject), unit=None, said_at=None, deriver=None)
        with store.write() as tx:
            tx.items.add(row)
            tx.items.add(bare)
        with store.read() as tx:
            for wanted in (row, bare):
                found = tx.items.get(row.subject, wanted.item)
                same(found and replace(found, seq=0), wanted)
            same(tx.items.get(rows.subject_id(), row.item), None)
            same(set(tx.items.any([row.item, bare.item, rows.item_id()])), {row.item, bare.item})
            same(tx.items.any([]), {})

    def test_listings_are_newest_first_by_type_and_paged_without_gap(self, store: Store) -> None:
        """Claim it."""
        ana, kinds = rows.subject_id(), (ItemType.MEMORY, ItemType.MESSAGE, ItemType.DERIVED)
        made = [rows.item(ana, kind=kinds[n % 3]) for n in range(30)]
        with store.write() as tx:
            for row in made:
                tx.items.add(row)
            tx.items.add(rows.item(rows.subject_id()))
        types = frozenset(kinds[:2])
        seen: list[ItemId] = []
        cursor: Cursor | None = None
        with store.read() as tx:
            while page := tx.items.of(ana, types=types, before=cursor, limit=7):
                seen += [row.item for row in page]
                cursor = Cursor(seq=page[-1].seq)
            same([row.item for row in tx.items.of(ana, types=types)], seen)
            same(list(tx.items.of(ana, types=frozenset())), [])
        same(seen, [row.item for row in reversed(made) if row.type in types], "the order of the listing")

    def test_putting_an_item_changes_what_may_change_and_no_other_item(self, store: Store) -> None:
        """Claim it."""
        row, other = rows.item(rows.subject_id()), rows.item(rows.subject_id())
        changed = replace(
            row, state=ItemState.BLANK, unit=None, version=3, saved=rows.EARLY, deriver=None, kind="goal", expires=None
        )
        with store.write() as tx:
            tx.items.add(row)
            tx.items.add(other)
            tx.items.put(replace(changed, generation=99, subject=other.subject))
        with store.read() as tx:
            found = tx.items.any([row.item, other.item])
            same(replace(found[row.item], seq=0), changed)
            same(replace(found[other.item], seq=0), other)
        with refused("a change of no item"), store.write() as tx:
            tx.items.put(rows.item(row.subject))

    def test_marking_and_deleting_two_thousand_items_touches_no_other(self, store: Store) -> None:
        """Claim it."""
        ana, bo = rows.subject_id(), rows.subject_id()
        mine = [rows.item(ana) for _ in range(MANY)]
        other = rows.item(bo)
        ids = [row.item for row in mine]
        with store.write() as tx:
            for row in [*mine, other]:
                tx.items.add(row)
            same(tx.items.mark(ids, ItemState.SPENT), MANY)
            same({row.state for row in tx.items.any(ids).values()}, {ItemState.SPENT})
            same(tx.items.delete([*ids, ids[0]]), MANY)
            same(tx.items.delete(ids), 0)
            same(tx.items.any([*ids, other.item]), {other.item: replace(other, seq=MANY + 1)}, "the other's item")

    def test_counts_are_per_type_and_subject(self, store: Store) -> None:
        """Claim it."""
        ana = rows.subject_id()
        with store.write() as tx:
            for kind in (ItemType.MEMORY, ItemType.MEMORY, ItemType.MESSAGE):
                tx.items.add(rows.item(ana, kind=kind))
            tx.items.add(rows.item(rows.subject_id(), kind=ItemType.PROFILE))
        with store.read() as tx:
            same(tx.items.counts(ana), {ItemType.MEMORY: 2, ItemType.MESSAGE: 1})
            same(tx.items.counts(rows.subject_id()), {})

    def test_an_item_expires_after_its_last_day(self, store: Store) -> None:
        """Claim it."""
        today = rows.AT.date()
        days = [today - timedelta(days=2), today - timedelta(days=1), today, None]
        made = [rows.item(rows.subject_id(), expires=day) for day in days]
        with store.write() as tx:
            for row in made:
                tx.items.add(row)
        with store.read() as tx:
            same([row.item for row in tx.items.expired(today, limit=9)], [row.item for row in made[:2]])
            same(len(tx.items.expired(today, limit=1)), 1)

    def test_odd_names_come_back_or_are_refused(self, store: Store) -> None:
        """Claim it."""
        ana = rows.subject_id()
        odd = ("å\u0301\N{GRINNING FACE}", "'\"; DROP TABLE items; --", "%s :name ?", " ", "")
        made = [replace(rows.item(ana), kind=name) for name in odd]
        with store.write() as tx:
            for row in made:
                tx.items.add(row)
        with store.read() as tx:
            same([row.kind for row in reversed(tx.items.of(ana, types=frozenset(ItemType)))], list(odd))
        if "zero" not in self.lacks:
            with refused("a zero character in a name"), store.write() as tx:
                tx.items.add(replace(rows.item(ana), kind="a\0b"))

    def test_what_is_no_id_is_refused(self, store: Store) -> None:
        """Claim it."""
        if "ids" in self.lacks:
            return
        for bad in ("", "anna", "0" * 31, "0" * 33, "zz" * 16):
            with refused("a wrong id"), store.write() as tx:
                tx.items.add(replace(rows.item(rows.subject_id()), item=ItemId(bad)))


def _by_no(keys: Sequence[object], /) -> list[object]:
    return sorted(keys, key=lambda key: int(getattr(key, "key_no", 0)))
