#!/usr/bin/env python3
"""Measures the structure of Neuron Time Warp-Multi Thread (Lin et al. 2017) beside the windows of the library.

    benchmarks/ntw.py [--programs build/cpu] [--neuron c91662.swc] [--threads 1,2,4,8,16] [--cases REGEX] [--rounds 3]
                      [--length 1] [--ahead 1024] [--launcher "chrt -f 50"] [--out benchmarks/results/ntw.json]

Cases: A + B <-> C in a cube of 32^3 sites with 10 molecules of each kind; a neuron with receptors of thresholds and
of eight states, at rest and after 50 uM of IP3 in 4 um about its soma. Without --neuron it is a branch of
settings/small_neuron.swc. Methods: 'multi', the multi-level queue of the paper; 'single', one queue a thread;
'order', a plain sequential loop, whose result both must have; 'windows', the library, for a longer virtual time;
'rates', the same by its engine time_warp; for the cube also 'time_warp', scheduled events of the library, and 'heap',
the next subvolume method of benchmarks/events.py. All of a case run by turns; numbers are medians. Rates are committed
reactions and hops; with more threads than free processors those by processor time ('M/cpu s') tell more. 'windows' is
the rate of the windows on as many threads over that of the row. Queue and largest are the mean and the largest size of
a thread's queue in processes of a thread; c/p/t are the per cent of the insertions that end at the input channel, the
process and the thread, of molecules and of a process's own events.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from events import machine

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Cube:
    """A + B <-> C in 32^3 sites."""

    name = "A+B<->C, 32^3"
    methods = ["windows", "rates", "time_warp", "multi", "single"]
    virtual = 0.1  # s
    sequential = ["order", "heap"]

    def windows(self, options, method, threads, _):
        engine = {"rates": "time_warp"}.get(method, method)
        return [options.programs / "benchmarks/benchmark_events", engine, 32, 10, threads, options.seconds]

    def windows_result(self, output):
        return json.loads(output)

    def structure(self, options):
        return ["side=32", "each=10", f"seconds={options.length * self.virtual}"]


class Neuron:
    """Neuron with one of the two forms of receptors. @param ip3 uM that are added at the start

    @param duration, of_windows virtual time in ms of the paper's structure and of the windows
    """

    methods = ["windows", "rates", "multi", "single"]
    sequential = ["order"]

    def __init__(self, form, file, ip3, duration, of_windows):
        self.name = f"{form}, {'at rest' if ip3 < 1 else 'IP3'}"
        self.file, self.ip3, self.duration, self.of_windows = file, ip3, duration, of_windows

    def settings(self, options, duration):
        settings = {"duration": duration, "events.step": duration, "stimulus.at": 0, "stimulus.ip3": self.ip3}
        if options.neuron:
            settings |= {"swc.path": options.neuron.resolve(), "swc.center": "[]", "swc.radius": options.radius,
                         "stimulus.center": "[]"}
        return [f"{key}={value}" for key, value in settings.items()]

    def windows(self, options, method, threads, folder):
        own = [f"events.engine={'time_warp' if method == 'rates' else method}", f"threads={threads}", "devices=1",
               "output.frame_every=0", f"output.folder={folder}"]
        return [options.programs / "bin/calcium", ROOT / "settings" / self.file,
                *(word for setting in self.settings(options, self.of_windows) + own for word in ("--set", setting))]

    def windows_result(self, output):
        return {"rate": 1e6 * float(re.search(r"events .* ([\d.e+]+) million/s", output).group(1))}

    def structure(self, options):
        return [ROOT / "settings" / self.file, *self.settings(options, options.length * self.duration)]


OF_LIBRARY = ("windows", "rates", "heap")
CASES = [Cube(), *(Neuron(form, file, *rest) for rest in ((0.001, 0.2, 1), (50, 0.04, 0.2)) for form, file in
                   (("threshold", "calcium-neuron.yaml"), ("8 states", "calcium-neuron-8.yaml")))]


def run(options, case, method, threads):
    """Runs a method once. Returns its result."""
    with tempfile.TemporaryDirectory() as folder:
        if method in OF_LIBRARY:
            words = case.windows(options, method, threads, folder)
        else:
            words = [options.programs / "benchmarks/benchmark_ntw", *case.structure(options), f"queue={method}",
                     f"threads={threads}",
                     f"ahead={options.ahead}"]
        words = [*options.launcher.split(), *map(str, words)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} failed: {done.stdout}{done.stderr}")
    return case.windows_result(done.stdout) if method in OF_LIBRARY else json.loads(done.stdout)


def middle(values):
    """Returns the median of numbers, or of lists of numbers by element; else the first value."""
    if isinstance(values[0], list):
        return [round(statistics.median(column), 4) for column in zip(*values)]
    return statistics.median(values) if isinstance(values[0], (int, float)) else values[0]


def measure(options, case):
    """Returns the records of a case."""
    kinds = [(method, 1) for method in case.sequential]
    kinds += [(method, threads) for threads in options.threads for method in case.methods]
    rounds = [{kind: run(options, case, *kind) for kind in kinds} for _ in range(options.rounds)]
    records = []
    for method, threads in kinds:
        results = [one[(method, threads)] for one in rounds]
        record = {"case": case.name, "method": method, "threads": threads}
        record |= {key: middle([result[key] for result in results]) for key in results[0] if key not in record}
        record["windows over it"] = round(statistics.median(
            one[("windows", threads)]["rate"] / one[(method, threads)]["rate"] for one in rounds), 3) \
            if ("windows", threads) in kinds else None
        records.append(record)
    hashes = {(record["threads"], record["method"]): record["hash"] for record in records if "hash" in record}
    if len(set(hashes.values())) > 1:
        sys.exit(f"{case.name}: results differ: {hashes}")
    return records


def shares(values):
    """Returns the shares of the levels input channel, process and thread in per cent."""
    return "/".join(f"{100 * value:.0f}" for value in values)


def row(record):
    """Returns a line of the table."""
    line = f"{record['case']:20} {record['method']:8} {record['threads']:7} {record['rate'] / 1e6:8.3f} "
    line += f"{record['windows over it'] or 0:7.2f} "
    if "rate_of_processor" in record:
        line += f"{record['rate_of_processor'] / 1e6:8.3f} {record['seconds']:8.2f} "
    if "undone" in record:
        line += f"{100 * record['undone']:8.2f} {record['stragglers']:10.0f} "
    if record["method"] not in ("multi", "single"):
        return line
    return line + (f"{record['by_rb_message']:9.0f} {record['friendly']:9.0f} {record['thread_queue']:7.3f} "
                   f"{record['largest_thread_queue']:7.3f} {shares(record['messages_end_at']):>10} "
                   f"{shares(record['own_events_end_at']):>10}")


def ratios(records):
    """Yields lines with the ratios that the paper gives."""
    found = {(record["case"], record["method"], record["threads"]): record for record in records}
    for (case, method, threads), record in found.items():
        single = found.get((case, "single", threads))
        if method == "multi" and single:
            undone, of_single = record["stragglers"] + record["aggressive"], single["stragglers"] + single["aggressive"]
            yield (f"{case}, {threads} threads: multi-level over single queue: processor time "
                   f"{record['processor_seconds'] / single['processor_seconds']:.3f}, roll-backs "
                   f"{undone / of_single if of_single else 1:.3f}")
        threshold = found.get((case.replace("8 states", "threshold"), method, threads))
        if case.startswith("8 states") and "processor_seconds" in record and threshold:
            yield (f"{case.replace('8 states, ', '')}, {method}, {threads} threads: 8 states over threshold: processor "
                   f"time {record['processor_seconds'] / threshold['processor_seconds']:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/cpu")
    parser.add_argument("--neuron", type=pathlib.Path, help="SWC file such as c91662 of neuromorpho.org")
    parser.add_argument("--radius", type=float, default=50, help="um about the soma of --neuron")
    parser.add_argument("--threads", type=lambda text: [int(word) for word in text.split(",")], default=[])
    parser.add_argument("--cases", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--length", type=float, default=1, help="factor of the virtual times of 'multi' and 'single'")
    parser.add_argument("--seconds", type=float, default=2, help="wall time of 'windows' and 'heap' in the cube")
    parser.add_argument("--ahead", type=int, default=1024)
    parser.add_argument("--launcher", default="", help="command before the program's, such as 'chrt -f 50'")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    description = machine(options.programs / "benchmarks/benchmark_ntw")
    options.threads = options.threads or [1 << n for n in range(6) if 1 << n <= description["processors"]]
    print(f"{description['lscpu'].get('Model name', '')}, {description['processors']} processors, load "
          f"{description['load']:.1f}; medians of {options.rounds}; ahead {options.ahead}")
    print(f"{'case':20} {'method':8} {'threads':>7} {'M ev/s':>8} {'windows':>7} {'M/cpu s':>8} {'seconds':>8} "
          f"{'undone %':>8} {'stragglers':>10} {'by RB':>9} {'friendly':>9} {'queue':>7} {'largest':>7} "
          f"{'msgs c/p/t':>10} {'own c/p/t':>10}")
    records = []
    for case in CASES:
        if re.search(options.cases, case.name):
            found = measure(options, case)
            records += found
            print("\n".join(map(row, found)), flush=True)
            if options.out:
                options.out.write_text(json.dumps({"machine": description, "rounds": options.rounds,
                                                   "length": options.length, "ahead": options.ahead,
                                                   "results": records}, indent=1) + "\n")
    print("\n".join(ratios(records)))


if __name__ == "__main__":
    main()
