"""Which item was made from which."""

from collections.abc import Iterable, Mapping

import sqlalchemy as sa

from oblio.model.ids import ItemId
from oblio.storage import schema
from oblio.storage.session import Session, among, is_

_EDGES = schema.edges
_C = _EDGES.c
_SOURCES = sa.select(_C.item.label("key"), _C.source.label("value")).where(among(_C.item))
_USERS = sa.select(_C.source.label("key"), _C.item.label("value")).where(among(_C.source))
_OF = sa.select(_C.source).where(is_(_C.item))
_INSERT = sa.insert(_EDGES).inline()
_DELETE = [sa.delete(_EDGES).where(among(column)) for column in (_C.item, _C.source)]


class SqlEdges:
    """`Edges` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def add(self, item: ItemId, sources: Iterable[ItemId], /) -> None:
        """Note that `item` was made from `sources`; an edge that is known stays one edge."""
        wanted = dict.fromkeys(sources)
        if not wanted:
            return
        known = {row.source for row in self._session.rows(_OF, {"item": item})}
        fresh = [source for source in wanted if source not in known]
        self._session.change_many(_INSERT, [{"item": item, "source": source} for source in fresh])

    def sources(self, items: Iterable[ItemId], /) -> Mapping[ItemId, frozenset[ItemId]]:
        """Return the direct sources of each item."""
        return self._grouped(_SOURCES, items)

    def users(self, sources: Iterable[ItemId], /) -> Mapping[ItemId, frozenset[ItemId]]:
        """Return the items made directly from each source."""
        return self._grouped(_USERS, sources)

    def _grouped(
        self, statement: sa.Select[tuple[str, str]], ids: Iterable[ItemId]
    ) -> Mapping[ItemId, frozenset[ItemId]]:
        groups: dict[ItemId, set[ItemId]] = {}
        for row in self._session.among(statement, ids):
            groups.setdefault(row.key, set()).add(row.value)
        return {key: frozenset(values) for key, values in groups.items()}

    def delete(self, items: Iterable[ItemId], /) -> int:
        """Delete every edge that starts or ends at one of `items`."""
        ids = list(items)
        return sum(self._session.change_among(statement, ids) for statement in _DELETE)
