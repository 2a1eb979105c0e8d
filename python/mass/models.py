"""Models of the user: classes of places and agents in C++, run from Python."""

from __future__ import annotations

import dataclasses
import inspect
import os
import pathlib
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy

from . import _core
from .deposits import deposit
from .header_parser import FoundClass, Function
from .model_compiler import Source, compiled, declarations_of
from .populations import Agents, Places
from .reductions import count_each, histogram, reduce_each
from .settings import path_of, read_settings, require_utf8, whole
from .structures import Structure

UsageError = _core.UsageError
_OVERRIDABLE = {"deposit", "countEach", "histogram", "reduceEach"}  #: a rule or attribute of a model may have the name
loaded: dict[pathlib.Path, str] = {}  #: headers whose models this process holds, with checksums of their texts
_OPERATIONS = {name: getattr(_core.Operation, name) for name in ["sum", "minimum", "maximum"]}


def load(header: str | os.PathLike[str], backend: str = "cpu") -> types.SimpleNamespace:
    """Compiles the classes of places and agents of a C++ header, and of the files that it includes by "...", and returns
    them as classes of Python.

    The public functions of a class become methods; with `using Rules = mass::Rules<...>` only those that it lists.
    Structures of the header that Python can give to rules become dataclasses.
    A compiled model is kept in the folder MASS_CACHE, by default ~/.cache/mass, as long as its files do not change.

    `backend`: "cpu", or "cuda" for GPUs as well, which needs nvcc.

    Raises CompileError with the first error of the compiler; InputError if the file has no such classes; UsageError if
    there is no compiler; OutputError if the cache cannot be written.
    """
    file = pathlib.Path(path_of(header)).resolve()
    found = declarations_of(file)
    library, source = compiled(file, found, backend)
    try:
        model = _core.LoadedModel(library)
    except _core.InputError:  # a failure of the file system has damaged it
        library.unlink(missing_ok=True)
        library, source = compiled(file, found, backend)
        model = _core.LoadedModel(library)
    loaded[file] = source.checksum
    by_name = {each.name: each for each in found.classes}
    module = types.SimpleNamespace()
    for description in model.structures():
        structure = Structure(description).type
        setattr(module, structure.__name__, structure)
    for number, (name, dimensions, attributes, rules, hops, are_nodes, scheduled) in enumerate(model.places()):
        base: type = ScheduledNodes if are_nodes else ScheduledPlaces
        if not scheduled:
            base = ModelNodes if are_nodes else ModelPlaces if hops is None else EventPlaces
        _add_class(module, base, by_name[name], attributes, rules, _model=model, _source=source, _number=number,
                   _dimensions=dimensions, _hops=hops, _scheduled=scheduled)
    for number, (name, home, attributes, rules) in enumerate(model.agents()):
        _add_class(module, ModelAgents, by_name[name], attributes, rules, _model=model, _source=source, _number=number,
                   _home=home)
    return module


def _add_class(module: types.SimpleNamespace, base: type, found: FoundClass, attributes: list[tuple[str, Any]],
               rules: list[tuple[str, tuple[str, ...], str]], **members: Any) -> None:
    """Adds a class with a property for each attribute and a method for each rule, unless `base` has the name."""
    functions = {function.name: function for function in found.functions}
    members["_found"] = found
    members["_values"] = [name for name, parameters, kind in rules if kind == "function" and not parameters]
    members["_rules"] = {name: (number, kind) for number, (name, _, kind) in enumerate(rules)}
    members["_structures"] = {attribute: Structure(description) for attribute, description in attributes if description}
    for attribute, _ in attributes:
        members.setdefault(attribute, _property(attribute))
    for number, (name, parameters, kind) in enumerate(rules):
        members[name] = _method(found, functions.get(name), name, number, parameters, kind)
    own = {name: member for name, member in members.items()
           if name.startswith("_") or name in _OVERRIDABLE or not hasattr(base, name)}
    setattr(module, found.name, type(found.name, (base,), own))


