"""Programs of which a sweep makes runs: apps, and functions of the user."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import os
import pathlib
from collections.abc import Callable
from typing import Any, Protocol

from .. import _core
from ..run import UsageError, schema
from .design import Texts
from .functions import Function, describe

SettingsError = _core.SettingsError


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of a run, as its program reads them."""

    values: dict[str, Any]  #: of all settings, those with defaults included
    given: set[str]  #: names of those that the user has set
    text: str  #: program and settings but for the seed, equal for equal runs
    library: str  #: version and commit


class Program(Protocol):
    """Program of a sweep."""

    name: str  #: for messages, and to tell folders apart
    types: dict[str, str]  #: of settings: "integer" or another
    takes_seed: bool  #: False if runs with other seeds are equal

    def read(self, settings: Texts, where: str) -> Settings:
        """Returns the settings of a run; `where` is their place in messages.

        Raises SettingsError if the program does not accept them.
        """

    def request(self) -> dict[str, Any]:
        """Returns the parts of a task by which a process finds the program."""


def program_of(request: Any, settings_file: Any) -> Program:
    """Returns the program that 'program' asks for: the name of an app, "FILE.py:FUNCTION", or a function.

    Raises UsageError if it is none of these; InputError if the file of the function is unusable.
    """
    if callable(request):
        request = _address_of(request)
    if not isinstance(request, str):
        raise UsageError("a sweep needs the key 'program', the name of an app, FILE.py:FUNCTION, or a function")
    if settings_file is not None and not isinstance(settings_file, (str, os.PathLike)):
        raise UsageError(f"'settings_file' = {settings_file!r}: it is the name of a file")
    if ":" not in request:
        return App(request, os.fspath(settings_file or ""))
    if settings_file:
        raise UsageError(f"'settings_file' is for apps; '{request}' is a function: give its arguments by 'settings'")
    return OwnFunction(request)


def _address_of(function: Callable[..., Any]) -> str:
    """Returns FILE.py:FUNCTION of a function.

    Raises UsageError if it is not at the top level of a file.
    """
    name = getattr(function, "__qualname__", repr(function))
    try:
        file = inspect.getsourcefile(function)
    except TypeError:
        file = None
    if file is None or not pathlib.Path(file).is_file() or not name.isidentifier():
        raise UsageError(f"'{name}' is not a function at the top level of a file, in which other processes find it: "
                         "write it to a file, and give \"FILE.py:FUNCTION\"")
    return f"{file}:{name}"


class App:
    """App of the package."""

    def __init__(self, name: str, file: str) -> None:
        """`file` is a settings file; empty for none."""
        self.name = name
        self.takes_seed = True
        self._schema = schema(name)
        self.types = {setting: str(key["type"]) for setting, key in self._schema.items()}
        self._file = file
        self._files = _Files([pathlib.Path(), pathlib.Path(file).parent])

    def read(self, settings: Texts, where: str) -> Settings:
        try:
            assignments = [f"{key}={text}" for key, text in settings.items()]
            record = json.loads(_core.record(self.name, self._file, assignments))
        except SettingsError as error:
            raise _at(where, str(error).removeprefix("--set ")) from None
        values = {name: setting["value"] for name, setting in record["settings"].items()}
        given = {name for name, setting in record["settings"].items() if setting["from"] != "default"}
        return Settings(values, given, self._text(values, given), _library(record))

    def _text(self, values: dict[str, Any], given: set[str]) -> str:
        """Returns the settings that are set and affect results.

        Defaults are left out: a program may tell a key that is not set from its default, and another version may have
        more keys. A text that is the path of a file stands for the contents of the file.
        """
        settings = {name: self._files.contents(values[name]) for name in sorted(given)
                    if name != "seed" and self._affects(name)}
        return json.dumps([self.name, settings])

    def _affects(self, name: str) -> bool:
        return name == "steps" or name not in self._schema or bool(self._schema[name]["affects_results"])

    def request(self) -> dict[str, Any]:
        return {"program": self.name, "file": self._file}


class OwnFunction:
    """Function of the user that makes a run."""

    def __init__(self, address: str) -> None:
        """`address` is FILE.py:FUNCTION.

        Raises InputError if the file cannot be loaded, or has no such function.
        """
        self._function: Function = describe(address)
        self._address = address
        path, _, name = address.rpartition(":")
        self.name = f"{pathlib.Path(path).name}:{name}"
        self.takes_seed = bool(self._function.given)
        self.types = {each.name: each.type for each in self._function.settings}
        self._library = _library(json.loads(_core.record(next(iter(_core.apps())), "", [])))
        self._files = _Files([pathlib.Path()])

    def read(self, settings: Texts, where: str) -> Settings:
        seed = settings.get("seed")
        try:
            values = self._function.values({name: text for name, text in settings.items() if name != "seed"})
            values["seed"] = 1 if seed is None else self._function.seed(seed)
        except SettingsError as error:
            raise _at(where, str(error)) from None
        contents = {name: self._files.contents(value) for name, value in sorted(values.items()) if name != "seed"}
        text = json.dumps([self.name, self._function.digest, contents])
        return Settings(values, set(settings), text, self._library)

    def request(self) -> dict[str, Any]:
        return {"function": self._address, "digest": self._function.digest}


def _at(where: str, message: str) -> Exception:
    """Returns the error of a value, with its place."""
    error: Exception = SettingsError(f"{where}: {message}" if where else message)
    return error


def _library(record: dict[str, Any]) -> str:
    return f"{record['version']} {record['commit']}".strip()


class _Files:
    """Checksums of files."""

    def __init__(self, folders: list[pathlib.Path]) -> None:
        """Paths are relative to the first of `folders` that has them."""
        self._folders = folders
        self._known: dict[str, Any] = {}

    def contents(self, value: Any) -> Any:
        """Returns a value with checksums in place of paths of files."""
        if isinstance(value, list):
            return [self.contents(each) for each in value]
        if isinstance(value, dict):
            return {name: self.contents(each) for name, each in value.items()}
        if not isinstance(value, str):
            return value
        if value not in self._known:
            files = [folder / value for folder in self._folders if value and _is_file(folder / value)]
            self._known[value] = {"sha256": hashlib.sha256(files[0].read_bytes()).hexdigest()} if files else value
        return self._known[value]


def _is_file(path: pathlib.Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a text that is no path
        return False
