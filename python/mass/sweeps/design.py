"""Points of a sweep: the values of its axes and the lines of its designs."""

from __future__ import annotations

import csv
import fractions
import itertools
import math
import os
import pathlib
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _core
from ..settings import UsageError, assignments_of
from .names import unknown

InputError = _core.InputError

Texts = dict[str, str]  #: settings as texts
MOST = 10_000_000  #: runs of a sweep, and values of an axis


def texts_of(settings: Mapping[str, Any]) -> Texts:
    """Returns settings by their full names."""
    return dict(assignment.split("=", 1) for assignment in assignments_of(settings))


def linspace(low: float, high: float, count: int) -> list[float]:
    """Returns numbers at equal distances, both ends included: the decimal fractions that are meant, such as 0.3."""
    first, end = fractions.Fraction(repr(low)), fractions.Fraction(repr(high))
    return [float(first + (end - first) * i / max(1, count - 1)) for i in range(count)]


def logspace(low: float, high: float, count: int) -> list[float]:
    """Returns numbers at equal ratios, both ends included, rounded to 12 digits.

    Raises ValueError if the ends are not above 0.
    """
    if low <= 0 or high <= 0:
        raise ValueError
    inner = [float(f"{low * (high / low) ** (i / (count - 1)):.12g}") for i in range(1, count - 1)]
    return [low, *inner, high][:count] if count > 1 else [low][:count]


class Axes:
    """Maker of the values of axes."""

    def __init__(self, types: Mapping[str, str], seed: int) -> None:
        """`types` has those of settings by name; `seed` is that of the random values."""
        self._types = types
        self._seed = seed
        self._kinds: dict[str, Callable[..., Sequence[Any]]] = {
            "linspace": self._linspace, "logspace": self._logspace, "random": self._random}

    def values(self, name: str, axis: Any) -> tuple[list[Texts], bool]:
        """Returns the values of an axis, each as settings, and whether they are random.

        Raises UsageError if the axis is none, or has no values.
        """
        kind, request = self._parts(name, axis)
        try:
            if kind != "values" and whole(request[2]) > MOST:
                raise UsageError(f"axis '{name}' asks for {request[2]!r} values: at most {MOST} are possible")
            values = request if kind == "values" else self._kinds[kind](name, *request)
            values = list(values)
        except (TypeError, ValueError, OverflowError, IndexError):
            raise UsageError(f"axis '{name}': {kind} takes [low, high, count], such as [1, 5, 9], not {request!r}"
                             f"{': both ends must be above 0' if kind == 'logspace' else ''}") from None
        if not values:
            raise UsageError(f"axis '{name}' has no values")
        return [texts_of({name: value}) for value in values], kind == "random"

    def _parts(self, name: str, axis: Any) -> tuple[str, Any]:
        if isinstance(axis, Mapping) and len(axis) == 1:
            (kind, request), = axis.items()
            if kind != "values" and kind not in self._kinds:
                raise unknown(f"axis '{name}': there is no", kind, ["values", *self._kinds])
        else:
            kind, request = "values", axis
        if hasattr(request, "tolist"):
            request = request.tolist()
        if not isinstance(request, Sequence) or isinstance(request, str):
            raise UsageError(f"axis '{name}' = {axis!r}: it is a list of values, or one of {{values: [...]}}, "
                             "{linspace: [low, high, count]}, {logspace: [...]} and {random: [...]}")
        return kind, request

    def _linspace(self, name: str, low: Any, high: Any, count: Any) -> Sequence[Any]:
        return self._typed(name, linspace(finite(low), finite(high), whole(count)))

    def _logspace(self, name: str, low: Any, high: Any, count: Any) -> Sequence[Any]:
        return self._typed(name, logspace(finite(low), finite(high), whole(count)))

    def _random(self, name: str, low: Any, high: Any, count: Any) -> Sequence[Any]:
        if finite(low) > finite(high):
            raise ValueError
        generator = random.Random(f"{self._seed} {name}")
        shares = [generator.random() for _ in range(whole(count))]
        if self._types.get(name) == "integer":  # each with the same probability
            return [whole(low) + int(share * (whole(high) - whole(low) + 1)) for share in shares]
        return [finite(low) * (1 - share) + finite(high) * share for share in shares]

    def _typed(self, name: str, values: Sequence[float]) -> Sequence[Any]:
        """Returns numbers of the type of the setting: integers without repetitions, if it is one."""
        return list(dict.fromkeys(map(round, values))) if self._types.get(name) == "integer" else values


