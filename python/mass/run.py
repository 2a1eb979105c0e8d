"""Runs of apps."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy

from . import _core
from .live import Live
from .pictures import Picture
from .populations import Agents, Places
from .settings import read_settings

UsageError = _core.UsageError


def apps() -> dict[str, str]:
    """Returns the names of all apps, each with a line on it."""
    return dict(_core.apps())


def schema(app: str) -> dict[str, dict[str, Any]]:
    """Returns the settings of an app by name: `default`, `type`, `unit`, `range`, `about` of each, and two truth values.

    `affects_results` is false if the state at a step does not depend on the setting. `live` is true if it may change
    during a run (`Run.set`).

    Raises UsageError if there is no such app.
    """
    return {key.pop("name"): key for key in _core.schema(app)}


def open(app: str, *settings: Mapping[str, Any] | str | os.PathLike[str]) -> Run:
    """Sets an app up, at step 0, on the devices of its settings.

    `settings` are a YAML file, dicts, or a file and then dicts, whose values replace those before. Keys of sections are
    "output.table_every" or nested: {"output": {"table_every": 10}}.

    Raises SettingsError if the app does not accept a value; DeviceError if the machine lacks devices or memory;
    InputError if an input file is unusable.
    """
    return Run(_core.Run(app, *read_settings(*settings)), app)


class Run:
    """Run of an app. One thread at a time may use it; `open` makes it."""

    def __init__(self, core: _core.Run, app: str) -> None:
        self._core = core
        self.app = app

    def step(self, count: int = 1) -> None:
        """Makes `count` steps. Ctrl-C ends it at a step, from which the run can go on.

        Warnings of the model are RuntimeWarnings.
        """
        for text in self._core.step(count):
            warnings.warn(text, RuntimeWarning, stacklevel=2)

    def run(self) -> None:
        """Makes the steps up to `last_step`, as `step` does."""
        self.step(max(0, self.last_step - self.steps))

    def live(self, port: int = 0) -> Live:
        """Serves a page on 127.0.0.1 that shows the run and steers it. A notebook shows it in a frame.

        The page pauses, changes and ends the steps of `step` and `run`; between two calls it shows the present state.
        `port` 0 is a free one.

        Raises SettingsError if the port is used; UsageError if the run has a live view.
        """
        return Live(self._core, port)

    def set(self, settings: Mapping[str, Any]) -> None:
        """Changes settings before the next step: those that are `live` in the `schema` of the app.

        Raises SettingsError if a setting cannot change, or the app does not accept the values; then none has changed.
        """
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

    @property
    def places(self) -> dict[str, Places]:
        """Places by name."""
        return {each.name: Places(each) for each in self._core.places()}

    @property
    def agents(self) -> dict[str, Agents]:
        """Agents by name."""
        return {each.name: Agents(each) for each in self._core.agents()}

    def picture(self) -> Picture:
        """Returns the picture of the present step; a notebook shows it.

        Raises UsageError if the app has none.
        """
        pictures = self._core.pictures()
        if not pictures:
            raise UsageError(f"'{self.app}' has no picture with these settings")
        return Picture(pictures[0], f"step {self.steps}")

    def save(self, checkpoint: str | os.PathLike[str]) -> None:
        """Writes a checkpoint, with which the program can go on, too (`--restart`)."""
        self._core.save(checkpoint)

    def restore(self, checkpoint: str | os.PathLike[str]) -> None:
        """Replaces state and step by those of a checkpoint of this app, on any devices. The table begins anew there.

        Settings that had changed when it was written have their values of then, all others those given to `open`.
        """
        self._core.restore(checkpoint)

    @property
    def hash(self) -> str:
        """Hash of the state, as in the summary of the program."""
        return f"{self._core.hash():016x}"

    @property
    def description(self) -> str:
        """Lines on the model, as the program prints them at its start."""
        return str(self._core.description)

    @property
    def settings(self) -> str:
        """All settings, as a YAML file, with their present values."""
        return str(self._core.settings)

    def __repr__(self) -> str:
        return f"<run of '{self.app}' at step {self.steps} of {self.last_step}>"
