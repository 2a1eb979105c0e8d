"""Structures of a C++ header in Python: a dataclass for one value, a type of NumPy for many."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

import numpy

from .populations import can_become

#: C++ type, NumPy type or "" for a structure, elements of an array or 0, bytes, bytes of the initial value, and name,
#: offset and type of each member.
Description = tuple[str, str, int, int, bytes, list[tuple[str, int, Any]]]


def dtype_of(description: Description) -> numpy.dtype[Any]:
    """Returns the type of an array of values."""
    _, number, count, size, _, members = description
    if number:
        return numpy.dtype((number, (count,)) if count else number)
    return numpy.dtype({"names": [name for name, _, _ in members], "offsets": [offset for _, offset, _ in members],
                        "formats": [dtype_of(kind) for _, _, kind in members], "itemsize": size})


class Structure:
    """Structure of a header."""

    def __init__(self, description: Description) -> None:
        name, _, _, _, initial, members = description
        self.dtype = dtype_of(description)
        self._members = {member: Structure(kind) for member, _, kind in members if not kind[1]}
        first = numpy.frombuffer(initial, self.dtype)[0]
        fields = [(member, object, dataclasses.field(default_factory=functools.partial(self._plain, first, member)))
                  for member, _, _ in members]
        #: Class of one value, with the initial values of C++ as defaults.
        self.type = dataclasses.make_dataclass(name.split("<")[0], fields)

    def record(self, value: Any) -> numpy.ndarray[Any, Any]:
        """Returns an array without axes for an object of `type`, or a dict of members, of which others have their
        initial values.

        Raises TypeError if it has a member that the structure lacks, or one of another type.
        """
        made = self.type(**value) if isinstance(value, Mapping) else value
        array = numpy.zeros((), self.dtype)
        for name in self.dtype.names or ():
            member = getattr(made, name)
            given = numpy.asarray(self._members[name].record(member) if name in self._members else member)
            kind = self.dtype[name]
            if given.shape != kind.shape or not can_become(given, kind.base):
                raise TypeError(f"member '{name}' of {self.type.__name__} is {kind}; {member!r} was given")
            array[name] = given
        return array

    def _object(self, record: Any) -> Any:
        return self.type(**{field.name: self._plain(record, field.name) for field in dataclasses.fields(self.type)})

    def _plain(self, record: Any, member: str) -> Any:
        value = record[member]
        return self._members[member]._object(value) if member in self._members else value.tolist()
