#!/usr/bin/env python3
"""Measures several steps per exchange between two ranks: in shared memory, and on two emulated hosts (root, Linux).

    benchmarks/rank_cycles.py [--build build/mpi] [--rounds 5] [--only REGEX] [--out benchmarks/results/rank_cycles.json]
                              [--plot docs/images/rank-cycles.png]

The first table has Heat2D, 128 x 1024 places, for networks of several delays: the time of a step with R steps per
exchange, with `auto`, and its prediction. The second one has the speed-up of heat3d, life3d and seismic over one step per
exchange, with a delay of 0.2 ms, and the shares of the time in which rank 0 computes, moves ghost rows (packs, copies,
sends and unpacks them), and waits for the other rank. Medians; the runs of a world go by turns.
Times are those of rank 0's summary. The build needs the target emulated_hosts; the plot needs matplotlib. Leave the
machine to itself meanwhile.
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
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "tests/hosts"), str(ROOT / "benchmarks")]
from hosts import Hosts  # noqa: E402
from mpirun import ENVIRONMENT  # noqa: E402
from ranks import QUIET, cached, library, machine  # noqa: E402

EVERY = [1, 2, 4, 8, 16, 32]
LINE = re.compile(r"^  exchange +every (\d+) steps?, waited ([\d.]+) s and moved rows ([\d.]+) s of "
                  r"([\d.]+) s(.*)$", re.MULTILINE)
TIMES = re.compile(r"([\d.e+-]+) (us|ms|s) a step (predicted|measured)")
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}

HEAT = ("heat2d", ["rows=128", "columns=1024", "precision=float", "start=mode"])
# Name, program and settings; 128 planes of 32 x 32 places.
APPS = [*((f"heat3d, order {order}", "heat3d", ["planes=128", "rows=32", "columns=32", f"order={order}", "time_step=0.08",
                                               "precision=float"]) for order in (2, 4, 6, 8)),
        ("life3d", "life3d", ["planes=128", "rows=32", "columns=32"]),
        ("seismic", "seismic.yaml", [])]
SEISMIC = """\
cells: [32, 32, 128]
spacing: 25
precision: float
vp: 4000
vs: 2300
density: 2600
source: {position: [400, 400, 1600], tensor: [0, 0, 0, 1, 0, 0], moment_rate: 1.0e15, frequency: 1.9}
motion: false
sponge: {width: 8}
"""


class Network:
    """Ranks on hosts with a delay in microseconds, one on each, or in shared memory (None)."""

    def __init__(self, build, hosts, delay, ranks=2, steps_per_pass="auto"):
        self.build, self.hosts, self.delay, self.ranks = build, hosts, delay, ranks
        self.steps_per_pass = steps_per_pass

    def name(self):
        count = "two" if self.ranks == 2 else self.ranks
        return "shared memory" if self.delay is None else f"{count} hosts, {self.delay / 1000:g} ms"

    def output(self, program, settings, folder):
        """Runs a program with settings. Returns the text that it prints."""
        mpirun = cached(self.build, "MPIEXEC_EXECUTABLE")
        launcher = [mpirun, "-n", str(self.ranks)] if self.ranks > 1 else []
        if self.delay is not None:
            self.hosts.order(f"delay {self.delay}")
            launcher = self.hosts.launcher(mpirun, library(self.build).startswith("Open MPI"))
        file = folder / program if program.endswith(".yaml") else ROOT / f"settings/{program}.yaml"
        command = [*launcher, self.build / "bin" / program.removesuffix(".yaml"), file]
        for assignment in [*QUIET, *settings, "backend=cpu", f"output.folder={folder}/out"]:
            command += ["--set", assignment]
        outcome = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed:\n{outcome.stdout}{outcome.stderr}")
        return outcome.stdout

    def run(self, program, settings, steps, every, folder):
        """Returns seconds of a step, waited share, prediction and the number of steps per exchange."""
        text = self.output(program, [*settings, f"steps={steps}", "threads=1", f"steps_per_pass={self.steps_per_pass}",
                                     f"exchange_every={every}"], folder)
        found = LINE.search(text)
        if not found:
            sys.exit(f"no line on exchanges in:\n{text}")
        times = {what: float(number) * UNITS[unit] for number, unit, what in TIMES.findall(found.group(5))}
        waited, moved, all_ = (float(found.group(part)) for part in (2, 3, 4))
        return {"step": times["measured"], "waited": waited / all_, "moved": moved / all_,
                "predicted": times.get("predicted"), "every": int(found.group(1))}


def medians(network, world, steps, rounds, choices, folder):
    """Returns the medians of each choice of R, which take turns."""
    runs = {every: [] for every in choices}
    for _ in range(rounds):
        for every in choices:
            runs[every].append(network.run(*world, steps, every, folder))
    result = {}
    for every, outcomes in runs.items():
        typical = sorted(outcomes, key=lambda outcome: outcome["step"])[len(outcomes) // 2]
        result[every] = {**typical, "values": [round(outcome["step"] * 1e6, 2) for outcome in outcomes],
                         **{share: statistics.median(outcome[share] for outcome in outcomes) for share in ("waited", "moved")}}
    return result



def shares(entry):
    """Returns the percentages of computing, moving ghost rows and waiting."""
    moved, waited = round(entry["moved"] * 100), round(entry["waited"] * 100)
    return f"{100 - moved - waited}/{moved}/{waited}"


def networks(networks_, rounds, folder):
    """Measures Heat2D, and prints a row for each network."""
    print(f"{'Heat2D 128 x 1024, us a step':30}" + "".join(f"{every:>9}" for every in [*EVERY, "auto"]) +
          "   R  auto/R=1  best/auto  predicted/measured")
    results = {}
    for network in networks_:
        steps = 6000 if network.delay else 40000
        result = medians(network, HEAT, steps, rounds, [*EVERY, "auto"], folder)
        auto, best = result["auto"], min(result[every]["step"] for every in EVERY)
        print(f"{network.name():30}" + "".join(f"{entry['step'] * 1e6:9.1f}" for entry in result.values()) +
              f"{auto['every']:4}{result[1]['step'] / auto['step']:10.2f}{auto['step'] / best:11.2f}"
              f"{auto['predicted'] / auto['step']:12.2f}", flush=True)
        results[network.name()] = result
    return results


def apps(network, rounds, only, folder):
    """Measures the other programs, and prints a row for each."""
    print(f"\n{network.name() + ', speed-up (computes/moves/waits, %)':30}" + "".join(f"{every:>15}" for every in EVERY))
    results = {}
    for name, program, settings in APPS:
        if not re.search(only, name):
            continue
        # A band of 64 planes holds 64 / reach steps, of seismic turns of two rules that reach 2.
        reach = int(name[-1]) // 2 if program == "heat3d" else {"life3d": 1, "seismic.yaml": 4}[program]
        choices = [every for every in EVERY if every * reach <= 64]
        result = medians(network, (program, settings), 600, rounds, choices, folder)
        print(f"{name:30}" + "".join(f"{result[1]['step'] / entry['step']:6.2f} ({shares(entry)})"
                                     for entry in result.values()), flush=True)
        results[name] = result
    return results


def draw(results, path):
    """Draws the speed-ups of the second table."""
    from matplotlib import pyplot  # an optional package
    figure, axes = pyplot.subplots(figsize=(6.4, 4))
    for name, result in results.items():
        axes.plot(list(result), [result[1]["step"] / entry["step"] for entry in result.values()], marker="o", label=name)
    axes.set(xscale="log", xlabel="steps per exchange", ylabel="speed-up", title="Two hosts, 0.2 ms",
             xticks=EVERY, xticklabels=[str(every) for every in EVERY])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/mpi", help="build folder with MPI")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="regular expression of the names in the second table, or 'networks'")
    parser.add_argument("--out", type=pathlib.Path, help="JSON file of the results")
    parser.add_argument("--plot", type=pathlib.Path, help="picture of the second table")
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory(dir=build) as name:
        folder = pathlib.Path(name)
        (folder / "seismic.yaml").write_text(SEISMIC, encoding="utf-8")
        hosts = Hosts(build / "tests/emulated_hosts", 2, folder)
        try:
            all_networks = [Network(build, hosts, delay) for delay in (None, 0, 200, 1000)]
            first = networks(all_networks, options.rounds, folder) if options.only in ("", "networks") else {}
            second = apps(all_networks[2], options.rounds, options.only, folder) if options.only != "networks" else {}
        finally:
            hosts.close()
    if options.out:
        record = {"machine": machine([build]), "rounds": options.rounds, "networks": first, "programs": second}
        options.out.write_text(json.dumps(record, indent=2) + "\n")
    if options.plot:
        draw(second, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
