"""Runs that Python advances."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from . import _core
from .live import Live
from .pictures import Picture, add_layers
from .settings import path_of, read_settings, whole

UsageError = _core.UsageError


class Steps:
    """Run that makes steps, with its table and its live view. One thread at a time may use it."""

    _core: _core.Run | _core.OwnRun

    def step(self, count: int = 1) -> None:
        """Makes `count` steps. Ctrl-C ends it at a step, from which the run can go on.

        Warnings of the model are RuntimeWarnings.
        """
        for text in self._core.step(whole(count, "the number of steps")):
            warnings.warn(text, RuntimeWarning, stacklevel=2)

    def run(self) -> None:
        """Makes the steps up to `last_step`, as `step` does."""
        self.step(max(0, self.last_step - self.steps))

    def live(self, port: int = 0) -> Live:
        """Serves a page on 127.0.0.1 that shows the run and steers it. A notebook shows it in a frame.

        The page pauses, changes and ends the steps of `step` and `run`; between two calls it shows the present state.
        `port` 0 is a free one.

        Raises SettingsError if the port is used; UsageError if there is no such port, or the run has a live view.
        """
        return Live(self._core, whole(port, "the port", 0, 65535))

    def set(self, settings: Mapping[str, Any]) -> None:
        """Changes settings before the next step: those of an app that are `live` in its `schema`, or the parameters of the
        step of a `Simulation`.

        Raises SettingsError if a setting cannot change, or the model does not accept the values; then none has changed.
        """
        if not isinstance(settings, Mapping):
            raise UsageError(f"set() takes a dict of settings; {settings!r} was given")
        self._core.set(read_settings(settings)[1])

    @property
    def changes(self) -> list[dict[str, Any]]:
        """Changes of settings since step 0, those before a checkpoint included: `step`, `key` and `value` of each."""
        return list(self._core.changes())

    @property
    def steps(self) -> int:
        """Number of steps made, those before a checkpoint included. Another thread may ask during `step`."""
        return int(self._core.steps)

    @property
    def last_step(self) -> int:
        """Step at which the program would end."""
        return int(self._core.last_step)

    @property
    def finished(self) -> bool:
        """True if `steps` has reached `last_step`."""
        return self.steps >= self.last_step

    @property
    def ended_by(self) -> str:
        """Condition that ended the run at `steps`, as in the summary of the program; empty if none has."""
        return str(self._core.ended_by)

    @property
    def time(self) -> float:
        """Physical time in seconds; the number of steps if a step has no length."""
        return float(self._core.time)

    @property
    def row(self) -> dict[str, float]:
        """Columns of the table at the present step."""
        names, values = self._core.row()
        return dict(zip(names, values))

    @property
    def table(self) -> dict[str, numpy.ndarray[Any, Any]]:
        """Columns of the table so far, with a row every `output.table_every` steps; `step` is the first."""
        names, values = self._core.table()
        columns = dict(zip(names, values.T))
        if "step" in columns:
            columns["step"] = columns["step"].astype(numpy.int64)
        return columns

    def save(self, checkpoint: str | os.PathLike[str]) -> None:
        """Writes a checkpoint; with one of an app its program can go on, too (`--restart`)."""
        self._core.save(path_of(checkpoint))

    def restore(self, checkpoint: str | os.PathLike[str]) -> None:
        """Replaces state and step by those of a checkpoint of this model, on any devices. The table begins anew there.

        Settings that had changed when it was written have their values of then, all others those given at the start.
        """
        self._core.restore(path_of(checkpoint))

    @property
    def hash(self) -> str:
        """Hash of the state, as in the summary of the program."""
        return f"{self._core.hash():016x}"

    def picture(self, layers: Sequence[tuple[Any, ...]] = ()) -> Picture:
        """Returns the picture of the present step, with the agents that the model shows over it; a notebook shows it.

        `layers`: further agents over it, each `(agents, color)` or `(agents, attribute, colors)`. `color`: "#e63c28", or
        red, green and blue from 0 to 255. `attribute`: name of an attribute that is the number of a category or a bool, or
        an array with a value for each agent. `colors`: colours of the values 0, 1, ... by their names in the legend, such
        as `{"young": "#ffffff", "old": "#e63c28"}`; agents of other values are not shown.

        Raises UsageError if the model has no picture, or a layer does not fit; KeyError if there is no such attribute.
        """
        pictures = self._core.pictures()
        if not pictures:
            raise UsageError("the model has no picture with these settings")
        add_layers(pictures[0], layers)
        return Picture(pictures[0], f"step {self.steps}")
