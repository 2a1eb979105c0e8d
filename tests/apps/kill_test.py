"""Kills programs with kill -9 at random times and restarts them from the last checkpoint, until there were --kills
kills. No file with its final name may be broken at any time, and every run ends with the hash, the table, the pictures
and the animation of an uninterrupted run.

python3 kill_test.py FOLDER_OF_PROGRAMS [--kills 50] [--seed 1]"""

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
from programs import broken, command, results, run, state_hash

SETTINGS = """\
rows: 120
columns: 150
threads: 1
steps: 1500
output: {table_every: 1, frame_every: 25, data_every: 50, animation: gif}
checkpoint: {every: 150}
"""


def leftovers(folder):
    return sorted(path.name for path in folder.rglob("*.partial*"))


class Killer:
    def __init__(self, program, folder, chance):
        self.program, self.folder, self.chance = program, folder, chance
        self.settings = folder / f"{program}.yaml"
        self.settings.write_text(SETTINGS)
        self.count = collections.Counter()
        self.whole = folder / f"{program}-whole"
        start = time.monotonic()
        self.hash = state_hash(run(self.line(self.whole)))
        self.seconds = time.monotonic() - start
        self.expected = results(self.whole)

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
            sys.exit(f"{self.program}: {what}: {wrong}")

    def patience(self):
        """Returns the seconds until a kill: within the whole run or, one time in three, at its beginning."""
        return self.chance.uniform(0, self.chance.choice([0.1, 1, 1]) * self.seconds)

    def run_until_done(self, kills):
        """Runs until the end; returns the number of kills, at most `kills`."""
        output = self.folder / f"{self.program}-{self.count['runs']}"
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
                half_written = set(leftovers(output)) - {f"{self.program}.csv.partial"}
                self.count["kills that left a picture, data or a checkpoint half-written"] += bool(half_written)
                self.check(output, f"after kill {self.count['kills']}")
                continue
            messages = programs.REMOVED.sub("", messages)
            if process.returncode != 0 or not (messages == "" or died and "did not end" in messages):
                sys.exit(f"{self.program} ended with {process.returncode}: {messages}")
            self.check(output, "at the end")
            if f"state hash  {self.hash}" not in printed:
                sys.exit(f"{self.program}: expected the hash {self.hash}: {printed}")
            mine = results(output)
            differing = sorted(name for name in mine.keys() | self.expected.keys()
                               if mine.get(name) != self.expected.get(name))
            if differing or leftovers(output):
                sys.exit(f"{self.program}: differing: {differing}; left over: {leftovers(output)}")
            return died


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    programs.BIN = arguments.programs.resolve()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="mass-kill-") as folder:
        killers = [Killer(program, pathlib.Path(folder), chance) for program in ["life", "heat2d"]]
        left = arguments.kills
        while left > 0:
            for killer in killers:
                left -= killer.run_until_done(min(left, 3))
        for killer in killers:
            print(f"{killer.program} ({killer.seconds:.1f} s undisturbed, hash {killer.hash}): "
                  + ", ".join(f"{count} {what}" for what, count in killer.count.items()))
    print(f"{arguments.kills} kills: no broken file, every final hash, table, picture and animation as expected")


if __name__ == "__main__":
    main()
