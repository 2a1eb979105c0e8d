"""Settings as texts of the library."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy

from . import _core

UsageError = _core.UsageError


def read_settings(*settings: Mapping[str, Any] | str | os.PathLike[str]) -> tuple[str, list[str]]:
    """Returns the YAML file, empty for none, and "key=value" for each setting of dicts."""
    file = ""
    texts: list[str] = []
    for number, each in enumerate(settings):
        if isinstance(each, Mapping):
            texts += assignments_of(each)
        elif number == 0:
            file = os.fspath(each)
        else:
            raise UsageError("a settings file comes first; the others are dicts")
    return file, texts


def assignments_of(settings: Mapping[str, Any], section: str = "") -> Iterator[str]:
    """Yields "key=value" for each setting."""
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from assignments_of(value, f"{section}{key}.")
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
