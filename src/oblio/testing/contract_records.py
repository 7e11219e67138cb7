"""What every `Store` must do with edges, consent, requests, receipts, imports and the log. See `contract_store`."""

import os
from dataclasses import replace
from datetime import timedelta

from oblio.model.consent import Purpose
from oblio.model.erasure import Outcome, Result, State
from oblio.model.ids import ItemId
from oblio.ports.store import Store
from oblio.ports.tables import Rebuild
from oblio.testing import rows
from oblio.testing.claims import refused, same, true

MANY = 2_000


class EdgesContract:
    """Which item was made from which."""

    def test_edges_are_found_from_both_ends_and_stay_single(self, store: Store) -> None:
        """Claim it."""
        a, b, c, d = (rows.item_id() for _ in range(4))
        with store.write() as tx:
            tx.edges.add(c, [a, b, a])
            tx.edges.add(c, [a])
            tx.edges.add(d, iter([b]))
            tx.edges.add(d, [])
        with store.read() as tx:
            same(tx.edges.sources([c, d, a]), {c: frozenset({a, b}), d: frozenset({b})})
            same(tx.edges.users([a, b, c]), {a: frozenset({c}), b: frozenset({c, d})})
            same((tx.edges.sources([]), tx.edges.users([])), ({}, {}))

    def test_deleting_takes_edges_at_both_ends_and_no_others(self, store: Store) -> None:
        """Claim it."""
        a, b, c, d, e = (rows.item_id() for _ in range(5))
        with store.write() as tx:
            tx.edges.add(b, [a])
            tx.edges.add(c, [b])
            tx.edges.add(e, [d])
            same(tx.edges.delete(iter([b])), 2)
            same(tx.edges.delete([b]), 0)
            same(tx.edges.sources([b, c, e]), {e: frozenset({d})})

    def test_one_item_has_two_thousand_sources(self, store: Store) -> None:
        """Claim it."""
        item, other, sources = rows.item_id(), rows.item_id(), [rows.item_id() for _ in range(MANY)]
        with store.write() as tx:
            tx.edges.add(item, sources)
            tx.edges.add(other, [rows.item_id()])
            same(tx.edges.sources([item]), {item: frozenset(sources)})
            same(len(tx.edges.users(sources)), MANY)
            same(tx.edges.delete([*sources, item]), MANY)
            same(len(tx.edges.sources([item, other])), 1)


class ConsentContract:
    """Grants and tombstones."""

    def test_grants_come_back_oldest_first_for_their_subject_only(self, store: Store) -> None:
        """Claim it."""
        ana, bo = rows.subject_id(), rows.subject_id()
        mine = (rows.grant(ana), rows.grant(ana, purpose=Purpose.HISTORY), rows.grant(ana))
        with store.write() as tx:
            for grant in (*mine, rows.grant(bo)):
                tx.consents.add(grant)
        with store.read() as tx:
            same(tx.consents.of(ana), mine)
            same(len(tx.consents.of(bo)), 1)

    def test_withdrawing_ends_the_standing_grants_of_one_purpose_and_person(self, store: Store) -> None:
        """Claim it."""
        ana, bo = rows.subject_id(), rows.subject_id()
        with store.write() as tx:
            for grant in (rows.grant(ana), rows.grant(ana, purpose=Purpose.HISTORY), rows.grant(bo)):
                tx.consents.add(grant)
            same(tx.consents.withdraw(ana, Purpose.MEMORY, at=rows.AT), 1)
            same(tx.consents.withdraw(ana, Purpose.MEMORY, at=rows.AT + timedelta(days=1)), 0)
            same([grant.withdrawn_at for grant in tx.consents.of(ana)], [rows.AT, None])
            same([grant.withdrawn_at for grant in tx.consents.of(bo)], [None])

    def test_deleting_grants_touches_one_person_only(self, store: Store) -> None:
        """Claim it."""
        ana, bo = rows.subject_id(), rows.subject_id()
        with store.write() as tx:
            for grant in (rows.grant(ana), rows.grant(ana), rows.grant(bo)):
                tx.consents.add(grant)
            same((tx.consents.delete(ana), tx.consents.delete(ana)), (2, 0))
            same((tx.consents.of(ana), len(tx.consents.of(bo))), ((), 1))

    def test_tombstones_last_through_their_last_day_and_may_be_set_again(self, store: Store) -> None:
        """Claim it."""
        today = rows.AT.date()
        old, new = rows.item_id(), rows.item_id()
        with store.write() as tx:
            tx.tombstones.add([old, new, old], until=today)
            tx.tombstones.add(iter([new]), until=today + timedelta(days=1))
            tx.tombstones.add([], until=today)
            same(tx.tombstones.among([old, new, rows.item_id()]), frozenset({old, new}))
            same(tx.tombstones.sweep(today), 0)
            same(tx.tombstones.sweep(today + timedelta(days=1)), 1)
            same(tx.tombstones.among([old, new]), frozenset({new}))
            same(tx.tombstones.among([]), frozenset())

    def test_two_thousand_tombstones_are_set_and_found(self, store: Store) -> None:
        """Claim it."""
        ids = [rows.item_id() for _ in range(MANY)]
        with store.write() as tx:
            tx.tombstones.add(ids, until=rows.AT.date())
            same(tx.tombstones.among(ids), frozenset(ids))


