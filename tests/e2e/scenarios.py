"""Lives of a store on a file system that runs full or turns read-only; see `tests.e2e.confined`."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tests.e2e.blame import DRIVER_WORDS, told

from oblio.errors.base import Fault
from oblio.model.memory import Kept
from oblio.service.oblio import Oblio
from oblio.settings import Settings

SETTINGS: Final = Settings(sqlite_module="pysqlite3", embedder="ngram")
CANARY: Final = "quokkasandwich"
MEMORIES: Final = 12


def full(folder: Path) -> dict[str, Any]:
    """Fill the disk under an open store; write, erase, close and open; then make room again."""
    path = folder / "agent.db"
    faults: dict[str, str] = {}
    oblio = Oblio.open(path, settings=SETTINGS)
    anna, bo = (_person(oblio, name) for name in ("anna", "bo"))
    texts = [_kept(anna, number) for number in range(MEMORIES)]
    _kept(bo, 0)
    victim = next(iter(anna.memories()))
    _fill(folder)
    faults["remember"] = _code(lambda: _until_full(anna))
    faults["forget"] = _code(lambda: anna.forget(victim.id, wait=0.0))
    faults["erase"] = _code(lambda: bo.erase(wait=0.0))
    readable = len({each.text for each in anna.memories()} & set(texts))
    faults["close"] = _code(oblio.close)
    reached = _code(lambda: Oblio.open(path, settings=SETTINGS).close())
    (folder / "filler").unlink()
    with Oblio.open(path, settings=SETTINGS) as oblio:
        anna = oblio.subject("anna")
        here = {each.text for each in anna.memories()}
        again = anna.remember(f"Likes the taste of {CANARY} again")
        if victim.id in {each.id for each in anna.memories()}:
            anna.forget(victim.id)
        gone = victim.id not in {each.id for each in anna.memories()}
        if oblio.subject("bo").ticket() is not None:
            oblio.subject("bo").erase()
        return {
            "faults": faults,
            "reopened": reached,
            "readable": readable,
            "kept": len(here & set(texts)),
            "writes_again": isinstance(again, Kept),
            "forgets_again": gone,
            "bo_gone": not list(oblio.subject("bo").memories()),
            "open_requests": len(oblio.open_requests()),
            "log": oblio.verify_audit().entries > 0,
        }


def read_only(folder: Path) -> dict[str, Any]:
    """Turn the file system read-only under a closed store and under an open one, then back."""
    path = folder / "agent.db"
    with Oblio.open(path, settings=SETTINGS) as oblio:
        anna = _person(oblio, "anna")
        for number in range(MEMORIES):
            _kept(anna, number)
    _remount(folder, "ro")
    faults = {"open": _code(lambda: Oblio.open(path, settings=SETTINGS))}
    faults["create"] = _code(lambda: Oblio.open(folder / "other.db", settings=SETTINGS))
    _remount(folder, "rw")
    with Oblio.open(path, settings=SETTINGS) as oblio:
        return {"faults": faults, "kept": len(list(oblio.subject("anna").memories()))}


def _person(oblio: Oblio, name: str) -> Any:
    handle = oblio.subject(name)
    handle.consent.grant("memory", notice="2026-11")
    return handle


def _kept(handle: Any, number: int) -> str:
    text = f"Likes the taste of {CANARY} number {number}"
    kept = handle.remember(text)
    if not isinstance(kept, Kept):
        message = "refused"
        raise TypeError(message)
    return text


def _until_full(handle: Any) -> None:
    for _ in range(2_000):
        handle.remember(f"Filler {CANARY} " + "word " * 700)


def _fill(folder: Path) -> None:
    descriptor = os.open(folder / "filler", os.O_CREAT | os.O_WRONLY, 0o600)
    for size in (1 << 16, 1 << 12, 1):
        try:
            while True:
                os.write(descriptor, bytes(size))
        except OSError:
            continue
    os.close(descriptor)


def _remount(folder: Path, mode: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{mode}", str(folder)], check=True, capture_output=True)


def _code(act: Callable[[], object]) -> str:
    """Return the code of the fault that `act` raises, `none` if it raises nothing, and what is wrong with it else."""
    try:
        act()
    except Fault as error:
        leaks = [word for word in (*DRIVER_WORDS, CANARY, "agent.db") if word in told(error)]
        return f"{error.code} leaks" if leaks else error.code
    except Exception as error:  # noqa: BLE001 -- what must not happen is reported by name
        return f"not a fault: {type(error).__name__}"
    return "none"


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"full": full, "read_only": read_only}[sys.argv[1]](Path(sys.argv[2]))))
