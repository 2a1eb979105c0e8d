#!/usr/bin/env python3
"""Times small worlds on a machine that does other work too: all processors against one thread.

    benchmarks/busy_machine.py [--programs build/cpu/bin] [--rounds 9]

Under each load, runs with the default threads and with threads=1 alternate, and the medians of their compute times are
compared. Loads: none; a busy loop on each processor; a second run of the same kind. Exits with 1 if the ratio exceeds
1.3 for one case.
"""

import argparse
import contextlib
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = 1.3
# Name, app, settings.
CASES = [
    ("life 64^2, 100,000 steps", "life", ["rows=64", "columns=64", "steps=100000"]),
    ("life 512^2, 5,000 steps", "life", ["rows=512", "columns=512", "steps=5000"]),
    ("heat2d 100^2, 20,000 steps", "heat2d", ["rows=100", "columns=100", "steps=20000"]),
    ("boids 2,000, 100 steps", "boids", ["boids=2000", "steps=100"]),
]
QUIET = ["backend=cpu", "output.table_every=0", "output.frame_every=0", "output.data_every=0", "output.agents_every=0",
         "checkpoint.every=0"]


def start(programs, app, assignments, folder):
    """Starts a run and returns its process."""
    command = [str(programs / app)]
    for assignment in QUIET + assignments + [f"output.folder={folder}"]:
        command += ["--set", assignment]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def seconds(process):
    """Waits for a run and returns its compute time."""
    output, _ = process.communicate()
    if process.returncode != 0:
        sys.exit(f"{process.args} failed")
    return float(re.search(r"compute +([0-9.]+) s", output).group(1))


@contextlib.contextmanager
def busy_loops():
    """Keeps each processor busy."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def time_alone(programs, app, assignments, folder):
    return seconds(start(programs, app, assignments, folder))


def time_in_pairs(programs, app, assignments, folder):
    """Returns the mean compute time of two runs at once."""
    runs = [start(programs, app, assignments, f"{folder}/{i}") for i in range(2)]
    return statistics.mean([seconds(run) for run in runs])


LOADS = [("none", contextlib.nullcontext, time_alone), ("busy loops", busy_loops, time_alone),
         ("two runs", contextlib.nullcontext, time_in_pairs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/cpu/bin")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    worst = 0
    print(f"{len(os.sched_getaffinity(0))} processors, medians of {options.rounds}, seconds")
    print(f"{'case':28} {'load':12} {'default':>8} {'1 thread':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for name, app, assignments in CASES:
            for load, context, measure in LOADS:
                times = {"default": [], "one": []}
                with context():
                    for _ in range(options.rounds):
                        times["default"].append(measure(options.programs, app, assignments, folder))
                        times["one"].append(measure(options.programs, app, assignments + ["threads=1"], folder))
                default, one = statistics.median(times["default"]), statistics.median(times["one"])
                worst = max(worst, default / one)
                print(f"{name:28} {load:12} {default:8.3f} {one:8.3f} {default / one:6.2f}", flush=True)
    print(f"largest ratio {worst:.2f}, at most {MOST}")
    return 0 if worst <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
