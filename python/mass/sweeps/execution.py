"""Sweeps: many runs of a program with other settings and seeds."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy

from ..run import UsageError
from . import tables
from .functions import IS_WORKER
from .plan import Plan, plan_of, with_defaults
from .progress import Progress
from .runner import Place, Runner, places_of
from .store import Result, Store


@dataclasses.dataclass(frozen=True)
class Sweep:
    """Result of a sweep."""

    folder: pathlib.Path  #: of runs.csv, points.csv and the results of the runs
    runs: dict[str, numpy.ndarray[Any, Any]]  #: columns of runs.csv
    points: dict[str, numpy.ndarray[Any, Any]]  #: columns of points.csv
    count: int  #: number of runs
    failed: int  #: number of runs that failed

    def __repr__(self) -> str:
        return f"<sweep of {self.count} runs, {self.failed} failed, in '{self.folder}'>"


def sweep(file: str | os.PathLike[str] | None = None, *, retry: bool = False, mixed: bool = False,
          progress: bool = True, **keys: Any) -> Sweep:
    """Makes the runs of a sweep that its folder lacks, and writes the tables runs.csv and points.csv.

    `file` is a YAML file, and `keys` replace those of the file: program, settings_file, settings, axes, designs,
    random_seed, seeds, keep, parallel, folder. docs/sweeps.md describes them. `program` may be a function at the top
    level of a file. `retry` makes failed runs again; `mixed`
    accepts runs of several versions of the library; `progress` prints lines to standard error.

    Raises UsageError if a key is unusable; SettingsError if the program does not accept a setting; InputError if a file
    is unusable; OutputError if the folder cannot be written. A run that fails raises nothing: its row has the message.
    """
    if os.environ.get(IS_WORKER):
        raise UsageError("a process of a sweep cannot make a sweep: call mass.sweep under if __name__ == \"__main__\":")
    every = with_defaults({**_keys_of(file), **keys})
    plan = plan_of(every)
    places = places_of(every["parallel"])
    folder = every["folder"]
    if not isinstance(folder, (str, os.PathLike)) or not os.fspath(folder) or "\0" in str(folder):
        raise UsageError("a sweep needs the key 'folder', in which its results are kept")
    with Store(folder, plan.identity) as store:
        results = _complete(plan, store, places, retry, mixed, progress)
        return _write(plan, store, results)


def _keys_of(file: str | os.PathLike[str] | None) -> dict[str, Any]:
    """Returns the keys in a file; none if there is no file."""
    if file is None:
        return {}
    from . import file as files  # takes PyYAML, which only files need

    return files.read(file)


def _complete(plan: Plan, store: Store, places: list[Place],
              retry: bool, mixed: bool, progress: bool) -> dict[str, Result]:
    """Makes the runs that the store lacks, and returns the results of all."""
    results = store.read()
    pending = [run for run in plan.runs if run.key not in results or (retry and results[run.key].error)]
    done = [results[run.key] for run in plan.runs if run.key in results and not (retry and results[run.key].error)]
    shown = Progress(len(done), len(plan.runs), sum(bool(result.error) for result in done), progress)
    if plan.duplicates:
        shown.say(f"{plan.duplicates} runs are equal to others of the design and left out")
    if store.damaged:
        shown.say(f"{store.damaged} incomplete or damaged lines in '{store.parts}' are ignored")
    if pending:
        _require_same_library(plan, done, mixed)
    while pending:
        attempts = {key: result.attempt + 1 for key, result in results.items()}
        Runner(plan, store, places, shown).make(pending, attempts)
        results = store.read()
        pending = [run for run in plan.runs if run.key not in results]
    shown.end()
    return results


def _require_same_library(plan: Plan, done: list[Result], mixed: bool) -> None:
    """Raises UsageError if there are runs of another version of the library, unless they may be mixed."""
    others = [result.library for result in done if result.library != plan.library]
    if others and not mixed:
        raise UsageError(f"{len(others)} of {len(plan.runs)} runs were made by version {others[0]}, and this is "
                         f"{plan.library}: choose another folder, or accept both (--mixed, mixed=True)")


def _write(plan: Plan, store: Store, results: Mapping[str, Result]) -> Sweep:
    """Writes the tables."""
    runs, points = tables.runs_table(plan, results), tables.points_table(plan, results)
    used = [results[run.key] for run in plan.runs]
    libraries = sorted({result.library for result in used})
    failed = sum(bool(result.error) for result in used)
    store.write("runs.csv", tables.csv_of(runs))
    store.write("points.csv", tables.csv_of(points))
    store.write("sweep.json", json.dumps({**plan.identity, "runs": len(used), "failed": failed,
                                          "libraries": {name: sum(result.library == name for result in used)
                                                        for name in libraries}}, indent=2) + "\n")
    return Sweep(store.folder, tables.arrays_of(runs), tables.arrays_of(points), len(used), failed)
