#!/usr/bin/env python3
"""Measures heat3d of orders 2 to 8 on a GPU and processors, as figure 5 of B2R (Liu and Perumalla 2018) does.

    benchmarks/mixed_ranks.py [--build build/cuda-90] [--shape 8000 200 200] [--share 0.1] [--threads N] [--looks 10]
                              [--seconds 1] [--out FOLDER]

One rank has a GPU, the other the processors but one; both are threads of a process, so that no MPI is needed. Processors
begin with a share of the rows, and balance.by: time moves them at each look. Writes mixed_ranks.json, .png and .svg: the
difference between the times of a step by look. The build has benchmarks: cmake --preset cuda-90
-DMASS_BUILD_BENCHMARKS=ON, ninja -C build/cuda-90 benchmark_gpu_mixed. In a build with emulated GPUs (preset
cuda-emulated-few) it runs with EMULATED_GPUS=1, for a test of the program: its times then mean nothing.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "benchmarks")]
from ranks import machine  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/cuda-90", help="build folder with benchmarks")
    parser.add_argument("--shape", type=int, nargs=3, default=[8000, 200, 200], help="rows, lines and columns")
    parser.add_argument("--share", type=float, default=0.1, help="share of the processors in the rows at first")
    parser.add_argument("--threads", type=int, default=max(len(os.sched_getaffinity(0)) - 1, 1),
                        help="threads of the processors")
    parser.add_argument("--looks", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=1, help="time between looks")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "benchmarks/results", help="folder of the results")
    options = parser.parse_args()
    build = options.build.resolve()
    subprocess.run([build / "benchmarks/benchmark_gpu_mixed", *map(str, options.shape), str(options.share),
                    str(options.threads), str(options.looks), str(options.seconds), options.out], check=True)
    file = options.out / "mixed_ranks.json"
    record = {"machine": machine([build]), **json.loads(file.read_text())}
    file.write_text(json.dumps(record, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
