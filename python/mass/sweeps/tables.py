"""Tables of a sweep: a row for each run, and statistics over the seeds of each point."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from . import statistics
from .plan import Plan
from .store import Result

Table = list[list[Any]]  #: names of columns, then rows


def runs_table(plan: Plan, results: Mapping[str, Result]) -> Table:
    """Returns a row for each run, or for each row kept of it, in the order of the design."""
    names = _names(plan, results)
    steps = ["step"] if plan.keep.has_steps else []
    table: Table = [_distinct([*plan.columns, "seed", *steps, *names, "error"])]
    for run in plan.runs:
        result = results[run.key]
        head = [*plan.points[run.point].cells, run.seed]
        for step, values in result.rows or [(None, [])]:
            cells = dict(zip(result.columns, values))
            table.append([*head, *[step] * len(steps), *map(cells.get, names), result.error])
    return table


def points_table(plan: Plan, results: Mapping[str, Result]) -> Table:
    """Returns the statistics of each column at each point, and at each step that is kept."""
    names = _names(plan, results)
    steps = ["step"] if plan.keep.has_steps else []
    table: Table = [_distinct([*plan.columns, *steps, "quantity", *statistics.NAMES, "failed"])]
    seeds: list[list[Result]] = [[] for _ in plan.points]
    for run in plan.runs:
        seeds[run.point].append(results[run.key])
    for point, all_results in zip(plan.points, seeds):
        failed = sum(bool(result.error) for result in all_results)
        for step, values in _by_step(all_results).items():
            for name in names:
                table.append([*point.cells, *[step] * len(steps), name,
                              *statistics.summary(values.get(name, [])), failed])
    return table


def _names(plan: Plan, results: Mapping[str, Result]) -> list[str]:
    """Returns the columns of all results, in order of their first run."""
    return list(dict.fromkeys(name for run in plan.runs for name in results[run.key].columns))


def _distinct(names: Sequence[str]) -> list[str]:
    """Returns names of columns: a name that occurs before, as that of a setting, has the prefix `table.`."""
    return [f"table.{name}" if name in names[:place] else name for place, name in enumerate(names)]


def _by_step(results: Sequence[Result]) -> dict[int | None, dict[str, list[float]]]:
    """Returns the values of each column by step; None if nothing is kept of several steps."""
    steps: dict[int | None, dict[str, list[float]]] = {}
    for result in results:
        for step, values in result.rows:
            columns = steps.setdefault(step, {})
            for name, value in zip(result.columns, values):
                columns.setdefault(name, []).append(value)
    return steps or {None: {}}


def csv_of(table: Table) -> str:
    """Returns a table as CSV; numbers read back to the same bits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_cell(value) for value in row] for row in table)
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, str):
        return value
    return json.dumps(value)


def arrays_of(table: Table) -> dict[str, numpy.ndarray[Any, Any]]:
    """Returns the columns of a table: numbers if all its values are, NaN where there is none, or texts."""
    names, *rows = table
    return {name: _array(column) for name, column in zip(names, zip(*rows) if rows else [()] * len(names))}


def _array(column: Sequence[Any]) -> numpy.ndarray[Any, Any]:
    if all(value is None or isinstance(value, (int, float)) for value in column):
        return numpy.array([math.nan if value is None else value for value in column])
    return numpy.array([_cell(value) for value in column])
