#!/usr/bin/env python3
"""Predicts heat3d of orders 2 and 6 from runs of order 4, as figure 6 of B2R (Liu and Perumalla 2018) does.

    benchmarks/predictions.py [--build build/mpi] [--fit 2] [--parts 2 4] [--threads | --delay 200]
                              [--rounds 5] [--blocks] [--out benchmarks/results/predictions.json]

The model is that of mass/partition/prediction.hpp for bands of P planes that read r planes (R steps per exchange) and have
f neighbours, 2 but in the runs of 2 ranks:

    t(R) = c (P + (R - 1) r f / 2) + l / R + w r

The time c of a plane of each order is that of the slowest of as many worlds at once as there are ranks, each with the
places of a part: processors share caches and memory, and ranks wait for the slowest. The latency l and the time w of a
plane's bytes are fitted to order 4 on --fit ranks with R = 1, 2, 4 and 8 (least squares of relative deviations, not below
0). Messages to the two neighbours along an axis count as one: they are on their way at once, and times of 2, 4 and 8 ranks
say so. The table has predicted, measured and their ratio for each number of ranks of --parts. With --blocks, ranks have
blocks of two rows of parts, and times are those of lines, not planes.

Ranks are processes that share memory, threads of one process (--threads; needs a build with benchmarks), or emulated hosts
with a delay of that many microseconds (root, Linux). There should be more processors than ranks, and no other load.
"""

import argparse
import concurrent.futures
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
from rank_cycles import Network, medians  # noqa: E402
from ranks import QUIET, machine  # noqa: E402

EVERY = [1, 2, 4, 8]
ORDERS = {2: 1, 4: 2, 6: 3}  # reach of each order
COMPUTE = re.compile(r"^  compute +([\d.]+) s", re.MULTILINE)
STEP = re.compile(r"^  step +([\d.]+) s", re.MULTILINE)


def settings(order, shape):
    planes, rows, columns = shape
    return [f"planes={planes}", f"rows={rows}", f"columns={columns}", f"order={order}", "time_step=0.08",
            "precision=float"]


def fit(parts, times, line):
    """Returns the latency and the time of a line sent, given the time of a computed line and the times by R of order 4."""
    # Each equation is divided by its time: l / R + w sent = time - compute.
    rows = [(1 / every / time, parts.sent(ORDERS[4]) / time, 1 - line * parts.work(every, ORDERS[4]) / time)
            for every, time in times.items()]

    def product(i, j):
        return sum(row[i] * row[j] for row in rows)

    determinant = product(0, 0) * product(1, 1) - product(0, 1) ** 2
    latency = (product(0, 2) * product(1, 1) - product(1, 2) * product(0, 1)) / determinant
    sent = (product(1, 2) * product(0, 0) - product(0, 2) * product(0, 1)) / determinant
    if sent < 0:
        latency, sent = product(0, 2) / product(0, 0), 0.0
    elif latency < 0:
        latency, sent = 0.0, product(1, 2) / product(1, 1)
    return max(latency, 0.0), max(sent, 0.0)


class Processes:
    """Ranks that are processes, on hosts with a delay in microseconds or in shared memory (None)."""

    def __init__(self, build, ranks, delay, folder):
        self.build, self.ranks, self.delay, self.folder = build, ranks, delay, folder

    def alone(self, assignments, steps):
        """Returns the seconds of a step of the slowest of worlds without neighbours, which run at once."""
        def seconds(number):
            own = self.folder / f"alone{number}"
            own.mkdir(exist_ok=True)
            text = Network(self.build, None, None, 1).output(
                "heat3d", [*assignments, f"steps={steps}", "threads=1"], own)
            return float(COMPUTE.search(text).group(1)) / steps

        with concurrent.futures.ThreadPoolExecutor(self.ranks) as pool:
            return max(pool.map(seconds, range(self.ranks)))

    def together(self, assignments, steps, rounds, choices):
        """Returns the median seconds of a step by the steps per exchange, of which there are some choices."""
        hosts = Hosts(self.build / "tests/emulated_hosts", self.ranks, self.folder) if self.delay is not None else None
        try:
            network = Network(self.build, hosts, self.delay, self.ranks, steps_per_pass=1)
            times = medians(network, ("heat3d", assignments), steps, rounds, choices, self.folder)
        finally:
            if hosts:
                hosts.close()
        return {every: entry["step"] for every, entry in times.items() if entry["every"] == every}


class Threads:
    """Ranks that are threads of one process."""

    def __init__(self, build, ranks):
        self.program, self.ranks = build / "benchmarks/benchmark_ranks_on_threads", ranks

    def run(self, assignments, steps, kind):
        """Returns the seconds of a step of the slowest rank."""
        line = [self.program, "heat3d", ROOT / "settings/heat3d.yaml", str(self.ranks), kind, str(steps), *QUIET,
                *assignments, "threads=1", "backend=cpu"]
        return float(STEP.search(subprocess.run(line, check=True, capture_output=True, text=True).stdout).group(1))

    def alone(self, assignments, steps):
        return self.run(assignments, steps, "alone")

    def together(self, assignments, steps, rounds, choices):
        runs = [{every: self.run([*assignments, f"exchange_every={every}"], steps, "0") for every in choices}
                for _ in range(rounds)]
        return {every: statistics.median(times[every] for times in runs) for every in choices}


