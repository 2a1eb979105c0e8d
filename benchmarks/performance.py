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

# Ogden, Multi-GPU MASS CUDA, 2025, tables C.1 and C.2: milliseconds from the library's start to its end on one and on
# two NVIDIA RTX A5000; 0: out of memory. Their captions are exchanged: the slopes that the text gives for Heat2D are
# those of table C.1. The figures here stand under the right names.
MASS_CUDA = {
    "heat2d": {100: (5130, 7019), 1000: (9354, 10299), 2000: (22183, 18814), 3000: (43412, 29294), 4000: (0, 46917),
               5000: (0, 0)},
    "life": {100: (118.5, 125), 1000: (132.5, 145), 2000: (192, 201), 3000: (286, 302), 4000: (0, 558), 5000: (0, 0)},
}
# GB/s of device memory, by NVIDIA's data sheets.
A5000, H200 = 768, 4800
# 4000^2 places were the most that two cards of 24 GB held.
MASS_CUDA_PLACES_PER_GB = 4000**2 / 48


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


def mass_cuda_table(runs):
    steps = {"heat2d": "Heat2D, 3000 steps", "life": "Life, 10 generations"}
    yield "| program | places | GPUs | MASS CUDA, ms | here, ms | ratio | places a GB, ratio |"
    yield "|---|---|---|---|---|---|---|"
    for program, sizes in MASS_CUDA.items():
        for side, gpus in ((side, gpus) for side in (*sizes, 16384) for gpus in (1, 2)):
            run = runs.get(f"{program}/side:{side}/gpus:{gpus}")
            if not run or "Mplaces/GB" not in run:
                continue
            theirs = sizes[side][gpus - 1] if side in sizes else None
            ours = run["real_time"] / 1e6
            denser = run["Mplaces/GB"] * 1e6 / MASS_CUDA_PLACES_PER_GB
            published = "" if theirs is None else f"{theirs:g}" if theirs else "out of memory"
            yield (f"| {steps[program]} | {side}² | {gpus} | {published} | {ours:.1f} | "
                   f"{f'{theirs / ours:.0f}' if theirs else ''} | {denser:.0f} |")


def main():
    context, rates = medians("gpu_rates")
    scaling_context, scaling = medians("gpu_scaling")
    papers_context, papers = medians("gpu_mass_cuda")
    describe = "{gpu}, driver {driver}, CUDA {cuda}".format
    lines = ["# Performance on GPUs", "",
             "Written by `benchmarks/performance.py` from `benchmarks/results/gpu_*.json`; `scripts/benchmark` makes both anew.",
             "Medians; a step is one application of a rule to every place, timed by the host over many steps of one `callAll`.",
             "A place of Life is one byte, so a step moves 2 bytes a place at the least; of Heat2D 8 (FP32) or 16 (FP64).", "",
             "## One GPU", "", describe(**context) + ".", "", *rates_table(rates), "",
             "## Several GPUs of one host", "", describe(**scaling_context) + ". Heat2D FP32, periodic borders.", "",
             *scaling_table(scaling), "",
             "## Beside MASS CUDA", "", describe(**papers_context) + ".", "",
             "The two programs of Ogden, *Multi-GPU MASS CUDA* (2025), appendix C, from the library's start to its end, worlds",
             "from 100² on and one that two cards of 24 GB did not hold. The published times are from NVIDIA RTX A5000 cards",
             f"({A5000} GB/s; an H200 has {H200} GB/s, {H200 / A5000:.1f} times as much). The captions of the paper's two tables are",
             "exchanged; here each figure stands with its program. A GB of device memory held at most",
             f"{MASS_CUDA_PLACES_PER_GB / 1e6:.2f} million places there.", "",
             *mass_cuda_table(papers), ""]
    (ROOT / "docs/performance.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
