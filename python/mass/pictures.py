"""Pictures of 2-D worlds, with agents over them."""

from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from . import _core

if TYPE_CHECKING:
    from .populations import Agents

UsageError = _core.UsageError
Color = str | tuple[int, int, int]  #: "#e63c28", or red, green and blue from 0 to 255


class Picture:
    """Picture of places at one step. A notebook shows it."""

    def __init__(self, picture: _core.Picture, note: str) -> None:
        self.values: numpy.ndarray[Any, Any] = picture.values  #: row by row from the top
        self.low, self.high = picture.low, picture.high  #: values of the first and the last colour
        self.name, self.unit = picture.name, picture.unit  #: of the quantity
        self.categories: list[str] = list(picture.categories)  #: names of the values 0, 1, ...; empty for a quantity
        #: row and column of the agents over the picture, (agents, 2) by name, in places from its upper left corner
        self.layers: dict[str, numpy.ndarray[Any, Any]] = {name: at for name, _, at in picture.layers()}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "picture.png"
            picture.write_png(file, note)
            self.png = file.read_bytes()  #: the picture with its legend, as a PNG file

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the PNG file.

        Raises OutputError if it cannot be written.
        """
        try:
            pathlib.Path(file).write_bytes(self.png)
        except (OSError, ValueError) as error:
            raise _core.OutputError(f"cannot write '{file}': {getattr(error, 'strerror', error)}") from None

    def _repr_png_(self) -> bytes:
        return self.png


def add_layers(picture: _core.Picture, layers: Sequence[tuple[Any, ...]]) -> None:
    """Adds agents over a picture: each of `layers` is (agents, color), or (agents, attribute, colors) with the names and
    colours of the values 0, 1, ... of an attribute of the agents, or of an array with a value for each.

    Raises UsageError if a layer is none of these; KeyError if there is no such attribute.
    """
    for layer in layers:
        agents, attribute, colors = parts_of_layer(layer)
        shape = agents._population.home_shape()
        at = (agents.coordinates.T.astype(numpy.float32) + numpy.float32(0.5)) / numpy.array(shape, numpy.float32)
        values: Any = numpy.zeros(len(at)) if attribute is None else attribute
        if isinstance(attribute, str):
            values = agents[attribute]
        if numpy.shape(values) != (len(at),):
            raise UsageError(f"a layer of {len(at)} agents needs a value for each; they have the shape {numpy.shape(values)}")
        for number, (name, color) in enumerate(colors):
            picture.add_layer(name, color, at[numpy.asarray(values) == number])


def parts_of_layer(layer: tuple[Any, ...]) -> tuple[Agents, Any, list[tuple[str, tuple[int, int, int]]]]:
    """Returns the agents, the attribute or None, and the names and colours of a layer."""
    if not isinstance(layer, tuple) or len(layer) not in (2, 3) or not hasattr(layer[0], "coordinates"):
        raise UsageError('a layer is (agents, color) or (agents, attribute, {"name of value 0": color, ...})')
    agents, *attribute, colors = layer
    if len(agents._population.home_shape()) != 2:
        raise UsageError(f"agents over a picture live on 2-D places; '{agents.name}' do not")
    named = colors if attribute else {agents.name: colors}
    if not isinstance(named, Mapping):
        raise UsageError(f"the colours of '{agents.name}' by an attribute are a dict: the name of each value and its colour")
    return agents, attribute[0] if attribute else None, [(str(name), _channels(named[name])) for name in named]


def _channels(color: Color) -> tuple[int, int, int]:
    """Returns red, green and blue of a colour."""
    with contextlib.suppress(TypeError, ValueError):
        if isinstance(color, str) and len(color) == 7 and color[0] == "#":
            color = (int(color[1:3], 16), int(color[3:5], 16), int(color[5:], 16))
        if not isinstance(color, str):
            red, green, blue = (int(channel) for channel in color)
            if all(0 <= channel < 256 for channel in (red, green, blue)):
                return red, green, blue
    raise UsageError(f'{color!r} is no colour: give "#e63c28", or red, green and blue from 0 to 255')
