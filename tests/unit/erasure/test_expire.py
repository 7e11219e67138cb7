"""Erasures that the clock asks for."""

from tests.unit.erasure.desk import Desk

from oblio.erasure.expire import Expiry
from oblio.model.audit import ActorRole, AuditAction
from oblio.model.memory import ItemType


def test_what_expired_is_erased_messages_too_and_the_log_says_that_nobody_asked(desk: Desk) -> None:
    anna = desk.admit()
    message, memory, stays = desk.add(anna, type_=ItemType.MESSAGE), desk.add(anna), desk.add(anna)
    expiry = Expiry(intake=desk.intake, machine=desk.machine)
    assert expiry.expire(anna, [message.item, memory.item], now=desk.now) == 2
    assert [row.item for row in desk.rows(message, memory, stays)] == [stays.item]
    asked = [entry for entry in desk.notary.entries if entry.action is AuditAction.ERASURE_REQUESTED]
    assert [entry.actor for entry in asked] == [ActorRole.SYSTEM]


def test_an_erasure_that_was_faster_leaves_nothing_to_expire(desk: Desk) -> None:
    anna = desk.admit()
    memory = desk.add(anna)
    desk.erase(anna)
    expiry = Expiry(intake=desk.intake, machine=desk.machine)
    assert expiry.expire(anna, [memory.item], now=desk.now) == 0
