#!/usr/bin/env python3
"""Compares lbm in blocks with lbm in bands, in turns within one run.

    benchmarks/block_ratio.py [--build build/mpi] [--cells 160] [--devices 4] [--hosts N | --thread-ranks N] [--delay 200]
                              [--partition 2x2] [--collision bgk] [--steps 100] [--rounds 5] [--out FILE.json]

Without --hosts, one process has that many CPU devices; with --hosts, each emulated host has one rank with one device and
one thread (root, Linux); with --thread-ranks, ranks are threads of one process, which needs a build with benchmarks
(preset cpu). Messages of ranks are delayed by that many microseconds. Populations stream in two buffers. Prints the
median times of a step and their ratio.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "tests/hosts"), str(ROOT / "benchmarks")]
from hosts import Hosts  # noqa: E402
from rank_cycles import Network  # noqa: E402
from ranks import machine  # noqa: E402

STEP = re.compile(r"^  step +([\d.]+) s", re.MULTILINE)
COMPUTE = re.compile(r"^  compute +([\d.]+) s", re.MULTILINE)
HASH = re.compile(r"^  state hash +(\w+)", re.MULTILINE)


def on_threads(build, ranks, delay, steps, file, assignments):
    """Returns the output of lbm on ranks that are threads of one process."""
    line = [build / "benchmarks/benchmark_ranks_on_threads", "lbm", file, str(ranks), str(delay), str(steps), *assignments]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/mpi", help="build folder with MPI")
    parser.add_argument("--cells", type=int, default=160, help="cells along each axis")
    parser.add_argument("--devices", type=int, default=4, help="CPU devices of the process")
    parser.add_argument("--threads", type=int, default=0, help="threads of the process")
    parser.add_argument("--hosts", type=int, help="emulated hosts")
    parser.add_argument("--thread-ranks", type=int, help="ranks that are threads of one process")
    parser.add_argument("--delay", type=int, default=200, help="microseconds")
    parser.add_argument("--partition", default="2x2")
    parser.add_argument("--collision", default="mrt", help="collision of lbm; bgk computes least for the same bytes")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path, help="JSON file of the results")
    options = parser.parse_args()
    build = options.build.resolve()
    times, hashes = {"rows": [], options.partition: []}, set()
    with tempfile.TemporaryDirectory(dir=build) as name:
        folder = pathlib.Path(name)
        (folder / "lbm.yaml").write_text((ROOT / "settings/cavity-3d.yaml").read_text(encoding="utf-8"), encoding="utf-8")
        hosts = Hosts(build / "tests/emulated_hosts", options.hosts, folder) if options.hosts else None
        network = Network(build, hosts, options.delay if hosts else None, options.hosts or 1)
        ranks = options.hosts or options.thread_ranks
        devices = [f"devices={1 if ranks else options.devices}", f"threads={1 if ranks else options.threads}"]
        try:
            for _ in range(options.rounds):
                for partition, values in times.items():
                    assignments = [f"cells=[{options.cells}, {options.cells}, {options.cells}]", "duration=0",
                                   f"steps={options.steps}", "streaming=two_buffers", f"partition={partition}",
                                   f"collision={options.collision}", *devices]
                    if options.thread_ranks:
                        text = on_threads(build, ranks, options.delay, options.steps, folder / "lbm.yaml", assignments)
                        values.append(float(STEP.search(text).group(1)))
                    else:
                        text = network.output("lbm.yaml", assignments, folder)
                        values.append(float(COMPUTE.search(text).group(1)) / options.steps)
                    hashes.add(HASH.search(text).group(1))
        finally:
            if hosts:
                hosts.close()
    if len(hashes) != 1:
        sys.exit(f"the hashes differ: {hashes}")
    medians = {partition: statistics.median(values) for partition, values in times.items()}
    ratio = medians[options.partition] / medians["rows"]
    for partition, seconds in medians.items():
        print(f"{partition:>6}: {seconds * 1e3:.3f} ms a step")
    print(f"{options.partition} / rows: {ratio:.3f}")
    if options.out:
        record = {"machine": machine([build]), "cells": options.cells, "hosts": options.hosts,
                  "thread_ranks": options.thread_ranks, "delay": options.delay if ranks else None,
                  "devices": ranks or options.devices, "collision": options.collision,
                  "steps": options.steps, "seconds": times, "medians": medians, "ratio": ratio}
        options.out.write_text(json.dumps(record, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
