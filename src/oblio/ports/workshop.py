"""Making derived items, for whoever brings them from elsewhere."""

from datetime import datetime
from typing import Protocol

from oblio.model.memory import Kept, Recipe, Refused
from oblio.model.subject import Ticket


class Deriving(Protocol):
    """The derived items of all persons, one ticket at a time."""

    def derive(self, ticket: Ticket, recipe: Recipe, /, *, now: datetime) -> Kept | Refused:
        """Make and store one derived item.

        Raises:
            NoSources, TooManySources, TooDeep, UnknownItem, ErasedSource: the sources do not allow it.
            UnknownDeriver, DeriverFailed: nothing to make it with.
        """
        ...
