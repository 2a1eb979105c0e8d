"""Folder of a sweep: its lock, the results of its runs, and its tables.

Each process that makes runs appends their results to a file of its own in `parts`. A line has a checksum: one that a
process could not complete, or that is damaged, counts as not written.
"""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import pathlib
import zlib
from collections.abc import Iterator
from typing import Any

from .. import _core
from ..run import UsageError

OutputError = _core.OutputError


@dataclasses.dataclass(frozen=True)
class Result:
    """Result of a run: its rows, or the message of its failure."""

    key: str  #: of the run
    library: str  #: version and commit
    attempt: int  #: number of failures before
    columns: list[str] = dataclasses.field(default_factory=list)
    rows: list[Any] = dataclasses.field(default_factory=list)  #: (step or None, values) each
    error: str = ""

    def replaces(self, other: Result | None) -> bool:
        """True if this one counts rather than another one of the same run."""
        return other is None or (not self.error, self.attempt) > (not other.error, other.attempt)


class PartFile:
    """File to which one process appends results."""

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self._file = file
        try:
            self._descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise cannot_write(file, error) from None

    def append(self, result: Result) -> None:
        """Adds a result.

        Raises OutputError if it cannot be written.
        """
        text = json.dumps(dataclasses.asdict(result)).encode()
        # A line end before it, too: the line of an earlier process may have none.
        line = b"\n%08x %s\n" % (zlib.crc32(text), text)
        try:
            if os.write(self._descriptor, line) != len(line):
                raise OSError(None, "the disk is full")
        except OSError as error:
            raise cannot_write(self._file, error) from None


def cannot_write(file: str | os.PathLike[str], error: OSError) -> Exception:
    """Returns the error of a file or folder that cannot be written."""
    failure: Exception = OutputError(f"cannot write '{os.fspath(file)}': {error.strerror}")
    return failure


def _results(file: pathlib.Path) -> Iterator[Result | None]:
    """Yields the results in a part file; None for each line that is damaged."""
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise OutputError(f"cannot read '{file}': {error.strerror}") from None
    for line in lines:
        if not line:
            continue
        checksum, _, text = line.partition(b" ")
        try:
            yield Result(**json.loads(text)) if checksum == b"%08x" % zlib.crc32(text) else None
        except (ValueError, TypeError):
            yield None


class Store:
    """Folder of a sweep, which one process at a time may open."""

    def __init__(self, folder: str | os.PathLike[str], identity: dict[str, Any]) -> None:
        """Opens or makes the folder.

        `identity` is equal for the sweeps that may share it.

        Raises OutputError if it cannot be written; UsageError if it is that of something else, or in use.
        """
        self.folder = pathlib.Path(folder)
        self.parts = self.folder / "parts"
        self.damaged = 0  #: lines that read() left out
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise cannot_write(folder, error) from None
        try:
            self._take_lock()
            self._claim(identity)
        except BaseException:
            os.close(self._lock)
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def _take_lock(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"another sweep uses the folder '{self.folder}': wait for its end, or choose another "
                             "folder") from None
        except OSError as error:
            raise OutputError(f"cannot lock '{self.folder}/.lock': {error.strerror}") from None

    def _claim(self, identity: dict[str, Any]) -> None:
        """Compares the folder's identity, or sets it."""
        file = self.folder / "sweep.json"
        try:
            text = file.read_text(encoding="utf-8") if file.exists() else ""
        except (OSError, ValueError):
            text = "?"
        if text:
            self._require(identity, text)
        else:
            others = [path.name for path in self.folder.iterdir() if path.name != ".lock" and path.suffix != ".partial"]
            if others:
                raise UsageError(f"the folder '{self.folder}' holds other files ('{min(others)}') and no sweep: choose "
                                 "another folder")
            self.write("sweep.json", json.dumps(identity, indent=2) + "\n")
        try:
            self.parts.mkdir(exist_ok=True)
        except OSError as error:
            raise cannot_write(self.parts, error) from None

    def _require(self, identity: dict[str, Any], text: str) -> None:
        try:
            found = dict(json.loads(text))
        except (ValueError, TypeError):
            raise UsageError(f"'{self.folder}/sweep.json' is damaged: choose another folder") from None
        differing = [name for name in identity if found.get(name) != identity[name]]
        if differing:
            name = differing[0]
            raise UsageError(f"the folder '{self.folder}' holds another sweep: its {name} is {found.get(name)!r}, not "
                             f"{identity[name]!r}: choose another folder")

    def part(self, name: str) -> pathlib.Path:
        """Returns the part file of a process."""
        return self.parts / f"{name}.txt"

    def read(self) -> dict[str, Result]:
        """Returns the results by the keys of their runs.

        Raises OutputError if a file cannot be read.
        """
        results: dict[str, Result] = {}
        self.damaged = 0
        for file in sorted(self.parts.glob("*.txt")):
            for result in _results(file):
                if result is None:
                    self.damaged += 1
                elif result.replaces(results.get(result.key)):
                    results[result.key] = result
        return results

    def write(self, name: str, text: str) -> None:
        """Replaces a file of the folder at once.

        Raises OutputError if it cannot be written.
        """
        file = self.folder / name
        partial = self.folder / f"{name}.partial"
        try:
            with partial.open("w", encoding="utf-8", newline="") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(file)
        except OSError as error:
            raise cannot_write(file, error) from None
