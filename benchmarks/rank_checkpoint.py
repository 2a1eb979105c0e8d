#!/usr/bin/env python3
"""Compares a checkpoint of several ranks, and a restart from it, with those of one process on the same disk.

    benchmarks/rank_checkpoint.py [--programs build/mpi/benchmarks] [--mebibytes 1024] [--ranks 4] [--rounds 5]
                                  [--mpirun "mpirun --oversubscribe"] [--folder DISK] [--json FILE]

Runs alternate: one process, then the ranks, each with one thread. Exits with 1 if the median time of a checkpoint on
ranks exceeds 1.25 times that of one process, or the resident memory of rank 0 grows by more than 160 MiB meanwhile.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_TIME = 1.25
MOST_MEMORY = 160  # MiB
KINDS = ["places", "agents"]


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def measure(launcher, program, kind, mebibytes, folder):
    """Returns the costs that the benchmark prints."""
    file = pathlib.Path(folder) / "checkpoint.h5"
    file.unlink(missing_ok=True)
    os.sync()
    command = launcher + [str(program), kind, str(mebibytes), str(file)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{command} failed:\n{run.stderr}")
    return json.loads(run.stdout)


def medians(costs):
    """Returns the medians of the costs of several runs, by call and unit."""
    return {call: {unit: round(statistics.median(cost[call][unit] for cost in costs), 3) for unit in costs[0][call]}
            for call in ("save", "restore")}


def compare(options, kind, folder):
    program = options.programs / "benchmark_rank_checkpoint"
    launcher = shlex.split(options.mpirun) + ["-n", str(options.ranks)]
    alone, together = [], []
    for _ in range(options.rounds):
        alone.append(measure([], program, kind, options.mebibytes, folder))
        together.append(measure(launcher, program, kind, options.mebibytes, folder))
    result = {"kind": kind, "file bytes": alone[0]["file bytes"], "one process": medians(alone),
              "ranks": medians(together)}
    for call in ("save", "restore"):
        result[f"{call} ratio"] = round(result["ranks"][call]["s"] / result["one process"][call]["s"], 3)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/mpi/benchmarks")
    parser.add_argument("--mebibytes", type=int, default=1024)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mpirun", default="mpirun --oversubscribe")
    parser.add_argument("--folder", type=pathlib.Path, help="folder on the disk to measure")
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    options = parser.parse_args()
    results = []
    print(f"{options.mebibytes} MiB, {options.ranks} ranks on {len(os.sched_getaffinity(0))} processors, medians of "
          f"{options.rounds}")
    print(f"{'':16} {'one process':>18} {'ranks':>18} {'ratio':>6} {'other ranks':>11}")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for kind in KINDS:
            results.append(compare(options, kind, folder))
            for call in ("save", "restore"):
                one, ranks = (results[-1][by][call] for by in ("one process", "ranks"))
                print(f"{kind:7} {call:8} {one['s']:6.2f} s {one['MiB']:5.0f} MiB {ranks['s']:6.2f} s "
                      f"{ranks['MiB']:5.0f} MiB {results[-1][f'{call} ratio']:6.2f} {ranks['MiB others']:7.0f} MiB",
                      flush=True)
    if options.json:
        options.json.write_text(json.dumps({"processor": processor(), "processors": len(os.sched_getaffinity(0)),
                                            "ranks": options.ranks, "repetitions": options.rounds,
                                            "medians": results}, indent=2) + "\n")
    reached = all(result["save ratio"] <= MOST_TIME and result["ranks"]["save"]["MiB"] <= MOST_MEMORY
                  for result in results)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