def _property(attribute: str) -> property:
    def get(self: Any) -> Any:
        return self[attribute]

    def put(self: Any, values: Any) -> None:
        self[attribute] = values

    return property(get, put, doc=f"Copy of the attribute '{attribute}'; see `view` for one without a copy.")


def _method(found: FoundClass, function: Function | None, name: str, number: int, parameters: tuple[str, ...],
            kind: str) -> Any:
    """Returns the method that calls a rule for all places or agents."""
    def change(self: Any, *arguments: Any, steps: int = 1) -> None:
        try:
            self._population.call(number, steps, arguments)
        except TypeError:
            whole(steps, "steps")
            raise

    def values(self: Any, *arguments: Any) -> Any:
        return self._population.map(number, arguments).reshape(self._shape())

    def refuse(self: Any, *_: Any, **__: Any) -> None:
        raise TypeError(f"{name}({', '.join(parameters)}) of '{found.name}' cannot be called from Python: arguments "
                        "are numbers, enums, structures of them, arrays (mass::Shared) and agents, results none or numbers")

    if kind == "rule" and not parameters:
        change._is_rule = True  # type: ignore[attr-defined]
    method: Any = {"rule": change, "function": values}.get(kind, refuse)
    method.__signature__ = _signature(function, parameters, kind)
    method.__name__ = name
    method.__qualname__ = f"{found.name}.{name}"
    method.__doc__ = "\n\n".join(part for part in [function.declaration, function.about] if part) if function else None
    return method


def is_rule(function: Any) -> bool:
    """True for a rule without arguments as a method of places or agents, which takes `steps`."""
    return getattr(function, "_is_rule", False)


def _signature(function: Function | None, parameters: tuple[str, ...], kind: str) -> inspect.Signature:
    """Returns the signature of a method, with the names of parameters in the header."""
    names = function.parameters() if function else []
    if len(names) != len(parameters):
        names = [f"argument{number}" for number in range(1, len(parameters) + 1)]
    positional = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY, annotation=each)
                  for name, each in zip(["self", *names], [inspect.Parameter.empty, *parameters])]
    steps = inspect.Parameter("steps", inspect.Parameter.KEYWORD_ONLY, default=1, annotation=int)
    return inspect.Signature([*positional, steps] if kind == "rule" else positional)


