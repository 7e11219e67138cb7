"""A process that has everything imported and forks one child an order: killing and starting again becomes cheap.

Run as `python -m tests.fault.zygote`: reads one order a line, forks, lets the child die or end, and answers
one word a line.
"""

import json
import os
import select
import signal
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]
KILLED, ENDED, FAILED = "killed", "ended", "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a child shall do, and when it dies: at a cut point, after a delay, or not at all."""

    life: str
    path: str
    point: str | None = None
    nth: int = 1
    seconds: float | None = None
    journal: str | None = None
    """File that gets the name of each cut point passed, or what the life promises."""
    seed: int = 0


class Zygote:
    """The process as its owner sees it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fault.zygote"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.communicate()

    def run(self, order: Order) -> str:
        """Let a child do what is ordered. Return how it came to its end."""
        self.start(order)
        return self.ending()

    def start(self, order: Order) -> None:
        """Let a child begin; its end is asked for by `ending`."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asdict(order)) + "\n")
        self._process.stdin.flush()

    def ending(self) -> str:
        """Wait for the child and return how it came to its end."""
        assert self._process.stdout is not None
        word = self._process.stdout.readline().strip()
        assert word, "the helper process is gone"
        return word


def cutter(order: Order) -> Callable[[str], None]:
    """Return the cut that writes a journal and kills this process at the place that was ordered."""
    seen: Counter[str] = Counter()
    journal = None if order.journal is None else os.open(order.journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def cut(point: str) -> None:
        seen[point] += 1
        if journal is not None:
            os.write(journal, f"{point}\n".encode())
        if point == order.point and seen[point] == order.nth:
            os.kill(os.getpid(), signal.SIGKILL)

    return cut


def _child(order: Order) -> int:
    lives = sys.modules["tests.fault.lives"]
    try:
        lives.LIVES[order.life](order)
    except BaseException:  # noqa: BLE001 -- this process ends here, whatever it was
        traceback.print_exc()
        return 1
    return 0


def _ending(child: int, seconds: float | None) -> str:
    descriptor = os.pidfd_open(child)
    try:
        if seconds is not None and not select.select([descriptor], [], [], seconds)[0]:
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    finally:
        os.close(descriptor)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return KILLED if os.WTERMSIG(status) == signal.SIGKILL else FAILED
    return ENDED if os.WEXITSTATUS(status) == 0 else FAILED


def main() -> None:
    """Serve orders until the input ends."""
    for line in sys.stdin:
        order = Order(**json.loads(line))
        child = os.fork()
        if child == 0:
            os._exit(_child(order))
        sys.stdout.write(_ending(child, order.seconds) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    import tests.fault.lives  # noqa: F401 -- everything is imported once, before the first fork

    sys.modules["tests.fault.zygote"] = sys.modules["__main__"]
    main()