class ErasuresContract:
    """Requests, steps, plans and rebuilds."""

    def test_a_request_comes_back_with_steps_and_plan_in_order(self, store: Store) -> None:
        """Claim it."""
        ana = rows.subject_id()
        row, steps = rows.erasure(ana), rows.steps()
        plan = (rows.plan_item(ana), rows.plan_item(rows.subject_id(), unit=rows.unit_id()))
        nobody = rows.erasure(None)
        with store.write() as tx:
            tx.erasures.add(row, steps, plan)
            tx.erasures.add(nobody, (), ())
        with store.read() as tx:
            same((tx.erasures.get(row.request), tx.erasures.get(nobody.request)), (row, nobody))
            same((tx.erasures.steps(row.request), tx.erasures.plan(row.request)), (steps, plan))
            same((tx.erasures.steps(nobody.request), tx.erasures.plan(nobody.request)), ((), ()))
            same(tx.erasures.get(rows.request_id()), None)

    def test_a_request_is_found_by_its_key_and_listed_oldest_first(self, store: Store) -> None:
        """Claim it."""
        ana, bo = rows.subject_id(), rows.subject_id()
        first, second, other = rows.erasure(ana), rows.erasure(ana), rows.erasure(bo)
        with store.write() as tx:
            for row in (first, other, second):
                tx.erasures.add(row, (), ())
        key = second.idempotency or b""
        with store.read() as tx:
            same(tx.erasures.find(ana, key), second)
            same((tx.erasures.find(bo, key), tx.erasures.find(ana, os.urandom(32))), (None, None))
            same(list(tx.erasures.of(ana)), [first, second])

    def test_open_requests_are_the_locked_and_the_running_ones(self, store: Store) -> None:
        """Claim it."""
        states = list(State)
        made = [replace(rows.erasure(rows.subject_id()), state=state) for state in states]
        with store.write() as tx:
            for row in made:
                tx.erasures.add(row, (), ())
        ended = {State.COMPLETED, State.CANCELLED}
        wanted = [row for row in made if row.state in {State.LOCKED, State.IN_PROGRESS}]
        with store.read() as tx:
            same(list(tx.erasures.open()), wanted)
            same([row for row in tx.erasures.unfinished() if row.state in ended], [])
            true(set(wanted) <= set(tx.erasures.unfinished()), "an open request is unfinished")

    def test_putting_a_request_or_a_step_changes_that_one_only(self, store: Store) -> None:
        """Claim it."""
        row, other = rows.erasure(rows.subject_id()), rows.erasure(rows.subject_id())
        changed = replace(
            row, state=State.COMPLETED, result=Result.COMPLETE, idempotency=None, recovery=None, blanked=1, rebuilt=2,
            locked_at=rows.EARLY, completed_at=rows.AT, horizon=rows.AT + timedelta(days=1),
        )  # fmt: skip
        one, two = rows.steps()
        done = replace(two, outcome=Outcome.PURGED, count=8, reason="scan", attempts=2)
        with store.write() as tx:
            tx.erasures.add(row, (one, two), ())
            tx.erasures.add(other, (one, two), ())
            tx.erasures.put(changed)
            tx.erasures.put_step(row.request, done)
        with store.read() as tx:
            same((tx.erasures.get(row.request), tx.erasures.get(other.request)), (changed, other))
            same((tx.erasures.steps(row.request), tx.erasures.steps(other.request)), ((one, done), (one, two)))

    def test_changes_of_what_is_not_there_are_refused(self, store: Store) -> None:
        """Claim it."""
        row, step = rows.erasure(None), rows.steps()[0]
        with refused("a change of no request"), store.write() as tx:
            tx.erasures.put(row)
        with refused("a step of no request"), store.write() as tx:
            tx.erasures.put_step(row.request, step)
        with store.write() as tx:
            tx.erasures.add(row, (step,), ())
        with refused("an unknown step"), store.write() as tx:
            tx.erasures.put_step(row.request, replace(step, target="elsewhere"))
        with refused("the same request again"), store.write() as tx:
            tx.erasures.add(row, (), ())

    def test_dropping_a_plan_leaves_the_plans_of_others(self, store: Store) -> None:
        """Claim it."""
        row, other = rows.erasure(None), rows.erasure(None)
        plan = [rows.plan_item(rows.subject_id()) for _ in range(MANY)]
        with store.write() as tx:
            tx.erasures.add(row, (), plan)
            tx.erasures.add(other, (), plan[:2])
            same(tx.erasures.plan(row.request), tuple(plan))
            tx.erasures.drop_plan(row.request)
            same((tx.erasures.plan(row.request), tx.erasures.plan(other.request)), ((), tuple(plan[:2])))

    def test_rebuilds_are_kept_counted_and_dropped_one_by_one(self, store: Store) -> None:
        """Claim it."""
        first, second = _rebuild(), replace(_rebuild(), request=None)
        with store.write() as tx:
            tx.erasures.add_rebuilds([first, second])
            tx.erasures.add_rebuilds([replace(first, attempts=1)])
            same(list(tx.erasures.rebuilds(below=5, limit=9)), [replace(first, attempts=1), second])
            tx.erasures.put_rebuild(replace(second, attempts=4))
            tx.erasures.put_rebuild(_rebuild())
            tx.erasures.drop_rebuild(first.item)
            tx.erasures.drop_rebuild(first.item)
            same(list(tx.erasures.rebuilds(below=5, limit=1)), [replace(second, attempts=4)])
            same(list(tx.erasures.rebuilds(below=4, limit=1)), [])
            tx.erasures.add_rebuilds([])


