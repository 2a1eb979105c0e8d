#!/usr/bin/env python3
"""Prints the rates, and the ratios that the project promises, from the medians of benchmark results.

    benchmarks/summary.py benchmarks/results/NAME...
"""

import json
import pathlib
import sys

# Comparisons: benchmark, reference benchmark, lowest ratio wanted (None: no goal), description.
RATIOS = [
    ("heat<float>/1/real_time", "copy<float>/real_time", 0.80, "Heat2D FP32 8192^2, one thread, over a plain copy loop"),
    ("heat<double>/1/real_time", "copy<double>/real_time", 0.80, "Heat2D FP64 8192^2, one thread, over a plain copy loop"),
    ("natural/1/real_time", "byHand<plainRow>/real_time", 1.00, "Life 512^2, neighbour loop over the same by hand"),
    ("counted/1/real_time", "byHand<tunedRow>/real_time", None, "Life 512^2, near.count over the tuned loop by hand"),
    ("app/1/real_time", "byHand<plainRow>/real_time", 1.00, "Life 512^2, the app's B/S rule over Conway's by hand"),
    ("natural/2/real_time", "natural/1/real_time", 1.80, "Life 512^2, neighbour loop, two threads over one"),
    ("counted/2/real_time", "counted/1/real_time", None, "Life 512^2, near.count, two threads over one"),
    ("app/2/real_time", "app/1/real_time", 1.80, "Life 512^2, the app's rule, two threads over one"),
    ("diffuse/field/512", "diffuse/one_class/512", 0.90, "five points 512^2, a factor in a field over one in the class"),
    ("diffuse/field/4096", "diffuse/one_class/4096", 0.90, "five points 4096^2, a factor in a field over one in the class"),
    ("relax/field/512", "relax/one_class/512", 0.90, "own place 512^2, a summand in a field over one in the class"),
    ("relax/field/4096", "relax/one_class/4096", 0.90, "own place 4096^2, a summand in a field over one in the class"),
    ("heat/2/real_time", "heat/1/real_time", 0.97, "Heat2D FP32 4096^2, two devices over one with two threads"),
    ("cells/2/real_time", "cells/1/real_time", 0.97, "Life 4096^2, two devices over one with two threads"),
]


def medians(path):
    results = json.loads(pathlib.Path(path).with_suffix(".json").read_text())
    return {
        run["run_name"].split("/repeats")[0]: run
        for run in results["benchmarks"]
        if run.get("aggregate_name") == "median"
    }


def main():
    runs = {}
    for path in sys.argv[1:]:
        runs.update(medians(path))
    print(f"{'median of 9':34} {'G places/s':>10} {'GB/s':>8}")
    for name, run in runs.items():
        if "places/s" in run:
            print(f"{name:34} {run['places/s'] / 1e9:10.3f} {run['bytes/s'] / 1e9:8.2f}")
    print()
    for name, against, wanted, text in RATIOS:
        if name in runs and against in runs:
            ratio = runs[name]["places/s"] / runs[against]["places/s"]
            goal = f"wanted {wanted:.2f}" if wanted else "no goal"
            print(f"{ratio:6.3f} ({goal:11})  {text}")
    for name, run in runs.items():
        if "ms/step by hand" in run:  # times: at most so many times as long
            text = f"{name.split('/')[1]} circles, two threads, {run['ms/step']:.1f} ms a step over {run['ms/step by hand']:.1f} by hand"
            print(f"{run['ratio']:6.3f} (at most 2.00)  {text}")
        if "of the copy" in run and "MLUPS" in run:
            text = f"{name}: {run['MLUPS']:.0f} M cells/s, {run['GB/s']:.1f} GB/s over a copy's {run['copy GB/s']:.1f} on the same threads"
            print(f"{run['of the copy']:6.3f} (no goal    )  {text}")


if __name__ == "__main__":
    main()
