#!/usr/bin/env python3
"""Measures the clock of events on A + B <-> C and in a neuron: threads, sequential methods, and the host's ceiling.

    benchmarks/events.py [--program build/cpu/benchmarks/benchmark_events] [--threads 1,2,4,8,16,32] [--cases REGEX]
                         [--rounds 5] [--seconds 2] [--launcher "chrt -f 50"] [--out benchmarks/results/events.json]
                         [--neuron c91662.swc] [--calcium build/cpu/bin/calcium]

The neuron is the app calcium with 8 receptors of eight states in a site, within 50 and 120 um of the soma: at rest, and
after 50 uM of IP3 in 4 um about the soma. Without --neuron these cases are left out.

Threads are 1, 2, 4... up to the processors if none are given. Each number of threads is run beside as many independent
processes of one thread: their rate is the ceiling of the host. All runs of a case go by turns; rates are medians, in
million events a second, and ratios are medians of the ratios within a round. Leave the machine to itself meanwhile.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEQUENTIAL = ["heap", "rejection"]


class Reaction:
    """A + B <-> C in a cube of `side` sites along each axis, with `each` molecules of each kind in a site."""

    sequential = SEQUENTIAL

    def __init__(self, side, each):
        self.name = f"{side}^3, {each} of each"
        self.side, self.each = side, each

    def command(self, options, method, threads, _):
        return [options.program, method, self.side, self.each, threads, options.seconds]

    def result(self, output):
        return json.loads(output)


class Neuron:
    """Sites of an SWC file within `radius` um of its soma, for `duration` ms after `ip3` uM are added to 280 of them."""

    sequential = []

    def __init__(self, name, radius, ip3, duration):
        self.name = f"neuron, {radius} um, {name}"
        self.radius, self.ip3, self.duration = radius, ip3, duration

    def command(self, options, _, threads, folder):
        settings = {"swc.path": options.neuron.resolve(), "swc.center": "[]", "swc.radius": self.radius,
                    "duration": self.duration, "stimulus.at": 0, "stimulus.ip3": self.ip3, "stimulus.center": "[]",
                    "output.frame_every": 0, "output.folder": folder, "devices": 1, "threads": threads}
        return [options.calcium, ROOT / "settings/calcium-neuron-8.yaml",
                *(word for key, value in settings.items() for word in ("--set", f"{key}={value}"))]

    def result(self, output):
        def number(pattern):
            return float(re.search(pattern.replace("NUMBER", r"([\d.e+]+)"), output).group(1))

        return {"rate": 1e6 * number("events .* NUMBER million/s"), "executions": number("executions +NUMBER "),
                "bytes": number("; NUMBER bytes a place")}


CASES = [Reaction(32, 10), Reaction(64, 10), Reaction(64, 1), Reaction(128, 10), Neuron("at rest", 50, 0.001, 3),
         Neuron("at rest", 120, 0.001, 2), Neuron("50 uM of IP3", 50, 50, 1)]


def machine(program):
    """Returns a description of the machine and of the versions."""
    def output(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return ""

    lscpu = dict(re.findall(r"^([^:]+): +(.*)$", output("lscpu"), re.MULTILINE))
    wanted = ["Model name", "CPU(s)", "Thread(s) per core", "Core(s) per socket", "Socket(s)", "NUMA node(s)", "L2 cache",
              "L3 cache"]
    cache = program.parent.parent / "CMakeCache.txt"
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read_text(), re.MULTILINE) if cache.exists() else None
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "lscpu": {key: lscpu[key] for key in wanted if key in lscpu}, "processors": len(os.sched_getaffinity(0)),
            "load": os.getloadavg()[0], "kernel": platform.release(),
            "compiler": (output(compiler.group(1), "--version").splitlines() or [""])[0] if compiler else "",
            "commit": output("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD").strip()}


def run(options, method, case, threads, processes=1):
    """Runs processes at once. Returns the results of the first one, with the sum of the rates."""
    with tempfile.TemporaryDirectory() as folder:
        commands = [[*options.launcher.split(), *map(str, case.command(options, method, threads, f"{folder}/{number}"))]
                    for number in range(processes)]
        started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                   for command in commands]
        outputs = [process.communicate()[0] for process in started]
    if any(process.returncode != 0 for process in started):
        sys.exit(f"{commands[0]} failed: {outputs[0]}")
    results = [case.result(output) for output in outputs]
    return {**results[0], "rate": sum(result["rate"] for result in results)}


def measure(options, case):
    """Yields the records of a case."""
    kinds = [(method, 1, 1) for method in case.sequential] + [("windows", threads, 1) for threads in options.threads]
    kinds += [("windows", 1, threads) for threads in options.threads if threads > 1]
    rounds = [{kind: run(options, kind[0], case, *kind[1:]) for kind in kinds} for _ in range(options.rounds)]
    for kind in kinds:
        results = [one[kind] for one in rounds]
        record = {"case": case.name, "method": kind[0], "threads": kind[1], "processes": kind[2]}
        for key in ("rate", "executions", "candidates", "strips", "bytes"):
            if key in results[0]:
                record[key] = round(statistics.median(result[key] for result in results), 4)
        if kind[0] == "windows":
            one = ("windows", 1, 1)
            if one in kinds:
                record["speedup"] = round(statistics.median(r[kind]["rate"] / r[one]["rate"] for r in rounds), 3)
            if case.sequential:
                best = [max(r[(method, 1, 1)]["rate"] for method in case.sequential) for r in rounds]
                record["over sequential"] = round(
                    statistics.median(r[kind]["rate"] / rate for r, rate in zip(rounds, best)), 3)
        yield record


def row(record, records):
    """Returns a line of the table."""
    line = f"{record['case']:28} {record['method']:10} {record['threads']:7} {record['rate'] / 1e6:8.2f}"
    if record["method"] != "windows":
        return line
    ceiling = [other["speedup"] for other in records if other["processes"] == record["threads"] and "speedup" in other]
    of_processes = f"{ceiling[0]:8.2f}" if ceiling and record["threads"] > 1 else f"{'':8}"
    return (f"{line} {record.get('speedup', 0):8.2f} {of_processes} {record.get('over sequential', 0):10.2f} "
            f"{record['executions']:10.3f} {record['bytes']:7.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/cpu/benchmarks/benchmark_events")
    parser.add_argument("--neuron", type=pathlib.Path, help="SWC file such as c91662 of neuromorpho.org")
    parser.add_argument("--calcium", type=pathlib.Path, default=ROOT / "build/cpu/bin/calcium")
    parser.add_argument("--threads", type=lambda text: [int(word) for word in text.split(",")], default=[])
    parser.add_argument("--cases", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--launcher", default="", help="command before the program's, such as 'chrt -f 50'")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    description = machine(options.program)
    options.threads = options.threads or [1 << n for n in range(10) if 1 << n <= description["processors"]]
    print(f"{description['lscpu'].get('Model name', '')}, {description['processors']} processors, load "
          f"{description['load']:.1f}; medians of {options.rounds}")
    print(f"{'case':28} {'method':10} {'threads':>7} {'M ev/s':>8} {'speedup':>8} {'ceiling':>8} {'sequential':>10} "
          f"{'executions':>10} {'B/place':>7}")
    results = []
    for case in CASES:
        if not re.search(options.cases, case.name) or (isinstance(case, Neuron) and options.neuron is None):
            continue
        records = list(measure(options, case))
        results += records
        for record in records:
            if record["processes"] == 1:
                print(row(record, records), flush=True)
        if options.out:
            options.out.write_text(json.dumps({"machine": description, "rounds": options.rounds,
                                               "seconds": options.seconds, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
