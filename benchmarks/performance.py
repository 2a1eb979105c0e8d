#!/usr/bin/env python3
"""Writes docs/performance.md from the results of the GPU benchmarks.

    benchmarks/performance.py
"""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCHANGES = ["store", "copy", "host", "nccl"]
NAMES = {"life_natural": "Life, a loop over neighbours", "life_app": "Life, the app's B/S rule (`near.count`)",
         "heat_float": "Heat2D FP32", "heat_double": "Heat2D FP64"}


def medians(name):
    """The context of a result file, and its medians by the benchmarks' names."""
    results = json.loads((ROOT / "benchmarks/results" / f"{name}.json").read_text())
    runs = {run["run_name"].split("/manual_time")[0]: run
            for run in results["benchmarks"] if run.get("aggregate_name") == "median"}
    return results["context"], runs


def rates_table(runs):
    copy = runs["copy"]["TB/s"]
    yield f"A copy from device memory to device memory, read and written, in the same run: {copy:.2f} TB/s.\n"
    yield "| model | world | G places/s | us a step | TB/s | of the copy |"
    yield "|---|---|---|---|---|---|"
    for name, run in runs.items():
        match = re.fullmatch(r"(\w+)/(\d+)/1", name)
        if match and "TB/s" in run:
            yield (f"| {NAMES[match[1]]} | {match[2]}² | {run['Gplaces/s']:.1f} | {run['us/step']:.2f} | "
                   f"{run['TB/s']:.2f} | {run['TB/s'] / copy:.0%} |")


def scaling_table(runs):
    cases = []
    for name, run in runs.items():
        match = re.fullmatch(r"heat/rows:(\d+)/columns:(\d+)/gpus:(\d+)/exchange:(\d)", name)
        if match and "us/step" in run:
            cases.append((*map(int, match.groups()), run))
    single = {(rows, columns): run["us/step"] for rows, columns, gpus, _, run in cases if gpus == 1}
    yield "| world | GPUs | exchange | us a step | G places/s | efficiency |"
    yield "|---|---|---|---|---|---|"
    for rows, columns, gpus, exchange, run in cases:
        if (rows, columns) in single:  # strong scaling
            efficiency = f"{single[rows, columns] / run['us/step'] / gpus:.1%} strong"
        elif (rows // gpus, columns) in single:
            efficiency = f"{single[rows // gpus, columns] / run['us/step']:.1%} weak"
        else:
            efficiency = ""
        yield (f"| {rows} x {columns} | {gpus} | {EXCHANGES[exchange] if gpus > 1 else ''} | {run['us/step']:.2f} | "
               f"{run['Gplaces/s']:.1f} | {efficiency if gpus > 1 else ''} |")


def main():
    context, rates = medians("gpu_rates")
    scaling_context, scaling = medians("gpu_scaling")
    describe = "{gpu}, driver {driver}, CUDA {cuda}".format
    lines = ["# Performance on GPUs", "",
             "Written by `benchmarks/performance.py` from `benchmarks/results/gpu_*.json`; `scripts/benchmark` makes both anew.",
             "Medians; a step is one application of a rule to every place, timed by the host over many steps of one `callAll`.",
             "A place of Life is one byte, so a step moves 2 bytes a place at the least; of Heat2D 8 (FP32) or 16 (FP64).", "",
             "## One GPU", "", describe(**context) + ".", "", *rates_table(rates), "",
             "## Several GPUs of one host", "", describe(**scaling_context) + ". Heat2D FP32, periodic borders.", "",
             *scaling_table(scaling), ""]
    (ROOT / "docs/performance.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
