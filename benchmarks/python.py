#!/usr/bin/env python3
"""Measures the package of Python beside C++: calls of rules, copies of arrays, and the compilation of a model.

    PYTHONPATH=build/mpi/python build/venv/bin/python benchmarks/python.py [--rounds 9]
                                                                          [--out benchmarks/results/python.json]

The loop in C++ (python_calls.hpp) is part of the same compiled model. Both loops go by turns; times are medians, and
ratios are medians of the ratios within a round. Leave the machine to itself meanwhile.
"""

import argparse
import ctypes
import datetime
import json
import os
import pathlib
import platform
import resource
import statistics
import tempfile
import time

import mass
import numpy
from mass import model_compiler

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALLS = 20000


def seconds(action):
    """Returns the seconds of an action."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def compiler_seconds(action):
    """Returns the processor seconds of the processes that an action starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    action()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def calls_in_python(cells, calls, steps):
    advance = cells.nextGeneration
    for _ in range(calls):
        advance(steps=steps)


def compare(rounds, python, other):
    """Returns medians of two times, and of their ratio within a round."""
    pairs = [(python(), other()) for _ in range(rounds)]
    return {"python": statistics.median(pair[0] for pair in pairs), "other": statistics.median(pair[1] for pair in pairs),
            "ratio": statistics.median(pair[0] / pair[1] for pair in pairs),
            "difference": statistics.median(pair[0] - pair[1] for pair in pairs)}


def measure_calls(rounds):
    header = ROOT / "benchmarks" / "python_calls.hpp"
    model = mass.load(header)
    library = ctypes.CDLL(str(model_compiler.compiled(header, model_compiler.declarations_of(header), "cpu")[0]))
    library.secondsOfCalls.restype = ctypes.c_double
    library.secondsOfCalls.argtypes = [ctypes.c_int64, ctypes.c_int64]
    cells = model.Life(mass.Mass({"threads": 1, "backend": "cpu"}), (64, 64))
    cells.randomise(0.3)
    results = {}
    for steps in [1, 100]:
        calls = CALLS // steps
        both = compare(rounds, lambda: seconds(lambda: calls_in_python(cells, calls, steps)),
                       lambda: library.secondsOfCalls(calls, steps))
        results[f"64^2 life, {steps} steps a call, us a call"] = {
            key: value if key == "ratio" else value / calls * 1e6 for key, value in both.items()}
    return results


def measure_copies(rounds):
    run = mass.open("life", {"rows": 1024, "columns": 1024, "threads": 1, "backend": "cpu"})
    cells = run.places["life"]
    source = numpy.asarray(cells["alive"])
    copies = 20
    both = compare(rounds, lambda: seconds(lambda: [cells["alive"] for _ in range(copies)]),
                   lambda: seconds(lambda: [source.copy() for _ in range(copies)]))
    return {"1024^2 bool to NumPy over numpy.copy, us": {
        key: value if key == "ratio" else value / copies * 1e6 for key, value in both.items()}}


def measure_load():
    header = ROOT / "python" / "tests" / "models" / "life.hpp"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MASS_CACHE"] = folder
        first = compiler_seconds(lambda: mass.load(header))
        cached = statistics.median(seconds(lambda: mass.load(header)) for _ in range(9))
        del os.environ["MASS_CACHE"]
    return {"first load of life.hpp, s of the compiler": first, "kept, ms": cached * 1e3}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    results = {"date": datetime.date.today().isoformat(), "machine": platform.processor() or platform.machine(),
               "processors": os.cpu_count(), "python": platform.python_version(), "version": mass.__version__,
               **measure_calls(options.rounds), **measure_copies(options.rounds), **measure_load()}
    text = json.dumps(results, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
