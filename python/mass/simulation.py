"""Runs of models of the user, whose steps are functions of Python."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, NoReturn

import numpy

from . import _core
from .models import Mass, ModelAgents, ModelPlaces, is_rule
from .pictures import parts_of_layer
from .steps import Steps

UsageError = _core.UsageError


Number = bool | int | float


class State(MutableMapping[str, Number]):
    """Numbers of the host that a run keeps, by name. Their types are those at the start."""

    def __init__(self, core: _core.OwnRun, names: Sequence[str]) -> None:
        self._core = core
        self._names = list(names)

    def __getitem__(self, name: str) -> Number:
        return self._core.number(name)

    def __setitem__(self, name: str, value: Number) -> None:
        self._core.set_number(name, value)

    def __delitem__(self, name: str) -> NoReturn:
        raise TypeError(f"'{name}' belongs to the run, which keeps it")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))


class Simulation(Steps):
    """Run of a model of the user: its steps, table, checkpoints and live view.

        run = mass.Simulation(world, cells.nextGeneration, pictures=[(cells, "alive")],
                              observe={"alive": lambda: cells.reduce("sum", "isAlive")})
        run.live()
        run.step(1000)
    """

    def __init__(self, world: Mass, step: Callable[..., Any], *,
                 observe: Mapping[str | tuple[str, ...], Callable[[], Any]] | None = None,
                 until: Callable[[], bool] | None = None, every: int = 1, state: Mapping[str, Number] | None = None,
                 pictures: Sequence[tuple[Any, ...]] = (), sliders: Mapping[str, tuple[float, float]] | None = None,
                 layers: Sequence[tuple[Any, ...]] = (), palette: str = "heat") -> None:
        """Declares the run of a model.

        `step`: makes one step; a rule of the model, or a function. Its parameters, which have numbers or truth values as
        defaults, are settings that `set` and the page change between two steps. `sliders`: the least and the greatest
        value of parameters. `observe`: columns of the table, as functions that return a number, or as many as the tuple
        of their columns has; rows are those of the
        setting `output.table_every` of the world. `until`: ends the run when it returns true; called at multiples of `every`
        steps up to `last_step`. `state`: numbers of the host that the run keeps, with their values at the start: they are
        columns of the table, in checkpoints and in hashes, and `run.state["season"] += 1` changes one. `pictures`:
        attributes of 2-D or 3-D places that the page shows one at a time, each `(places, attribute)`,
        `(places, attribute, low, high)` with the values of the first and the last colour, by default the present least
        and greatest, or `(places, attribute, categories)` with the names of the
        values 0, 1, ... `layers`: agents over pictures of 2-D places, each as those of `picture`, with the name of an
        attribute, or of a function of the agents without arguments. `palette`: colours of pictures.

        The functions use the model on the thread that calls `step`. Ctrl-C may end `step` of Python in its middle.

        Raises UsageError if a parameter has no default, or is no setting, or a state is no number; KeyError if there is no
        such attribute.
        """
        if not isinstance(world, Mass) or not callable(step):
            raise UsageError(f"a simulation takes a mass.Mass and a rule or function; {world!r} and {step!r} were given")
        for names, each in dict(observe or {}).items():
            if not isinstance(names, (str, tuple)) or not callable(each):
                raise UsageError(f"observe has a function for each name, or tuple of names; it has {names!r}: {each!r}")
        self._step = step
        self._observed = dict(observe or {})
        self._isRule = is_rule(step)
        keys = [] if self._isRule else _keys_of(step, sliders or {})
        unknown = set(sliders or {}) - {name for name, *_ in keys}
        if unknown:
            raise UsageError(f"'{unknown.pop()}' has a slider and is no parameter of the step")
        shown = [_picture_of(*each) for each in pictures]
        titles = [title for title, *_ in shown]
        if len(set(titles)) < len(titles):
            shown = [(f"{places.name}.{title}", core, title, *rest)
                     for (title, core, _, *rest), (places, *_) in zip(shown, pictures)]
        self._world = world
        self._until = until
        kept = dict(state or {})
        for name, value in kept.items():
            if not isinstance(value, (bool, int, float)):
                raise UsageError(f"the state '{name}' is {value!r}: it must be a number or a truth value")
        if layers and (not pictures or any(len(places.shape) != 2 for places, *_ in pictures)):
            raise UsageError("layers of agents are shown over pictures of 2-D places")
        over = [_layer_of(each) for each in layers]
        columns = [column for names in self._observed for column in ([names] if isinstance(names, str) else names)]
        self._core = _core.OwnRun(world._core, self, keys, columns, shown, over, palette,
                                  _reason_of(until) if until else "", every, list(kept.items()))
        self._state = State(self._core, list(kept))

    @property
    def state(self) -> State:
        """Numbers of the host that the run keeps."""
        return self._state

    @property
    def world(self) -> Mass:
        """Devices of the model."""
        return self._world

    @property
    def settings(self) -> str:
        """All settings, as a YAML file, with their present values."""
        return self._world.settings

    def __repr__(self) -> str:
        return f"<simulation at step {self.steps}>"

    def _advance(self, steps: int, values: dict[str, Any]) -> None:
        if self._isRule:
            self._step(steps=steps)
            return
        for _ in range(steps):
            self._step(**values)

    def _ends(self) -> bool:
        return self._until is not None and bool(self._until())

    def _row(self) -> list[float]:
        row: list[float] = []
        for names, each in self._observed.items():
            values = [each()] if isinstance(names, str) else list(each())
            if not isinstance(names, str) and len(values) != len(names):
                raise UsageError(f"the function of the columns {', '.join(names)} returned {len(values)} values")
            row += map(float, values)
        return row


def _reason_of(until: Callable[[], bool]) -> str:
    """Returns the text by which the run names its condition: the first line of its docstring, or its name, if
    it is a function that has them."""
    text = inspect.getdoc(until) if inspect.isroutine(until) else None
    name = str(getattr(until, "__name__", "a function"))
    return text.splitlines()[0] if text else "a function" if name == "<lambda>" else name


def _keys_of(step: Callable[..., Any],
             sliders: Mapping[str, tuple[float, float]]) -> list[tuple[str, Any, float | None, float | None]]:
    """Returns name, default and bounds of each parameter of a step."""
    keys = []
    for name, parameter in inspect.signature(step).parameters.items():
        default = parameter.default
        if isinstance(default, numpy.generic):
            default = default.item()
        if not isinstance(default, (bool, int, float)) or parameter.kind == parameter.POSITIONAL_ONLY:
            raise UsageError(f"the step has the parameter '{name}': give it a number as default, such as {name}=0.5")
        low, high = _bounds_of(name, sliders[name]) if name in sliders else (None, None)
        keys.append((name, default, low, high))
    return keys


def _bounds_of(name: str, bounds: Any) -> tuple[float, float]:
    """Returns the least and the greatest value of a slider. Raises UsageError if it is no pair of ascending numbers."""
    try:
        low, high = map(float, bounds)
        if low < high and math.isfinite(high - low):
            return low, high
    except (TypeError, ValueError):
        pass
    raise UsageError(f"the slider of '{name}' is {bounds!r}: give the least and the greatest value, such as (0, 1)")


def _layer_of(layer: tuple[Any, ...]) -> tuple[Any, str, list[Any]]:
    """Returns agents, attribute or function, and names and colours of a layer."""
    agents, value, colors = parts_of_layer(layer)
    if not isinstance(agents, ModelAgents):
        raise UsageError(f"a layer of a simulation shows agents of a model of mass.load; {agents!r} are none")
    numbers = [name for name, (kind, shape) in agents._attributes.items() if kind.kind in "biu" and not shape]
    if value is not None and value not in [*numbers, *agents._values]:
        raise KeyError(f"'{agents.name}' has no category {value!r}; it has {', '.join([*numbers, *agents._values])}")
    return agents._population, value or "", colors


def _picture_of(places: ModelPlaces, attribute: str, *look: Any) -> tuple[Any, ...]:
    """Returns title, places, attribute, bounds and categories of a picture."""
    if not isinstance(places, ModelPlaces) or len(look) > 2:
        raise UsageError("a picture is (places, attribute), (places, attribute, low, high) or (places, attribute, categories)")
    values = places[attribute]
    kind, dimensions = values.dtype, len(places.shape)
    if kind.kind not in "biuf" or values.ndim > dimensions or dimensions not in (2, 3):
        raise UsageError(f"a picture shows a number of 2-D or 3-D places; '{attribute}' of '{places.name}' is none")
    categories: list[str] = []
    low, high = 0.0, 1.0
    if len(look) == 2:
        low, high = look
    elif len(look) == 1:
        categories = [str(each) for each in look[0]]
    elif kind.kind == "b":
        categories = ["false", "true"]
    else:
        low, high = float(values.min()), float(values.max())
        high = high if high > low else low + 1
    return attribute, places._population, attribute, low, high, categories