class _Model:
    """Members of places and agents of a compiled class."""

    _source: Source
    _found: FoundClass
    _values: list[str]
    _rules: dict[str, tuple[int, str]]
    _structures: dict[str, Structure]
    _population: Any

    def _wrap(self, population: Any) -> None:
        super()._wrap(population)  # type: ignore[misc]
        attributes: dict[str, Any] = self._attributes  # type: ignore[attr-defined]
        for name, structure in self._structures.items():
            attributes[name] = structure.dtype, attributes[name][1]

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute of all. Raises AttributeError for other names, which would change nothing."""
        if not name.startswith("_") and not isinstance(getattr(type(self), name, None), property):
            known = ", ".join(self._attributes)  # type: ignore[attr-defined]
            raise AttributeError(f"'{type(self).__name__}' has no attribute '{name}'; it has {known}")
        super().__setattr__(name, value)

    def __setitem__(self, attribute: str, values: Any) -> None:
        structure = self._structures.get(attribute)
        if structure and (isinstance(values, Mapping) or dataclasses.is_dataclass(values)):
            values = structure.record(values)
        super().__setitem__(attribute, values)  # type: ignore[misc]

    def reduce(self, operation: str, function: str, *arguments: Any) -> int | float:
        """Returns the sum, minimum or maximum of a function's values over all places or agents.

        `operation` is "sum", "minimum" or "maximum". Raises UsageError for another one; KeyError if there is no such
        function.
        """
        if operation not in _OPERATIONS:
            raise UsageError(f"there is no operation '{operation}': it is {', '.join(_OPERATIONS)}")
        number, kind = self._rules.get(function, (0, ""))
        if kind != "function":
            raise KeyError(f"'{type(self).__name__}' has no function '{function}' that returns a number")
        result: int | float = self._population.reduce(number, _OPERATIONS[operation], arguments)
        return result

    def countEach(self, name: str, categories: int) -> numpy.ndarray[Any, Any]:
        """Returns how many places or agents have the values 0, 1, ..., categories - 1 (at most 32), in one pass where they
        are, as Places::count.

        `name`: attribute that is one number, or function without arguments. The first call for these compiles it. Raises
        KeyError if there is none; UsageError if the header has changed since `load`.
        """
        return count_each(self, name, categories)

    def histogram(self, name: str, edges: Sequence[float]) -> numpy.ndarray[Any, Any]:
        """Returns how many values are from each of 2 to 33 ascending edges up to the next one, that not included, in one
        pass. Otherwise as `countEach`."""
        return histogram(self, name, edges)

    def reduceEach(self, operation: str, *names: str) -> numpy.ndarray[Any, Any]:
        """Returns the "sum", "minimum", "maximum" or "mean" of each of several numbers, in one pass. Otherwise as
        `countEach`."""
        return reduce_each(self, operation, names)

    def call(self, rule: str, *arguments: Any, steps: int = 1) -> None:
        """Applies a rule to all, as its method does, for a rule that has the name of another member."""
        self._population.call(self._number_of(rule), whole(steps, "steps"), arguments)

    def _number_of(self, rule: str) -> int:
        number, kind = self._rules.get(rule, (0, ""))
        if kind != "rule":
            raise KeyError(f"'{type(self).__name__}' has no rule '{rule}'")
        return number


@dataclasses.dataclass
class Space:
    """Continuous space whose bins are places, as mass::Space."""

    edge: float  #: edge length of a bin
    bins: list[int]  #: number along each axis
    periodic: list[bool]  #: by axis


class ModelPlaces(_Model, Places):
    """Places of a class that `load` has compiled. A rule is a method with the rule's arguments, and `steps`."""

    _model: Any
    _number: int
    _dimensions: int
    _has_axes = True

    def __init__(self, mass: Mass, shape: int | Sequence[int], border: str | Sequence[str] = "periodic",
                 name: str | None = None) -> None:
        """Creates places.

        `shape`: places along each axis. `border`: "periodic", "fixed" or "mirrored", for all axes or each; beyond a
        fixed border are places with the initial values of the class. `name`: that of the class unless given.

        Raises UsageError or SettingsError as Mass::createPlaces.
        """
        lengths = [whole(length, "a length") for length in (shape if isinstance(shape, Iterable) else [shape])]
        borders = [border] * self._dimensions if isinstance(border, str) else list(border)
        if len(lengths) != self._dimensions or len(borders) != self._dimensions:
            raise UsageError(f"'{type(self).__name__}' has {self._dimensions} axes: give a length and a border for each")
        unknown = [each for each in borders if each not in ("periodic", "fixed", "mirrored")]
        if unknown:
            raise UsageError(f"there is no border '{unknown[0]}': it is periodic, fixed or mirrored")
        population = _core_of(mass).create_places(self._model, self._number, lengths,
                                                  [getattr(_core.Border, each) for each in borders],
                                                  _name(self, name))
        self._wrap(population)

    def inTurn(self, *rules: str | tuple[Any, ...], steps: int = 1) -> None:
        """Applies rules one after the other, `steps` times, as mass::inTurn: faster than a call for each, with the same
        results.

        `rules`: the name of each, or a tuple of its name and arguments. Raises KeyError if there is no such rule;
        UsageError if one sends by a Scatter.
        """
        turn = [(each,) if isinstance(each, str) else each for each in rules]
        for each in turn:
            if not isinstance(each, tuple) or not each:
                raise UsageError(f"{each!r} is no rule in turn: give its name, or a tuple of its name and arguments")
        self._population.call_in_turn([(self._number_of(name), tuple(arguments)) for name, *arguments in turn],
                                      whole(steps, "steps"))

    def space(self, edge: float) -> Any:
        """Returns the continuous space whose bins are these places, for rules with a mass::Space.

        `edge`: extent of a bin, above 0. Raises UsageError if it is not.
        """
        return Space(float(edge), list(self.shape), self._population.record_edge(edge))


