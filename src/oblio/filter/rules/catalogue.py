"""All rules, in the order in which they run: mildest category last, so that reasons read worst first."""

from typing import Final

from oblio.filter.rules import address, art9, child, contact, health, national_id, payment, secret, third_party
from oblio.filter.rules.base import Rule

IDENTIFIERS: Final[tuple[Rule, ...]] = (
    *secret.RULES,
    *payment.RULES,
    *national_id.RULES,
    *contact.RULES,
    *address.RULES,
)
MEANINGS: Final[tuple[Rule, ...]] = (*health.RULES, *art9.RULES, *child.RULES, *third_party.RULES)
NAMES: Final[tuple[Rule, ...]] = (third_party.name, child.named)
"""Rules that know a person by a capital letter."""
ALL: Final = (*IDENTIFIERS, *MEANINGS)
