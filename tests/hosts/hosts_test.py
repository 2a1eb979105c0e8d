"""Runs on four hosts of one machine: hosts_test.py MPIRUN FOLDER_OF_PROGRAMS EMULATED_HOSTS [unittest's options].

Ends with 77, which ctest shows as skipped, where hosts cannot be made."""

import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "apps"))
import programs
import rank_runs
from hosts import Hosts, Unavailable
from programs import Folder, SETTINGS, SOURCE, command, run, state_hash
from rank_runs import ENDING, SLACK, RankRun

SKIPPED = 77
HOSTS = 4
TIMEOUT = 3  # s, `ranks.timeout`
ENDS = TIMEOUT + 2 + SLACK  # s, time in which all ranks end after a rank is silent
SILENT = rf"has not answered for {TIMEOUT} s \(step \d+\)"

WITHOUT_OUTPUT = ["threads=1", "output.table_every=0", "output.frame_every=0"]
CASES = {"life": ["rows=64", "columns=64", "steps=200"],
         "circles": ["particles=1000", "width=10", "steps=40"],
         "schelling": ["size=40", "steps=20"]}
ENDLESS = ["steps=1e9", "output.data_every=0", "checkpoint.every=20", f"ranks.timeout={TIMEOUT}"]


class OnHosts(Folder):
    def setUp(self):
        super().setUp()
        EMULATED.order("delay 0")
        for host in range(HOSTS + 1):
            EMULATED.order(f"join {host}")

    def start(self, line, one_rank=None, launcher=None):
        return RankRun(self.folder, HOSTS, line, one_rank, launcher or EMULATED.launcher(rank_runs.MPIRUN, IS_OPEN_MPI))

    def start_endless(self, **options):
        """Starts a run of life, and returns it after its first checkpoint. The standard error of each rank is in the
        file errors-<rank> too, as that of a host without a link reaches nobody."""
        keep = {rank: f"exec 2>errors-{rank}" for rank in range(HOSTS)}
        started = self.start(command("life", "life.yaml", [*WITHOUT_OUTPUT, *ENDLESS]), keep, **options)
        started.wait_for(self.folder / "out/checkpoint.h5")
        return started

    def finish(self, started):
        """Waits for the end of a run and returns its messages by rank."""
        started.finish()
        self.addCleanup(EMULATED.order, "delay 0")
        texts = {}
        for rank in range(HOSTS):
            started.errors = (self.folder / f"errors-{rank}").read_text(encoding="utf-8")
            texts[rank] = started.messages()
        return texts

    def check_one_message(self, texts, message, without=None):
        """Expects one message of all ranks but one."""
        found = [text for rank, lines in texts.items() if rank != without for text in lines]
        self.assertEqual(len(found), 1, texts)
        self.assertRegex(found[0], message)

    def check_goes_on(self):
        """Continues the run from its checkpoint on one process, and compares it with an uninterrupted one."""
        checkpoint = self.folder / "out/checkpoint.h5"
        steps = rank_runs.step_of("life", self.folder / "life.yaml", checkpoint) + 30
        line = command("life", "life.yaml", [*WITHOUT_OUTPUT, f"steps={steps}", "checkpoint.every=0"])
        continued = run([*line, "--restart", str(checkpoint)], cwd=self.folder)
        self.assertEqual(state_hash(continued), state_hash(run(line, cwd=self.folder)))


class SameHash(OnHosts):
    def check(self, program):
        line = command(program, SETTINGS / f"{program}.yaml", [*WITHOUT_OUTPUT, *CASES[program]])
        expected = state_hash(run(line, cwd=self.folder))
        for delay in (0, 200, 1000):
            with self.subTest(program=program, microseconds=delay):
                EMULATED.order(f"delay {delay}")
                self.assertEqual(self.start(line).finish().hash(), expected)

    def test_life(self):
        self.check("life")

    def test_circles(self):
        self.check("circles")

    def test_schelling(self):
        self.check("schelling")


