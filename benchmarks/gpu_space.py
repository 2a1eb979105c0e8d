#!/usr/bin/env python3
"""Measures the apps in space on a GPU, beside the copy rate of its memory.

    benchmarks/gpu_space.py --copy TB/S [--build build/cuda-90] [--rounds 3] [--out benchmarks/results/gpu_space.json]

The copy rate is that of `benchmark_gpu_rates --benchmark_filter=copy`, read and written, of the same minutes. A run before
the first one of a world tunes the launch shapes. Rates are the medians of the summaries of the programs; shares are those
of the bytes that a place needs in a step.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNITS = {"M": 1e6, "G": 1e9, "T": 1e12}


def heat(order, precision, steps, per_pass):
    return [f"order={order}", f"precision={precision}", "planes=512", "rows=512", "columns=512", "time_step=0.05",
            f"steps={steps}", f"steps_per_pass={per_pass}"]


def life(side, steps):
    return [f"planes={side}", f"rows={side}", f"columns={side}", "rule=5766", f"steps={steps}", "steps_per_pass=1"]


# Name, program, settings, bytes of a place in a step.
CASES = [("life3d 1024^3", "life3d", life(1024, 300), 2), ("life3d 512^3", "life3d", life(512, 2000), 2),
         *((f"heat3d FP32 order {order}, one step a pass", "heat3d", heat(order, "float", 1200, 1), 8)
           for order in (2, 4, 6, 8)),
         *((f"heat3d FP64 order {order}, one step a pass", "heat3d", heat(order, "double", 600, 1), 16)
           for order in (2, 4, 6, 8)),
         ("heat3d FP32 order 2, auto", "heat3d", heat(2, "float", 2400, "auto"), 8),
         ("heat3d FP64 order 2, auto", "heat3d", heat(2, "double", 2400, "auto"), 16),
         ("seismic FP32", "seismic",
          ["cells=[512, 512, 64]", "precision=float", "top=absorbing", "time_step=1e-3", "spacing=10",
           "source.position=[2560, 2560, 300]", "source.frequency=12", "source.moment_rate=1e12", "steps=150",
           "steps_per_pass=1"], 120)]


def rate(build, program, settings):
    """Returns places a second and the state hash of a run."""
    with tempfile.TemporaryDirectory() as folder:
        given = [*settings, "backend=cuda", "output.table_every=0", f"output.folder={folder}"]
        command = [str(build / "bin" / program), *(part for setting in given for part in ("--set", setting))]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    number, unit = re.search(r"compute +[\d.]+ s, ([\d.]+) ([MGT])", text).groups()
    return float(number) * UNITS[unit], re.search(r"state hash +(\w+)", text)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copy", type=float, required=True, help="TB/s")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/cuda-90")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "benchmarks/results/gpu_space.json")
    options = parser.parse_args()
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], check=True, capture_output=True,
                         text=True).stdout.splitlines()[0]
    results = []
    for name, program, settings, size in CASES:
        rate(options.build, program, settings)
        runs = [rate(options.build, program, settings) for _ in range(options.rounds)]
        median = statistics.median(run[0] for run in runs)
        results.append({"name": name, "places_per_second": median, "hash": runs[0][1],
                        "share_of_copy": round(median * size / (options.copy * 1e12), 3)})
        print(f"{name:42} {median / 1e9:9.1f} G places/s  {results[-1]['share_of_copy']:6.3f} of the copy", flush=True)
    context = {"gpu": gpu, "copy_TB_per_s": options.copy, "rounds": options.rounds}
    options.out.write_text(json.dumps({"context": context, "benchmarks": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
