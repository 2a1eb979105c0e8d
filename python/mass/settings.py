"""Settings as texts of the library."""

from __future__ import annotations

import json
import operator
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
        elif number == 0 and isinstance(each, (str, os.PathLike)):
            file = path_of(each)
        elif number == 0:
            raise UsageError(f"settings are a YAML file and dicts; {each!r} was given")
        else:
            raise UsageError("a settings file comes first; the others are dicts")
    return file, texts


def assignments_of(settings: Mapping[str, Any], section: str = "") -> Iterator[str]:
    """Yields "key=value" for each setting."""
    for key, value in settings.items():
        if not isinstance(key, str) or "=" in key:
            raise UsageError(f"{key!r} is no name of a setting")
        if isinstance(value, Mapping) and value:
            yield from assignments_of(value, f"{section}{key}.")
        else:
            assignment = f"{section}{key}={_text(section + key, value)}"
            if not assignment.isascii():
                require_utf8(assignment)
            yield assignment


def require_utf8(text: str) -> None:
    """Raises UsageError if a text has characters that UTF-8 cannot have, such as those of names of files in other
    encodings."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{text!r} has characters that UTF-8 does not have") from None


def path_of(file: Any) -> str:
    """Returns the path of a file. Raises UsageError if it is none."""
    try:
        path = os.fsdecode(file)
    except TypeError:
        raise UsageError(f"a file is named by a text or a path; {file!r} was given") from None
    if "\0" in path:
        raise UsageError(f"{path!r} is no name of a file")
    require_utf8(path)
    return path


def whole(value: Any, name: str, low: int = -(1 << 62), high: int = 1 << 62) -> int:
    """Returns a whole number. `name`: its name in messages.

    Raises UsageError if it is none, or not from `low` to `high`.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{name} = {value!r}: it is a whole number") from None
    if not low <= number <= high:
        limits = "from -2^62 to 2^62" if high == 1 << 62 else f"from {low} to {high}"
        raise UsageError(f"{name} = {value!r}: it is a whole number {limits}")
    return number


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