class Parts:
    """Part of a world on one of some ranks: bands, or blocks in two rows of parts."""

    def __init__(self, shape, ranks, blocks):
        rows = 2 if blocks and ranks % 2 == 0 and ranks > 2 else ranks
        self.partition = f"{rows}x{ranks // rows}"
        self.faces = [min(parts - 1, 2) for parts in (rows, ranks // rows)]  # neighbours of a part that has most
        self.size = [shape[0] / rows, shape[1] / (ranks // rows)]

    def work(self, every, reach):
        """Lines that a step computes in the mean."""
        planes, rows = (size + (every - 1) * reach * faces / 2 for size, faces in zip(self.size, self.faces))
        return planes * rows

    def choices(self, reach):
        """Returns the steps per exchange for which each part has the planes and rows that others read."""
        return [every for every in EVERY
                if all(every * reach <= size for size, faces in zip(self.size, self.faces) if faces)]

    def sent(self, reach):
        """Lines that a step sends to one neighbour along each axis."""
        return reach * (self.size[1] * min(self.faces[0], 1) + self.size[0] * min(self.faces[1], 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/mpi", help="build folder with MPI")
    parser.add_argument("--fit", type=int, default=2, help="ranks of the runs of order 4")
    parser.add_argument("--parts", type=int, nargs="+", default=[2, 4], help="ranks of the predicted runs")
    parser.add_argument("--shape", type=int, nargs=3, default=[192, 64, 64], help="planes, rows and columns")
    parser.add_argument("--delay", type=int, help="microseconds between emulated hosts; without: shared memory")
    parser.add_argument("--threads", action="store_true", help="ranks are threads of one process")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--blocks", action="store_true", help="blocks instead of bands")
    parser.add_argument("--out", type=pathlib.Path, help="JSON file of the results")
    options = parser.parse_args()
    build = options.build.resolve()
    results = []
    with tempfile.TemporaryDirectory(dir=build) as name:
        folder = pathlib.Path(name)
        line = {}

        def ranks_of(count):
            return Threads(build, count) if options.threads else Processes(build, count, options.delay, folder)

        def measure_line(order, ranks):
            """Measures the seconds of a line without exchange."""
            planes, rows = (round(size) for size in Parts(options.shape, ranks, options.blocks).size)
            assignments = settings(order, (planes, rows, options.shape[2]))
            times = [ranks_of(ranks).alone(assignments, options.steps) for _ in range(options.rounds)]
            line[order, ranks] = statistics.median(times) / planes / rows

        def measured(order, ranks):
            parts = Parts(options.shape, ranks, options.blocks)
            return ranks_of(ranks).together([*settings(order, options.shape), f"partition={parts.partition}"],
                                            options.steps, options.rounds, parts.choices(ORDERS[order]))

        measure_line(4, options.fit)
        fitted = measured(4, options.fit)
        latency, transport = fit(Parts(options.shape, options.fit, options.blocks), fitted, line[4, options.fit])
        print(f"order 4 on {options.fit} ranks: {line[4, options.fit] * 1e9:.4g} ns a line, latency {latency * 1e6:.4g} us, "
              f"{transport * 1e9:.4g} ns a line sent")
        print(f"{'order':>6}{'ranks':>6}{'parts':>7}{'R':>4}{'predicted, us':>15}{'measured':>10}{'ratio':>7}")
        for order in (2, 6):
            reach = ORDERS[order]
            for ranks in options.parts:
                parts = Parts(options.shape, ranks, options.blocks)
                measure_line(order, ranks)
                for every, seconds in measured(order, ranks).items():
                    predicted = line[order, ranks] * parts.work(every, reach) + latency / every + transport * parts.sent(reach)
                    results.append({"order": order, "ranks": ranks, "partition": parts.partition, "every": every,
                                    "predicted": predicted, "measured": seconds})
                    print(f"{order:6}{ranks:6}{parts.partition:>7}{every:4}{predicted * 1e6:15.1f}{seconds * 1e6:10.1f}"
                          f"{predicted / seconds:7.2f}", flush=True)
    worst = max(abs(entry["predicted"] / entry["measured"] - 1) for entry in results)
    print(f"largest deviation: {100 * worst:.0f} %")
    if options.out:
        record = {"machine": machine([build]), "rounds": options.rounds, "shape": options.shape, "delay": options.delay,
                  "threads": options.threads,
                  "fit": {"ranks": options.fit, "latency": latency, "line_sent": transport, "times": fitted},
                  "line": {f"order {order}, {ranks} ranks": seconds for (order, ranks), seconds in line.items()},
                  "predictions": results, "largest_deviation": worst}
        options.out.write_text(json.dumps(record, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
