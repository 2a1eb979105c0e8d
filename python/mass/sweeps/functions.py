"""Functions of the user that make runs: their file, their settings, and the rows that they return."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import os
import pathlib
import subprocess
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy

from .. import _core, models
from .design import whole
from .names import unknown

InputError = _core.InputError
SettingsError = _core.SettingsError

IS_WORKER = "MASS_SWEEP_WORKER"  #: environment variable of processes of a sweep
GIVEN = ("world", "seed")  #: parameters that are no settings
_TYPES = {"int": "integer", "float": "number", "bool": "truth value", "str": "text"}


@dataclasses.dataclass(frozen=True)
class Setting:
    """Parameter of a function that is a setting."""

    name: str
    type: str  #: a value of _TYPES; empty for any
    has_default: bool
    default: Any = None

    def value(self, text: str) -> Any:
        """Returns the value that a text stands for.

        Raises SettingsError if it is not of the type.
        """
        if self.type == "text":
            return text
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        fits = {"integer": lambda: whole(value) == float(value), "truth value": lambda: isinstance(value, bool),
                "number": lambda: isinstance(value, (int, float)) and not isinstance(value, bool)}
        try:
            if self.type in fits and not fits[self.type]():
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise SettingsError(f"{self.name}={text}: expected {'an' if self.type == 'integer' else 'a'} "
                                f"{self.type}") from None
        return {"integer": int, "number": float}.get(self.type, lambda same: same)(value)


@dataclasses.dataclass(frozen=True)
class Function:
    """Description of a function."""

    name: str
    digest: str  #: of its file, and of the headers that this loads
    given: list[str]  #: parameters among GIVEN
    settings: list[Setting]

    def values(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Returns the values of all settings.

        Raises SettingsError if one is unknown, missing, or of another type.
        """
        known = {setting.name: setting for setting in self.settings}
        for name, text in texts.items():
            if name not in known:
                raise SettingsError(str(unknown(f"{name}={text}: {self.name}() has no parameter", name, known)))
        missing = [each.name for each in self.settings if not each.has_default and each.name not in texts]
        if missing:
            raise SettingsError(f"{self.name}() needs a value of '{missing[0]}', among the settings, axes or designs")
        return {name: setting.value(texts[name]) if name in texts else setting.default
                for name, setting in known.items()}

    def seed(self, text: str) -> int:
        """Returns the seed that a text stands for.

        Raises SettingsError if it is none.
        """
        seed = Setting("seed", "integer", False).value(text)
        if seed < 0:
            raise SettingsError(f"seed={text}: must be at least 0")
        return int(seed)


def describe(address: str) -> Function:
    """Returns the description of FILE.py:FUNCTION, of which a process of its own loads the file.

    Raises InputError if it cannot be loaded, or has no such function.
    """
    command = [sys.executable, "-P", "-m", "mass.sweeps.worker", "--describe", address]
    done = subprocess.run(command, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    try:
        reply = json.loads(done.stdout)
    except ValueError:
        raise InputError(f"'{address}': the process that loads the file ended with exit code {done.returncode}") from None
    if "error" in reply:
        raise InputError(reply["error"])
    return Function(**{**reply, "settings": [Setting(**each) for each in reply["settings"]]})


def environment() -> dict[str, str]:
    """Returns the environment of processes of a sweep, which find this package."""
    package = pathlib.Path(__file__).parents[2]
    path = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, IS_WORKER: "1"}


def load(address: str) -> tuple[Callable[..., Any], Function]:
    """Returns a function of FILE.py:FUNCTION, and its description.

    Raises InputError if the file cannot be loaded, or has no such function.
    """
    path, _, name = address.rpartition(":")
    try:
        text = pathlib.Path(path).read_bytes()
        module = types.ModuleType(pathlib.Path(path).stem)
        module.__file__ = os.path.abspath(path)
        sys.modules[module.__name__] = module  # dataclasses and others look it up
        sys.path.insert(0, os.path.dirname(module.__file__))
        exec(compile(text, path, "exec"), module.__dict__)
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror}") from None
    except Exception as error:
        raise InputError(f"cannot load '{path}': {_line_of(error, path)}{type(error).__name__}: {error}") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(f"'{path}' has no function '{name}'")
    digest = hashlib.sha256(b"\0".join([text, *(each.encode() for each in sorted(set(models.loaded.values())))]))
    parameters = list(inspect.signature(function).parameters.values())
    return function, Function(name, digest.hexdigest(), [each.name for each in parameters if each.name in GIVEN],
                              [_setting(name, each) for each in parameters if each.name not in GIVEN])


def _line_of(error: Exception, path: str) -> str:
    """Returns the last line of a file in the traceback of an error."""
    at, lines = error.__traceback__, []
    while at is not None:
        if at.tb_frame.f_code.co_filename == path:
            lines.append(f"line {at.tb_lineno}: ")
        at = at.tb_next
    return lines[-1] if lines else ""


def _setting(function: str, parameter: inspect.Parameter) -> Setting:
    """Returns the setting of a parameter.

    Raises InputError if it cannot be one.
    """
    name, default = parameter.name, parameter.default
    if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
        raise InputError(f"the parameter '{parameter}' of {function}() has no name by which a sweep could set it")
    has_default = default is not parameter.empty
    if has_default:
        try:
            json.dumps(default)
        except (TypeError, ValueError):
            raise InputError(f"'{name}' = {default!r} of {function}(): the default of a setting is a number, a text, a "
                             "truth value or a list of these") from None
    annotation = getattr(parameter.annotation, "__name__", parameter.annotation)
    kind = annotation if annotation in _TYPES else type(default).__name__
    return Setting(name, _TYPES.get(kind, ""), has_default, default if has_default else None)


def rows_of(function: Callable[..., Any], arguments: Mapping[str, Any]) -> list[dict[str, float]]:
    """Calls a function and returns its rows: the dict that it returns, or each that it yields, of step 0, 1...

    Raises TypeError if it returns something else; ValueError if rows have other columns than the first.
    """
    made = function(**arguments)
    title = f"{getattr(function, '__name__', 'function')}()"
    rows = [made] if isinstance(made, Mapping) else list(made) if isinstance(made, Iterable) else []
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise TypeError(f"{title} returns a dict of numbers, or yields dicts of numbers, one or more, not "
                        f"{type(made).__name__}")
    for step, row in enumerate(rows):
        if list(row) != list(rows[0]):
            raise ValueError(f"row {step} of {title} has the columns {', '.join(map(str, row))}; row 0 has "
                             f"{', '.join(map(str, rows[0]))}")
    return [{str(name): _number(title, name, value) for name, value in row.items()} for row in rows]


def _number(title: str, name: Any, value: Any) -> float:
    if isinstance(value, (numpy.generic, numpy.ndarray)) and value.size == 1:
        value = value.item()
    if not isinstance(value, (int, float)):
        raise TypeError(f"'{name}' = {value!r} of {title} is no number")
    return float(value)
