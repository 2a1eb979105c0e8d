"""Tests runs under faults: links and pipes in the way, closed streams, signals, damaged frames, exhausted memory.

python3 faults_test.py FOLDER_OF_PROGRAMS LIBRARY_OF_FAULTS [unittest's options]

The library, faults.cpp, is preloaded; it makes calls of libraries fail. Without it (''), its tests are skipped."""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import programs
from programs import Folder, broken, command, files, results, run, state_hash

FAULTS = ""

PICTURES = ["output.animation=gif", "steps=40"]


class NewFiles(Folder):
    """A run never opens a file that it creates as if it existed."""

    def setUp(self):
        super().setUp()
        self.expected = self.finish("life", [*PICTURES, "output.folder=clean"])
        self.names = [name for name in files(self.folder / "clean") if not name.endswith(".lock")]

    def place(self, obstacle):
        for name in self.names:
            path = self.folder / "out" / f"{name}.partial"
            path.parent.mkdir(parents=True, exist_ok=True)
            obstacle(path)
        obstacle(self.folder / "out/life.csv.partial.partial")

    def check_same(self):
        self.assertEqual(self.finish("life", PICTURES), self.expected)
        self.assertEqual(results(self.folder / "out"), results(self.folder / "clean"))
        self.assertEqual([path for path in (self.folder / "out").rglob("*") if ".partial" in path.name], [])

    def test_symbolic_links_are_not_followed(self):
        self.write("precious", "the user's")
        self.place(lambda path: path.symlink_to(self.folder / "precious"))
        self.check_same()
        self.assertEqual((self.folder / "precious").read_text(), "the user's")

    def test_dangling_links_create_nothing(self):
        self.place(lambda path: path.symlink_to(self.folder / "created"))
        self.check_same()
        self.assertFalse((self.folder / "created").exists())

    def test_pipes_do_not_block(self):
        self.place(os.mkfifo)
        self.check_same()

    def test_a_pipe_for_a_table_to_go_on_with_is_refused(self):
        self.finish("life", ["steps=20"])
        (self.folder / "out/life.csv").unlink()
        os.mkfifo(self.folder / "out/life.csv.partial")
        self.check_refused("life", self.run_program("life", [], "--restart", "out/checkpoint.h5"),
                           "cannot continue the table 'out/life.csv.partial'", "readable file")

    def test_a_link_for_a_lock_is_refused(self):
        (self.folder / "out").mkdir()
        (self.folder / "out/checkpoint.h5.lock").symlink_to(self.folder / "created")
        self.check_refused("life", self.run_program("life"), "checkpoint.h5.lock", "a symbolic link")
        self.assertFalse((self.folder / "created").exists())


class EarlierPictures(Folder):
    """A restart makes the animation of pictures of the earlier run, which anything may have replaced."""

    def replace(self, obstacle):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.finish("life", PICTURES)
        picture = self.folder / "out/frames/000000010.png"
        picture.unlink()
        obstacle(picture)
        return self.run_program("life", [PICTURES[0], "steps=60"], "--restart", "out/checkpoint.h5")

    def test_that_are_no_regular_files_are_a_warning(self):
        self.finish("life", [*PICTURES, "output.folder=clean"])
        for kind, obstacle in [("a FIFO", os.mkfifo), ("a folder", pathlib.Path.mkdir),
                               ("a symbolic link",
                                lambda path: path.symlink_to(self.folder / "clean/frames/000000010.png"))]:
            with self.subTest(kind=kind):
                outcome = self.replace(obstacle)
                self.assertEqual(outcome.returncode, 0, outcome)
                self.assertIn("life: warning: there is no animation of all frames: cannot read "
                              f"'out/frames/000000010.png': it is {kind} ", outcome.stderr)
                self.assertEqual(json.loads((self.folder / "out/run.json").read_text())["state"], "finished")


class ClosedStreams(Folder):
    def test_messages_go_into_no_file(self):
        line = command("life", "life.yaml", PICTURES)
        expected = self.finish("life", [*PICTURES, "output.folder=clean"])
        self.assertEqual(len(expected), 16)
        for streams in [">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"]:
            with self.subTest(streams=streams):
                outcome = run(["sh", "-c", f'exec "$@" {streams}', "sh", *line], cwd=self.folder)
                self.assertEqual(outcome.returncode, 0, outcome)
                self.assertEqual(results(self.folder / "out"), results(self.folder / "clean"))
                self.assertEqual(broken(self.folder), [])
                shutil.rmtree(self.folder / "out")

    def test_nor_do_errors(self):
        line = command("life", "life.yaml", ["output.animation=jpg"])
        for streams in ["2>&-", "<&- >&- 2>&-"]:
            self.assertEqual(run(["sh", "-c", f'exec "$@" {streams}', "sh", *line], cwd=self.folder).returncode, 2)
        self.assertFalse((self.folder / "out").exists())


