"""Tests of the front door: what values and handles show, and what it hands on."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.conftest import NOON, Agent, kept, ticket_of

from oblio.errors.access import BadId, UnknownItem
from oblio.errors.erasure import PlanChanged, UnknownRequest
from oblio.errors.settings import BadSetting, FilterModeFixed, NoStore
from oblio.model.erasure import Scope
from oblio.model.ids import new_id
from oblio.model.memory import ItemType
from oblio.service.oblio import Oblio
from oblio.settings import Settings

NAME = "anna@example.org"
TEXT = "Prefers metric units above all"
NGRAM = Settings(embedder="ngram")


def test_no_handle_or_value_shows_a_text_or_the_name_of_a_person(agent: Agent) -> None:
    anna = agent.person(NAME, "memory", "history")
    item = kept(anna.remember(TEXT))
    derived = kept(anna.derive("profile", sources=[item]))
    agent.parts.finder.compact(ticket_of(anna), now=NOON)
    with agent.parts.store.read() as tx:
        found = agent.parts.finder._find(tx, ticket_of(anna), now=NOON)
        person = agent.parts.fence.enter(tx, ticket_of(anna))
        rows = tx.items.of(person.subject, types=frozenset(ItemType))
        material = agent.parts.workshop._material(tx, [item], now=NOON)
        inner: list[object] = [found, person, agent.parts.fence.profile(tx, person), rows, material]
    shown = [
        agent.oblio, agent.oblio.tenant("acme"), anna, anna.consent, anna.ticket(), anna.consent.list(),
        anna.memory(item), anna.recall("units"), list(anna.memories()), anna.derived(), anna.trace(derived),
        anna.plan(Scope.whole()), anna.plan(Scope.of(item)), agent.parts.book.prepare, inner,
    ]  # fmt: skip
    taken = anna.begin(Scope.of(item))
    shown += [taken, anna.finish(taken), anna.requests(), agent.oblio.steps(taken.row.request)]
    for each in shown:
        assert TEXT not in repr(each)
        assert NAME not in repr(each)
        assert "metric" not in repr(each)


def test_a_prompt_quotes_memories_as_data_with_their_ids(agent: Agent) -> None:
    anna = agent.person()
    item = kept(anna.remember(TEXT))
    block = anna.prompt("which units?")
    assert TEXT in block
    assert item in block
    assert anna.prompt("which units?", limit=1) == block


def test_a_plan_says_what_would_go_and_a_changed_set_is_refused(agent: Agent) -> None:
    anna = agent.person()
    item = kept(anna.remember(TEXT))
    plan = anna.plan(Scope.whole())
    assert (dict(plan.counts), plan.blanked) == ({"memory": 1}, 0)
    kept(anna.remember("Likes tea"))
    with pytest.raises(PlanChanged):
        anna.erase(plan=plan.digest)
    assert anna.memory(item).text == TEXT
    anna.erase(plan=anna.plan(Scope.whole()).digest).verify(agent.oblio.public_key)


def test_forgetting_nothing_is_an_error_and_never_everything(agent: Agent) -> None:
    anna = agent.person()
    item = kept(anna.remember(TEXT))
    for nothing in (None, "", " "):
        with pytest.raises(BadId):
            anna.forget(nothing)  # type: ignore[arg-type]
    assert anna.memory(item).text == TEXT


def test_erasing_nobody_answers_with_a_receipt_and_forgetting_of_nobody_does_not(agent: Agent) -> None:
    nobody = agent.oblio.subject("nobody")
    with pytest.raises(UnknownItem):
        nobody.forget(new_id())
    payload = nobody.erase().payload
    assert (payload.result, {step.outcome for step in payload.steps}) == ("no_data", {"no_data"})
    assert nobody.ticket() is None


def test_a_request_opens_with_its_recovery_code_and_nothing_else(agent: Agent) -> None:
    anna = agent.person()
    taken = anna.begin(Scope.of(kept(anna.remember(TEXT))))
    assert taken.recovery is not None
    receipt = anna.finish(taken)
    request = taken.row.request
    assert agent.oblio.request(request, recovery=taken.recovery).request == request
    assert agent.oblio.receipt(request, recovery=taken.recovery).to_json() == receipt.to_json()
    for wrong, code in ((request, "wrong"), (request, ""), (new_id(), taken.recovery)):
        with pytest.raises(UnknownRequest):
            agent.oblio.request(wrong, recovery=code)
        with pytest.raises(UnknownRequest):
            agent.oblio.receipt(wrong, recovery=code)


def test_the_clock_of_the_store_dates_everything(agent: Agent) -> None:
    anna = agent.person()
    agent.clock.move(hours=5)
    item = kept(anna.remember(TEXT))
    assert anna.memory(item).saved == NOON + timedelta(hours=5)
    assert anna.consent.list()[0].granted_at == NOON
    assert anna.forget(item).payload.issued == NOON + timedelta(hours=5)


def test_a_store_is_found_again_with_everything_in_it(agent: Agent) -> None:
    item = kept(agent.person().remember(TEXT))
    key = agent.oblio.public_key
    agent.oblio.close()
    agent.oblio.close()
    agent.reopen()
    assert agent.oblio.public_key == key
    assert agent.oblio.subject("anna").memory(item).text == TEXT


def test_entries_that_are_published_while_the_log_is_verified_are_no_fault(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.person()
    agent.parts.notary.publish()
    last = agent.parts.place.last
    asked: list[bytes | None] = []

    def late() -> bytes | None:
        note = last()
        if not asked:
            asked.append(note)
            agent.person("bo")
            agent.parts.notary.publish()
        return note

    monkeypatch.setattr(type(agent.parts.place), "last", lambda _place: late())
    report = agent.oblio.verify_audit()
    assert report.outside is not None
    assert report.entries > report.outside


def test_an_unknown_filter_mode_makes_no_store(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with pytest.raises(BadSetting):
        Oblio.open(path, filter_mode="Observe", settings=NGRAM)  # type: ignore[arg-type]
    assert not path.exists()
    Oblio.open(path, settings=NGRAM).close()


def test_the_filter_mode_of_a_store_cannot_be_changed(agent: Agent) -> None:
    assert not agent.oblio.trial
    agent.oblio.close()
    with pytest.raises(FilterModeFixed):
        Oblio.open(agent.path, filter_mode="observe", settings=NGRAM)
    Oblio.open(agent.path, filter_mode="enforce", settings=NGRAM).close()
    agent.reopen()


def test_a_store_that_is_not_there_is_not_made_when_it_must_exist(tmp_path: Path) -> None:
    with pytest.raises(NoStore):
        Oblio.open(tmp_path / "agent.db", create=False, settings=NGRAM)
    assert list(tmp_path.iterdir()) == []
