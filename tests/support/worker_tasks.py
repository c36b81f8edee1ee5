"""Tasks for workers that do little, or fail, or die."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from verifier.corpus.errors import CorpusDamaged


def item(items: list[int], place: int) -> int:
    return items[place]


def fail(seconds: float, why: str) -> None:
    time.sleep(seconds)
    if why:
        raise CorpusDamaged(why)


def die(path: str, times: int, result: Any) -> Any:
    """End the process that does the task, the first times that it is done."""
    done = len(list(Path(path).parent.glob(f"{Path(path).name}.*")))
    if done < times:
        Path(f"{path}.{done}").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return result


def sleep(folder: str, place: int) -> None:
    """Say who sleeps, and do."""
    unfinished = Path(folder).parent / f"{Path(folder).name}-{place}"
    unfinished.write_text(str(os.getpid()))
    unfinished.rename(Path(folder) / str(place))
    time.sleep(600)


def nap(folder: str, result: int) -> int:
    """Say who does the task. The first one sleeps, the next one is quick."""
    first = not any(Path(folder).iterdir())
    (Path(folder) / str(os.getpid())).touch()
    if first:
        time.sleep(600)
    return result
