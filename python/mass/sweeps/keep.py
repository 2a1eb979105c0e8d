"""Rows of a run's table that a sweep keeps."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from ..run import UsageError
from . import statistics

Row = tuple[int | None, list[float]]  #: step, or None if the row is of several steps, and a value for each column


class Rows(Protocol):
    """Selection of rows."""

    def steps(self, last: int) -> Iterable[int]:
        """Returns the steps, in order, at which rows are read, of a run that ends at step `last`.

        Raises UsageError if it ends too early.
        """

    def reduce(self, rows: Sequence[tuple[int, list[float]]]) -> list[Row]:
        """Returns the rows to keep of those read."""


@dataclasses.dataclass(frozen=True)
class LastRow:
    """Row of the last step."""

    def steps(self, last: int) -> Iterable[int]:
        return [last]

    def reduce(self, rows: Sequence[tuple[int, list[float]]]) -> list[Row]:
        return [(None, values) for _, values in rows]


@dataclasses.dataclass(frozen=True)
class EveryRow:
    """Rows of the steps 0, `interval`, 2 `interval`..."""

    interval: int

    def steps(self, last: int) -> Iterable[int]:
        return range(0, last + 1, self.interval)

    def reduce(self, rows: Sequence[tuple[int, list[float]]]) -> list[Row]:
        return list(rows)


@dataclasses.dataclass(frozen=True)
class WindowMean:
    """Mean of the rows of the steps `first` to `end`, both included."""

    first: int
    end: int

    def steps(self, last: int) -> Iterable[int]:
        if last < self.end:
            raise UsageError(f"the mean of steps {self.first} to {self.end} is asked for; the run ends at step {last}")
        return range(self.first, self.end + 1)

    def reduce(self, rows: Sequence[tuple[int, list[float]]]) -> list[Row]:
        return _mean_row(rows)


@dataclasses.dataclass(frozen=True)
class LastMean:
    """Mean of the rows of the last `count` steps."""

    count: int

    def steps(self, last: int) -> Iterable[int]:
        if self.count > last + 1:
            raise UsageError(f"the mean of the last {self.count} rows is asked for; the run has {last + 1}")
        return range(last - self.count + 1, last + 1)

    def reduce(self, rows: Sequence[tuple[int, list[float]]]) -> list[Row]:
        return _mean_row(rows)


def _mean_row(rows: Sequence[tuple[int, list[float]]]) -> list[Row]:
    return [(None, [statistics.mean(column) for column in zip(*(values for _, values in rows))])]


@dataclasses.dataclass(frozen=True)
class Keep:
    """Rows and columns that a sweep keeps of each run."""

    rows: Rows
    columns: tuple[str, ...]  #: empty for all
    request: dict[str, Any]  #: for read_keep, in one spelling

    @property
    def has_steps(self) -> bool:
        """True if a row of the result belongs to one of several steps."""
        return isinstance(self.rows, EveryRow)

    def pick(self, row: Mapping[str, float]) -> dict[str, float]:
        """Returns the columns to keep of a row.

        Raises UsageError if it lacks one.
        """
        missing = [name for name in self.columns if name not in row]
        if missing:
            raise UsageError(
                f"'keep' asks for the column '{missing[0]}', which the table lacks; it has {', '.join(row)}")
        return {name: row[name] for name in self.columns or row}


def read_keep(request: Any) -> Keep:
    """Returns the selection that 'keep' asks for: "last", {"every": 10}, {"mean": [50, 100]} or {"mean": 100}, a dict
    also with "columns".

    Raises UsageError if it is none of these.
    """
    parts = dict(request) if isinstance(request, Mapping) else {"rows": request}
    columns = parts.pop("columns", [])
    if isinstance(columns, str):
        columns = [columns]
    if not parts:
        parts = {"rows": "last"}
    (name, value), *others = parts.items()
    rows = None if others else _rows(name, value)
    if rows is None or not isinstance(columns, (list, tuple)) or not all(isinstance(column, str) for column in columns):
        raise UsageError(f"'keep' = {request!r}: it is last, {{every: 10}} in steps, {{mean: [50, 100]}} of the first "
                         "and last step, or {mean: 100} of the last rows; with or without {columns: [NAME, ...]}")
    return Keep(rows, tuple(columns), {name: _number(value), "columns": list(columns)})


def _rows(name: str, value: Any) -> Rows | None:
    """Returns a selection of rows; None if there is no such one."""
    try:
        number = _number(value)
    except (TypeError, ValueError):
        return None
    if name == "rows" and number == "last":
        return LastRow()
    if name == "mean" and isinstance(number, list) and len(number) == 2 and 0 <= number[0] <= number[1]:
        return WindowMean(*number)
    if name in ("every", "mean") and isinstance(number, int) and number > 0:
        return EveryRow(number) if name == "every" else LastMean(number)
    return None


def _number(value: Any) -> Any:
    """Returns whole numbers for their texts, also in a list; "last" for itself.

    Raises TypeError or ValueError if the value is something else.
    """
    if isinstance(value, (list, tuple)):
        return [int(str(part)) for part in value]
    return value if value == "last" else int(str(value))
