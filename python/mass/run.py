"""Runs of apps."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy

from . import _core

SettingsLike = "Mapping[str, Any] | str | os.PathLike[str]"


def apps() -> dict[str, str]:
    """Returns the names of all apps, each with a line on it."""
    return dict(_core.apps())


def schema(app: str) -> dict[str, dict[str, Any]]:
    """Returns the settings of an app by name: `default`, `type`, `unit`, `range` and `about` of each, and `live`.

    `live` is true if the setting may change during a run (`Run.set`).

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
    file = ""
    assignments: list[str] = []
    for number, each in enumerate(settings):
        if isinstance(each, Mapping):
            assignments += _assignments(each)
        elif number == 0:
            file = os.fspath(each)
        else:
            raise UsageError("a settings file comes first; the others are dicts")
    return Run(_core.Run(app, file, assignments), app)


def _assignments(settings: Mapping[str, Any], section: str = "") -> Iterator[str]:
    """Yields "key=value" for each setting."""
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from _assignments(value, f"{section}{key}.")
        else:
            yield f"{section}{key}={_text(section + key, value)}"


def _text(key: str, value: Any) -> str:
    """Returns the value of a key as settings spell it."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    try:
        if isinstance(value, Mapping):
            raise TypeError
        return json.dumps(value, default=_plain)
    except TypeError:
        raise UsageError(f"'{key}' = {value!r}: a setting is a number, a text, a truth value or a list of these") from None


def _plain(value: Any) -> Any:
    """Returns a number or an array of NumPy, or a range, as numbers of Python."""
    if isinstance(value, (numpy.generic, numpy.ndarray)):
        return value.tolist()
    if isinstance(value, range):
        return list(value)
    raise TypeError


class _Population:
    """Places or agents of a run, with their attributes by name."""

    _kind = ""

    def __init__(self, run: _core.Run, name: str) -> None:
        self._run = run
        self.name = name
        self._attributes = {attribute: (numpy.dtype(kind), tuple(components))
                            for attribute, kind, components in getattr(run, f"attributes_of_{self._kind}")(name)}

    @property
    def attributes(self) -> dict[str, numpy.dtype[Any]]:
        """Type of the elements of each attribute, by name."""
        return {name: kind for name, (kind, _) in self._attributes.items()}

    def __getitem__(self, attribute: str) -> numpy.ndarray[Any, Any]:
        """Returns a copy of an attribute. The axis of an array attribute comes before those of the places or agents.

        Raises KeyError if there is no such attribute.
        """
        kind, shape = self._entry(attribute)
        values = numpy.empty(shape, kind)
        getattr(self._run, f"read_{self._kind}")(self.name, attribute, values)
        return values

    def __setitem__(self, attribute: str, values: Any) -> None:
        """Sets an attribute of all places or agents to an array of the shape of the attribute, or to one value.

        Raises KeyError if there is no such attribute; TypeError if the values cannot have its type; ValueError if the
        shape is another one.
        """
        kind, shape = self._entry(attribute)
        given = numpy.asarray(values)
        if not _can_become(given, kind):
            raise TypeError(f"'{attribute}' of '{self.name}' is {kind}; the values are {given.dtype}: convert them first")
        if given.ndim > 0 and given.shape != shape:
            raise ValueError(f"'{attribute}' of '{self.name}' has the shape {shape}; the values have {given.shape}")
        if given.dtype == bool:
            given = given.view(numpy.uint8) != 0  # a view of other bytes as bool may hold any
        whole = numpy.ascontiguousarray(numpy.broadcast_to(given, shape), dtype=kind)
        getattr(self._run, f"write_{self._kind}")(self.name, attribute, whole)

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def keys(self) -> list[str]:
        """Returns the names of the attributes."""
        return list(self._attributes)

    def _shape(self) -> tuple[int, ...]:
        raise NotImplementedError

    def _entry(self, attribute: str) -> tuple[numpy.dtype[Any], tuple[int, ...]]:
        if attribute not in self._attributes:
            raise KeyError(f"'{self.name}' has no attribute '{attribute}'; it has {', '.join(self._attributes)}")
        kind, components = self._attributes[attribute]
        return kind, components + self._shape()


def _can_become(values: numpy.ndarray[Any, Any], kind: numpy.dtype[Any]) -> bool:
    """True if values keep their meaning as elements of a type: whole numbers that fit, numbers as floats."""
    if values.dtype.kind in "iu" and kind.kind in "iu" and values.size > 0:
        limits = numpy.iinfo(kind)
        return int(values.min()) >= limits.min and int(values.max()) <= limits.max
    return numpy.can_cast(values.dtype, kind, "same_kind")


class Places(_Population):
    """Places of a run."""

    _kind = "places"

    @property
    def shape(self) -> tuple[int, ...]:
        """Places along each axis; their number if only some places of a box exist."""
        return tuple(self._run.shape(self.name))

    def _shape(self) -> tuple[int, ...]:
        return self.shape

    def __repr__(self) -> str:
        return f"<places '{self.name}' of {' x '.join(map(str, self.shape))}: {', '.join(self._attributes)}>"


class Agents(_Population):
    """Agents of a run, in the order of their places, then of their identities."""

    _kind = "agents"

    def __len__(self) -> int:
        return int(self._run.count(self.name))

    @property
    def ids(self) -> numpy.ndarray[Any, Any]:
        """Identities."""
        return self._run.ids(self.name)

    @property
    def coordinates(self) -> numpy.ndarray[Any, Any]:
        """Coordinates of their places, axis by axis."""
        return self._run.coordinates(self.name)

    def _shape(self) -> tuple[int, ...]:
        return (len(self),)

    def __repr__(self) -> str:
        return f"<{len(self)} agents '{self.name}': {', '.join(self._attributes)}>"


class Picture:
    """Picture of a run at one step."""

    def __init__(self, picture: _core.Picture, png: bytes) -> None:
        self.values: numpy.ndarray[Any, Any] = picture.values  #: row by row from the top
        self.low, self.high = picture.low, picture.high  #: values of the first and the last colour
        self.name, self.unit = picture.name, picture.unit  #: of the quantity
        self.categories: list[str] = list(picture.categories)  #: names of the values 0, 1, ...; empty for a quantity
        self.png = png  #: the picture with its legend, as a PNG file

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the PNG file."""
        pathlib.Path(file).write_bytes(self.png)

    def _repr_png_(self) -> bytes:
        return self.png


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

    def set(self, settings: Mapping[str, Any]) -> None:
        """Changes settings before the next step: those that are `live` in the `schema` of the app.

        Raises SettingsError if a setting cannot change, or the app does not accept the values; then none has changed.
        """
        self._core.set(list(_assignments(settings)))

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
        return {name: Places(self._core, name) for name in self._core.names_of_places()}

    @property
    def agents(self) -> dict[str, Agents]:
        """Agents by name."""
        return {name: Agents(self._core, name) for name in self._core.names_of_agents()}

    def picture(self) -> Picture:
        """Returns the picture of the present step; a notebook shows it.

        Raises UsageError if the app has none.
        """
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "picture.png"
            self._core.write_png(file)
            return Picture(self._core.pictures()[0], file.read_bytes())

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


UsageError = _core.UsageError
