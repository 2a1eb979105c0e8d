"""Kills ranks of programs of places and of agents with kill -9 at random times, and continues each run from its last
checkpoint on another number of ranks, until there were --kills kills. All ranks must end within seconds, no file with
its final name may be broken at any time, and every run ends with the hash and the files of one process.

python3 ranks_kill_test.py MPIRUN FOLDER_OF_PROGRAMS [--kills 50] [--seed 1]"""

import argparse
import collections
import pathlib
import random
import signal
import sys
import tempfile
import time

import kill_test
import rank_runs
from kill_test import leftovers, outputs
from programs import broken, command, run, state_hash
from rank_runs import RankRun

# Cases of kill_test, and their numbers of steps here: ranks that share processors are slower.
CASES = {"life": 600, "agents": 150}


class Killer:
    def __init__(self, case, folder, chance):
        self.case, self.folder, self.chance = case, folder, chance
        self.program, settings = kill_test.CASES[case]
        self.settings = folder / f"{case}.yaml"
        self.settings.write_text(settings)
        self.count = collections.Counter()
        whole = folder / f"{case}-whole"
        self.hash = state_hash(run(self.line(whole)))
        self.expected = outputs(whole)
        start = time.monotonic()
        self.check_end(self.start(folder / f"{case}-ranks", 3).finish(), folder / f"{case}-ranks")
        self.seconds = time.monotonic() - start

    def fail(self, *texts):
        sys.exit(f"{self.case}: {' '.join(map(str, texts))}")

    def line(self, output):
        line = command(self.program, self.settings, [f"output.folder={output}", f"steps={CASES[self.case]}"])
        checkpoint = output / "checkpoint.h5"
        if checkpoint.exists():
            self.count["restarts from a checkpoint"] += 1
            line += ["--restart", str(checkpoint)]
        return line

    def start(self, output, ranks):
        work = self.folder / f"{self.case}-work"
        work.mkdir(exist_ok=True)
        return RankRun(work, ranks, self.line(output))

    def check_whole(self, output):
        wrong = broken(output) if output.exists() else []
        if wrong:
            self.fail("broken files:", wrong)

    def check_end(self, outcome, output):
        if outcome.hash() != self.hash:
            self.fail("expected the hash", self.hash, outcome.output)
        self.check_whole(output)
        mine = outputs(output)
        differing = sorted(name for name in mine.keys() | self.expected.keys()
                           if mine.get(name) != self.expected.get(name))
        if differing or leftovers(output):
            self.fail("differing:", differing, "left over:", leftovers(output))

    def kill(self, started, ranks):
        """Kills a rank at a random time, if the run is not at its end. Returns True if it did."""
        start, patience = time.monotonic(), self.chance.uniform(0, self.seconds)
        if rank_runs.wait_until(lambda: started.process.poll() is not None, patience):
            self.seconds = time.monotonic() - start  # the load of the machine has changed
            return False
        victim = self.chance.randrange(ranks)
        if not rank_runs.wait_until(lambda: all(started.pid_file(rank).exists() for rank in range(ranks))):
            self.fail("the ranks do not start")
        if not rank_runs.is_running(started.pid(victim)):
            return False
        started.signal(victim, signal.SIGKILL)
        if not started.all_end(range(ranks)):
            self.fail(f"rank {victim} of {ranks} was killed, and the others do not end")
        return True

    def run_until_done(self, kills):
        """Runs until the end; returns the number of kills, at most `kills`."""
        output = self.folder / f"{self.case}-{self.count['runs']}"
        self.count["runs"] += 1
        died, ranks = 0, 0
        while True:
            ranks = self.chance.choice([number for number in [1, 2, 3] if number != ranks])
            started = self.start(output, ranks)
            was_killed = died < kills and self.kill(started, ranks)
            outcome = started.finish()
            if was_killed and outcome.code != 0:
                died += 1
                self.count["kills"] += 1
                self.count["kills before the first checkpoint"] += not (output / "checkpoint.h5").exists()
                self.check_whole(output)
                continue
            if outcome.code != 0:
                self.fail(f"ended with {outcome.code}:", outcome.output, outcome.errors)
            self.check_end(outcome, output)
            return died


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=None)
    rank_runs.take_arguments()
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="mass-ranks-") as folder:
        killers = [Killer(case, pathlib.Path(folder), chance) for case in CASES]
        left = arguments.kills
        while left > 0:
            for killer in killers:
                left -= killer.run_until_done(min(left, 4))
        for killer in killers:
            print(f"{killer.case} ({killer.seconds:.1f} s undisturbed on 3 ranks, hash {killer.hash}): "
                  + ", ".join(f"{count} {name}" for name, count in killer.count.items()))
    print(f"{arguments.kills} kills: all ranks ended, no broken file, every final hash and file as expected")


if __name__ == "__main__":
    main()
