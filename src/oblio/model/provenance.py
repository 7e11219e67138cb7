"""What becomes of derived items when sources vanish: pure rules over a graph of ids.

A derived item whose sources all vanish vanishes with them (rule X7). One that keeps a source is blanked now and
rebuilt later from what remains (rule X8); so is everything further down that was made from a blanked item, because its
text may still carry what the erased source said. A cycle or too many sources is refused when the item is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from oblio.model.ids import ItemId

MAX_SOURCES: Final = 4_096
"""Sources that one derived item may name: a session has hundreds of messages, a list of 10^5 is a mistake."""

MAX_DEPTH: Final = 64
"""Longest chain from an item down to what it was first made from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """What an erasure does to derived items, both lists in topological order (sources before what needs them)."""

    erase: tuple[ItemId, ...]
    blank: tuple[ItemId, ...]


def cascade(erased: frozenset[ItemId], sources: Mapping[ItemId, frozenset[ItemId]], /) -> Cascade:
    """Decide for every derived item reachable from `erased`.

    Args:
        erased: the items that an erasure names.
        sources: for each derived item that is reachable from `erased`, all of its sources.

    Returns:
        What vanishes because nothing supports it any more, and what is blanked.
    """
    gone, touched = set(erased), set(erased)
    erase: list[ItemId] = []
    blank: list[ItemId] = []
    for item in topological(sources):
        mine = sources[item]
        if item in gone or not mine & touched:
            continue
        touched.add(item)
        if mine <= gone:
            gone.add(item)
            erase.append(item)
        else:
            blank.append(item)
    return Cascade(erase=tuple(erase), blank=tuple(blank))


def topological(sources: Mapping[ItemId, frozenset[ItemId]], /) -> Sequence[ItemId]:
    """Order the keys of `sources` so that every item comes after those of its sources that are keys too.

    Raises:
        ValueError: the graph has a cycle, which the writer must have refused.
    """
    waiting = {item: sum(s in sources for s in mine) for item, mine in sources.items()}
    users: dict[ItemId, list[ItemId]] = {}
    for item, mine in sources.items():
        for source in mine:
            users.setdefault(source, []).append(item)
    ready = sorted(item for item, count in waiting.items() if count == 0)
    order: list[ItemId] = []
    while ready:
        item = ready.pop()
        order.append(item)
        for user in users.get(item, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                ready.append(user)
    if len(order) != len(sources):
        message = "derived items form a cycle"
        raise ValueError(message)
    return order
