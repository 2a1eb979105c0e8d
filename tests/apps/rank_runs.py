"""Runs of programs on several ranks, as mpirun starts them. Needs the standard library only."""

import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import programs
from mpirun import ENVIRONMENT

# Command mpirun of the MPI library with which the programs are built; set by `take_arguments`.
MPIRUN = "mpirun"

# Seconds in which all ranks end after a failure of one of them, and more for a busy machine.
ENDING = 5
SLACK = 5


def take_arguments(*names):
    """Removes the first arguments of the command line: mpirun, the folder of the programs, and others.

    Returns the others."""
    global MPIRUN
    MPIRUN = sys.argv.pop(1)
    programs.BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    return [sys.argv.pop(1) for _ in names]


def wait_until(condition, seconds=programs.PATIENCE):
    """Waits until condition() is true; returns False if it is not within the time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def is_running(pid):
    """True if the process exists and has not ended."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


class RankRun:
    """A program that has been started on several ranks in a folder."""

    def __init__(self, folder, ranks, line, one_rank=None, launcher=()):
        """Starts the command line. `one_rank` maps a rank to shell code that is run on it first, in which the
        arguments of the program are "$@". `launcher` replaces mpirun and its option -n."""
        self.folder, self.ranks = folder, ranks
        self.program = pathlib.Path(line[0]).name.removesuffix("_without_mpi")
        for rank in range(ranks):
            self.pid_file(rank).unlink(missing_ok=True)
        cases = "".join(f"  {rank}) {code} ;;\n" for rank, code in (one_rank or {}).items())
        start = folder / "start_rank.sh"
        start.write_text("#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n"
                         f"echo $$ >{shlex.quote(str(folder))}/pid-$rank.new && "
                         f"mv {shlex.quote(str(folder))}/pid-$rank.new {shlex.quote(str(folder))}/pid-$rank\n"
                         f"case $rank in\n{cases}esac\nexec \"$@\"\n", encoding="utf-8")
        start.chmod(0o755)
        self.process = subprocess.Popen([*(launcher or [MPIRUN, "-n", str(ranks)]), str(start), *line], cwd=folder,
                                        env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)

    def pid_file(self, rank):
        return self.folder / f"pid-{rank}"

    def pid(self, rank):
        return int(self.pid_file(rank).read_text(encoding="utf-8"))

    def signal(self, rank, number):
        os.kill(self.pid(rank), number)

    def wait_for(self, file):
        """Waits until the file exists while the run goes on; ends the run if it does not."""
        if not wait_until(lambda: file.exists() or self.process.poll() is not None) or self.process.poll() is not None:
            self.kill()
            raise AssertionError(f"{file} does not exist: {self.process.communicate()}")

    def all_end(self, ranks, seconds=ENDING + SLACK):
        """True if the ranks end within the time."""
        return wait_until(lambda: not any(is_running(self.pid(rank)) for rank in ranks), seconds)

    def finish(self):
        """Waits for the end. Returns this, with the exit code and the output."""
        try:
            self.output, self.errors = self.process.communicate(timeout=programs.PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the run does not end: {self.process.communicate()}") from None
        self.code = self.process.returncode
        return self

    def kill(self):
        for rank in range(self.ranks):
            if self.pid_file(rank).exists() and is_running(self.pid(rank)):
                self.signal(rank, signal.SIGKILL)
        self.process.kill()

    def messages(self):
        """Returns the lines that the program wrote to standard error, without notes."""
        lines = re.findall(rf"^{self.program}: .*", self.errors, re.MULTILINE)
        return [line for line in lines if ": note: " not in line]

    def hash(self):
        """Returns the state hash that the run printed, once."""
        found = re.findall(r"state hash +([0-9a-f]{16})", self.output)
        assert self.code == 0 and len(found) == 1, (self.code, self.output, self.errors)
        return found[0]


def run_on(ranks, folder, line, one_rank=None):
    """Returns the finished run of a command line on several ranks."""
    return RankRun(folder, ranks, line, one_rank).finish()


def step_of(program, settings, checkpoint):
    """Returns the step of a checkpoint, which a program names that must not pass step 0."""
    outcome = programs.run(programs.command(program, settings, ["steps=0"], "--restart", checkpoint),
                           cwd=checkpoint.parent)
    return int(re.search(r"was written at step (\d+), beyond", outcome.stderr)[1])
