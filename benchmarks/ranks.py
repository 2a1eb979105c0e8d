#!/usr/bin/env python3
"""Compares ranks with devices of one process, more ranks with fewer, and programs with and without MPI.

    benchmarks/ranks.py [--build build/mpi] [--mpich build/mpich] [--without build/cpu] [--rounds 9] [--only REGEX]
                        [--out benchmarks/results/ranks.json]
    benchmarks/ranks.py --gpus --build build/cuda [--rounds 9] [--only REGEX] [--out benchmarks/results/ranks_on_gpus.json]

Both sides of a comparison run by turns; the ratio is that of the medians. Times are those of the programs' summaries, so
that the start of a launcher does not count, except where the start is the question. Without --mpich or --without, their
rows are left out. Exits with 1 if a value is above its limit. Leave the machine to itself meanwhile.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
from mpirun import ENVIRONMENT  # noqa: E402

MEBIBYTE = 2**20
# One step a pass and per exchange on both sides.
QUIET = ["steps_per_pass=1", "exchange_every=1", "output.table_every=0", "output.frame_every=0", "output.data_every=0", "output.agents_every=0",
         "checkpoint.every=0"]

# The test system of Hallock et al. 2014, table 1, in 256^3 sites with 10^6 particles.
CUBE = """\
model:
  lattice: {sites: [256, 256, 256], spacing: 16 nm, timestep: 50 us, borders: periodic}
  site types: [cytoplasm]
  species:
    A: {cytoplasm: 1 um2/s}
    B: {cytoplasm: 1 um2/s}
    C: {cytoplasm: 1 um2/s}
    D: {cytoplasm: 1 um2/s}
  reactions:
    - {reaction: A -> B, rate: 1 /s}
    - {reaction: B -> A, rate: 1 /s}
    - {reaction: B + C -> D, rate: 1.0e-11 /M/s}
    - {reaction: D -> B + C, rate: 1 /s}
  initial:
    - {species: A, count: 500000, in: cytoplasm}
    - {species: C, count: 500000, in: cytoplasm}
"""


@dataclasses.dataclass
class Model:
    """A program and its settings. `file` is a settings file, if it needs one."""
    program: str
    assignments: list
    file: pathlib.Path = None


@dataclasses.dataclass
class Side:
    """Ranks and devices of a run. `ranks` is None for a process without launcher; devices and threads are those of a
    rank."""
    build: pathlib.Path
    ranks: int = None
    devices: int = 1
    threads: int = 1
    exchange: str = None  # transport between GPUs; None on CPUs

    def text(self):
        ranks = "one process" if self.ranks is None else f"{self.ranks} ranks"
        each = "" if self.ranks is None else " each"
        if self.exchange:
            return f"{ranks}, {count(self.devices, 'GPU')}{each}, exchange: {self.exchange}"
        return f"{ranks}, {count(self.devices, 'device')} and {count(self.threads, 'thread')}{each}"

    def settings(self):
        where = ["backend=cuda", f"exchange={self.exchange}"] if self.exchange else ["backend=cpu"]
        return [*where, f"devices={self.devices}", f"threads={self.threads}"]

    def launcher(self):
        return [] if self.ranks is None else [cached(self.build, "MPIEXEC_EXECUTABLE"), "-n", str(self.ranks)]


@dataclasses.dataclass
class Run:
    """Outcome of a run: seconds of its summary and of the whole process, and the most memory of one of its processes."""
    compute: float = None
    output: float = None
    wall: float = None
    memory: int = None


@dataclasses.dataclass
class Comparison:
    """Two sides by turns. `measure(run)` is what is compared; `combine(first, second)` compares the medians."""
    name: str
    unit: str
    limit: float
    sides: list      # pairs of a text and a function that starts a run
    measure: object
    kind: str = "ratio"

    def value(self, first, second):
        return first / second if self.kind == "ratio" else first - second


def count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def cached(build, name):
    """Returns an entry of CMake's cache."""
    match = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return match.group(1) if match else ""


def run(command, folder):
    """Runs a command in a folder."""
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{text}")
    found = {name: re.search(rf"^ +{name} +([0-9.]+) s", text, re.MULTILINE) for name in ("compute", "output")}
    seconds = {name: float(match.group(1)) for name, match in found.items() if match}
    return Run(wall=wall, memory=usage.ru_maxrss * 1024, **seconds)