class Signals(Folder):
    ENDLESS = ["steps=1000000000", "output.frame_every=0", "output.data_every=0"]

    def start(self, line=(), **options):
        process = subprocess.Popen([*line, *command("life", "life.yaml", self.ENDLESS)], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.kill)
        table = self.folder / "out/life.csv.partial"
        deadline = time.monotonic() + programs.PATIENCE
        while not (table.exists() and table.stat().st_size > 500):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        return process

    def test_each_ends_the_run_with_a_checkpoint(self):
        for number in [signal.SIGHUP, signal.SIGTERM, signal.SIGUSR2, signal.SIGXCPU]:
            with self.subTest(signal=number.name):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                process = self.start()
                process.send_signal(number)
                process.send_signal(number)  # timeout, launchers and batch systems repeat themselves
                _, messages = process.communicate(timeout=programs.PATIENCE)
                self.assertEqual(process.returncode, 128 + number, messages)
                stopped = re.search(rf"^life: stopped by {number.name} at step (\d+) of ", messages, re.MULTILINE)
                self.assertTrue(stopped, messages)
                self.assertEqual(broken(self.folder), [])
                quick = [f"steps={int(stopped[1]) + 10}", *self.ENDLESS[1:]]
                self.finish("life", quick, "--restart", "out/checkpoint.h5")

    def test_sigusr1_writes_a_checkpoint_and_the_run_goes_on(self):
        process = self.start()
        for _ in range(2):
            (self.folder / "out/checkpoint.h5").unlink(missing_ok=True)
            process.send_signal(signal.SIGUSR1)
            deadline = time.monotonic() + programs.PATIENCE
            while not (self.folder / "out/checkpoint.h5").exists():
                self.assertLess(time.monotonic(), deadline)
                self.assertIsNone(process.poll())
                time.sleep(0.01)
        process.terminate()
        _, messages = process.communicate(timeout=programs.PATIENCE)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, messages)

    def test_while_the_files_are_completed_it_ends_the_run_too(self):
        self.write("bin/ffmpeg", "#!/bin/sh\nkill -TERM $PPID\nexit 3\n").chmod(0o755)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        outcome = self.run_program("life", PICTURES, env={**os.environ, "PATH": path})
        self.assertEqual(outcome.returncode, 143, outcome)
        self.assertTrue(outcome.stderr.endswith("life: stopped by SIGTERM after the last step, 40.\n"), outcome)
        self.assertEqual(json.loads((self.folder / "out/run.json").read_text())["state"], "interrupted")
        self.assertEqual(broken(self.folder), [])

    def test_nohup_is_respected(self):
        process = self.start(["nohup"], stdin=subprocess.DEVNULL)
        process.send_signal(signal.SIGHUP)
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(signal.SIGTERM)
        _, messages = process.communicate(timeout=programs.PATIENCE)
        self.assertEqual(process.returncode, 143)
        self.assertIn("stopped by SIGTERM", messages)

    def test_the_first_one_ends_a_write_that_blocks(self):
        read, write = os.pipe()
        os.set_blocking(write, False)
        try:
            while True:
                os.write(write, bytes(4096))
        except BlockingIOError:
            pass
        os.set_blocking(write, True)
        process = subprocess.Popen(command("life", "life.yaml", PICTURES), cwd=self.folder, stdout=write,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        os.close(write)
        deadline = time.monotonic() + programs.PATIENCE
        while not (self.folder / "out/life.gif").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(signal.SIGTERM)
        _, messages = process.communicate(timeout=10)
        os.close(read)
        self.assertEqual(process.returncode, 2)
        self.assertIn("cannot write to the standard output: Interrupted", messages)


def flip(path, chance):
    """Flips one bit of a file."""
    data = bytearray(path.read_bytes())
    at = chance.randrange(len(data))
    data[at] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


class DamagedFrames(Folder):
    """A restart compares the frames of earlier results with checksums, and opens none."""

    def check_damage(self, program, settings, pattern, damage, count):
        """Continues runs with damaged frames: each is refused by the name of a frame, the undamaged run is not."""
        first = ["steps=60", f"output.folder={settings['folder']}", *settings["more"]]
        self.finish(program, first)
        more = ["steps=90", *first[1:]]
        saved = self.folder / "saved"
        shutil.move(self.folder / settings["folder"], saved)
        for number in range(count + 1):
            shutil.copytree(saved, self.folder / settings["folder"])
            if number > 0:
                damage(sorted((self.folder / settings["folder"]).glob(pattern)), number)
            outcome = self.run_program(program, more, "--restart", f"{settings['folder']}/checkpoint.h5")
            if number == 0:
                self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
            else:
                self.check_refused(program, outcome, "cannot continue", pattern[pattern.rindex("."):], "copy it again")
            shutil.rmtree(self.folder / settings["folder"])

    def test_that_are_missing_are_noted(self):
        self.finish("life", ["steps=60"])
        frame = min((self.folder / "out/life").glob("*.vtkhdf"))
        frame.unlink()
        outcome = self.run_program("life", ["steps=90"], "--restart", "out/checkpoint.h5")
        self.assertEqual(outcome.returncode, 0, outcome)
        self.assertRegex(outcome.stderr, f"^life: note: 1 of the earlier files .* missing and left out: {frame.name}\n$")

    def test_of_places(self):
        chance = random.Random(1)
        self.check_damage("life", {"folder": "out", "more": []}, "life/*.vtkhdf",
                          lambda frames, number: flip(chance.choice(frames), chance), 10)

    def test_that_are_links_pipes_or_empty(self):
        def damage(frames, number):
            frames[0].write_bytes(b"")
            frames[1].unlink()
            frames[1].symlink_to("/dev/zero")
            frames[2].unlink()
            os.mkfifo(frames[2])

        self.check_damage("life", {"folder": "out", "more": []}, "life/*.vtkhdf", damage, 1)

    def test_of_tables_of_agents(self):
        self.write("predation.yaml", "size: 20\nthreads: 1\ncheckpoint: {every: 20}\n")
        chance = random.Random(2)
        self.check_damage("predation", {"folder": "out", "more": ["output.agents_every=5", "output.agents_format=hdf5"]},
                          "*/*.h5", lambda frames, number: flip(chance.choice(frames), chance), 6)

    def test_without_a_list_are_no_crash(self):
        """A checkpoint of an earlier version has no list: its frames are read in a process of their own."""
        fixture = pathlib.Path(__file__).with_name("restart") / "life"
        chance = random.Random(3)
        for number in range(12):
            folder = self.folder / f"old-{number}"
            shutil.copytree(fixture, folder)
            flip(chance.choice(sorted(folder.glob("out/*/*.vtkhdf"))), chance)
            outcome = self.run_program("life", ["steps=14", f"output.folder={folder}/out"], "--restart",
                                       folder / "out/checkpoint.h5", settings=folder / "settings.yaml")
            if outcome.returncode != 0:
                self.check_refused("life", outcome, "cannot continue", ".vtkhdf")


class KilledRun(Folder):
    def test_the_next_start_says_so(self):
        process = Signals.start(self)
        process.kill()
        process.wait()
        outcome = self.run_program("life", ["steps=20"])
        self.assertEqual(outcome.returncode, 0, outcome)
        self.assertRegex(outcome.stderr, r"^life: note: the last run in 'out' did not end: it crashed, was killed, .*\n")
        self.finish("life", ["steps=20"])

    ENDLESS = Signals.ENDLESS


class Memory(Folder):
    """A library that cannot allocate memory."""

    def setUp(self):
        if not FAULTS:
            self.skipTest("without the library of faults")
        super().setUp()

    def run_with(self, **faults):
        environment = {**os.environ, "LD_PRELOAD": FAULTS, **{name: str(value) for name, value in faults.items()}}
        return self.run_program("life", PICTURES, env=environment)

    def check_end(self, ends, **fault):
        """Checks that a run succeeds, or ends with one line and no half-written file."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        outcome = self.run_with(**fault)
        self.assertEqual(broken(self.folder / "out"), [], fault)
        ends.append(outcome.returncode)
        if outcome.returncode == 0:
            return
        self.assertIn(outcome.returncode, [2, -signal.SIGSEGV], (fault, outcome))
        self.assertEqual(len(outcome.stderr.splitlines()), 1, (fault, outcome))
        self.assertTrue(outcome.stderr.startswith("life: "), outcome)
        left = [path.name for path in (self.folder / "out").rglob("*.partial")]
        self.assertIn(left, [[], ["life.csv.partial"]], fault)  # the table is continued by a restart
        if outcome.returncode != 2:
            self.assertIn("the last run in 'out' did not end", self.run_program("life", PICTURES).stderr)

    def test_in_hdf5_gives_one_line_and_no_half_written_file(self):
        calls = int(re.search(r"FAULTS: (\d+)", self.run_with(FAULT_COUNT=1).stderr)[1])
        self.assertGreater(calls, 1000)
        ends = []
        for number in [1, 7, *range(100, calls, calls // 12)]:
            self.check_end(ends, FAULT_AT=number)
        for number in [1, 10, 50, calls // 2, calls - 100]:
            self.check_end(ends, FAULT_FROM=number)
        self.assertEqual(set(ends), {0, 2, -signal.SIGSEGV}, ends)

    def test_of_the_whole_program_gives_one_line(self):
        for number in [2000, 2500, 3000, 4000, 5000, 9000]:
            outcome = self.run_with(FAULT_ALL_FROM=number)
            if outcome.returncode == -signal.SIGSEGV:  # in HDF5
                self.assertRegex(outcome.stderr, r"^life: the program has crashed.*\n$", number)
            elif outcome.returncode != 0:
                self.assertEqual(outcome.stderr, "life: out of memory: use a smaller world or fewer agents\n", number)


if __name__ == "__main__":
    FAULTS = sys.argv.pop(2)
    programs.main()