class Faults(OnHosts):
    def test_an_error_on_one_rank(self):
        (self.folder / "elsewhere").mkdir()
        self.write("glider.rle", (SOURCE / "settings/patterns/gosper_glider_gun.rle").read_bytes())
        line = command("life", self.folder / "life.yaml", ["pattern=glider.rle", "density=0"])
        outcome = self.start(line, {2: "cd elsewhere"}).finish()
        self.assertEqual((outcome.code, len(outcome.messages())), (2, 1), outcome.errors)
        self.assertRegex(outcome.messages()[0], r"^life: rank 2 on host host2: .*glider\.rle")

    def test_a_killed_rank(self):
        started = self.start_endless()
        started.signal(1, signal.SIGKILL)
        self.assertTrue(started.all_end(range(HOSTS), ENDING + SLACK))
        self.finish(started)
        self.assertNotEqual(started.code, 0)
        self.check_goes_on()

    def check_stopped(self, rank):
        started = self.start_endless()
        started.signal(rank, signal.SIGSTOP)
        self.assertTrue(started.all_end(set(range(HOSTS)) - {rank}, ENDS))
        self.check_one_message(self.finish(started), rf"^life: rank {rank} on host host{rank} {SILENT}")

    def test_a_stopped_first_rank(self):
        self.check_stopped(0)

    def test_a_stopped_rank(self):
        self.check_stopped(2)

    def check_link(self, host):
        started = self.start_endless()
        EMULATED.order(f"cut {host}")
        start = time.monotonic()
        self.assertTrue(started.all_end(range(HOSTS), ENDS))
        print(f"link of {host} down: all ranks ended after {time.monotonic() - start:.1f} s", file=sys.stderr)
        EMULATED.end_processes()  # mpirun waits for its daemon on that host, which it finds dead only after minutes
        texts = self.finish(started)
        self.check_one_message(texts, rf"^life: rank {host} on host host{host} {SILENT}", without=host)
        self.assertEqual(len(texts[host]), 1, texts)
        self.assertRegex(texts[host][0], rf"^life: rank \d on host host[^{host}] {SILENT}")

    def test_a_dead_link_of_the_first_host(self):
        self.check_link(0)

    def test_a_dead_link(self):
        self.check_link(2)

    def check_signal(self, rank, number, name):
        started = self.start_endless()
        started.signal(rank, number)
        texts = self.finish(started)
        self.assertEqual(started.code, 128 + number, texts)
        self.check_one_message(texts, rf"stopped by {name} at step \d+ of 1000000000\.$")
        self.check_goes_on()

    def test_ctrl_c_on_a_rank(self):
        self.check_signal(3, signal.SIGINT, "Ctrl-C")

    def test_sigterm_on_a_rank(self):
        self.check_signal(0, signal.SIGTERM, "SIGTERM")

    def test_sigusr2_on_a_rank(self):
        self.check_signal(1, signal.SIGUSR2, "SIGUSR2")

    def test_sigusr1_on_a_rank(self):
        started = self.start_endless()
        checkpoint = self.folder / "out/checkpoint.h5"
        started.signal(2, signal.SIGUSR1)
        before = checkpoint.stat().st_mtime_ns
        self.assertTrue(rank_runs.wait_until(lambda: checkpoint.stat().st_mtime_ns != before))
        self.assertIsNone(started.process.poll())
        started.signal(0, signal.SIGUSR2)
        self.finish(started)
        self.check_goes_on()

    def test_ctrl_c_of_the_script(self):
        code = f'. {SOURCE}/scripts/lib.sh; run_ranks "$@"'
        EMULATED.launcher(rank_runs.MPIRUN, IS_OPEN_MPI)  # sets the variables of Open MPI
        if not IS_OPEN_MPI:
            self.skipTest("the script passes no options for these hosts to MPICH")
        started = self.start_endless(launcher=[*EMULATED.enter_login(), "bash", "-euo", "pipefail", "-c", code, "run",
                                               rank_runs.MPIRUN, str(HOSTS)])
        started.process.send_signal(signal.SIGINT)
        self.check_one_message(self.finish(started), r"stopped by SIGUSR2 at step \d+ of 1000000000\.$")
        self.assertEqual(started.code, 128 + signal.SIGUSR2)
        self.check_goes_on()


if __name__ == "__main__":
    EMULATED_HOSTS = rank_runs.take_arguments("emulated_hosts")[0]
    IS_OPEN_MPI = "Open" in subprocess.run([rank_runs.MPIRUN, "--version"], capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory(prefix="mass-hosts-") as folder:
        try:
            EMULATED = Hosts(EMULATED_HOSTS, HOSTS, pathlib.Path(folder))
        except Unavailable as error:
            print(f"skipped: hosts need namespaces and /dev/net/tun, as root on Linux: {error}")
            sys.exit(SKIPPED)
        try:
            outcome = unittest.main(argv=sys.argv, exit=False)
        finally:
            EMULATED.close()
    sys.exit(not outcome.result.wasSuccessful())