class ModelNodes(ModelPlaces):
    """Nodes of a network, of a class that `load` has compiled."""

    _has_axes = False

    def __init__(self, mass: Mass, graph: Any, name: str | None = None) -> None:
        """Creates the nodes of `graph`, a mass.Graph. `name`: that of the class unless given.

        Raises UsageError or SettingsError as Mass::createGraph.
        """
        if not isinstance(graph, _core.Graph):
            raise UsageError(f"nodes are created on a mass.Graph; {graph!r} was given")
        self._wrap(_core_of(mass).create_graph(self._model, self._number, graph, _name(self, name)))

    def graph(self) -> Any:
        """Returns the network as it is now, a mass.Graph; rules with mass::Edges change it."""
        return self._population.graph()

    def edgeCounts(self) -> dict[str, int]:
        """Returns the numbers of edges "added", "removed" and "refused" by the last rule with mass::Edges."""
        return dict(self._population.edge_counts())


class EventPlaces(ModelPlaces):
    """Places of a class with mass::Events."""

    _hops: list[str]

    def hopRate(self, count: str, rate: Any) -> None:
        """Sets the rate of the hops of a kind of particle, as Places::hopRate.

        `count`: name of its count, such as "calcium" or "counts[2]". `rate`: rate in 1/s of one particle for each adjacent
        place; or an array of (2 * axes, *shape), whose element 2 a is that to the lower neighbour along axis a, 2 a + 1
        to the higher one. Nothing hops where there is no neighbour.

        Raises KeyError if there is no such count; ValueError if the shape is another one; UsageError if a rate is negative
        or not finite.
        """
        if count not in self._hops:
            raise KeyError(f"'{type(self).__name__}' has no hops of '{count}'; it has those of {', '.join(self._hops)}")
        rates = numpy.ascontiguousarray(rate, numpy.float64)
        shape = (2 * self._dimensions, *self.shape)
        if numpy.ndim(rate) == 0:
            self._population.set_hop_rate(self._hops.index(count), float(rate))
        elif rates.shape == shape:
            self._population.set_hop_rates(self._hops.index(count), rates)
        else:
            raise ValueError(f"the rates of '{count}' have the shape {rates.shape}; those of all directions and places have "
                             f"{shape}")

    def runEvents(self, seconds: float, *arguments: Any) -> None:
        """Executes the events of a stretch of time, as Places::runEvents. `arguments` are those of rates and changes.

        Ctrl-C ends it at the end of a window, from which the events can go on. Raises UsageError as Places::runEvents.
        """
        self._population.run_events(seconds, arguments)

    def eventWindows(self, seconds: float) -> int:
        """Returns the number of windows into which `runEvents` divides a stretch of time that begins now."""
        return int(self._population.event_windows(seconds))

    def eventCounts(self) -> dict[str, int]:
        """Returns counts of the work of `runEvents`, such as `events`, those that have happened."""
        return dict(self._population.event_counts())