def finite(value: Any) -> float:
    """Returns a finite number.

    Raises ValueError if it is none.
    """
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def whole(value: Any) -> int:
    """Returns a whole number.

    Raises ValueError if it is none.
    """
    if isinstance(value, bool) or isinstance(value, float) and not math.isfinite(value) or int(value) != float(value):
        raise ValueError
    return int(value)


def designs_of(request: Any) -> list[tuple[Texts, str]]:
    """Returns designs, as settings and their place in messages: the lines of a CSV file, whose first one has the names
    of settings, some columns of it, or a list of dicts.

    Raises InputError if the file is unusable; UsageError if the request is.
    """
    if isinstance(request, (str, os.PathLike)):
        return _lines(pathlib.Path(request), None)
    if isinstance(request, Mapping) and {"file"} <= set(request) <= {"file", "columns"}:
        file, columns = request["file"], request.get("columns", [])
        if isinstance(file, (str, os.PathLike)) and isinstance(columns, (list, tuple)):
            return _lines(pathlib.Path(file), columns)
    if isinstance(request, Sequence) and request and all(isinstance(each, Mapping) and each for each in request):
        designs = [(texts_of(each), f"designs[{number}]") for number, each in enumerate(request)]
        for design, where in designs:
            if set(design) != set(designs[0][0]):
                raise UsageError(f"{where} has the settings {', '.join(design)}; designs[0] has "
                                 f"{', '.join(designs[0][0])}")
        return designs
    raise UsageError(
        f"'designs' = {request!r}: it is a CSV file, {{file: FILE, columns: [NAME, ...]}}, or a list of dicts")


def _lines(file: pathlib.Path, columns: Sequence[str] | None) -> list[tuple[Texts, str]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            lines = [(reader.line_num, [cell.strip() for cell in line]) for line in reader if any(map(str.strip, line))]
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"cannot read '{file}': {getattr(error, 'strerror', None) or error}") from None
    names = lines[0][1] if lines else []
    wanted = list(columns) if columns else names
    for name in names:
        if not name or names.count(name) > 1:
            raise InputError(f"{file}:1: the names of columns are empty or occur twice: '{name}'")
    for name in wanted:
        if name not in names:
            raise InputError(f"'{file}' has no column '{name}'; it has {', '.join(names)}")
    if len(lines) < 2:
        raise InputError(f"'{file}' has no designs: names of settings in the first line, then a line for each design")
    return [(_cells(file, number, names, wanted, cells), f"{file}:{number}") for number, cells in lines[1:]]


def _cells(file: pathlib.Path, number: int, names: list[str], wanted: list[str], cells: list[str]) -> Texts:
    if len(cells) != len(names):
        raise InputError(f"{file}:{number}: {len(cells)} values in {len(names)} columns")
    values = dict(zip(names, cells))
    for name in wanted:
        if not values[name]:
            raise InputError(f"{file}:{number}: there is no value of '{name}'")
    return {name: values[name] for name in wanted}


def points_of(axes: Mapping[str, Any], designs: Any, types: Mapping[str, str], seed: int) -> list[tuple[Texts, str]]:
    """Returns the points of a design, as settings and their place in messages: each combination of the designs and the
    values of the axes, of which the last changes fastest. Random axes vary together, in place of the first of them.

    Raises UsageError or InputError if an axis or the designs are unusable.
    """
    factors: list[list[tuple[Texts, str]]] = [[({}, "")] if designs is None else designs_of(designs)]
    together: list[list[Texts]] = []
    maker = Axes(types, seed)
    for name, axis in axes.items():
        values, is_random = maker.values(name, axis)
        if not is_random:
            factors.append([(value, "") for value in values])
        elif not together:
            together.append(values)
            factors.append([])
            place = len(factors) - 1
        elif len(values) != len(together[0]):
            raise UsageError(f"axis '{name}' has {len(values)} random values, one before has {len(together[0])}: "
                             "random axes vary together")
        else:
            together.append(values)
    if together:
        factors[place] = [({key: text for each in point for key, text in each.items()}, "") for point in zip(*together)]
    if math.prod(map(len, factors)) > MOST:
        raise UsageError(f"the design has {math.prod(map(len, factors))} points: at most {MOST} are possible")
    return [_merged(parts) for parts in itertools.product(*factors)]


def _merged(parts: Sequence[tuple[Texts, str]]) -> tuple[Texts, str]:
    merged: Texts = {}
    for settings, _ in parts:
        for key in settings:
            if key in merged:
                raise UsageError(f"'{key}' is set twice, by an axis and by another axis or the designs")
        merged.update(settings)
    return merged, parts[0][1]
