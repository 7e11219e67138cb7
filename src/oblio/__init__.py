"""Oblio: memory for AI agents, with consent first, a filter before the disk, and erasures that come with a proof.

The names listed here are the public interface. They are loaded on first use, so that importing the package is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oblio.errors.base import Fault
    from oblio.model.erasure import Scope
    from oblio.model.memory import Derived, Kept, Memory, Message, Recalled, Refused
    from oblio.service.oblio import Oblio, Tenant
    from oblio.service.subject import ConsentHandle, SubjectHandle
    from oblio.settings import Settings
    from oblio.wiring import Receipt

__all__ = [
    "ConsentHandle",
    "Derived",
    "Fault",
    "Kept",
    "Memory",
    "Message",
    "Oblio",
    "Recalled",
    "Receipt",
    "Refused",
    "Scope",
    "Settings",
    "SubjectHandle",
    "Tenant",
]

_HOMES = {
    "ConsentHandle": "service.subject",
    "Derived": "model.memory",
    "Fault": "errors.base",
    "Kept": "model.memory",
    "Memory": "model.memory",
    "Message": "model.memory",
    "Oblio": "service.oblio",
    "Recalled": "model.memory",
    "Receipt": "wiring",
    "Refused": "model.memory",
    "Scope": "model.erasure",
    "Settings": "settings",
    "SubjectHandle": "service.subject",
    "Tenant": "service.oblio",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        message = f"module 'oblio' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(f"oblio.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
