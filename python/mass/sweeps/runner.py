"""Processes that make the runs of a sweep."""

from __future__ import annotations

import collections
import dataclasses
import json
import os
import pathlib
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import _core
from ..run import UsageError
from .design import whole
from .functions import environment
from .plan import Plan, Run
from .progress import Progress
from .store import PartFile, Result, Store

DeviceError = _core.DeviceError

#: Signals by which a machine short of memory, or a user, ends a process. Its run is tried again.
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM)
MOST_TRIES = 3


@dataclasses.dataclass(frozen=True)
class Place:
    """Processor or GPU on which one process at a time makes runs."""

    environment: dict[str, str]
    settings: dict[str, str]  #: unless the user sets them


def places_of(request: Any) -> list[Place]:
    """Returns the places that 'parallel' asks for: a number of processes on processors, "cores", "gpus", {"cores": 4},
    {"gpus": 2} or {"gpus": [0, 3]}.

    Raises UsageError if it is none of these; DeviceError if there are no such GPUs.
    """
    kind, number = request, None
    if isinstance(request, Mapping) and len(request) == 1:
        (kind, number), = request.items()
    elif isinstance(request, (int, float, str)) and request not in ("cores", "gpus"):
        kind, number = "cores", request
    try:
        if kind == "cores":
            count = len(os.sched_getaffinity(0)) if number is None else whole(number)
            if count < 1:
                raise ValueError
            return [Place({}, {"backend": "cpu", "threads": "1"})] * count
        if kind == "gpus":
            return [Place({"CUDA_VISIBLE_DEVICES": gpu}, {"backend": "cuda", "threads": "1"}) for gpu in _gpus(number)]
    except (TypeError, ValueError):
        pass
    raise UsageError(f"'parallel' = {request!r}: it is a number of processes of at least 1, cores, gpus, {{gpus: 2}} "
                     "or {gpus: [0, 1]}")


