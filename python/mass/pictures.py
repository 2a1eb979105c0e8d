"""Pictures of 2-D worlds."""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Any

import numpy

from . import _core


class Picture:
    """Picture of places at one step. A notebook shows it."""

    def __init__(self, picture: _core.Picture, note: str) -> None:
        self.values: numpy.ndarray[Any, Any] = picture.values  #: row by row from the top
        self.low, self.high = picture.low, picture.high  #: values of the first and the last colour
        self.name, self.unit = picture.name, picture.unit  #: of the quantity
        self.categories: list[str] = list(picture.categories)  #: names of the values 0, 1, ...; empty for a quantity
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "picture.png"
            picture.write_png(file, note)
            self.png = file.read_bytes()  #: the picture with its legend, as a PNG file

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the PNG file."""
        pathlib.Path(file).write_bytes(self.png)

    def _repr_png_(self) -> bytes:
        return self.png