def run_model(model, side, folder, *assignments):
    """Runs a model in a folder. Assignments replace those of the model."""
    command = [*side.launcher(), side.build / "bin" / model.program, *([model.file] if model.file else [])]
    for assignment in [*QUIET, *model.assignments, *side.settings(), *assignments]:
        command += ["--set", assignment]
    return run(command, folder)


def heat(steps, *more):
    return Model("heat2d", ["rows=4096", "columns=4096", "precision=float", f"steps={steps}", *more])


def life(size, steps):
    return Model("life", [f"rows={size}", f"columns={size}", "pattern=", "density=0.3", "border=periodic", f"steps={steps}"])


def compare(name, limit, model, first, second, folder):
    """Returns the comparison of the compute times of two sides."""
    sides = [(side.text(), lambda side=side: run_model(model, side, folder)) for side in (first, second)]
    return Comparison(name, "s", limit, sides, lambda outcome: outcome.compute)


def processes(build, folder):
    """Yields the comparisons of two ranks with one process of two devices."""
    (folder / "cube.yaml").write_text(CUBE)
    for name, limit, model in [
            ("Heat2D FP32 4096^2", 1.05, heat(200)),
            ("Life 1024^2", 1.15, life(1024, 20000)),
            ("Life 256^2", 1.3, life(256, 200000)),
            ("circles 10^5", 1.25, Model("circles", ["particles=100000", "width=46.4", "steps=40"])),
            ("rdme Min", 1.25, Model("rdme", ["steps=3000"], ROOT / "settings/min.yaml")),
            ("rdme 256^3, 10^6 particles", 1.25, Model("rdme", ["steps=30"], folder / "cube.yaml"))]:
        yield compare(name, limit, model, Side(build, ranks=2), Side(build, devices=2, threads=2), folder)


def on_gpus(build, folder):
    """Yields the comparisons of two ranks of one GPU each with one process of two GPUs."""
    def cavity(steps):
        return Model("lbm", ["cells=[512,512,512]", f"steps={steps}"], ROOT / "settings/cavity-3d.yaml")

    def plate(size, steps):
        return Model("heat2d", [f"rows={size}", f"columns={size}", "precision=float", f"steps={steps}"])

    circles = Model("circles", ["particles=8000000", "width=200", "steps=100"])
    # Limits of times: a rate of 0.95 is a time of 1.053.
    for name, limit, model, exchange, other in [
            ("Heat2D FP32 16384^2", 1.053, plate(16384, 600), "auto", "copy"),
            ("D3Q19 FP32 512^3", 1.053, cavity(200), "auto", "copy"),
            ("Heat2D FP32 4096^2", 1.3, plate(4096, 6000), "nccl", "nccl"),
            ("Heat2D FP32 4096^2, through the hosts", None, plate(4096, 6000), "host", "nccl"),
            ("circles 8 10^6", 1.333, circles, "auto", "auto"),
            ("circles 8 10^6, through the hosts", None, circles, "host", "auto")]:
        yield compare(name, limit, model, Side(build, ranks=2, exchange=exchange),
                      Side(build, devices=2, exchange=other), folder)


def oversubscription(build, folder):
    """Yields the comparison of four ranks with two."""
    name = f"Heat2D FP32 4096^2, {library(build)}"
    yield compare(name, 1.3, heat(200), Side(build, ranks=4), Side(build, ranks=2), folder)


def checkpoints(build, folder):
    """Yields the time and the memory of a checkpoint of 1 GiB from four ranks."""
    model = Model("heat2d", ["rows=16384", "columns=8192", "precision=double", "steps=1"])
    four, one = Side(build, ranks=4), Side(build, threads=2)

    def start(side, every):
        return lambda: run_model(model, side, folder, f"checkpoint.every={every}")

    yield Comparison("checkpoint of 1 GiB", "s", 1.25, [(side.text(), start(side, 1)) for side in (four, one)],
                     lambda outcome: outcome.output)
    yield Comparison("memory of the rank with the most, for a checkpoint of 1 GiB", "MiB", 160,
                     [(f"{four.text()}, a checkpoint", start(four, 1)), (f"{four.text()}, none", start(four, 0))],
                     lambda outcome: outcome.memory / MEBIBYTE, "difference")


