"""Deposits of agents on places, which are compiled when they are first made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from . import _core
from .model_compiler import compiled_function

UsageError = _core.UsageError
_loaded: dict[tuple[Any, str], _core.LoadedDeposit] = {}  #: by source and call


def deposit(agents: Any, home: Any, members: Sequence[str], on: Any, position: str | None, space: Any) -> None:
    """Adds members of agents to attributes of places; see ModelAgents.deposit. `home`: places of the agents, or None."""
    if not members or len(members) % 2 > 0:
        raise UsageError('a deposit takes pairs of names, from and to: ants.deposit("scent", "pheromone")')
    if home is None:
        raise UsageError(f"'{agents.name}' are agents without space, which cannot deposit on places")
    places = home if on is None else on
    if getattr(places, "_source", None) != agents._source or not hasattr(places, "shape"):
        raise UsageError(f"'{agents.name}' deposit on places of a class of the same mass.load")
    call, edge = _call_of(agents, home, places, position, space)
    pairs = [f"{member(agents, [*agents._attributes, *agents._values], given)}, {member(places, _numbers(places), to)}"
             for given, to in zip(members[::2], members[1::2])]
    statement = call.replace("MEMBERS", ", ".join(pairs))
    key = agents._source, f"{type(agents).__name__} {type(places).__name__} {statement}"
    if key not in _loaded:
        _loaded[key] = _core.LoadedDeposit(compiled_function(
            agents._source, f"{_core.deposit_function}(const std::shared_ptr<mass::detail::AgentsState>& depositors, "
            "const std::shared_ptr<mass::detail::PlacesState>& receivers, [[maybe_unused]] float edge)",
            [f"const mass::Agents<{agents._found.qualified}> agents(depositors);",
             f"const mass::Places<{places._found.qualified}> places(receivers);", statement]))
    _loaded[key](agents._population, places._population, edge)


def _numbers(places: Any) -> dict[str, Any]:
    """Returns the attributes of places that are one number."""
    return {name: each for name, each in places._attributes.items() if each[0].kind in "iuf" and not each[1]}


def member(owner: Any, known: Iterable[str], name: str) -> str:
    """Returns the pointer of C++ to a member. Raises KeyError if its name is not `known`."""
    if name not in known:
        raise KeyError(f"'{owner.name}' has no number '{name}'; it has {', '.join(known)}")
    return f"&{owner._found.qualified}::{name}"


def _call_of(agents: Any, home: Any, places: Any, position: str | None, space: Any) -> tuple[str, float]:
    """Returns the call of C++ for the shapes of the places, with MEMBERS for its pairs of members, and the edge of the
    space of the places on which the agents deposit."""
    lived, shape = list(home.shape), list(places.shape)
    has_axes = home._has_axes and places._has_axes
    if has_axes and lived != shape and _is_multiple(shape, lived):
        if position is None or space is None:
            raise UsageError(f"'{places.name}' are finer than '{home.name}': give position, the name of an attribute of the "
                             "agents, and space, the space(edge) of the finer places")
        if space.bins != shape:
            raise UsageError(f"the space is that of other places than '{places.name}'")
        pointer = member(agents, agents._attributes, position)
        return f"agents.depositOnFiner<{pointer}, MEMBERS>(places, mass::spaceOf(places, edge));", space.edge
    if position is not None or space is not None:
        raise UsageError(f"position and space are for places finer than '{home.name}', which '{places.name}' are not")
    if lived == shape:
        return "agents.deposit<MEMBERS>(places);", 1
    if has_axes and _is_multiple(lived, shape):
        return "agents.depositOnCoarser<MEMBERS>(places);", 1
    raise UsageError(f"'{agents.name}' live on '{home.name}' of shape {lived} and cannot deposit on '{places.name}' of shape "
                     f"{shape}: both must have the same shape, or one a multiple of the other along all axes")


def _is_multiple(finer: Sequence[int], coarser: Sequence[int]) -> bool:
    """True if the lengths of a shape are multiples of those of another one."""
    return len(finer) == len(coarser) and all(a % b == 0 for a, b in zip(finer, coarser))
