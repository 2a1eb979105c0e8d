"""Tests of programs on several ranks: ranks_test.py MPIRUN FOLDER_OF_PROGRAMS LIFE_WITHOUT_MPI [unittest's options].

The last program is life as a build without MPI makes it."""

import pathlib
import signal
import sys
import unittest

import programs
import rank_runs
from programs import Folder, SOURCE, command, files, run, state_hash, write_changes
from rank_runs import ENDING, SLACK, RankRun, run_on

PREDATION = """\
size: 40
sheep: 300
wolves: 60
seed: 7
threads: 1
steps: 60
output: {table_every: 1, frame_every: 20, data_every: 20, agents_every: 10, animation: none}
checkpoint: {every: 20}
"""

CALCIUM = """\
model: buffer
duration: 4
buffer: {arm_length: 3}
threads: 1
output: {table_every: 1, frame_every: 2, animation: none}
checkpoint: {every: 2}
"""

PHOLD = """\
places: 100
population: 4
steps: 4
threads: 1
output: {animation: none, plot: []}
checkpoint: {every: 2}
"""

# A run that goes on until a test ends it.
ENDLESS = ["steps=1e9", "output.table_every=0", "output.frame_every=0", "output.data_every=0", "checkpoint.every=20"]

TIMEOUT = 3  # s, `ranks.timeout`


def results(folder):
    """Returns all files of a run by name but its record, which has times and the number of devices."""
    return {name: data for name, data in files(folder / "out").items() if name != "run.json"}


