"""Tests of consent: nothing before the first grant, use stops with the withdrawal, purposes imply nothing."""

from collections.abc import Callable

import pytest
from tests.unit.conftest import NOON, Agent, kept, ticket_of

from oblio.errors.access import SubjectErased
from oblio.errors.base import Fault
from oblio.errors.consent import BadNotice, BasisNotAllowed, NeedsMemory, UnknownBasis, UnknownPurpose
from oblio.model.audit import AuditAction, AuditEntry
from oblio.model.consent import Purpose
from oblio.model.memory import Note, Refused
from oblio.model.screening import Reason
from oblio.service.subject import SubjectHandle

MISSING = Refused(reasons=(Reason.CONSENT_MISSING,))


def entries(agent: Agent) -> list[AuditEntry]:
    """Return every fact of the log, published or waiting."""
    agent.parts.notary.publish()
    with agent.parts.store.read() as tx:
        return [AuditEntry.from_canonical(body) for _, body in tx.audit.entries(0, 99) if body is not None]


def test_no_row_exists_for_a_person_before_the_first_grant(agent: Agent) -> None:
    before = agent.rows()
    anna = agent.oblio.subject("anna")
    assert anna.remember("Prefers metric units") == MISSING
    assert anna.derive("profile", sources=["0" * 32]) == MISSING
    assert anna.recall("units") == []
    assert [*anna.memories(), *anna.messages(), *anna.derived()] == []
    assert anna.consent.list() == ()
    assert anna.requests() == ()
    assert anna.prompt("units") == ""
    assert not anna.consent.withdraw("memory")
    assert anna.ticket() is None
    assert agent.rows() == before


@pytest.mark.parametrize(
    ("refused", "error"),
    [
        (lambda anna: anna.consent.grant("memory", notice="The text of the notice"), BadNotice),
        (lambda anna: anna.consent.grant("memory", notice=""), BadNotice),
        (lambda anna: anna.consent.grant("memory", notice="n" * 65), BadNotice),
        (lambda anna: anna.consent.grant("memory", notice="2026-11\n"), BadNotice),
        (lambda anna: anna.consent.grant("everything", notice="2026-11"), UnknownPurpose),
        (lambda anna: anna.consent.grant("sensitive", notice="2026-11"), NeedsMemory),
        (lambda anna: anna.consent.grant("memory", notice="2026-11", basis="contract"), BasisNotAllowed),
        (lambda anna: anna.consent.grant("analytics", notice="2026-11", basis="contract"), BasisNotAllowed),
        (lambda anna: anna.consent.grant("history", notice="2026-11", basis="interest"), UnknownBasis),
    ],
)
def test_a_first_grant_that_is_refused_leaves_no_row(
    agent: Agent, refused: Callable[[SubjectHandle], None], error: type[Fault]
) -> None:
    before, anna = agent.rows(), agent.oblio.subject("anna")
    with pytest.raises(error):
        refused(anna)
    assert agent.rows() == before
    assert anna.ticket() is None


def test_history_alone_may_rest_on_contract(agent: Agent) -> None:
    anna = agent.oblio.subject("anna")
    anna.consent.grant("history", notice="2026-11", basis="contract")
    (grant,) = anna.consent.list()
    assert (grant.purpose, grant.basis, grant.notice, grant.granted_at) == ("history", "contract", "2026-11", NOON)
    assert grant.withdrawn_at is None


def test_a_withdrawal_stops_use_and_not_the_persons_own_view(agent: Agent) -> None:
    anna = agent.person()
    item = kept(anna.remember("Prefers metric units"))
    profile = kept(anna.derive("profile", sources=[item]))
    assert anna.consent.withdraw("memory")
    assert not anna.consent.withdraw("memory")
    assert anna.recall("units") == []
    assert anna.prompt("units") == ""
    assert anna.remember("Likes tea") == MISSING
    assert anna.derive("profile", sources=[item]) == MISSING
    assert [memory.text for memory in anna.memories()] == ["Prefers metric units"]
    assert anna.memory(item).text == "Prefers metric units"
    assert [each.id for each in anna.derived()] == [profile]
    assert anna.trace(item).derived == (profile,)
    assert kept(anna.correct(item, "Prefers imperial units")) == item
    assert anna.memory(item).text == "Prefers imperial units"
    anna.forget(item)
    assert list(anna.memories()) == []


