"""Plan of a sweep: its runs in order, with the keys by which their results are known."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from ..run import UsageError
from .design import MOST, Texts, points_of, texts_of, whole
from .keep import Keep, read_keep
from .names import unknown
from .programs import Program, program_of

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

    program: Program
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
        return {"program": self.program.name, "keep": self.keep.request}


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
    designs or the file of a function are unusable.
    """
    for key in ("settings", "axes"):
        if not isinstance(keys[key], Mapping):
            raise UsageError(f"'{key}' = {keys[key]!r}: it is a section of settings")
    return _Planner(program_of(keys["program"], keys["settings_file"]), keys).plan()


class _Planner:
    """Maker of a plan."""

    def __init__(self, program: Program, keys: Mapping[str, Any]) -> None:
        self._keys = keys
        self._program = program
        self._fixed = texts_of(keys["settings"])

    def plan(self) -> Plan:
        designs = points_of(self._keys["axes"], self._keys["designs"], self._program.types, self._whole("random_seed"))
        columns = [name for name in dict.fromkeys(name for design, _ in designs for name in design) if name != "seed"]
        seeds = self._seeds(designs)
        if len(designs) * len(seeds) > MOST:
            raise UsageError(f"the sweep has {len(designs)} points with {self._keys['seeds']!r} seeds: at most {MOST} runs are "
                             "possible")
        points: dict[str, int] = {}
        found: list[Point] = []
        runs: dict[str, Run] = {}
        library = ""
        given: set[str] = set()
        for design, where in designs:
            settings = {**self._fixed, **design}
            read = self._program.read(settings, where)
            library = read.library
            given |= read.given
            if read.text not in points:
                points[read.text] = len(found)
                settings.pop("seed", None)
                found.append(Point(settings, [read.values[name] for name in columns]))
            for seed in seeds or [read.values["seed"]]:
                run = Run(hashlib.sha256(f"{read.text} {seed}".encode()).hexdigest()[:32], points[read.text], seed)
                runs.setdefault(run.key, run)
        asked = len(designs) * len(seeds or [0])
        return Plan(self._program, read_keep(self._keys["keep"]), columns, found, list(runs.values()),
                    asked - len(runs), library, given)

    def _seeds(self, designs: Sequence[tuple[Texts, str]]) -> list[int]:
        """Returns the seeds of each point; none if settings have them."""
        request = self._keys["seeds"]
        if request is None:
            return []
        if "seed" in self._fixed or any("seed" in design for design, _ in designs):
            raise UsageError("'seeds' and the setting 'seed' are given: leave one out")
        if not self._program.takes_seed:
            raise UsageError(f"'seeds' is given, and {self._program.name} has no parameter 'world' or 'seed'")
        try:
            seeds = [whole(seed) for seed in request] if isinstance(request, (list, tuple, range)) else \
                list(range(1, min(whole(request), MOST + 1) + 1))
        except (TypeError, ValueError, OverflowError):
            seeds = [-1]
        if seeds and (min(seeds) < 0 or max(seeds) >= 1 << 63):
            raise UsageError(
                f"'seeds' = {request!r}: it is the number of seeds, 1 and up, or a list of seeds from 0 to 2^63 - 1")
        if not seeds:
            raise UsageError(f"'seeds' = {request!r}: there are no runs to make")
        return seeds

    def _whole(self, key: str) -> int:
        try:
            return whole(self._keys[key])
        except (TypeError, ValueError, OverflowError):
            raise UsageError(f"'{key}' = {self._keys[key]!r}: it is a whole number") from None
