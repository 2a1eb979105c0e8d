#!/usr/bin/env python3
"""Measures several steps in a pass over memory on processors: `steps_per_pass: auto` beside one step a pass.

    benchmarks/cpu_passes.py [--build build/cpu] [--rounds 5] [--only REGEX] [--out benchmarks/results/cpu_passes.json]

Both numbers of steps run by turns; the ratio is that of the medians of the rates in the programs' summaries. The trials
by which `auto` selects a number are part of its runs. Leave the machine to itself meanwhile.
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
sys.path.insert(0, str(ROOT / "benchmarks"))
from ranks import machine  # noqa: E402

QUIET = ["backend=cpu", "devices=1", "output.table_every=0", "output.frame_every=0", "output.data_every=0",
         "output.animation=none", "checkpoint.every=0"]
UNITS = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def square(side, *more):
    return [f"rows={side}", f"columns={side}", *more]


HEAT, LIFE = ["start=mode"], ["pattern=", "density=0.3"]
# Name, program, settings, threads, least ratio.
CASES = [("Heat2D FP32 8192^2, two threads", "heat2d", square(8192, *HEAT, "precision=float", "steps=128"), 2, 1.6),
         ("Heat2D FP64 8192^2, two threads", "heat2d", square(8192, *HEAT, "precision=double", "steps=128"), 2, 1.6),
         ("Heat2D FP32 1024^2, one thread", "heat2d", square(1024, *HEAT, "precision=float", "steps=6000"), 1, 0.97),
         ("Life 8192^2, one thread", "life", square(8192, *LIFE, "steps=400"), 1, None),
         ("Life 1024^2, one thread", "life", square(1024, *LIFE, "steps=20000"), 1, 0.97),
         ("Life 256^2, two threads", "life", square(256, *LIFE, "steps=100000"), 2, 2)]


def run(build, program, settings, folder):
    """Returns places a second and the state hash of a run."""
    assignments = [*QUIET, *settings, f"output.folder={folder}"]
    command = [str(build / "bin" / program), *(part for text in assignments for part in ("--set", text))]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    number, unit = re.search(r"compute +[\d.]+ s, ([\d.]+) ([kMGT])", output).groups()
    return float(number) * UNITS[unit], re.search(r"state hash +(\w+)", output)[1]


def compare(build, rounds, case, folder):
    """Returns the medians of a world, of both numbers of steps."""
    name, program, settings, threads, least = case
    rates = {"1": [], "auto": []}
    hashes = set()
    for _ in range(rounds):
        for steps, found in rates.items():
            rate, state = run(build, program, [*settings, f"threads={threads}", f"steps_per_pass={steps}"], folder)
            found.append(rate)
            hashes.add(state)
    if len(hashes) > 1:
        sys.exit(f"{name}: the hashes differ: {hashes}")
    medians = {steps: statistics.median(found) for steps, found in rates.items()}
    ratio = round(medians["auto"] / medians["1"], 3)
    return {"name": name, "places_per_second": medians, "ratio": ratio, "least": least, "values": rates}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/cpu")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="names of worlds")
    parser.add_argument("--out", type=pathlib.Path, help="JSON file for the results")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if not re.search(options.only, case[0]):
                continue
            result = compare(options.build.resolve(), options.rounds, case, folder)
            one, auto = (result["places_per_second"][steps] / 1e9 for steps in ("1", "auto"))
            asked = "" if result["least"] is None else f", asked {result['least']:g}"
            print(f"{result['name']:34} {one:7.2f} {auto:7.2f} G places/s, ratio {result['ratio']:.2f}{asked}",
                  flush=True)
            results.append(result)
    if options.out:
        context = {"machine": machine([options.build.resolve()]), "rounds": options.rounds}
        options.out.write_text(json.dumps({**context, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
