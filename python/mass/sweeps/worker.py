"""Process that makes runs of a sweep, one after the other: python -m mass.sweeps.worker PART_FILE.

Reads a task per line from standard input, as JSON, and ends with it. Writes a reply per task to standard output, after
a first line. With --describe FILE.py:FUNCTION, it writes the description of that function and ends.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import queue
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from .. import _core, models
from ..run import UsageError
from ..run import open as open_run
from . import functions
from .keep import Keep, read_keep
from .store import OutputError, PartFile, Result


NEVER = 1 << 62  #: step of the next row of a run's own table, of which a sweep makes no use


class Refusal(Exception):
    """Error that ends the sweep: all runs would have it."""


def main() -> None:
    replies = os.dup(1)
    os.dup2(2, 1)  # output of models
    if sys.argv[1] == "--describe":
        _reply(replies, _described(sys.argv[2]))
        return
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


def _described(address: str) -> dict[str, Any]:
    try:
        return dataclasses.asdict(functions.load(address)[1])
    except _core.Error as error:
        return {"error": str(error)}


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
    return (_rows_of_function if "function" in task else _rows_of_app)(task, keep)


def _rows_of_app(task: dict[str, Any], keep: Keep) -> tuple[list[str], list[Any]]:
    settings = {**task["place"], **task["settings"], "output.table_every": NEVER}
    run = open_run(task["program"], *filter(None, [task["file"]]), settings)
    columns = list(_picked(run.row, keep))
    rows = []
    for step in keep.rows.steps(run.last_step):
        run.step(step - run.steps)
        rows.append((step, list(keep.pick(run.row).values())))
    run.step(run.last_step - run.steps)
    return columns, keep.rows.reduce(rows)


def _rows_of_function(task: dict[str, Any], keep: Keep) -> tuple[list[str], list[Any]]:
    function, description = _function(task["function"], task["digest"])
    texts = dict(task["settings"])
    seed = description.seed(texts.pop("seed"))
    arguments = description.values(texts)
    if "world" in description.given:
        arguments["world"] = models.Mass({**task["place"], "seed": seed})
    if "seed" in description.given:
        arguments["seed"] = seed
    headers = set(models.loaded)
    rows = functions.rows_of(function, arguments)
    if more := set(models.loaded) - headers:
        raise Refusal(f"{description.name}() loads '{min(more)}': call mass.load at the top level of the file, so that "
                      "the sweep takes note of the header")
    columns = list(_picked(rows[0], keep))
    steps = keep.rows.steps(len(rows) - 1)
    return columns, keep.rows.reduce([(step, list(keep.pick(rows[step]).values())) for step in steps])


@functools.cache
def _function(address: str, digest: str) -> tuple[Callable[..., Any], functions.Function]:
    """Returns a function of the user, and its description."""
    try:
        function, description = functions.load(address)
    except _core.InputError as error:
        raise Refusal(str(error)) from None
    if description.digest != digest:
        raise Refusal(f"'{address}', or a header that it loads, has changed during the sweep: start it again")
    return function, description


def _picked(row: Mapping[str, float], keep: Keep) -> dict[str, float]:
    """Returns the columns to keep of the first row."""
    try:
        return keep.pick(row)
    except UsageError as error:
        raise Refusal(str(error)) from None


if __name__ == "__main__":
    main()