def starts(build, without, folder):
    """Yields the comparisons of the start of programs with and without MPI."""
    model = life(256, 10)
    for name, start in [
            ("life --help", lambda folder_of_build: run([folder_of_build / "bin/life", "--help"], folder)),
            ("life, 10 steps", lambda folder_of_build: run_model(model, Side(folder_of_build), folder))]:
        yield Comparison(f"start of {name}", "ms", 10,
                         [(text, lambda start=start, side=side: start(side))
                          for text, side in (("built with MPI", build), ("without", without))],
                         lambda outcome: outcome.wall * 1000, "difference")


def on_cpus(builds, without, folder):
    """Returns the comparisons on CPUs."""
    comparisons = [*processes(builds[0], folder), *checkpoints(builds[0], folder)]
    for build in builds:
        comparisons += oversubscription(build, folder)
    if without:
        comparisons += starts(builds[0], without.resolve(), folder)
    return comparisons


def measure(comparison, rounds):
    """Runs a comparison, prints a line, and returns the result for JSON."""
    values = ([], [])
    for i in range(rounds):
        for which in ((0, 1), (1, 0))[i % 2]:  # neither side always follows the other
            values[which].append(comparison.measure(comparison.sides[which][1]()))
    medians = [statistics.median(side) for side in values]
    value = comparison.value(*medians)
    print(f"{comparison.name:60} {medians[0]:9.3f} {medians[1]:9.3f} {comparison.unit:4} {value:8.3f} "
          f"{comparison.limit or '':6}", flush=True)
    return {"name": comparison.name, "unit": comparison.unit,
            "sides": [{"what": text, "median": round(median, 4), "values": [round(number, 4) for number in numbers]}
                      for (text, _), median, numbers in zip(comparison.sides, medians, values)],
            comparison.kind: round(value, 4), "limit": comparison.limit}


def first_line(*command):
    if not shutil.which(command[0]):
        return ""
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    return output.strip().splitlines()[0] if output.strip() else ""


def library(build):
    """Returns the MPI library of a build by name and version."""
    if not cached(build, "MPIEXEC_EXECUTABLE"):
        return "no MPI"
    text = subprocess.run([cached(build, "MPIEXEC_EXECUTABLE"), "--version"], stdout=subprocess.PIPE, text=True,
                          check=False).stdout
    version = re.search(r"(?:Open MPI\) |OpenRTE\) |Version: +)([0-9.]+)", text)
    return f"{'Open MPI' if 'Open' in text else 'MPICH'} {version.group(1) if version else ''}".strip()


def machine(builds):
    """Returns a description of the machine and of the versions."""
    processor = re.search(r"^model name[^:]*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "processor": processor.group(1) if processor else platform.processor(),
            "processors": len(os.sched_getaffinity(0)), "load": os.getloadavg()[0], "kernel": platform.release(),
            "compiler": first_line(cached(builds[0], "CMAKE_CXX_COMPILER"), "--version"),
            "commit": first_line("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"),
            "gpu": first_line("nvidia-smi", "--query-gpu=name", "--format=csv,noheader"),
            "libraries": [library(build) for build in builds]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/mpi", help="build folder with MPI")
    parser.add_argument("--mpich", type=pathlib.Path, help="build folder with the other MPI library")
    parser.add_argument("--without", type=pathlib.Path, help="build folder without MPI")
    parser.add_argument("--gpus", action="store_true", help="compare GPUs, in a build folder with MPI and CUDA")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="regular expression of the names of comparisons")
    parser.add_argument("--out", type=pathlib.Path, help="JSON file of the results")
    options = parser.parse_args()
    builds = [folder.resolve() for folder in (options.build, options.mpich) if folder]
    with tempfile.TemporaryDirectory(dir=builds[0]) as name:
        folder = pathlib.Path(name)
        comparisons = [*on_gpus(builds[0], folder)] if options.gpus else on_cpus(builds, options.without, folder)
        description = machine(builds)
        print(f"{count(description['processors'], 'processor')}, medians of {options.rounds}")
        print(f"{'what':60} {'':9} {'over':>9} {'':4} {'value':>8} {'limit':>6}")
        results = [measure(comparison, options.rounds) for comparison in comparisons
                   if re.search(options.only, comparison.name)]
    if options.out:
        record = {"machine": description, "rounds": options.rounds, "comparisons": results}
        options.out.write_text(json.dumps(record, indent=2) + "\n")
    limited = [result for result in results if result["limit"]]
    return 1 if any(result.get("ratio", result.get("difference")) > result["limit"] for result in limited) else 0


if __name__ == "__main__":
    sys.exit(main())
