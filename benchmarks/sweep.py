#!/usr/bin/env python3
"""Measures sweeps of predation (100 x 100 places, 100 steps): workers, processes of the program, and kills.

    PYTHONPATH=build/mpi/python benchmarks/sweep.py [--build build/mpi] [--runs 1000] [--rounds 1] [--pause 0]
        [--kills 20] [--launcher "nice -n -20"] [--out benchmarks/results/sweep.json]

The runs are made by a sweep with one worker and with one for each processor, and by processes of the program, one after
the other and one on each processor at a time, all with one thread for each run. In each round all make their share of
the runs; times are sums. Then the sweep is killed with SIGKILL at random moments and continued, and its tables are
compared with those of a sweep that was not. Exits with 1 if they differ. Leave the machine to itself meanwhile, or give the
launcher "nice -n -20", with which other programs wait; user times count those of all processes.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import resource
import shlex
import subprocess
import sys
import tempfile
import time

import ranks

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETTINGS = {"size": 100, "steps": 100}


def sweep_command(folder, seeds, parallel):
    """Returns the command of a sweep over some seeds, without the launcher."""
    file = pathlib.Path(f"{folder}.json")
    file.write_text(json.dumps({"program": "predation", "settings": SETTINGS, "seeds": list(seeds),
                                "parallel": parallel, "folder": os.fspath(folder)}))
    return [sys.executable, "-m", "mass.sweeps", file, "--quiet"]


def program_command(options, folder, seed):
    settings = {**SETTINGS, "seed": seed, "threads": 1, "backend": "cpu", "output.folder": folder / str(seed)}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    return [*options.launcher, options.build / "bin/predation", *words]


def run(command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def make(options, kind, parallel, folder, seeds):
    """Makes the runs of some seeds."""
    if kind == "sweep":
        run([*options.launcher, *sweep_command(folder, seeds, parallel)])
    else:
        with concurrent.futures.ThreadPoolExecutor(parallel) as pool:
            list(pool.map(lambda seed: run(program_command(options, folder, seed)), seeds))


def measure(options, folder):
    """Returns wall and processor seconds of each way to make the runs."""
    processors = len(os.sched_getaffinity(0))
    ways = [(kind, parallel) for kind in ("sweep", "processes") for parallel in dict.fromkeys((1, processors))]
    costs = {way: [0.0, 0.0] for way in ways}
    each = options.runs // options.rounds
    for number in range(options.rounds):
        time.sleep(options.pause if number > 0 else 0)
        for kind, parallel in ways:
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            seeds = range(number * each, (number + 1) * each)
            make(options, kind, parallel, folder / f"{kind}-{parallel}-{number}", seeds)
            after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            costs[kind, parallel] = [costs[kind, parallel][0] + end - start, costs[kind, parallel][1] + used]
            print(f"{kind}, {parallel} at a time: {each} runs in {end - start:.1f} s, {used:.1f} s of processors",
                  flush=True)
    return [{"way": kind, "at a time": parallel, "seconds": round(wall, 2), "processor seconds": round(used, 2)}
            for (kind, parallel), (wall, used) in costs.items()]


def kill_often(options, folder):
    """Kills a sweep at random moments. Returns the numbers of kills that hit one, and True if the tables are equal."""
    generator = random.Random(1)
    seeds = range(options.runs)
    whole, killed = folder / "whole", folder / "killed"
    run(sweep_command(whole, seeds, len(os.sched_getaffinity(0))))
    hits = 0
    while hits < options.kills:
        process = subprocess.Popen(sweep_command(killed, seeds, 2), stdout=subprocess.DEVNULL)
        try:
            process.wait(generator.uniform(0.1, options.longest))
            print("the sweep ended before the last kill: reduce --longest")
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            hits += 1
    run(sweep_command(killed, seeds, 2))
    return hits, all((whole / name).read_bytes() == (killed / name).read_bytes() for name in ("runs.csv", "points.csv"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/mpi")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--pause", type=float, default=0, help="seconds between rounds, for other work on the machine")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--longest", type=float, default=1.5, help="seconds between two kills at most")
    parser.add_argument("--launcher", type=shlex.split, default=[])
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()

    result = {"machine": ranks.machine([options.build]), "runs": options.runs, "settings": SETTINGS,
              "launcher": " ".join(options.launcher)}
    with tempfile.TemporaryDirectory() as folder:
        result["costs"] = measure(options, pathlib.Path(folder))
        by_way = {(cost["way"], cost["at a time"]): cost["seconds"] for cost in result["costs"]}
        most = max(parallel for _, parallel in by_way)
        result["speedup of workers"] = round(by_way["sweep", 1] / by_way["sweep", most], 2)
        result["over processes"] = {f"{parallel} at a time": round(seconds / by_way["sweep", most], 2)
                                    for (way, parallel), seconds in by_way.items() if way == "processes"}
        result["kills"], result["equal tables"] = kill_often(options, pathlib.Path(folder))
    print(json.dumps(result, indent=2))
    if options.out:
        options.out.write_text(json.dumps(result, indent=2) + "\n")
    sys.exit(not result["equal tables"])


if __name__ == "__main__":
    main()
