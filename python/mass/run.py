"""Runs of apps."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _core
from .populations import Agents, Places
from .settings import read_settings, require_utf8
from .steps import Steps

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
    return {key.pop("name"): key for key in _core.schema(_named(app))}


def _named(app: Any) -> str:
    """Returns the name of an app. Raises UsageError if it is no text."""
    if not isinstance(app, str):
        raise UsageError(f"an app is named by a text, such as 'life'; {app!r} was given")
    require_utf8(app)
    return app


def open(app: str, *settings: Mapping[str, Any] | str | os.PathLike[str]) -> Run:
    """Sets an app up, at step 0, on the devices of its settings.

    `settings` are a YAML file, dicts, or a file and then dicts, whose values replace those before. Keys of sections are
    "output.table_every" or nested: {"output": {"table_every": 10}}.

    Raises SettingsError if the app does not accept a value; DeviceError if the machine lacks devices or memory;
    InputError if an input file is unusable.
    """
    return Run(_core.Run(_named(app), *read_settings(*settings)), app)


class Run(Steps):
    """Run of an app. One thread at a time may use it; `open` makes it."""

    def __init__(self, core: _core.Run, app: str) -> None:
        self._core: _core.Run = core
        self.app = app

    @property
    def places(self) -> dict[str, Places]:
        """Places by name."""
        return {each.name: Places(each) for each in self._core.places()}

    @property
    def agents(self) -> dict[str, Agents]:
        """Agents by name."""
        return {each.name: Agents(each) for each in self._core.agents()}

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
