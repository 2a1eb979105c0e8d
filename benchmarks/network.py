#!/usr/bin/env python3
"""Measures an SIR step on a scale-free network beside SciPy's product of its matrix with a vector.

    python3 benchmarks/network.py BUILD/benchmarks/benchmark_network [--nodes 1000000] [--edges 5] [--backend cpu]
                                  [--devices 1] [--threads 2] [--rounds 5] [--out benchmarks/results/network.json]

Needs SciPy. Both use the same network, to which each node adds `--edges` edges; they go by turns, times are
medians. Leave the machine to itself meanwhile.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy
import scipy.sparse

STEPS = 20


def step_of_mass(arguments, folder):
    """Returns the result of benchmark_network, which writes its network to a folder."""
    command = [arguments.program, arguments.nodes, arguments.edges, arguments.backend, arguments.devices, arguments.threads, STEPS,
               folder]
    return json.loads(subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout)


def product_of_scipy(folder):
    """Returns the seconds of a product of the matrix of the network and the vector of the infectious."""
    offsets = numpy.fromfile(folder / "offsets", dtype=numpy.int64).astype(numpy.int32)
    targets = numpy.fromfile(folder / "targets", dtype=numpy.int32)
    nodes = len(offsets) - 1
    ones = numpy.ones(len(targets), dtype=numpy.float32)
    matrix = scipy.sparse.csr_array((ones, targets, offsets), shape=(nodes, nodes))
    infectious = (numpy.arange(nodes) % 10 == 7).astype(numpy.float32)
    times = []
    for _ in range(STEPS + 1):
        start = time.perf_counter()
        matrix @ infectious
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=1000000)
    parser.add_argument("--edges", type=int, default=5)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rounds = [(step_of_mass(arguments, folder), product_of_scipy(pathlib.Path(folder)))
                  for _ in range(arguments.rounds)]
    step = rounds[0][0]
    result = {"date": datetime.date.today().isoformat(), "nodes": step["nodes"], "links": step["links"],
              "backend": arguments.backend, "devices": arguments.devices, "threads": arguments.threads,
              "scipy": scipy.__version__, "mass_seconds": statistics.median(mass["seconds"] for mass, _ in rounds),
              "scipy_seconds": statistics.median(seconds for _, seconds in rounds),
              "ratio": statistics.median(seconds / mass["seconds"] for mass, seconds in rounds)}
    print(json.dumps(result, indent=1))
    if arguments.out:
        arguments.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