def _gpus(request: Any) -> list[str]:
    """Returns names of GPUs, as CUDA_VISIBLE_DEVICES has them."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        gpus = [name for name in visible.split(",") if name]
    else:
        try:
            lines = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout.splitlines()
        except (OSError, subprocess.CalledProcessError):
            lines = []
        gpus = [str(number) for number in range(sum(line.startswith("GPU ") for line in lines))]
    if request is None:
        numbers = list(range(max(1, len(gpus))))
    elif isinstance(request, (list, tuple)):
        numbers = [whole(number) for number in request]
    else:
        numbers = list(range(whole(request)))
    if not numbers or min(numbers) < 0 or len(set(numbers)) < len(numbers):
        raise ValueError
    if max(numbers) >= len(gpus):
        raise DeviceError(f"'parallel' asks for GPU {max(numbers)}; there are {len(gpus)} GPUs")
    return [gpus[number] for number in numbers]


@dataclasses.dataclass
class Task:
    """Run to make."""

    run: Run
    request: dict[str, Any]
    deaths: int = 0  #: number of processes that a signal ended in it


class Worker:
    """Process that makes one run at a time."""

    def __init__(self, part: pathlib.Path, place: Place) -> None:
        self.place = place
        # In a session of its own, so that Ctrl-C in a terminal does not reach it: it ends with its standard input.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "mass.sweeps.worker", os.fspath(part)], bufsize=0, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env={**environment(), **place.environment}, start_new_session=True)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self.output = self._process.stdin, self._process.stdout
        self._text = b""
        self.is_ready = False
        self.task: Task | None = None

    def give(self, task: Task) -> None:
        """Makes it begin a run."""
        self.task = task
        try:
            self._input.write(json.dumps({**task.request, "place": self.place.settings}).encode() + b"\n")
        except BrokenPipeError:
            pass  # it has ended, which its output shows

    def replies(self) -> list[dict[str, Any]] | None:
        """Returns the replies that have arrived; None if the process has ended."""
        piece = self.output.read(1 << 16)
        if not piece:
            return None
        *lines, self._text = (self._text + piece).split(b"\n")
        return [json.loads(line) for line in lines]

    def end(self) -> int:
        """Kills the process if it runs, and returns its exit code."""
        self._process.kill()
        code = self._process.wait()
        self._input.close()
        self.output.close()
        return code



class Runner:
    """Makes runs on places, each on the next one that is free."""

    def __init__(self, plan: Plan, store: Store, places: Sequence[Place], progress: Progress) -> None:
        self._plan = plan
        self._store = store
        self._places = places
        self._progress = progress
        self._selector = selectors.DefaultSelector()
        self._pending: collections.deque[Task] = collections.deque()
        self._own: PartFile | None = None
        self._false_starts = 0

    def make(self, runs: Iterable[Run], attempts: Mapping[str, int]) -> None:
        """Makes runs, whose results are in the store afterwards. `attempts` has the number of failures before.

        Raises UsageError if no run can be made; OutputError if a result cannot be written.
        """
        self._pending.extend(Task(run, self._request(run, attempts.get(run.key, 0))) for run in runs)
        try:
            for number in range(min(len(self._places), len(self._pending))):
                self._start(number, self._places[number])
            while self._selector.get_map():
                for key, _ in self._selector.select(self._progress.interval):
                    self._serve(key.data)
                self._progress.show()
        finally:
            for key in list(self._selector.get_map().values()):
                key.data[1].end()
            self._selector.close()

    def _request(self, run: Run, attempt: int) -> dict[str, Any]:
        plan = self._plan
        return {"key": run.key, "library": plan.library, "attempt": attempt, **plan.program.request(),
                "settings": {**plan.points[run.point].settings, "seed": str(run.seed)}, "keep": plan.keep.request}

    def _start(self, number: int, place: Place) -> None:
        settings = {key: text for key, text in place.settings.items() if key not in self._plan.set_by_user}
        try:
            worker = Worker(self._store.part(f"worker-{number}"), Place(place.environment, settings))
        except OSError as error:
            raise UsageError(f"cannot start process {number + 1}: {error.strerror}; reduce 'parallel'") from None
        self._selector.register(worker.output, selectors.EVENT_READ, (number, worker))

    def _serve(self, entry: tuple[int, Worker]) -> None:
        number, worker = entry
        replies = worker.replies()
        if replies is None:
            self._bury(number, worker)
            return
        for reply in replies:
            if "refusal" in reply:
                kind, message = reply["refusal"]
                raise getattr(_core, kind)(message)
            if worker.is_ready:
                self._progress.add(reply["error"], reply["warnings"])
            worker.is_ready, worker.task = True, None
        if worker.is_ready and worker.task is None:
            if self._pending:
                worker.give(self._pending.popleft())
            else:
                self._selector.unregister(worker.output)
                worker.end()

    def _bury(self, number: int, worker: Worker) -> None:
        """Replaces a process that has ended in the middle of a run."""
        self._selector.unregister(worker.output)
        code = worker.end()
        self._false_starts = 0 if worker.is_ready else self._false_starts + 1
        is_from_outside = -code in FROM_OUTSIDE
        if self._false_starts > (MOST_TRIES if is_from_outside else 0):
            raise UsageError(f"a process for runs does not start: it ended with {_ending(code)}")
        task = worker.task
        if task is not None:
            task.deaths += 1
            if is_from_outside and task.deaths < MOST_TRIES:
                self._pending.appendleft(task)
            else:
                self._fail(task, f"the process of the run ended with {_ending(code)}")
        if self._pending:
            self._start(number, worker.place)

    def _fail(self, task: Task, message: str) -> None:
        self._own = self._own or PartFile(self._store.part("ended"))
        request = task.request
        self._own.append(Result(request["key"], request["library"], request["attempt"], error=message))
        self._progress.add(message, [])


def _ending(code: int) -> str:
    """Returns the exit code of a process as text."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name + (", as if memory was short" if -code == signal.SIGKILL else "")
    except ValueError:
        return f"signal {-code}"