class _Scheduled:
    """Scheduled events of places or nodes."""

    _population: Any
    _scheduled: list[str]

    def schedule(self, rule: str, seconds: float, place: int, *values: Any) -> Any:
        """Schedules an event of the program, as Places::schedule, and returns its handle.

        `rule`: name of a rule of mass::scheduled. `seconds`: delay from the end of the last `runEvents`. `place`: number
        of the place, its index in the flattened array of an attribute. `values`: arguments of the rule before its Schedule.

        Raises KeyError if there is no such rule; TypeError if a value does not fit; UsageError as Places::schedule.
        """
        return self._schedule(rule, seconds, [place], values)

    def scheduleAll(self, rule: str, seconds: float, *values: Any) -> None:
        """Schedules an event at each place, as Places::scheduleAll. Raises the errors of `schedule`."""
        places = int(numpy.prod(self.shape))  # type: ignore[attr-defined]
        self._schedule(rule, seconds, list(range(places)), values)

    def cancel(self, event: Any) -> None:
        """Cancels an event, by the handle that `schedule` has returned, if it has not happened."""
        self._population.cancel_event(event)

    def lookahead(self, seconds: float) -> None:
        """Declares the least delay of events for other places, as Places::lookahead."""
        self._population.set_lookahead(seconds)

    def runEvents(self, seconds: float, *arguments: Any) -> None:
        """Executes the events of a stretch of time, as Places::runEvents. `arguments`: those of the rules behind Schedule.

        Ctrl-C has an effect at its end. Raises UsageError as Places::runEvents, and the error of a rule that fails.
        """
        self._population.run_events(seconds, arguments)

    def pendingEvents(self) -> int:
        """Returns the number of events that have not happened."""
        return int(self._population.pending_events())

    def eventCounts(self) -> dict[str, int]:
        """Returns the numbers of `events` that have happened, and of `executions` and those `undone` of them."""
        return dict(self._population.event_counts())

    def _schedule(self, rule: str, seconds: float, places: list[int], values: tuple[Any, ...]) -> Any:
        if rule not in self._scheduled:
            raise KeyError(f"'{type(self).__name__}' has no scheduled rule '{rule}'; it has {', '.join(self._scheduled)}")
        return self._population.schedule(self._scheduled.index(rule), seconds, places, values)


class ScheduledPlaces(_Scheduled, ModelPlaces):
    """Places of a class with mass::scheduled in its mass::Events."""


class ScheduledNodes(_Scheduled, ModelNodes):
    """Nodes of a class with mass::scheduled in its mass::Events."""


def _core_of(mass: Any) -> Any:
    """Returns the devices of a Mass. Raises UsageError if it is none."""
    if not isinstance(mass, Mass):
        raise UsageError(f"places belong to a mass.Mass; {mass!r} was given")
    return mass._core


def _name(population: Any, name: Any) -> str:
    """Returns the name of places or agents, by default that of their class. Raises UsageError if it is no text."""
    if name is not None and not isinstance(name, str):
        raise UsageError(f"a name is a text; {name!r} was given")
    require_utf8(name or "")
    return name or type(population).__name__


def _indices(at: Any, shape: Sequence[int]) -> list[int]:
    """Returns the row-major indices of coordinates, an array of (axes, agents)."""
    try:
        where = numpy.asarray(at)
    except ValueError:  # rows of different lengths
        where = numpy.empty(0)
    if where.ndim != 2 or len(where) != len(shape) or where.size > 0 and where.dtype.kind not in "iu":
        raise UsageError(f"'at' must be an array of integers of the shape ({len(shape)}, number of agents)")
    for axis, (coordinates, length) in enumerate(zip(where, shape)):
        outside = (coordinates < 0) | (coordinates >= length)
        if outside.any():
            raise UsageError(f"{coordinates[outside][0]} is no coordinate along axis {axis} of places of shape "
                             f"{list(shape)}")
    return [int(index) for index in numpy.ravel_multi_index(tuple(where.astype(numpy.int64)), tuple(shape))]


