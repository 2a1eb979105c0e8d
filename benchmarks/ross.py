#!/usr/bin/env python3
"""Measures PHOLD beside ROSS, with the same delays, targets, places and end.

    cmake -S ROSS -B ross -DROSS_BUILD_MODELS=ON -DCMAKE_BUILD_TYPE=Release && cmake --build ross
    python3 benchmarks/ross.py --ross ross/models/phold/phold --mpiexec mpiexec --phold BUILD/benchmarks/benchmark_phold
                               [--threads 1,2] [--lookaheads 0,0.1] [--seconds 10] [--rounds 3] [--out ross.json]

ROSS has a rank for each thread: sequential on one, else optimistic by the best of five pairs of batch and GVT interval,
and conservative if there is a lookahead. Its --nlp counts the places of a rank. The programs go by turns; rates are
medians in committed events a second. Leave the machine to itself meanwhile.
"""

import argparse
import datetime
import json
import pathlib
import re
import statistics
import subprocess
import tempfile

PLACES, EVENTS, REMOTE = 16384, 16, 0.1
PAIRS = [(8, 8), (16, 16), (16, 128), (64, 64), (64, 512)]  # batch, GVT interval


def rate_of_ross(arguments, ranks, lookahead, synch, pair):
    """Returns the rate of a run of ROSS, or the last lines of its output if it has none."""
    words = [str(pathlib.Path(arguments.ross).resolve()), f"--nlp={PLACES // ranks}", f"--start-events={EVENTS}",
             f"--remote={REMOTE}", f"--lookahead={lookahead}", "--mean=1", f"--end={arguments.seconds}", f"--synch={synch}",
             f"--batch={pair[0]}", f"--gvt-interval={pair[1]}", "--extramem=500000"]
    command = words if ranks == 1 else [arguments.mpiexec, "-n", str(ranks), *words]
    with tempfile.TemporaryDirectory() as folder:  # for its files of statistics
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=folder)
    events = re.search(r"Net Events Processed\s+(\d+)", done.stdout)
    seconds = re.search(r"Running Time = ([0-9.]+)", done.stdout)
    if done.returncode != 0 or not events or not seconds:
        return "\n".join((done.stdout + done.stderr).strip().splitlines()[-3:])
    return int(events[1]) / float(seconds[1])


def run_of_library(arguments, threads, lookahead, engine):
    command = [arguments.phold, f"engine={engine}", f"threads={threads}", f"places={PLACES}", f"events={EVENTS}",
               f"remote={REMOTE}", f"lookahead={lookahead}", f"seconds={arguments.seconds}"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def fastest_pair(arguments, ranks, lookahead, synch):
    """Returns the pair of the fastest of one run each, and all of these."""
    runs = [{"batch": pair[0], "gvt_interval": pair[1], "rate": rate_of_ross(arguments, ranks, lookahead, synch, pair)}
            for pair in PAIRS]
    rates = [run["rate"] if isinstance(run["rate"], float) else 0 for run in runs]
    return PAIRS[rates.index(max(rates))], runs


def measure(arguments, threads, lookahead):
    engines = ["time_warp"] + (["conservative"] if lookahead > 0 else [])
    kinds = {"sequential": 1} if threads == 1 else {"optimistic": 3, **({"conservative": 2} if lookahead > 0 else {})}
    ross = {kind: fastest_pair(arguments, threads, lookahead, synch) if threads > 1 else (PAIRS[1], [])
            for kind, synch in kinds.items()}
    rates = {name: [] for name in [*engines, *(f"ROSS {kind}" for kind in kinds)]}
    hashes = set()
    for _ in range(arguments.rounds):
        for engine in engines:
            run = run_of_library(arguments, threads, lookahead, engine)
            rates[engine].append(run["rate"])
            hashes.add(run["hash"])
        for kind, synch in kinds.items():
            rates[f"ROSS {kind}"].append(rate_of_ross(arguments, threads, lookahead, synch, ross[kind][0]))
    assert len(hashes) == 1, hashes
    medians = {name: statistics.median([rate for rate in each if isinstance(rate, float)] or [0])
               for name, each in rates.items()}
    best = max(rate for name, rate in medians.items() if name.startswith("ROSS"))
    return {"threads": threads, "lookahead": lookahead, "hash": hashes.pop(), "rates": rates, "medians": medians,
            "sweeps": {kind: runs for kind, (_, runs) in ross.items()},
            "ratios": {engine: medians[engine] / best for engine in engines if best > 0}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ross", required=True)
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--phold", required=True)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--lookaheads", default="0,0.1")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    results = [measure(arguments, int(threads), float(lookahead)) for lookahead in arguments.lookaheads.split(",")
               for threads in arguments.threads.split(",")]
    for each in results:
        print(each["threads"], "threads, lookahead", each["lookahead"],
              {name: f"{rate / 1e6:.3f} M/s" for name, rate in each["medians"].items()},
              {name: f"{ratio:.1f}" for name, ratio in each["ratios"].items()})
    if arguments.out:
        model = f"PHOLD, {PLACES} places, {EVENTS} events each, {REMOTE:.0%} remote, mean 1, {arguments.seconds} s"
        whole = {"date": datetime.date.today().isoformat(), "model": model, "runs": results}
        arguments.out.write_text(json.dumps(whole, indent=1) + "\n")


if __name__ == "__main__":
    main()
