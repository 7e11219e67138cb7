"""Checks of the two names that come from outside: external subject ids and tenants."""

import re
import unicodedata
from typing import Final

from oblio.errors.access import BadId, BadTenant, EmptySubject, SubjectTooLong, SubjectUnreadable
from oblio.model.ids import ItemId, TenantId, raw

MAX_EXTERNAL_BYTES: Final = 512
_TENANT: Final = re.compile(r"[a-z0-9-]{1,32}")


def external_id(value: str, /) -> str:
    """Return an external subject id as it is looked up: unchanged, so that two spellings are two persons (rule A2).

    Raises:
        EmptySubject: nothing visible in it.
        SubjectTooLong: more than `MAX_EXTERNAL_BYTES` in UTF-8.
        SubjectUnreadable: control characters, lone surrogates or not a string.
    """
    if not isinstance(value, str):
        raise SubjectUnreadable
    size = len(value) if len(value) > MAX_EXTERNAL_BYTES else len(value.encode("utf-8", "surrogatepass"))
    if size > MAX_EXTERNAL_BYTES:  # first, so that a book costs no more than a name
        raise SubjectTooLong(size=size, limit=MAX_EXTERNAL_BYTES)
    if not value.strip():
        raise EmptySubject
    if any(unicodedata.category(char) in {"Cc", "Cs"} for char in value):
        raise SubjectUnreadable
    return value


def tenant_name(value: str, /) -> TenantId:
    """Return a checked tenant name.

    Raises:
        BadTenant: outside lower-case letters, digits and hyphens, or not 1 to 32 of them.
    """
    if not isinstance(value, str) or _TENANT.fullmatch(value) is None:
        raise BadTenant
    return TenantId(value)


def item_id(value: str, /) -> ItemId:
    """Return a checked item id.

    Raises:
        BadId: not 32 hexadecimal digits.
    """
    try:
        raw(value)
    except (ValueError, TypeError, AttributeError):
        raise BadId from None
    return ItemId(value.lower())
