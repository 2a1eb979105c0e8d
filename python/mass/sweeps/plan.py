"""Plan of a sweep: its runs in order, with the keys by which their results are known."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from ..run import UsageError, schema
from .design import Texts, points_of, texts_of, whole
from .keep import Keep, read_keep
from .names import unknown

SettingsError = _core.SettingsError

#: Keys of a sweep, with their defaults.
KEYS: dict[str, Any] = {
    "program": None, "settings_file": None, "settings": {}, "axes": {}, "designs": None, "random_seed": 1,
    "seeds": None, "keep": "last", "parallel": "cores", "folder": None,
}


@dataclasses.dataclass(frozen=True)
class Run:
    """A run of a sweep."""

    key: str  #: equal for equal runs
    point: int  #: index of its point
    seed: int


@dataclasses.dataclass(frozen=True)
class Point:
    """Runs of equal settings but for the seed."""

    settings: Texts  #: without the seed
    cells: list[Any]  #: values of the columns of the plan


@dataclasses.dataclass(frozen=True)
class Plan:
    """Runs to make, and the rows to keep of them."""

    program: str
    file: str  #: settings file; empty for none
    keep: Keep
    columns: list[str]  #: settings that differ between points
    points: list[Point]
    runs: list[Run]
    duplicates: int  #: runs of the design that are equal to one before
    library: str  #: version and commit
    set_by_user: set[str]  #: names of settings

    @property
    def identity(self) -> dict[str, Any]:
        """Properties of all sweeps that may share a folder."""
        return {"program": self.program, "keep": self.keep.request}


def with_defaults(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values of all keys of a sweep.

    Raises UsageError if a key is unknown.
    """
    for key in keys:
        if key not in KEYS:
            raise unknown("a sweep has no key", key, KEYS)
    return {**KEYS, **{key: value for key, value in keys.items() if value is not None}}


def plan_of(keys: Mapping[str, Any]) -> Plan:
    """Returns the plan of a sweep with all its keys.

    Raises UsageError if a key is unusable; SettingsError if the program does not accept a value; InputError if the
    designs are unusable.
    """
    program = keys["program"]
    if not isinstance(program, str):
        raise UsageError("a sweep needs the key 'program', the name of an app")
    for key in ("settings", "axes"):
        if not isinstance(keys[key], Mapping):
            raise UsageError(f"'{key}' = {keys[key]!r}: it is a section of settings")
    return _Planner(program, keys).plan()


class _Planner:
    """Maker of a plan."""

    def __init__(self, program: str, keys: Mapping[str, Any]) -> None:
        self._keys = keys
        self._program = program
        self._schema = schema(program)
        self._file = os.fspath(keys["settings_file"] or "")
        self._fixed = texts_of(keys["settings"])
        self._folders = [pathlib.Path(), pathlib.Path(self._file).parent]
        self._files: dict[str, Any] = {}

    def plan(self) -> Plan:
        types = {name: str(key["type"]) for name, key in self._schema.items()}
        designs = points_of(self._keys["axes"], self._keys["designs"], types, self._whole("random_seed"))
        columns = [name for name in dict.fromkeys(name for design, _ in designs for name in design) if name != "seed"]
        seeds = self._seeds(designs)
        points: dict[str, int] = {}
        found: list[Point] = []
        runs: dict[str, Run] = {}
        library = ""
        given: set[str] = set()
        for design, where in designs:
            settings = {**self._fixed, **design}
            record = self._record(settings, where)
            library = f"{record['version']} {record['commit']}".strip()
            given |= _given(record)
            text = self._canonical(record)
            if text not in points:
                points[text] = len(found)
                settings.pop("seed", None)
                found.append(Point(settings, [record["settings"][name]["value"] for name in columns]))
            for seed in seeds or [record["settings"]["seed"]["value"]]:
                run = Run(hashlib.sha256(f"{text} {seed}".encode()).hexdigest()[:32], points[text], seed)
                runs.setdefault(run.key, run)
        asked = len(designs) * len(seeds or [0])
        return Plan(self._program, self._file, read_keep(self._keys["keep"]), columns, found, list(runs.values()),
                    asked - len(runs), library, given)

    def _seeds(self, designs: Sequence[tuple[Texts, str]]) -> list[int]:
        """Returns the seeds of each point; none if settings have them."""
        request = self._keys["seeds"]
        if request is None:
            return []
        if "seed" in self._fixed or any("seed" in design for design, _ in designs):
            raise UsageError("'seeds' and the setting 'seed' are given: leave one out")
        try:
            seeds = [whole(seed) for seed in request] if isinstance(request, (list, tuple, range)) else \
                list(range(1, whole(request) + 1))
        except (TypeError, ValueError, OverflowError):
            seeds = [-1]
        if seeds and min(seeds) < 0:
            raise UsageError(
                f"'seeds' = {request!r}: it is the number of seeds, 1 and up, or a list of seeds of at least 0")
        if not seeds:
            raise UsageError(f"'seeds' = {request!r}: there are no runs to make")
        return seeds

    def _whole(self, key: str) -> int:
        try:
            return whole(self._keys[key])
        except (TypeError, ValueError, OverflowError):
            raise UsageError(f"'{key}' = {self._keys[key]!r}: it is a whole number") from None

    def _record(self, settings: Texts, where: str) -> dict[str, Any]:
        """Returns the record of a run with these settings."""
        try:
            assignments = [f"{key}={text}" for key, text in settings.items()]
            return dict(json.loads(_core.record(self._program, self._file, assignments)))
        except SettingsError as error:
            message = str(error).removeprefix("--set ")
            raise SettingsError(f"{where}: {message}" if where else message) from None

    def _canonical(self, record: Mapping[str, Any]) -> str:
        """Returns the settings that are set and affect results, but for the seed, in one spelling.

        Defaults are left out: a program may tell a key that is not set from its default, and another version may have
        more keys. A text that is the path of a file stands for the contents of the file.
        """
        settings = {name: self._contents(record["settings"][name]["value"]) for name in sorted(_given(record))
                    if name != "seed" and self._affects(name)}
        return json.dumps([self._program, settings])

    def _affects(self, name: str) -> bool:
        return name == "steps" or name not in self._schema or bool(self._schema[name]["affects_results"])

    def _contents(self, value: Any) -> Any:
        """Returns a value with checksums in place of paths of files."""
        if isinstance(value, list):
            return [self._contents(each) for each in value]
        if isinstance(value, dict):
            return {name: self._contents(each) for name, each in value.items()}
        if not isinstance(value, str):
            return value
        if value not in self._files:
            files = [folder / value for folder in self._folders if value and _is_file(folder / value)]
            self._files[value] = {"sha256": hashlib.sha256(files[0].read_bytes()).hexdigest()} if files else value
        return self._files[value]


def _is_file(path: pathlib.Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a text that is no path
        return False


def _given(record: Mapping[str, Any]) -> set[str]:
    """Returns the names of settings that the user has set."""
    return {name for name, setting in record["settings"].items() if setting["from"] != "default"}