class Ranks(Folder):
    def setUp(self):
        super().setUp()
        self.write("predation.yaml", PREDATION)

    def work(self, name):
        """Returns a new folder for a run, whose output has the same relative path as that of others."""
        folder = self.folder / name
        folder.mkdir()
        return folder

    def line(self, program, assignments=(), *options):
        return command(program, f"../{program}.yaml", assignments, *options)

    def alone(self, program, name="alone", assignments=()):
        """Returns the state hash and the folder of a run of one process."""
        folder = self.work(name)
        return state_hash(run(self.line(program, assignments), cwd=folder)), folder

    def check_same(self, folder, expected):
        found, stored = results(folder), results(expected)
        self.assertEqual(sorted(found), sorted(stored))
        self.assertEqual([name for name in stored if found[name] != stored[name]], [])

    def check_error(self, outcome, message, codes=(2,)):
        """Expects one of the exit codes and one message."""
        self.assertIn(outcome.code, codes, (outcome.output, outcome.errors))
        self.assertEqual(len(outcome.messages()), 1, outcome.errors)
        self.assertRegex(outcome.messages()[0], message)

    def hash_at(self, program, step):
        """Returns the state hash of an uninterrupted run of one process at a step."""
        return self.alone(program, f"until-{step}", [*ENDLESS, f"steps={step}", "checkpoint.every=0"])[0]

    def start_endless(self, ranks, *assignments, **options):
        """Starts a run of life, and returns it after its first checkpoint."""
        started = RankRun(self.work("endless"), ranks, self.line("life", [*ENDLESS, *assignments]), **options)
        started.wait_for(started.folder / "out/checkpoint.h5")
        return started

    def check_goes_on(self, checkpoint, ranks):
        """Continues a run of life on a number of ranks, and compares its hash with that of an uninterrupted one."""
        step = rank_runs.step_of("life", self.folder / "life.yaml", checkpoint) + 30
        line = self.line("life", [*ENDLESS, f"steps={step}"], "--restart", checkpoint)
        self.assertEqual(run_on(ranks, self.work("on"), line).hash(), self.hash_at("life", step))

    def check_stopped_by(self, outcome, number, name):
        """Expects the exit code and message of a signal, and a checkpoint from which the run goes on."""
        self.assertEqual(outcome.code, 128 + number, outcome.errors)
        self.assertEqual(len(outcome.messages()), 1, outcome.errors)
        self.assertRegex(outcome.messages()[0], rf"stopped by {name} at step \d+ of 1000000000\.$")
        self.assertTrue(outcome.all_end(range(outcome.ranks)))
        checkpoint = outcome.folder / "out/checkpoint.h5"
        self.assertIn(f"at step {rank_runs.step_of('life', self.folder / 'life.yaml', checkpoint)} of", outcome.errors)
        self.check_goes_on(checkpoint, 1)

    def test_places_have_the_files_of_one_process(self):
        expected, alone = self.alone("life")
        outcome = run_on(3, self.work("ranks"), self.line("life"))
        self.assertEqual(outcome.hash(), expected)
        self.check_same(outcome.folder, alone)  # the checkpoint too: it does not depend on ranks

    def test_agents_have_the_files_of_one_process(self):
        expected, alone = self.alone("predation")
        outcome = run_on(2, self.work("ranks"), self.line("predation"))
        self.assertEqual(outcome.hash(), expected)
        self.check_same(outcome.folder, alone)

    def test_events_have_the_files_of_one_process(self):
        self.write("calcium.yaml", CALCIUM)
        expected, alone = self.alone("calcium")
        outcome = run_on(3, self.work("ranks"), self.line("calcium"))
        self.assertEqual(outcome.hash(), expected)
        for folder in (alone, outcome.folder):
            (folder / "out/events-cell.csv").unlink()  # it has times
        self.check_same(outcome.folder, alone)

    def test_devices_are_those_of_a_rank(self):
        expected, alone = self.alone("heat2d")
        outcome = run_on(2, self.work("ranks"), self.line("heat2d"), {1: 'set -- "$@" --set devices=2'})
        self.assertIn("3 CPU devices of 2 ranks", outcome.output)
        self.assertEqual(outcome.hash(), expected)
        self.check_same(outcome.folder, alone)

    def test_restarts_on_other_numbers_of_ranks(self):
        expected, alone = self.alone("life")
        folder, restart = self.work("ranks"), ()
        for ranks, steps in [(3, 40), (2, 80), (1, 120)]:
            found = run_on(ranks, folder, self.line("life", [f"steps={steps}"], *restart)).hash()
            restart = ("--restart", "out/checkpoint.h5")
        self.assertEqual(found, expected)
        found, stored = results(folder), results(alone)
        self.assertEqual([name for name in stored if name != "checkpoint.h5" and found.get(name) != stored[name]], [])

    def test_scheduled_events_restart_on_other_numbers_of_ranks(self):
        self.write("phold.yaml", PHOLD)
        expected, alone = self.alone("phold")
        folder, restart = self.work("ranks"), ()
        for ranks, steps in [(2, 2), (3, 4)]:
            found = run_on(ranks, folder, self.line("phold", [f"steps={steps}"], *restart)).hash()
            restart = ("--restart", "out/checkpoint.h5")
        self.assertEqual(found, expected)
        self.assertEqual(results(folder)["phold.csv"], results(alone)["phold.csv"])

    def test_several_steps_between_exchanges_have_the_hash_of_one_process(self):
        for ranks, every, program in [(4, 2, "forest_fire"), (2, 4, "heat3d"), (3, 2, "lbm"), (2, 16, "life"),
                                      (2, 3, "seismic")]:
            with self.subTest(program=program):
                folder = self.work(program)
                world = [*programs.NO_FILES, *programs.STEPPED[program]]
                expected = state_hash(run(command(program, None, world), cwd=folder))
                # Half of the steps, and the others with another number between exchanges.
                half = [*world, "steps=20", "checkpoint.every=20", f"exchange_every={every}"]
                outcome = run_on(ranks, folder, command(program, None, half))
                self.assertIn(f"every {every} steps, waited", outcome.output)
                line = command(program, None, [*world, "exchange_every=1"], "--restart", "out/checkpoint.h5")
                self.assertEqual(run_on(2, folder, line).hash(), expected)

    def test_changes_of_settings_are_repeated(self):
        unchanged, folder = self.alone("predation")
        write_changes(folder / "out/run.json", [(7, "regrowth", 3), (7, "wolf_gain", 9.5), (31, "sheep_birth", 0.2)])
        run(command("predation", None, (), "--again", "out/run.json"), cwd=folder)
        outcome = run_on(3, folder, command("predation", None, (), "--again", "out/again/run.json"))
        self.assertEqual(outcome.code, 0, outcome.errors)
        self.assertIn("reproduced", outcome.output)
        self.assertNotEqual(outcome.hash(), unchanged)
        found, stored = files(folder / "out/again/again"), files(folder / "out/again")
        # The record has times, and both have the name of the output folder.
        del found["run.json"], found["checkpoint.h5"]
        self.assertEqual([name for name in found if found[name] != stored[name]], [])

    def test_settings_from_a_pipe_are_read_once(self):
        line = [*self.line("life")[:1], "/dev/stdin", "--set", "output.folder=out", "--set", "threads=1"]
        outcome = run_on(2, self.work("ranks"), ["sh", "-c", 'printf "rows: 20\nsteps: 5\n" | "$@"', "sh", *line])
        self.assertIn("step 5 of 5, 10240 places", outcome.output)

    def test_settings_that_differ(self):
        outcome = run_on(3, self.work("ranks"), self.line("life"), {1: 'set -- "$@" --set seed=6'})
        self.check_error(outcome, r"^life: rank 1 on host \S+ has another value than rank 0 of seed, which affects results")
        self.assertFalse((outcome.folder / "out").exists())

    def test_gpus_of_a_program_without_cuda_are_refused_once(self):
        outcome = run_on(2, self.work("ranks"), self.line("life", ["backend=cuda"]))
        self.check_error(outcome, "^life: this program was built without CUDA")
        self.assertFalse((outcome.folder / "out").exists())

    def test_ranks_of_different_backends(self):
        outcome = run_on(2, self.work("gpu"), self.line("life"), {1: 'set -- "$@" --set backend=cuda'})
        self.check_error(outcome, r"^life: rank 1 on host \S+: this program was built without CUDA")
        outcome = run_on(2, self.work("cpus"), self.line("life", ["backend=cpu"]), {1: 'set -- "$@" --set backend=auto'})
        self.assertEqual((outcome.code, outcome.errors), (0, ""))
        self.assertEqual(outcome.hash(), self.alone("life")[0])

    def test_an_input_that_one_rank_lacks(self):
        self.write("ranks/glider.rle", (SOURCE / "settings/patterns/gosper_glider_gun.rle").read_bytes())
        (self.folder / "elsewhere").mkdir()
        line = command("life", self.folder / "life.yaml", ["pattern=glider.rle", "density=0"])
        outcome = run_on(2, self.folder / "ranks", line, {1: "cd ../elsewhere"})
        self.check_error(outcome, r"^life: rank 1 on host \S+: .*glider\.rle")

    def test_help_is_printed_once(self):
        outcome = run_on(3, self.work("ranks"), self.line("life", (), "--help"))
        self.assertEqual((outcome.code, outcome.errors), (0, ""))
        self.assertEqual(outcome.output.count("Usage: life"), 1)
        self.assertEqual(outcome.output.count("ranks.timeout"), 1)

    def test_a_program_without_mpi_starts_no_run(self):
        line = [str(LIFE_WITHOUT_MPI), *self.line("life")[1:]]
        outcome = run_on(3, self.work("ranks"), line)
        self.check_error(outcome, r"has started 3 processes, but this program was built without MPI")
        self.assertFalse((outcome.folder / "out").exists())
        alone = run(line, cwd=outcome.folder)
        self.assertEqual((alone.returncode, alone.stderr), (0, ""))

    def check_signal(self, rank, number, name):
        started = self.start_endless(2)
        started.signal(rank, number)
        self.check_stopped_by(started.finish(), number, name)

    def test_ctrl_c_on_the_first_rank(self):
        self.check_signal(0, signal.SIGINT, "Ctrl-C")

    def test_sigterm_on_another_rank(self):
        self.check_signal(1, signal.SIGTERM, "SIGTERM")

    def test_ctrl_c_of_the_script(self):
        code = f'. {SOURCE}/scripts/lib.sh; run_ranks "$@"'
        launcher = ["bash", "-euo", "pipefail", "-c", code, "run", rank_runs.MPIRUN, "2"]
        started = self.start_endless(2, launcher=launcher)
        started.process.send_signal(signal.SIGINT)
        outcome = started.finish()
        # mpirun of MPICH forwards SIGTERM, that of Open MPI SIGUSR2.
        number = signal.SIGTERM if outcome.code == 128 + signal.SIGTERM else signal.SIGUSR2
        self.check_stopped_by(outcome, number, number.name)

    def test_a_killed_rank(self):
        started = self.start_endless(3)
        started.signal(1, signal.SIGKILL)
        self.assertTrue(started.all_end(range(3)))
        outcome = started.finish()
        self.assertNotEqual(outcome.code, 0)
        self.assertLessEqual(len(outcome.messages()), 1, outcome.errors)
        self.check_goes_on(outcome.folder / "out/checkpoint.h5", 2)

    def test_a_stopped_rank(self):
        started = self.start_endless(3, f"ranks.timeout={TIMEOUT}")
        started.signal(1, signal.SIGSTOP)
        self.assertTrue(started.all_end([0, 2], TIMEOUT - 3 + ENDING + SLACK))
        message = rf"^life: rank 1 on host \S+ has not answered for {TIMEOUT} s \(step \d+\)"
        self.check_error(started.finish(), message, codes=(2, 9))  # mpirun of MPICH kills the rank and ends with 9


if __name__ == "__main__":
    LIFE_WITHOUT_MPI = pathlib.Path(rank_runs.take_arguments("program without MPI")[0]).resolve()
    unittest.main(argv=sys.argv)
