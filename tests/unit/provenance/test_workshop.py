"""Tests of derived items: what they are made of, what an erasure leaves blank, what a failing deriver tells."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest
from tests.unit.conftest import Agent, kept, ticket_of

from oblio.errors.access import ErasedSource, NoSources, TooDeep, UnknownDeriver, UnknownItem
from oblio.errors.base import Fault
from oblio.errors.provenance import BadName, DeriverFailed
from oblio.model.erasure import Scope
from oblio.model.ids import UnitId, new_id
from oblio.model.memory import ItemState, Refused
from oblio.model.provenance import MAX_DEPTH
from oblio.ports.keys import binding_of
from oblio.provenance.workshop import MAX_ATTEMPTS

CANARY = "canary-9f1c-the-persons-words"


def joined(texts: Sequence[str]) -> str:
    """Put everything in one line, so that a test sees what a deriver was given."""
    return " | ".join(texts)


def after(act: Callable[[], object], texts: Sequence[str]) -> str:
    """Do something, as if it took a while, and return a text."""
    act()
    return joined(texts)


def shown(agent: Agent, name: str = "anna") -> dict[str, str | None]:
    """Return the text of each derived item by its name."""
    return {each.name: each.text for each in agent.oblio.subject(name).derived()}


def chain(error: BaseException | None) -> list[BaseException]:
    """Return an error and everything that hangs on it, shown or not."""
    found: list[BaseException] = []
    while error is not None:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def test_a_derived_item_names_its_sources_its_deriver_and_its_version(agent: Agent) -> None:
    agent.oblio.deriver("join", version="7")(joined)
    anna = agent.person()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    item = kept(anna.derive("profile", sources=[two, one, one], deriver="join"))
    (made,) = anna.derived()
    assert (made.id, made.name, made.deriver, made.state) == (item, "profile", "join/7", ItemState.LIVE)
    assert made.text == "Likes tea | Likes rain"
    assert made.sources == tuple(sorted((one, two)))


def test_a_text_of_the_host_is_stored_and_made_anew_by_the_deriver(agent: Agent) -> None:
    anna = agent.person()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    anna.derive("profile", sources=[one, two], text="Somebody who likes tea in the rain")
    assert shown(agent) == {"profile": "Somebody who likes tea in the rain"}
    anna.forget(one)
    assert shown(agent) == {"profile": "Likes rain."}


def test_a_chain_of_three_levels_is_made_anew_from_what_remains(agent: Agent) -> None:
    agent.oblio.deriver("join", version="1")(joined)
    anna = agent.person()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    low = kept(anna.derive("low", sources=[one, two], deriver="join"))
    mid = kept(anna.derive("mid", sources=[low], deriver="join"))
    top = kept(anna.derive("top", sources=[mid, two], deriver="join"))
    assert anna.trace(one).derived == tuple(sorted((low, mid, top)))
    assert anna.plan(Scope.of(one)).blanked == 3
    payload = anna.forget(one).payload
    assert (payload.blanked, payload.rebuilt, payload.queued) == (3, 3, 0)
    assert shown(agent) == {"low": "Likes rain", "mid": "Likes rain", "top": "Likes rain | Likes rain"}
    assert CANARY not in str(shown(agent))
    anna.forget(two)
    assert shown(agent) == {}


def test_a_diamond_is_made_anew_sources_first(agent: Agent) -> None:
    agent.oblio.deriver("join", version="1")(joined)
    anna = agent.person()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    left = kept(anna.derive("left", sources=[one, two], deriver="join"))
    right = kept(anna.derive("right", sources=[two, one], deriver="join"))
    tip = kept(anna.derive("tip", sources=[right, left], deriver="join"))
    own = kept(anna.derive("own", sources=[one], deriver="join"))
    anna.forget(one)
    assert shown(agent) == {"left": "Likes rain", "right": "Likes rain", "tip": "Likes rain | Likes rain"}
    assert {each.id for each in anna.derived()} == {left, right, tip}
    with pytest.raises(UnknownItem):
        anna.trace(own)


def test_a_newer_deriver_makes_anew_under_its_version(agent: Agent) -> None:
    agent.oblio.deriver("join", version="1")(joined)
    anna = agent.person()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    anna.derive("profile", sources=[one, two], deriver="join")
    agent.oblio.deriver("join", version="2")(lambda texts: joined(texts).upper())
    anna.forget(one)
    (made,) = anna.derived()
    assert (made.deriver, made.text) == ("join/2", "LIKES RAIN")


def test_what_a_failing_deriver_raises_is_nowhere(
    agent: Agent, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    def breaks(texts: Sequence[str]) -> str:
        raise ValueError(CANARY, texts)

    agent.oblio.deriver("breaks", version="1")(breaks)
    anna, before = agent.person(), agent.rows()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    with caplog.at_level(logging.DEBUG), pytest.raises(DeriverFailed) as raised:
        anna.derive("profile", sources=[one], deriver="breaks")
    assert chain(raised.value) == [raised.value]
    anna.derive("profile", sources=[one, two], deriver="breaks", text="Likes tea and rain")
    payload = anna.forget(one).payload
    assert (payload.blanked, payload.rebuilt, payload.queued) == (1, 0, 1)
    assert shown(agent) == {"profile": None}
    agent.oblio.close()
    out, err = capfd.readouterr()
    assert CANARY.encode() not in agent.raw()
    assert CANARY not in caplog.text + out + err
    agent.reopen()
    assert before["items"] < agent.rows()["items"]


def test_a_blank_item_is_tried_again_and_left_alone_after_some_attempts(agent: Agent) -> None:
    calls: list[int] = []

    def breaks(texts: Sequence[str]) -> str:
        calls.append(len(texts))
        raise RuntimeError

    agent.oblio.deriver("join", version="1")(breaks)
    anna = agent.person()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    low = kept(anna.derive("low", sources=[one, two], deriver="join", text="Likes tea and rain"))
    kept(anna.derive("top", sources=[low], deriver="join", text="Likes tea"))
    anna.forget(one)
    for _ in range(2 * MAX_ATTEMPTS):
        assert agent.oblio.rebuild() == 0
    assert calls.count(1) == MAX_ATTEMPTS
    assert set(shown(agent).values()) == {None}


def test_a_deriver_that_works_again_fills_what_was_left_blank_in_order(agent: Agent) -> None:
    agent.oblio.deriver("join", version="1")(lambda _texts: "")
    anna = agent.person()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    low = kept(anna.derive("low", sources=[one, two], deriver="join", text="Likes tea and rain"))
    kept(anna.derive("top", sources=[low], deriver="join", text="Likes tea"))
    anna.forget(one)
    assert shown(agent) == {"low": None, "top": None}
    agent.oblio.deriver("join", version="2")(joined)
    assert agent.oblio.rebuild() == 2
    assert shown(agent) == {"low": "Likes rain", "top": "Likes rain"}
    assert agent.oblio.rebuild() == 0


@pytest.mark.parametrize("answer", [None, "", " \n", 7, b"text"])
def test_a_deriver_that_returns_no_text_failed(agent: Agent, answer: object) -> None:
    agent.parts.derivers.register("odd", lambda _texts: answer, version="1")  # type: ignore[arg-type, return-value]
    anna = agent.person()
    with pytest.raises(DeriverFailed):
        anna.derive("profile", sources=[kept(anna.remember("Likes tea"))], deriver="odd")
    assert shown(agent) == {}


def test_what_a_deriver_makes_passes_the_filter_or_is_not_stored(agent: Agent) -> None:
    health = "My brother Lars has schizophrenia and takes Zyprexa"
    agent.oblio.deriver("tells", version="1")(lambda texts: health if len(texts) == 1 else joined(texts))
    anna = agent.person()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    assert isinstance(anna.derive("profile", sources=[one], deriver="tells"), Refused)
    assert kept(anna.derive("profile", sources=[one, two], deriver="tells"))
    anna.forget(one)
    assert shown(agent) == {"profile": None}
    assert agent.oblio.rebuild() == 0


def test_a_withdrawal_before_the_rebuild_leaves_the_item_blank(agent: Agent) -> None:
    agent.oblio.deriver("join", version="1")(lambda _texts: "")
    anna = agent.person()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    anna.derive("profile", sources=[one, two], deriver="join", text="Likes tea and rain")
    anna.forget(one)
    anna.consent.withdraw("memory")
    agent.oblio.deriver("join", version="2")(joined)
    assert agent.oblio.rebuild() == 0
    assert shown(agent) == {"profile": None}


def test_a_source_that_changes_while_the_deriver_runs_stops_the_write(agent: Agent) -> None:
    anna = agent.person()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    for change in (partial(anna.correct, one, "Likes coffee"), partial(anna.forget, two)):
        agent.parts.derivers.register("slow", partial(after, change), version="1")
        with pytest.raises(ErasedSource):
            anna.derive("profile", sources=[one, two], deriver="slow")
    assert shown(agent) == {}


def test_a_withdrawal_while_the_deriver_runs_wins(agent: Agent) -> None:
    anna = agent.person()
    item = kept(anna.remember("Likes tea"))
    agent.parts.derivers.register("slow", partial(after, partial(anna.consent.withdraw, "memory")), version="1")
    assert isinstance(anna.derive("profile", sources=[item], deriver="slow"), Refused)
    assert shown(agent) == {}


@pytest.mark.parametrize("change", ["withdraw", "correct", "forget source", "forget item"])
def test_what_changes_while_an_item_is_made_anew_wins(agent: Agent, change: str) -> None:
    agent.oblio.deriver("join", version="1")(lambda _texts: "")
    anna = agent.person()
    one, two, three = (kept(anna.remember(f"Likes {word}")) for word in ("tea", "rain", "snow"))
    made = kept(anna.derive("profile", sources=[one, two, three], deriver="join", text="Likes tea, rain and snow"))
    anna.forget(one)
    once = iter([True])
    changes: dict[str, Callable[[], object]] = {
        "withdraw": lambda: anna.consent.withdraw("memory"),
        "correct": lambda: next(once, False) and anna.correct(two, "Likes hail"),
        "forget source": lambda: next(once, False) and anna.forget(two),
        "forget item": lambda: next(once, False) and anna.forget(made),
    }
    agent.parts.derivers.register("join", partial(after, changes[change]), version="2")
    agent.oblio.rebuild()
    expected = {
        "withdraw": {"profile": None},
        "correct": {"profile": "Likes hail | Likes snow"},
        "forget source": {"profile": "Likes snow"},
        "forget item": {},
    }
    assert shown(agent) == expected[change]


def test_work_that_was_overtaken_stays_queued(agent: Agent) -> None:
    agent.oblio.deriver("join", version="1")(lambda _texts: "")
    anna = agent.person()
    one, two, three = (kept(anna.remember(f"Likes {word}")) for word in ("tea", "rain", "snow"))
    anna.derive("profile", sources=[one, two, three], deriver="join", text="Likes tea, rain and snow")
    anna.forget(one)
    acts: list[Callable[[], str]] = [lambda: str(anna.forget(two)), lambda: ""]

    def overtaken(texts: Sequence[str]) -> str:
        return joined(texts) if not acts or acts.pop(0)() else ""

    agent.oblio.deriver("join", version="2")(overtaken)
    assert agent.oblio.rebuild() == 0
    assert shown(agent) == {"profile": None}
    assert agent.oblio.rebuild() == 1
    assert shown(agent) == {"profile": "Likes snow"}


def test_a_blank_item_that_is_forgotten_is_not_made_anew(agent: Agent) -> None:
    agent.oblio.deriver("join", version="1")(lambda _texts: "")
    anna = agent.person()
    one, two = kept(anna.remember("Likes tea")), kept(anna.remember("Likes rain"))
    made = kept(anna.derive("profile", sources=[one, two], deriver="join", text="Likes tea and rain"))
    anna.forget(one)
    anna.forget(made)
    agent.oblio.deriver("join", version="2")(joined)
    assert agent.oblio.rebuild() == 0
    assert shown(agent) == {}
    assert agent.rows()["rebuilds"] == 0


def test_an_item_needs_sources_a_known_deriver_and_a_technical_name(agent: Agent) -> None:
    anna = agent.person()
    item = kept(anna.remember("Likes tea"))
    refusals: list[tuple[dict[str, object], type[Fault]]] = [
        ({"sources": []}, NoSources),
        ({"sources": [new_id()]}, UnknownItem),
        ({"sources": [item], "deriver": "unknown"}, UnknownDeriver),
    ]
    for arguments, error in refusals:
        with pytest.raises(error):
            anna.derive("profile", **arguments)  # type: ignore[arg-type]
    for name in ("", "Likes tea", "a" * 33, "Profile", "profil\u00e9"):
        with pytest.raises(BadName):
            anna.derive(name, sources=[item])
        with pytest.raises(BadName):
            agent.oblio.deriver(name, version="1")(joined)
        with pytest.raises(BadName):
            agent.oblio.deriver("join", version=name)(joined)


def test_a_chain_is_no_deeper_than_allowed(agent: Agent) -> None:
    anna = agent.person()
    item = kept(anna.remember("Likes tea"))
    with agent.parts.store.write() as tx:
        row = tx.items.get(ticket_of(anna).subject, item)
        assert row is not None
        for _ in range(MAX_DEPTH - 1):
            row, below = replace(row, item=type(item)(new_id()), unit=UnitId(new_id())), row.item
            tx.items.add(row)
            tx.edges.add(row.item, [below])
        agent.parts.keys.seal(tx, b"\1" + 16 * b"\0", binding_of(row), holders=(row.subject,))
    with pytest.raises(TooDeep):
        anna.derive("profile", sources=[row.item])
    with pytest.raises(TooDeep):
        anna.derive("profile", sources=[item, row.item])


def test_shared_items_follow_both_persons(agent: Agent) -> None:
    agent.oblio.deriver("join", version="1")(joined)
    anna, bo = agent.person("anna"), agent.person("bo")
    mine, theirs = kept(anna.remember("Likes tea")), kept(bo.remember("Likes rain"))
    kept(anna.derive("pair", sources=[mine, theirs], deriver="join", with_=[bo]))
    assert shown(agent) == {"pair": "Likes tea | Likes rain"}
    with pytest.raises(UnknownItem):
        anna.derive("pair", sources=[mine], with_=[agent.oblio.subject("nobody")])
    bo.erase()
    assert shown(agent) == {"pair": "Likes tea"}


def test_a_trace_shows_versions_holders_block_and_connections(agent: Agent) -> None:
    anna = agent.person()
    first = kept(anna.remember("Likes tea", kind="goal"))
    item = kept(anna.remember("Likes green tea", sources=[first]))
    trace = anna.trace(item)
    assert (trace.type, trace.kind, trace.deletion_class, trace.state) == ("memory", "preference", "preference", "live")
    assert (trace.sources, trace.derived, trace.holders, trace.version) == ((first,), (), 1, 1)
    assert trace.segment is None
    assert anna.trace(first).derived == (item,)
    agent.parts.finder.compact(ticket_of(anna), now=agent.clock())
    assert anna.trace(item).segment is not None
    made = kept(anna.derive("profile", sources=[item]))
    assert anna.trace(first).derived == tuple(sorted((item, made)))
    assert anna.trace(made).segment is None
    assert "tea" not in repr(trace)
