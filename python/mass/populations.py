"""Places and agents, with their attributes as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy

from . import _core
from .pictures import Picture, add_layers

UsageError = _core.UsageError


class Band:
    """Component of an attribute in the memory of one device, read-only and without a copy: `numpy.asarray(band)` on
    CPUs, `from_dlpack(band)` of an array library on GPUs.

    It raises UsageError once the state may have changed. The state cannot change as long as an array made of it exists,
    and, once `__cuda_array_interface__` has been read, as long as the view does.
    """

    def __init__(self, population: _core.Places | _core.Agents, attribute: str, kind: numpy.dtype[Any],
                 component: int, device: int) -> None:
        self._population = population
        self._key = attribute, component, device
        self._version = population.version
        self.first, self._address, self._gpu, shape, strides = population.band_layout(*self._key)
        self.dtype = kind  #: type of the elements
        self.shape: tuple[int, ...] = tuple(shape)  #: elements along each axis
        self._strides = tuple(strides)

    def _memory(self) -> Any:
        """Returns the memory as an object of DLPack."""
        if self._population.version != self._version:
            raise UsageError(f"this view of '{self._key[0]}' is out of date, as '{self._population.name}' may have "
                             "changed since: take a new one")
        return self._population.band(*self._key)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]:
        if self._gpu >= 0:
            raise UsageError(f"this view of '{self._key[0]}' is in the memory of a GPU: use from_dlpack of a library for "
                             "GPUs, or copy the attribute")
        return numpy.array(numpy.from_dlpack(self._memory()), dtype, copy=copy)

    def __getitem__(self, key: Any) -> Any:
        return numpy.asarray(self)[key]

    def __len__(self) -> int:
        return self.shape[0]

    def __dlpack__(self, **options: Any) -> Any:
        return self._memory().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._memory().__dlpack_device__()
        return device

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._gpu < 0:
            raise AttributeError("this view is in the memory of the host")
        self._lease = self._memory()  # the reader's array keeps this view only
        # The library has waited for the GPU.
        return {"version": 3, "shape": self.shape, "strides": self._strides, "typestr": self.dtype.str,
                "data": (self._address, True), "stream": None}

    def __repr__(self) -> str:
        place = "a CPU" if self._gpu < 0 else f"GPU {self._gpu}"
        return f"<view of '{self._key[0]}' on {place}, {' x '.join(map(str, self.shape))} from {self.first}>"


class _Population:
    """Places or agents, with their attributes by name."""

    _population: _core.Places | _core.Agents
    _attributes: dict[str, tuple[numpy.dtype[Any], tuple[int, ...]]]

    def _wrap(self, population: _core.Places | _core.Agents) -> None:
        self._population = population
        self._attributes = {attribute: (numpy.dtype(kind), tuple(components))
                            for attribute, kind, components in population.attributes()}

    @property
    def name(self) -> str:
        """Name in messages, files and checkpoints."""
        return self._population.name

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
        self._population.read(attribute, _numbers(values))
        return values

    def __setitem__(self, attribute: str, values: Any) -> None:
        """Sets an attribute of all places or agents to an array of the shape of the attribute, or to one value. An array
        may be of any library with `__dlpack__`.

        Raises KeyError if there is no such attribute; TypeError if the values cannot have its type; ValueError if the
        shape is another one.
        """
        kind, shape = self._entry(attribute)
        given = _on_host(values)
        if not can_become(given, kind):
            raise TypeError(f"'{attribute}' of '{self.name}' is {kind}; the values are {given.dtype}: convert them first")
        if given.ndim > 0 and given.shape != shape:
            raise ValueError(f"'{attribute}' of '{self.name}' has the shape {shape}; the values have {given.shape}")
        if given.dtype == bool:
            given = given.view(numpy.uint8) != 0  # a view of other bytes as bool may hold any
        whole = numpy.ascontiguousarray(numpy.broadcast_to(given, shape), dtype=kind)
        self._population.write(attribute, _numbers(whole))

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def keys(self) -> list[str]:
        """Returns the names of the attributes."""
        return list(self._attributes)

    def bands(self, attribute: str, component: int = 0) -> list[Band]:
        """Returns the values of an attribute without a copy, one band of rows (or agents) for each device.

        Raises KeyError if there is no such attribute; UsageError if its values are stored in another form, such as bits.
        """
        kind, _ = self._entry(attribute)
        return [Band(self._population, attribute, kind, component, device)
                for device in range(self._population.devices)]

    def view(self, attribute: str, component: int = 0) -> Band:
        """Returns the values of an attribute on one CPU device without a copy.

        Raises UsageError if there are several devices, or as `bands`.
        """
        bands = self.bands(attribute, component)
        if len(bands) > 1:
            raise UsageError(f"'{self.name}' is on {len(bands)} devices: bands() has a view for each")
        return bands[0]

    def _shape(self) -> tuple[int, ...]:
        raise NotImplementedError

    def _entry(self, attribute: str) -> tuple[numpy.dtype[Any], tuple[int, ...]]:
        if attribute not in self._attributes:
            raise KeyError(f"'{self.name}' has no attribute '{attribute}'; it has {', '.join(self._attributes)}")
        kind, components = self._attributes[attribute]
        return kind, components + self._shape()


def _numbers(values: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    """Returns the memory of an array as one of numbers: bytes, if its elements are structures."""
    return values.reshape(-1).view(numpy.uint8) if values.dtype.kind == "V" else values


def _on_host(values: Any) -> numpy.ndarray[Any, Any]:
    """Returns values as an array in the memory of the host."""
    if hasattr(values, "__dlpack__") and not isinstance(values, (numpy.ndarray, numpy.generic)):
        return numpy.from_dlpack(values, device="cpu")
    return numpy.asarray(values)


def can_become(values: numpy.ndarray[Any, Any], kind: numpy.dtype[Any]) -> bool:
    """True if values keep their meaning as elements of a type: whole numbers that fit, numbers as floats."""
    if values.dtype.kind in "iu" and kind.kind in "iu" and values.size > 0:
        limits = numpy.iinfo(kind)
        return int(values.min()) >= limits.min and int(values.max()) <= limits.max
    return numpy.can_cast(values.dtype, kind, "same_kind")


class Places(_Population):
    """Places."""

    _population: _core.Places

    def __init__(self, population: _core.Places) -> None:
        self._wrap(population)

    @property
    def shape(self) -> tuple[int, ...]:
        """Places along each axis; their number if only some places of a box exist."""
        return tuple(self._population.shape)

    def picture(self, attribute: str, low: float | None = None, high: float | None = None, palette: str = "heat",
                categories: Sequence[str] = (), layers: Sequence[tuple[Any, ...]] = ()) -> Picture:
        """Returns a picture of an attribute of 2-D places; a notebook shows it.

        `low`, `high`: values of the first and the last colour, by default the least and the greatest. `categories`:
        names of the values 0, 1, ... of an attribute that is a category. `layers`: agents over it, see `Steps.picture`.

        Raises KeyError if there is no such attribute; UsageError if it is not one number of 2-D places.
        """
        values = self[attribute]
        if values.ndim != 2 or values.dtype.kind not in "biuf":
            raise UsageError(f"a picture shows a number of 2-D places; '{attribute}' of '{self.name}' has the shape "
                             f"{values.shape} and the type {values.dtype}")
        least = float(values.min()) if low is None else low
        greatest = float(values.max()) if high is None else high
        picture = _core.picture_of(numpy.ascontiguousarray(values, numpy.float32), least, max(least, greatest), palette,
                                   list(categories))
        picture.name = attribute
        add_layers(picture, layers)
        return Picture(picture, self.name)

    def _shape(self) -> tuple[int, ...]:
        return self.shape

    def __repr__(self) -> str:
        return f"<places '{self.name}' of {' x '.join(map(str, self.shape))}: {', '.join(self._attributes)}>"


class Agents(_Population):
    """Agents, in the order of their places, then of their identities."""

    _population: _core.Agents

    def __init__(self, population: _core.Agents) -> None:
        self._wrap(population)

    def __len__(self) -> int:
        return int(self._population.size)

    @property
    def ids(self) -> numpy.ndarray[Any, Any]:
        """Identities."""
        return self._population.ids()

    @property
    def coordinates(self) -> numpy.ndarray[Any, Any]:
        """Coordinates of their places, axis by axis."""
        return self._population.coordinates()

    def _shape(self) -> tuple[int, ...]:
        return (len(self),)

    def __repr__(self) -> str:
        return f"<{len(self)} agents '{self.name}': {', '.join(self._attributes)}>"
