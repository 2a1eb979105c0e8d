"""Reductions of several values in one pass, which are compiled when they are first made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from . import _core
from .deposits import member
from .model_compiler import compiled_function

UsageError = _core.UsageError
_MOST = 32  #: values of a pass
_loaded: dict[tuple[Any, str], _core.LoadedReduction] = {}  #: by source and call


def count_each(population: Any, name: str, categories: int) -> numpy.ndarray[Any, Any]:
    """Returns the numbers of values 0, 1, ..., categories - 1; see _Model.countEach."""
    if not 1 <= categories <= _MOST:
        raise UsageError(f"countEach counts 1 to {_MOST} values, not {categories}")
    call = f"population.count<{_pointer(population, name)}, {categories}>()"
    return _reduced(population, call, [], categories).astype(numpy.int64)


def histogram(population: Any, name: str, edges: Sequence[float]) -> numpy.ndarray[Any, Any]:
    """Returns the numbers of values between edges; see _Model.histogram."""
    ends = [float(edge) for edge in edges]
    if not 2 <= len(ends) <= _MOST + 1 or not all(low < high for low, high in zip(ends, ends[1:])):
        raise UsageError(f"a histogram has 2 to {_MOST + 1} ascending edges")
    kind = f"mass::detail::BinsOf<std::remove_const_t<decltype(population)>, {_pointer(population, name)}, {len(ends)}>"
    call = (f"[&] {{ using Bins = {kind}; Bins::Edges bins; std::copy_n(edges, {len(ends)}, bins.values); "
            f"return population.count<Bins::rule, {len(ends) - 1}>(bins); }}()")
    return _reduced(population, call, ends, len(ends) - 1).astype(numpy.int64)


def reduce_each(population: Any, operation: str, names: Sequence[str]) -> numpy.ndarray[Any, Any]:
    """Returns the sums, minima, maxima or means of several values; see _Model.reduceEach."""
    operations = ["sum", "minimum", "maximum", "mean"]
    if operation not in operations:
        raise UsageError(f"there is no operation '{operation}': it is {', '.join(operations)}")
    if not 1 <= len(names) <= _MOST:
        raise UsageError(f"reduceEach reduces 1 to {_MOST} values, not {len(names)}")
    pointers = ", ".join(_pointer(population, name) for name in names)
    call = f"mass::detail::reduceEach<std::remove_cvref_t<decltype(mass::{operation})>, {pointers}>(population)"
    return _reduced(population, call, [], len(names))


def _pointer(population: Any, name: str) -> str:
    numbers = [each for each, (kind, shape) in population._attributes.items() if kind.kind in "biuf" and not shape]
    return member(population, [*numbers, *population._values], name)


def _reduced(population: Any, call: str, edges: Sequence[float], count: int) -> numpy.ndarray[Any, Any]:
    """Returns the values of a call of C++ on `population`."""
    is_places = isinstance(population._population, _core.ModelPlaces)
    kind, state = ("Places", "PlacesState") if is_places else ("Agents", "AgentsState")
    key = population._source, f"{type(population).__name__} {call}"
    if key not in _loaded:
        _loaded[key] = _core.LoadedReduction(compiled_function(
            population._source,
            f"{_core.reduction_function}(const void* all, [[maybe_unused]] const double* edges, double* results)",
            [f"const mass::{kind}<{population._found.qualified}> population(",
             f"    *static_cast<const std::shared_ptr<mass::detail::{state}>*>(all));", f"const auto values = {call};",
             "std::copy(values.begin(), values.end(), results);"]))
    return numpy.array(_loaded[key](population._population, list(edges), count))
