"""Tests of ranks that are processes of mpirun: mpi_ranks_test.py MPIRUN PROGRAM."""

import pathlib
import re
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpirun import ENVIRONMENT

TIMEOUT = 3  # seconds, of the task `stop` in mpi_ranks.cpp
START = 5  # seconds, of the task `start`
BUSY = 20  # further seconds on a busy machine
LONGEST = 180


class Outcome:
    """Output of a run of `ranks` processes."""

    def __init__(self, ranks, *arguments, shell=()):
        start = time.monotonic()
        run = subprocess.run([MPIRUN, "-n", str(ranks), *shell, PROGRAM, *arguments], env=ENVIRONMENT,
                             capture_output=True, text=True, timeout=LONGEST)
        self.seconds = time.monotonic() - start
        self.code = run.returncode
        self.output = run.stdout + run.stderr
        self.messages = re.findall(r"mpi_ranks: (.*)", self.output)
        ends = re.findall(r"rank (\d) of \d ended after ([\d.]+) s with (\d)", self.output)
        self.ends = {int(rank): (float(seconds), int(code)) for rank, seconds, code in ends}


class MpiRanks(unittest.TestCase):
    def expect_error(self, outcome, message, seconds=2):
        """Expects one message, and ends of ranks in time with code 2; mpirun kills others when the first one ends."""
        self.assertNotEqual(outcome.code, 0, outcome.output)
        self.assertEqual(len(outcome.messages), 1, outcome.output)
        self.assertRegex(outcome.messages[0], message)
        self.assertTrue(outcome.ends)
        for end, code in outcome.ends.values():
            self.assertEqual(code, 2, outcome.output)
            self.assertLess(end, seconds + BUSY, outcome.output)
        self.assertLess(outcome.seconds, seconds + 2 * BUSY, outcome.output)  # with the time of mpirun

    def expect_error_2(self, outcome, message):
        """Expects the same, and code 2 of mpirun, which it does not have if a rank is killed."""
        self.expect_error(outcome, message)
        self.assertEqual(outcome.code, 2, outcome.output)

    def test_tasks(self):
        for task in ("collect", "exchange"):
            for ranks in (2, 3):
                with self.subTest(task=task, ranks=ranks):
                    outcome = Outcome(ranks, task)
                    self.assertEqual(outcome.code, 0, outcome.output)
                    self.assertEqual(outcome.messages, [], outcome.output)
                    self.assertEqual(sorted(outcome.ends), list(range(ranks)), outcome.output)

    def test_one_rank_needs_no_mpi(self):
        self.expect_error_2(Outcome(1, "failTogether"), "^a rule writes too far$")

    def test_failure(self):
        for rank in (0, 2):
            with self.subTest(rank=rank):
                outcome = Outcome(3, "fail", str(rank))
                self.expect_error_2(outcome, rf"^rank {rank} on host \S+: out of memory$")

    def test_failure_of_all(self):
        self.expect_error_2(Outcome(3, "failTogether"), "^a rule writes too far$")

    def test_stopped_rank(self):
        for rank in (0, 1):
            with self.subTest(rank=rank):
                outcome = Outcome(3, "stop", str(rank))
                self.expect_error(outcome, rf"^rank {rank} on host \S+ has not answered for {TIMEOUT} s \(step 1\d\)",
                                  TIMEOUT + 2)

    def test_rank_that_works_for_longer_than_the_timeout(self):
        for rank in (0, 1):
            with self.subTest(rank=rank):
                outcome = Outcome(2, "work", str(rank))
                self.assertEqual((outcome.code, outcome.messages), (0, []), outcome.output)

    def expect_no_start(self, start, messages):
        """Starts rank 1 by code of the shell, in which "$@" is the program."""
        code = f'if [ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 1 ]; then {start}; fi; exec "$@"'
        outcome = Outcome(3, "start", shell=["sh", "-c", code, "sh"])
        self.assertNotEqual(outcome.code, 0, outcome.output)
        self.assertLess(outcome.seconds, START + 2 * BUSY, outcome.output)
        self.assertIn(len(outcome.messages), messages, outcome.output)
        for message in outcome.messages:
            self.assertRegex(message, f"has started 3 processes, but not all of them have connected within {START} s")

    def test_rank_that_is_stopped_before_the_start(self):
        self.expect_no_start("kill -STOP $$", (1, 2))  # the second one if the launcher is slow

    def test_rank_that_is_another_program(self):
        self.expect_no_start("exec true", (0, 1, 2))  # a launcher may end the run itself

    def test_killed_rank(self):
        outcome = Outcome(3, "kill", "1")
        self.assertNotEqual(outcome.code, 0, outcome.output)
        self.assertLess(outcome.seconds, 5 + BUSY, outcome.output)


if __name__ == "__main__":
    MPIRUN, PROGRAM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
