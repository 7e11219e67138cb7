"""Walk through every world of the model within bounds."""

from collections import deque
from dataclasses import dataclass

from oblio.testing.key_model.steps import successors
from oblio.testing.key_model.world import Bounds, World, complaint, start


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """What a walk found."""

    worlds: int
    complaint: str
    """The first thing found wrong, or nothing."""
    path: tuple[World, ...] = ()
    """How the walk came there."""


def explore(bounds: Bounds, /, *, mistakes: frozenset[str] = frozenset()) -> Exploration:
    """Visit every reachable world, nearest first, and stop at the first complaint."""
    first = start(bounds)
    came_from: dict[World, World | None] = {first: None}
    waiting = deque([first])
    while waiting:
        world = waiting.popleft()
        if wrong := complaint(world):
            return Exploration(worlds=len(came_from), complaint=wrong, path=_path(world, came_from))
        for follower in successors(world, bounds, mistakes):
            if follower not in came_from:
                came_from[follower] = world
                waiting.append(follower)
    return Exploration(worlds=len(came_from), complaint="")


def _path(world: World, came_from: dict[World, World | None]) -> tuple[World, ...]:
    path: list[World] = []
    step: World | None = world
    while step is not None:
        path.append(step)
        step = came_from[step]
    return tuple(reversed(path))
