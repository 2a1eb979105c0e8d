#!/usr/bin/env python3
"""Times a GPU's steps with launch shapes from many fresh caches: they should all be equally fast.

    benchmarks/launch_tuner.py [--programs build/cuda/bin] [--caches 20]

Runs three rules on three sizes, each with as many empty cache folders, and compares the times of a step. Exits with 1
if the slowest cache of a case is more than 10 % slower than the fastest. One GPU; about 4 minutes for 20 caches.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = 1.1
# Program, settings, and steps for each size: about 50 ms of work.
RULES = [("life", []), ("heat2d", ["precision=float"]), ("forest_fire", [])]
STEPS = {256: 40_000, 1024: 20_000, 4096: 2_000}
QUIET = ["backend=cuda", "devices=1", "output.table_every=0", "output.frame_every=0", "output.data_every=0",
         "checkpoint.every=0"]


def step_time(programs, app, assignments, cache):
    """Returns the microseconds of a step of a run with a cache folder."""
    command = [str(programs / app)]
    for assignment in QUIET + assignments + [f"output.folder={cache}/out"]:
        command += ["--set", assignment]
    run = subprocess.run(command, env={**os.environ, "XDG_CACHE_HOME": cache}, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{command} failed:\n{run.stderr}")
    steps = int(re.search(r"step (\d+) of", run.stdout).group(1))
    return float(re.search(r"compute +([0-9.]+) s", run.stdout).group(1)) / steps * 1e6


def shape_in(cache):
    """Returns the launch shape in a cache folder."""
    lines = (pathlib.Path(cache) / "mass/tiles").read_text().split()
    return lines[-1] if lines else "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/cuda/bin")
    parser.add_argument("--caches", type=int, default=20)
    options = parser.parse_args()
    worst = 0
    print(f"microseconds of a step with {options.caches} fresh caches")
    print(f"{'rule':12} {'size':>6} {'fastest':>9} {'median':>9} {'slowest':>9} {'ratio':>6}  shapes")
    for app, assignments in RULES:
        for size, steps in STEPS.items():
            times, shapes = [], []
            for _ in range(options.caches):
                with tempfile.TemporaryDirectory() as cache:
                    settings = assignments + [f"rows={size}", f"columns={size}", f"steps={steps}"]
                    step_time(options.programs, app, settings, cache)  # with the measurement of shapes
                    times.append(step_time(options.programs, app, settings, cache))
                    shapes.append(shape_in(cache))
            worst = max(worst, max(times) / min(times))
            counts = ", ".join(f"{shapes.count(shape)} {shape}" for shape in sorted(set(shapes)))
            print(f"{app:12} {size:6} {min(times):9.3f} {statistics.median(times):9.3f} {max(times):9.3f} "
                  f"{max(times) / min(times):6.2f}  {counts}", flush=True)
    print(f"largest ratio {worst:.2f}, at most {MOST}")
    return 0 if worst <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