class RecordsContract:
    """Receipts and imports."""

    def test_a_request_has_one_payload_and_one_document(self, store: Store) -> None:
        """Claim it."""
        one, two = rows.request_id(), rows.request_id()
        with store.write() as tx:
            tx.receipts.add(one, b"payload \0 one")
            tx.receipts.add(two, b"payload two")
            same((tx.receipts.payload(one), tx.receipts.document(one)), (b"payload \0 one", None))
            tx.receipts.put_document(one, b"first")
            tx.receipts.put_document(one, b"second, longer")
            same((tx.receipts.document(one), tx.receipts.document(two)), (b"second, longer", None))
            same((tx.receipts.payload(one), tx.receipts.payload(rows.request_id())), (b"payload \0 one", None))
        with refused("a second payload"), store.write() as tx:
            tx.receipts.add(one, b"another")
        with refused("a document without a payload"), store.write() as tx:
            tx.receipts.put_document(rows.request_id(), b"x")

    def test_an_import_has_one_cursor_a_person_and_source(self, store: Store) -> None:
        """Claim it."""
        ana, bo, source = rows.subject_id(), rows.subject_id(), os.urandom(32)
        odd = "17:\0\ud800'\N{GRINNING FACE}%s"
        with store.write() as tx:
            tx.imports.put(ana, source, "1")
            tx.imports.put(bo, source, "b")
            tx.imports.put(ana, b"other", "o")
            tx.imports.put(ana, source, odd)
        with store.read() as tx:
            same((tx.imports.cursor(ana, source), tx.imports.cursor(bo, source)), (odd, "b"))
            same((tx.imports.cursor(ana, b"other"), tx.imports.cursor(bo, b"other")), ("o", None))


