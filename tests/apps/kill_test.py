"""Kills programs of places, of agents, of molecules and of fluids with kill -9 at random times and restarts them from
the last checkpoint, until there were --kills kills. No file with its final name may be broken at any time, and every
run ends with the hash and the files of an uninterrupted run.

python3 kill_test.py FOLDER_OF_PROGRAMS [--kills 60] [--seed 1]"""

import argparse
import collections
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import programs
from programs import broken, command, files, run, state_hash

OF_PLACES = """\
rows: 120
columns: 150
threads: 1
steps: 1500
output: {table_every: 1, frame_every: 25, data_every: 50, animation: gif}
checkpoint: {every: 150}
"""

# Program and settings by the name of the case.
CASES = {
    "life": ("life", OF_PLACES),
    "heat2d": ("heat2d", OF_PLACES),
    "agents": ("predation", """\
size: 60
sheep: 500
wolves: 100
seed: 7
threads: 1
steps: 300
output: {table_every: 1, frame_every: 20, data_every: 20, agents_every: 10, animation: gif}
checkpoint: {every: 30}
"""),
    "hdf5-tables": ("sugarscape", """\
rules: mass
size: 40
agents: 300
MAX_PLACE_EXCHANGE: 6
MAX_AGENT_TRAVEL: 3
seed: 7
threads: 1
steps: 400
output: {table_every: 1, agents_every: 1, agents_format: hdf5, animation: none}
checkpoint: {every: 40}
"""),
    "rdme": ("rdme", """\
model:
  lattice: {sites: [24, 16, 16], spacing: 16 nm, timestep: 50 us}
  species: {A: 1 um2/s, B: 1 um2/s, C: 0.5 um2/s}
  reactions:
    - {reaction: A <-> B, rate: [200 /s, 100 /s]}
    - {reaction: A + B <-> C, rate: [2e7 /M/s, 50 /s]}
  initial:
    - {species: A, count: 4000}
    - {species: B, count: 3000}
seed: 7
threads: 1
steps: 1000
output: {table_every: 10, animation: none}
checkpoint: {every: 100}
"""),
    "lbm": ("lbm", """\
cells: [60, 50]
reynolds: 20
velocity: {y_high: [1, 0]}
obstacles: {block: {box: {low: [0.25, 0.25], high: [0.5, 0.5]}}}
probes: {middle: [0.6, 0.5]}
seed: 7
threads: 1
steps: 2000
output: {table_every: 1, frame_every: 100, data_every: 100, animation: gif}
checkpoint: {every: 200}
"""),
}


def outputs(folder):
    """Returns all results of a run, but for its record and its checkpoints."""
    return {name: data for name, data in files(folder).items()
            if name.endswith((".png", ".csv", ".gif", ".vtkhdf", ".h5")) and not name.startswith("checkpoint")}


def leftovers(folder):
    return sorted(path.name for path in folder.rglob("*.partial*"))


class Killer:
    def __init__(self, case, folder, chance):
        self.case, self.folder, self.chance = case, folder, chance
        self.program, settings = CASES[case]
        self.settings = folder / f"{case}.yaml"
        self.settings.write_text(settings)
        self.count = collections.Counter()
        self.whole = folder / f"{case}-whole"
        start = time.monotonic()
        self.hash = state_hash(run(self.line(self.whole)))
        self.seconds = time.monotonic() - start
        self.expected = outputs(self.whole)

    def line(self, output):
        line = command(self.program, self.settings, [f"output.folder={output}"])
        checkpoint = output / "checkpoint.h5"
        if checkpoint.exists():
            self.count["restarts from a checkpoint"] += 1
            line += ["--restart", str(checkpoint), "--set", f"devices={self.chance.choice([1, 2, 3])}"]
        return line

    def check(self, output, what):
        wrong = broken(output) if output.exists() else []
        if wrong:
            sys.exit(f"{self.case}: {what}: {wrong}")

    def patience(self):
        """Returns the seconds until a kill: within the whole run or, one time in three, at its beginning."""
        return self.chance.uniform(0, self.chance.choice([0.1, 1, 1]) * self.seconds)

    def run_until_done(self, kills):
        """Runs until the end; returns the number of kills, at most `kills`."""
        output = self.folder / f"{self.case}-{self.count['runs']}"
        self.count["runs"] += 1
        died = 0
        while True:
            process = subprocess.Popen(self.line(output), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                process.wait(self.patience() if died < kills else programs.PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
            printed, messages = process.communicate()
            if process.returncode == -9:
                died += 1
                self.count["kills"] += 1
                self.count["kills before the first checkpoint"] += not (output / "checkpoint.h5").exists()
                # Tables in CSV have that name until the end of the run.
                half_written = [name for name in leftovers(output) if not name.endswith(".csv.partial")]
                self.count["kills that left a picture, data or a checkpoint half-written"] += bool(half_written)
                self.check(output, f"after kill {self.count['kills']}")
                continue
            messages = programs.REMOVED.sub("", messages)
            if process.returncode != 0 or not (messages == "" or died and "did not end" in messages):
                sys.exit(f"{self.case} ended with {process.returncode}: {messages}")
            self.check(output, "at the end")
            if f"state hash  {self.hash}" not in printed:
                sys.exit(f"{self.case}: expected the hash {self.hash}: {printed}")
            mine = outputs(output)
            differing = sorted(name for name in mine.keys() | self.expected.keys()
                               if mine.get(name) != self.expected.get(name))
            if differing or leftovers(output):
                sys.exit(f"{self.case}: differing: {differing}; left over: {leftovers(output)}")
            return died


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    programs.BIN = arguments.programs.resolve()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="mass-kill-") as folder:
        killers = [Killer(case, pathlib.Path(folder), chance) for case in CASES]
        at_once = min(max(arguments.kills // len(killers), 1), 3)
        left = arguments.kills
        while left > 0:
            for killer in killers:
                left -= killer.run_until_done(min(left, at_once))
        for killer in killers:
            print(f"{killer.case} ({killer.seconds:.1f} s undisturbed, hash {killer.hash}): "
                  + ", ".join(f"{count} {what}" for what, count in killer.count.items()))
    print(f"{arguments.kills} kills: no broken file, every final hash and file as expected")


if __name__ == "__main__":
    main()
