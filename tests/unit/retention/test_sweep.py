"""What expired is erased by the clock, with request and receipt, and nothing else is."""

from tests.unit.conftest import Agent, kept, ticket_of

from oblio.model.erasure import State
from oblio.model.memory import Said


def test_what_expired_is_erased_at_the_next_open_and_the_rest_stays(agent: Agent) -> None:
    anna, bo = agent.person("anna", "memory"), agent.person("bo", "memory")
    anna.remember("Likes short answers today", kind="session")
    stays = kept(anna.remember("Likes tea"))
    kept(bo.remember("Likes rain", kind="session"))
    other = kept(bo.remember("Likes snow"))
    agent.clock.move(days=2)
    assert agent.oblio.sweep() == 2
    assert agent.rows()["items"] == 4  # two memories and two profiles
    assert [memory.id for memory in anna.memories()] == [stays]
    assert [memory.id for memory in bo.memories()] == [other]
    assert [row.state for row in (*anna.requests(), *bo.requests())] == [State.COMPLETED, State.COMPLETED]
    for row in anna.requests():
        agent.oblio.receipt(row.request).verify(agent.oblio.public_key)


def test_nothing_expired_means_nothing_is_taken_up(agent: Agent) -> None:
    anna = agent.person("anna", "memory")
    anna.remember("Likes tea", kind="session")
    assert agent.oblio.sweep() == 0
    assert anna.requests() == []


def test_what_was_derived_from_an_expired_memory_is_hidden_at_once_and_made_anew_by_the_sweep(agent: Agent) -> None:
    anna = agent.person("anna", "memory")
    short, long = kept(anna.remember("Likes tea", kind="session")), kept(anna.remember("Likes rain"))
    anna.derive("profile", sources=[short, long])
    anna.derive("portrait", sources=[kept(anna.remember("Likes snow"))])
    agent.clock.move(days=2)
    assert {each.name: each.text for each in anna.derived()} == {"profile": None, "portrait": "Likes snow."}
    agent.oblio.sweep()
    assert {each.name: each.text for each in anna.derived()} == {"profile": "Likes rain.", "portrait": "Likes snow."}


def test_old_messages_expire_too(agent: Agent) -> None:
    anna = agent.person("anna", "history")
    agent.parts.history.add(ticket_of(anna), Said(role="user", text="Good morning!"), now=agent.clock())
    agent.clock.move(days=366)
    assert agent.oblio.sweep() == 1
    assert list(anna.messages()) == []
    assert agent.rows()["items"] == 1


def test_a_tombstone_is_forgotten_when_its_time_is_over(agent: Agent) -> None:
    anna = agent.person("anna", "memory")
    anna.forget(kept(anna.remember("Likes tea")))
    assert agent.rows()["tombstones"] == 1
    agent.clock.move(days=91)
    agent.oblio.sweep()
    assert agent.rows()["tombstones"] == 0


def test_the_epoch_key_is_replaced_on_request_and_by_age(agent: Agent) -> None:
    assert agent.oblio.health().epoch == 1
    assert agent.oblio.rotate_keys()
    assert agent.oblio.health().epoch == 2
    agent.parts.catch_up()
    assert agent.oblio.health().epoch == 2
    agent.clock.move(days=2)
    agent.parts.catch_up()
    assert agent.oblio.health().epoch == 3