class AuditContract:
    """The tables of the log."""

    def test_waiting_facts_stay_until_exactly_they_are_dropped(self, store: Store) -> None:
        """Claim it."""
        bodies = [f"{n}".encode() for n in range(5)]
        with store.write() as tx:
            for body in bodies:
                tx.audit.add_pending(body)
            waiting = tx.audit.take_pending(9)
            same([body for _, body in waiting], bodies)
            same(list(tx.audit.take_pending(2)), list(waiting[:2]))
            tx.audit.drop_pending([waiting[0][0], waiting[2][0]])
            tx.audit.drop_pending([])
            same([body for _, body in tx.audit.take_pending(9)], [b"1", b"3", b"4"])

    def test_numbers_of_waiting_facts_are_never_given_twice(self, store: Store) -> None:
        """Claim it."""
        with store.write() as tx:
            tx.audit.add_pending(b"a")
            first = tx.audit.take_pending(1)[0][0]
            tx.audit.drop_pending([first])
        with store.write() as tx:
            tx.audit.add_pending(b"b")
            same(tx.audit.take_pending(1)[0][0] > first, True, "the next number")  # noqa: FBT003 -- the expected value

    def test_leaves_are_kept_by_index_and_can_lose_their_bytes_only(self, store: Store) -> None:
        """Claim it."""
        with store.write() as tx:
            same((tx.audit.size(), tx.audit.entry(0), list(tx.audit.entries(0, 5))), (0, None, []))
            tx.audit.add_leaves([(n, b'{"v":1,%d}' % n) for n in range(10)])
            tx.audit.add_leaves([])
            tx.audit.drop_entry(3)
            tx.audit.drop_entry(3)
            tx.audit.drop_entry(99)
        with store.read() as tx:
            same((tx.audit.size(), tx.audit.entry(2), tx.audit.entry(3)), (10, b'{"v":1,2}', None))
            same(list(tx.audit.entries(2, 3)), [(2, b'{"v":1,2}'), (3, None), (4, b'{"v":1,4}')])
        with refused("an index that exists"), store.write() as tx:
            tx.audit.add_leaves([(10, b"x"), (9, b"x")])
        with store.read() as tx:
            same(tx.audit.size(), 10)

    def test_four_thousand_nodes_are_kept_by_level_and_index(self, store: Store) -> None:
        """Claim it."""
        nodes = [(level, index, os.urandom(32)) for level in range(4) for index in range(1_024)]
        far = (50, 2**50, os.urandom(32))
        with store.write() as tx:
            tx.audit.add_nodes([*nodes, far])
            tx.audit.add_nodes([])
        with store.read() as tx:
            keys = [(level, index) for level, index, _ in [*nodes, far]]
            same(tx.audit.nodes([*keys, (9, 9)]), {(level, index): digest for level, index, digest in [*nodes, far]})
            same(tx.audit.nodes([]), {})
        with refused("a node that exists"), store.write() as tx:
            tx.audit.add_nodes([(0, 0, bytes(32))])

    def test_the_checkpoint_of_the_largest_size_is_the_last(self, store: Store) -> None:
        """Claim it."""
        with store.write() as tx:
            same(tx.audit.last_checkpoint(), None)
            for size, note in ((5, b"five"), (12, b"twelve"), (7, b"seven"), (12, b"twelve again")):
                tx.audit.save_checkpoint(size, note)
        with store.read() as tx:
            same(tx.audit.last_checkpoint(), b"twelve again")


def _rebuild() -> Rebuild:
    return Rebuild(
        tenant=rows.TENANT, subject=rows.subject_id(), item=ItemId(rows.item_id()), request=rows.request_id()
    )
