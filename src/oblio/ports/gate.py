"""The write filter as the capabilities see it."""

from typing import Protocol

from oblio.model.screening import Screened, Verdict


class Gate(Protocol):
    """The one choke point in front of every write."""

    def screen(
        self, text: str, /, *, kind: str | None, field: str, consents: frozenset[str]
    ) -> tuple[Verdict, Screened | None]:
        """Judge one field value. The second part is `None` exactly when the verdict refuses."""
        ...

    def name(self, value: str, /) -> None:
        """Check a technical name that is stored in clear text: of a tenant, notice, deriver or derived item.

        Raises:
            NameRefused: it tells something about a person, or holds a number that could.
        """
        ...