def test_a_withdrawal_between_filter_and_write_wins(agent: Agent) -> None:
    anna, before = agent.person(), agent.rows()
    ticket, book = ticket_of(anna), agent.parts.book
    prepared = book.prepare(ticket, Note(text="Prefers metric units", kind="preference"))
    assert not isinstance(prepared, Refused)
    anna.consent.withdraw("memory")
    with agent.parts.store.write() as tx:
        assert book.write(tx, ticket, prepared, now=NOON) == MISSING
    assert agent.rows()["items"] == before["items"]
    assert agent.rows()["contents"] == before["contents"]


def test_a_withdrawal_while_answers_are_ranked_wins(agent: Agent) -> None:
    anna = agent.person("anna", "memory", "sensitive")
    kept(anna.remember("Has diabetes and measures every morning", kind="sensitive"))
    kept(anna.remember("Measures in metric units"))
    finder, ticket = agent.parts.finder, ticket_of(anna)
    for purpose, left in (("sensitive", ["Measures in metric units"]), ("memory", [])):
        with agent.parts.store.read() as tx:
            found = finder._find(tx, ticket, now=NOON)
        assert found is not None
        best = [(row.unit, 1.0) for row in found.rows]
        anna.consent.withdraw(purpose)
        assert [answer.text for answer in finder._open(ticket, found, best)] == left


def test_a_sensitive_memory_needs_both_consents(agent: Agent) -> None:
    text = "Has diabetes and measures every morning"
    anna = agent.person()
    assert anna.remember(text, kind="sensitive") == MISSING
    anna.consent.grant("sensitive", notice="2026-11")
    item = kept(anna.remember(text, kind="sensitive"))
    assert [answer.id for answer in anna.recall("diabetes")] == [item]
    anna.consent.withdraw("memory")
    assert anna.remember(text, kind="sensitive") == MISSING
    assert anna.recall("diabetes") == []


def test_a_sensitive_memory_is_not_used_after_its_withdrawal_and_still_listed(agent: Agent) -> None:
    anna = agent.person("anna", "memory", "sensitive")
    secret = kept(anna.remember("Has diabetes and measures every morning", kind="sensitive"))
    plain = kept(anna.remember("Measures in metric units"))
    anna.consent.withdraw("sensitive")
    assert [answer.id for answer in anna.recall("measures every morning")] == [plain]
    assert {memory.id for memory in anna.memories()} == {secret, plain}
    assert anna.derive("profile", sources=[secret, plain]) == MISSING
    assert kept(anna.derive("profile", sources=[plain]))


def test_history_and_memory_are_separate(agent: Agent) -> None:
    anna, bo = agent.person("anna", "history"), agent.person("bo", "memory")
    assert anna.remember("Prefers metric units") == MISSING
    assert kept(bo.remember("Prefers metric units"))
    from_now = [each.purpose for each in (*anna.consent.list(), *bo.consent.list())]
    assert from_now == [Purpose.HISTORY, Purpose.MEMORY]


def test_a_new_notice_ends_the_old_grant_and_the_same_one_changes_nothing(agent: Agent) -> None:
    anna = agent.person()
    agent.clock.move(days=1)
    anna.consent.grant("memory", notice="2026-11")
    assert len(anna.consent.list()) == 1
    anna.consent.grant("memory", notice="2026-12")
    first, second = anna.consent.list()
    assert (first.notice, first.withdrawn_at) == ("2026-11", agent.clock.now)
    assert (second.notice, second.withdrawn_at) == ("2026-12", None)
    anna.consent.withdraw("memory")
    anna.consent.grant("memory", notice="2026-12")
    assert [grant.withdrawn_at is None for grant in anna.consent.list()] == [False, False, True]
    assert kept(anna.remember("Prefers metric units"))


def test_grants_and_withdrawals_are_facts_of_the_log_without_the_persons_name(agent: Agent) -> None:
    anna = agent.person("anna@example.org")
    anna.consent.grant("memory", notice="2026-11")
    anna.consent.withdraw("memory")
    anna.consent.withdraw("memory")
    facts = [entry for entry in entries(agent) if entry.target == "memory"]
    assert [fact.action for fact in facts] == [AuditAction.CONSENT_GRANTED, AuditAction.CONSENT_WITHDRAWN]
    assert len({fact.subject for fact in facts}) == 1
    assert b"anna@example.org" not in agent.raw()


def test_consent_cannot_be_given_or_taken_through_a_handle_from_before_an_erasure(agent: Agent) -> None:
    anna = agent.person()
    anna.erase()
    for use in (
        lambda: anna.consent.grant("memory", notice="2026-11"),
        lambda: anna.consent.withdraw("memory"),
        anna.consent.list,
    ):
        with pytest.raises(SubjectErased):
            use()
