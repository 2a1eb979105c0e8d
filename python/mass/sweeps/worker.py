"""Process that makes runs of a sweep, one after the other: python -m mass.sweeps.worker PART_FILE.

Reads a task per line from standard input, as JSON, and ends with it. Writes a reply per task to standard output, after
a first line.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import warnings
from typing import Any

from .. import _core
from ..run import UsageError
from ..run import open as open_run
from .keep import Keep, read_keep
from .store import OutputError, PartFile, Result


NEVER = 1 << 62  #: step of the next row of a run's own table, of which a sweep makes no use


class Refusal(Exception):
    """Error that ends the sweep: all runs would have it."""


def main() -> None:
    replies = os.dup(1)
    os.dup2(2, 1)  # output of models
    tasks: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read_tasks, args=(tasks,), daemon=True).start()
    try:
        part = PartFile(sys.argv[1])
    except OutputError as error:
        _reply(replies, {"refusal": ["OutputError", str(error)]})
        os._exit(1)
    _reply(replies, {})
    while True:
        _reply(replies, _answer(json.loads(tasks.get()), part))


def _reply(replies: int, reply: dict[str, Any]) -> None:
    try:
        os.write(replies, json.dumps(reply).encode() + b"\n")
    except BrokenPipeError:  # the process that gives tasks has ended
        os._exit(0)


def _read_tasks(tasks: queue.Queue[bytes]) -> None:
    for line in sys.stdin.buffer:
        tasks.put(line)
    os._exit(0)  # the process that gives tasks has ended: so does a run in progress


def _answer(task: dict[str, Any], part: PartFile) -> dict[str, Any]:
    """Makes a run and returns the reply."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = _result(task)
        part.append(result)
    except Refusal as error:
        return {"refusal": ["UsageError", str(error)]}
    except OutputError as error:
        return {"refusal": ["OutputError", str(error)]}
    return {"error": result.error, "warnings": sorted({str(warning.message) for warning in caught})}


def _result(task: dict[str, Any]) -> Result:
    head = task["key"], task["library"], task["attempt"]
    try:
        columns, rows = _rows(task, read_keep(task["keep"]))
        return Result(*head, columns, rows)
    except Refusal:
        raise
    except _core.Error as error:
        message = str(error)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
    return Result(*head, error=" ".join(message.split()))


def _rows(task: dict[str, Any], keep: Keep) -> tuple[list[str], list[Any]]:
    """Makes a run and returns the names of columns and the rows that are kept."""
    settings = {**task["settings"], "output.table_every": NEVER}
    run = open_run(task["program"], *filter(None, [task["file"]]), settings)
    try:
        columns = list(keep.pick(run.row))
    except UsageError as error:
        raise Refusal(str(error)) from None
    rows = []
    for step in keep.rows.steps(run.last_step):
        run.step(step - run.steps)
        rows.append((step, list(keep.pick(run.row).values())))
    run.step(run.last_step - run.steps)
    return columns, keep.rows.reduce(rows)


if __name__ == "__main__":
    main()