class ModelAgents(_Model, Agents):
    """Agents of a class that `load` has compiled. A rule is a method with the rule's arguments, and `steps`."""

    _model: Any
    _number: int
    _home: str
    _places: ModelPlaces | None = None  #: None without space

    def __init__(self, places: ModelPlaces | Mass, count: int | None = None, *, at: Any = None, shuffled: bool = False,
                 name: str | None = None) -> None:
        """Creates `count` agents on places drawn at random, or one at each place of `at`; for agents without space
        (mass::NoSpace), give a Mass in place of the places, and their number.

        `at`: coordinates as Agents.coordinates has them, an array of (axes, agents), in the order of identities.
        `shuffled`: the identities of agents on drawn places do not follow the places. `name`: that of the class unless
        given.

        Raises UsageError or SettingsError as Mass::createAgents, and UsageError if the places are of another class.
        """
        title = _name(self, name)
        count = None if count is None else whole(count, "the number of agents")
        if isinstance(places, Mass) and self._home == "NoSpace":
            if count is None or at is not None or shuffled:
                raise UsageError(f"'{title}' are agents without space: give their number only")
            self._wrap(places._core.create_agents(self._model, self._number, count, title))
            return
        home = getattr(places, "_population", None)
        if isinstance(places, Mass) or not isinstance(home, _core.ModelPlaces) or type(places).__name__ != self._home:
            raise UsageError(f"'{type(self).__name__}' are agents without space: give a Mass and their number"
                             if self._home == "NoSpace" else
                             f"'{type(self).__name__}' live on places of class '{self._home}'")
        if (count is None) == (at is None):
            raise UsageError("give the number of agents, or their places by 'at'")
        if count is not None:
            population = home.create_agents(self._model, self._number, count, shuffled, title)
        else:
            population = home.create_agents_at(self._model, self._number, _indices(at, places.shape), title)
        self._places = places
        self._wrap(population)

    def add(self, at: Any) -> int:
        """Adds an agent with the initial attributes at each place of `at`, in the next manageAll, as Agents::add does.
        Returns the identity of the first; those of the others follow.

        `at`: coordinates as Agents.coordinates has them. Raises UsageError if one is outside.
        """
        return int(self._population.add(_indices(at, self._population.home_shape())))

    @property
    def missing(self) -> int:
        """Number of reads of, and gifts to, identities that no agent had (Agents::missing)."""
        return int(self._population.missing())

    def deposit(self, *members: str, on: ModelPlaces | None = None, position: str | None = None,
                space: Space | None = None) -> None:
        """Adds members of the agents to attributes of their places, or of the places `on`, as Agents::deposit,
        depositOnCoarser and depositOnFiner. The first call for a class of places and members compiles it.

        `members`: pairs of names, all added in one pass: an attribute of the agents, or a function without arguments, and
        the attribute of the places to which it is added. `on`: places of a class of the same `load`, of the shape of those
        on which the agents live, or coarser or finer: along each axis, one is a multiple of the other. `position`, `space`:
        for finer places, the attribute that is the position of an agent, and the space of the finer places.

        Raises KeyError if there is no such number; UsageError if the shapes do not fit, the classes are not of one `load`,
        or the header has changed since; CompileError if an attribute is constant.
        """
        deposit(self, self._places, members, on, position, space)

    def manageAll(self) -> None:
        """Carries out the requests of the agents: deaths, moves and births."""
        self._population.manage_all()

    def census(self) -> dict[str, int]:
        """Returns the counts of the last manageAll: alive, died, moved, blocked, born and unborn."""
        return dict(self._population.census())


class Mass:
    """Devices of models of the user, with their places and agents. One thread at a time may use it."""

    def __init__(self, *settings: Mapping[str, Any] | str | os.PathLike[str]) -> None:
        """Opens the devices of the settings: a YAML file, dicts, or a file and then dicts, with keys of the library.

        Raises SettingsError or DeviceError as `open`.
        """
        self._core = _core.Mass(*read_settings(*settings))

    @property
    def hash(self) -> str:
        """Hash of the state of all places and agents."""
        return f"{self._core.hash():016x}"

    @property
    def settings(self) -> str:
        """All settings, as a YAML file."""
        return str(self._core.settings)

    def save(self, checkpoint: str | os.PathLike[str], model: str = "python") -> None:
        """Writes a checkpoint. `model`: name of the model, which `restore` compares."""
        self._core.save(path_of(checkpoint), model)

    def restore(self, checkpoint: str | os.PathLike[str], model: str = "python") -> None:
        """Replaces the state by that of a checkpoint, once the same places and agents have been created."""
        self._core.restore(path_of(checkpoint), model)

    def together(self, *rules: Callable[[], Any]) -> None:
        """Lets rules act at the same time, as Mass::together: all read the state before, and their changes become the
        state after the last of them.

        `rules`: functions that apply a rule, such as `lambda: sheep.flee(wolves)`. Each class of places or agents is
        changed by one rule at most, in one step. Raises UsageError if a class is changed twice, or by anything but a
        rule; nothing has changed after an exception.
        """
        def apply() -> None:
            for rule in rules:
                rule()

        self._core.together(apply)
