"""Tests whole runs: restarts, signals, full disks, terminals, and unusual but valid input.

python3 runs_test.py FOLDER_OF_PROGRAMS [unittest's options]"""

import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

import programs
from programs import Folder, broken, command, files, results, run, state_hash


def start(test, program, assignments, output="out"):
    """Starts a program and returns its process once the table has several rows."""
    process = subprocess.Popen(command(program, f"{program}.yaml", assignments), cwd=test.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    test.addCleanup(process.kill)
    table = test.folder / output / f"{program}.csv.partial"
    deadline = time.monotonic() + programs.PATIENCE
    while not (table.exists() and table.stat().st_size > 500):
        test.assertLess(time.monotonic(), deadline)
        time.sleep(0.01)
    return process


class Restart(Folder):
    def check_stages(self, program):
        """Checks that parts on 1, 3 and 2 devices write the files of an uninterrupted run."""
        whole = self.finish(program, ["output.folder=whole"])
        for steps, devices, more in [(50, 1, []), (95, 3, ["--restart", "parts/checkpoint.h5"]),
                                     (120, 2, ["--restart", "parts/checkpoint.h5"])]:
            last = self.finish(program, [f"steps={steps}", f"devices={devices}", "output.folder=parts"], *more)
        self.assertEqual(last, whole)
        self.assertEqual(results(self.folder / "parts"), results(self.folder / "whole"))
        self.assertEqual(files(self.folder / "parts").keys(), files(self.folder / "whole").keys())
        self.assertEqual(broken(self.folder), [])
        self.assertEqual(len(list((self.folder / "whole/frames").iterdir())), 13)
        self.assertEqual(len(list((self.folder / f"whole/{program}").iterdir())), 7)

    def test_life(self):
        self.check_stages("life")

    def test_life_of_four_states(self):
        self.write("life.yaml", programs.LIFE + "rule: 345/2/4\n")
        self.check_stages("life")
        header, *rows = (self.folder / "whole/life.csv").read_text().splitlines()
        self.assertEqual(header, "step,population,dying")
        self.assertTrue(all(int(cell) > 0 for cell in rows[-1].split(",")))

    def test_life_by_arrangements(self):
        self.write("life.yaml", programs.LIFE + "rule: B3/S2-i34q\n")
        self.check_stages("life")

    def test_life_of_another_number_of_states(self):
        self.finish("life", ["rule=345/2/4", "steps=40"])
        for rule, says in [("345/2/5", "number of states"), ("B3/S23", "checkpoint")]:
            outcome = self.run_program("life", [f"rule={rule}"], "--restart", "out/checkpoint.h5")
            self.check_refused("life", outcome, says)

    def test_heat2d(self):
        self.check_stages("heat2d")

    def test_heat2d_in_single_precision_with_an_animation(self):
        with open(self.folder / "heat2d.yaml", "a", encoding="utf-8") as settings:
            settings.write("precision: float\n")
        text = (self.folder / "heat2d.yaml").read_text().replace("animation: none", "animation: gif")
        self.write("heat2d.yaml", text)
        self.check_stages("heat2d")
        self.assertIn("whole/heat2d.gif", files(self.folder))

    def test_heat3d(self):
        self.check_stages("heat3d")

    def test_life3d(self):
        self.check_stages("life3d")

    def test_from_a_finished_run_to_more_steps(self):
        whole = self.finish("life", ["steps=140", "output.folder=whole"])
        self.finish("life")
        self.assertEqual(self.finish("life", ["steps=140"], "--restart", "out/checkpoint.h5"), whole)
        self.assertEqual(results(self.folder / "out"), results(self.folder / "whole"))

    def test_at_the_last_step_does_nothing_more(self):
        whole = self.finish("life")
        before = results(self.folder / "out")
        self.assertEqual(self.finish("life", [], "--restart", "out/checkpoint.h5"), whole)
        self.assertEqual(results(self.folder / "out"), before)

    def test_into_another_folder_begins_there(self):
        whole = self.finish("life")
        self.finish("life", ["steps=100", "output.folder=first"])
        checkpoint = self.folder / "first/checkpoint.h5"
        self.assertEqual(self.finish("life", ["output.folder=second"], "--restart", checkpoint), whole)
        rows = (self.folder / "second/life.csv").read_text().splitlines()
        self.assertEqual([row.split(",")[0] for row in rows[:2]], ["step", "101"])
        self.assertEqual(rows[-20:], (self.folder / "out/life.csv").read_text().splitlines()[-20:])

    def test_from_a_path_with_a_file_setting_and_spaces(self):
        self.finish("life", ["steps=60", "checkpoint.file=deep/er/my checkpoint.h5"])
        self.assertNotIn("out/checkpoint.h5", files(self.folder))
        whole = self.finish("life", ["output.folder=whole"])
        again = self.finish("life", ["checkpoint.file=deep/er/my checkpoint.h5"],
                            "--restart", "deep/../deep/er/my checkpoint.h5")
        self.assertEqual(again, whole)

    def check_note(self, assignments, keys):
        shutil.rmtree(self.folder / "again", ignore_errors=True)
        outcome = self.run_program("life", ["output.folder=again", *assignments], "--restart", "out/checkpoint.h5")
        self.assertEqual(outcome.returncode, 0, outcome)
        self.assertEqual(outcome.stderr, f"life: note: out/checkpoint.h5 was written with other values of {keys}; "
                                         "this run uses the new ones\n" if keys else "")

    def test_with_other_settings_of_the_model_is_noted(self):
        self.finish("life", ["steps=60"])
        self.check_note(["rule=B36/S23", "border=dead", "seed=6"], "seed, rule, border")
        self.check_note(["density=0.5"], "density")

    def test_with_other_settings_of_the_run_is_not_noted(self):
        self.finish("life", ["steps=60"])
        self.check_note(["devices=2", "weights=[1, 2]", "threads=3", "backend=cpu", "MAX_PLACE_EXCHANGE=2",
                         "MAX_AGENT_TRAVEL=2", "exchange=copy", "streaming=two_buffers", "tile=4x1x128x2", "steps=100",
                         "balance.every=5", "balance.threshold=0.2", "output.frame_every=0", "checkpoint.every=0",
                         "steps_per_pass=4", "exchange_every=2"], "")

    def test_a_fresh_run_leaves_nothing_of_an_earlier_one(self):
        self.finish("life", ["steps=120"])
        self.finish("life", ["steps=60"])
        self.finish("life", ["steps=60", "output.folder=clean"])
        self.assertEqual(results(self.folder / "out"), results(self.folder / "clean"))
        self.assertEqual(files(self.folder / "out").keys() - {"checkpoint.previous.h5"},
                         files(self.folder / "clean").keys())


class StepsAtOnce(Folder):
    """Runs with several steps in a pass over memory have the results of those with one."""

    def hash_of(self, program, assignments, *options):
        """Returns the hash of a run of 41 steps, unless the assignments have another number."""
        assignments = [*programs.NO_FILES, *programs.STEPPED[program], *assignments]
        return state_hash(run(command(program, None, assignments, *options), cwd=self.folder))

    def test_have_the_hash_of_single_steps(self):
        ways = [["steps_per_pass=2", "threads=4"],
                ["steps_per_pass=4", "devices=2", "threads=3", "balance.every=9", "balance.threshold=0"],
                ["steps_per_pass=8", "devices=3", "threads=5", "weights=[3, 1, 2]"],
                ["steps_per_pass=16", "devices=4", "threads=2"], ["steps_per_pass=auto", "devices=8"]]
        for program in programs.STEPPED:
            expected = self.hash_of(program, ["steps_per_pass=1"])
            for way in ways:
                with self.subTest(program=program, way=way):
                    self.assertEqual(self.hash_of(program, way), expected)

    def test_on_bits_have_the_hash_of_bytes(self):
        expected = self.hash_of("life", [])  # few updates: `auto` runs the rule itself on bytes
        for storage in ["bytes", "bits"]:
            for more in [["steps_per_pass=1"], ["steps_per_pass=8", "devices=3"]]:
                self.assertEqual(self.hash_of("life", [f"storage={storage}", *more]), expected, (storage, more))

    def test_may_be_others_after_a_restart(self):
        for program in ["forest_fire", "heat3d", "seismic"]:
            whole = self.hash_of(program, ["steps=50", "output.folder=whole"])
            self.hash_of(program, ["steps=25", "checkpoint.every=25", "steps_per_pass=4"])
            again = self.hash_of(program, ["steps=50", "steps_per_pass=16", "devices=3"], "--restart",
                                 "out/checkpoint.h5")
            self.assertEqual(again, whole, program)


class Records(Folder):
    """The record of a run, its repetition, and what a later run does with the files."""

    MANY = ["output.animation=gif", "output.plot=population", "steps=40"]
    FEW = ["seed=3", "output.frame_every=0", "output.data_every=0", "checkpoint.every=0", "steps=40"]

    def start_endless(self, program, output="out"):
        return start(self, program, ["steps=1000000000", f"output.folder={output}"], output)

    def record(self, folder="out"):
        return json.loads((self.folder / folder / "run.json").read_text())

    def test_has_the_program_the_settings_and_the_end(self):
        found = self.finish("life", self.MANY)
        record = self.record()
        self.assertEqual((record["program"], record["state"], record["hash"]), ("life", "finished", found))
        self.assertEqual(record["settings"]["rows"], {"value": 40, "from": "life.yaml:1"})
        self.assertEqual(record["settings"]["steps"], {"value": 40, "from": "--set"})
        self.assertEqual(record["settings"]["weights"]["from"], "default")
        self.assertEqual((record["seed"], record["devices"], record["threads"]), (5, 1, 1))
        self.assertEqual((record["first_step"], record["step"], record["steps"]), (0, 40, 40))
        self.assertRegex(record["compiler"], r"\d+\.\d+")
        self.assertIn("-f", record["flags"])
        self.assertRegex(record["version"], r"^\d+\.\d+\.\d+$")
        self.assertLessEqual(record["begin"], record["end"])
        self.assertEqual([entry["file"] for entry in record["inputs"]], ["life.yaml"])

    def test_lists_exactly_the_files_of_the_run(self):
        self.finish("life", self.MANY)
        self.assertEqual(sorted(self.record()["files"] + ["run.json"]), sorted(files(self.folder / "out")))
        self.finish("life", ["steps=60", *self.MANY[:1]], "--restart", "out/checkpoint.h5")
        self.assertEqual(sorted(self.record()["files"] + ["run.json"]), sorted(files(self.folder / "out")))

    def test_is_in_data_and_checkpoints_but_for_what_differs_between_equal_runs(self):
        self.finish("life", [*self.MANY, "output.folder=one"])
        self.finish("life", [*self.MANY, "output.folder=two/deep", "devices=2"])
        for name in ["life.vtkhdf", "life/000000000020.vtkhdf", "checkpoint.h5"]:
            with self.subTest(file=name):
                text = (self.folder / "one" / name).read_bytes()
                self.assertIn(b'"program": "life"', text)
                start = text.index(b'{\n  "program": "life"')
                record = text[start:text.index(b"\n}", start) + 2]
                self.assertIn(b'"from": "life.yaml:1"', record)
                for word in [b"begin", b"threads", b"output.folder", str(self.folder).encode()]:
                    self.assertNotIn(word, record)
                self.assertIn(record, (self.folder / "two/deep" / name).read_bytes())

    def test_again_reproduces_the_run_beside_it(self):
        self.write("p.rle", "x = 3, y = 1\n3o!\n")
        found = self.finish("life", [*self.MANY, "pattern=p.rle"])
        before = files(self.folder / "out")
        again = run([str(programs.BIN / "life"), "--again", "out/run.json"], cwd=self.folder)
        self.assertEqual((again.returncode, again.stderr), (0, ""), again)
        self.assertEqual(programs.state_hash(again), found)
        self.assertIn("reproduced  out/run.json\n", again.stdout)
        after = files(self.folder / "out")
        self.assertEqual({name: after[name] for name in before}, before)
        self.assertEqual(results(self.folder / "out/again"),
                         {name: data for name, data in results(self.folder / "out").items() if "again" not in name})
        elsewhere = run([str(programs.BIN / "life"), "--again", "run.json", "--set", "output.folder=../new",
                         "--set", "devices=3", "--set", f"pattern={self.folder / 'p.rle'}"], cwd=self.folder / "out")
        self.assertEqual(elsewhere.returncode, 0, elsewhere)
        self.assertIn("new/life.csv", files(self.folder))

    def test_again_differs(self):
        self.finish("life", self.MANY)
        again = [str(programs.BIN / "life"), "--again", "out/run.json"]
        other = run([*again, "--set", "seed=6"], cwd=self.folder)
        self.check_refused("life", other, "not reproduced", self.record()["hash"])
        for arguments, says in [(["--set", "output.folder=out"], "must not replace"),
                                (["life.yaml"], "leave out the settings file"),
                                (["--restart", "out/checkpoint.h5"], "leave out the option --restart")]:
            before = files(self.folder)
            self.check_refused("life", run([*again, *arguments], cwd=self.folder), says)
            self.assertEqual(files(self.folder), before)
        self.write("broken.json", "{")
        self.check_refused("life", run([*again[:2], "broken.json"], cwd=self.folder), "is no record of a run")
        self.check_refused("heat2d", run([str(programs.BIN / "heat2d"), *again[1:]], cwd=self.folder),
                           "a run of 'life'")

    def test_again_takes_regular_files_only(self):
        self.finish("life", self.MANY)
        os.mkfifo(self.folder / "fifo")
        (self.folder / "link.json").symlink_to("out/run.json")
        before = files(self.folder)
        for name, says in [("out", "it is a folder"), ("fifo", "it is a FIFO"), ("/dev/null", "it is a device"),
                           ("link.json", "it is a symbolic link"), ("none", "there is no such file"),
                           ("/dev/stdin", "it is a symbolic link")]:
            with open(self.folder / "out/run.json", encoding="utf-8") as record:
                outcome = run([str(programs.BIN / "life"), "--again", name], cwd=self.folder, stdin=record)
            self.check_refused("life", outcome, f"'{name}' is no record of a run: {says}")
        self.assertEqual(files(self.folder), before)

    def test_again_refuses_another_input(self):
        self.write("p.rle", "x = 3, y = 1\n3o!\n")
        self.finish("life", [*self.MANY, "pattern=p.rle"])
        self.write("p.rle", "x = 3, y = 1\nobo!\n")
        self.check_refused("life", run([str(programs.BIN / "life"), "--again", "out/run.json"], cwd=self.folder),
                           "'p.rle' has changed")
        self.assertNotIn("out/again/run.json", files(self.folder))

    def test_again_continues_the_checkpoint_or_begins_at_the_start(self):
        whole = self.finish("life", ["output.folder=whole"])
        self.finish("life", ["steps=60"])
        shutil.copy(self.folder / "out/checkpoint.h5", self.folder / "kept.h5")
        self.finish("life", [], "--restart", "kept.h5")
        again = [str(programs.BIN / "life"), "--again", "out/run.json"]
        outcome = run(again, cwd=self.folder)
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""), outcome)
        self.assertEqual(self.record("out/again")["first_step"], 60)
        (self.folder / "kept.h5").unlink()
        outcome = run(again, cwd=self.folder)
        self.assertEqual((outcome.returncode, programs.state_hash(outcome)), (0, whole), outcome)
        self.assertIn("has changed since; this run begins at step 0", outcome.stderr)

    def test_a_fresh_run_removes_what_the_record_lists_and_says_so(self):
        self.finish("life", self.MANY)
        checkpoint = (self.folder / "out/checkpoint.h5").read_bytes()
        for name in ["out/notes.txt", "out/frames/mine.png", "out/frames/000000007.png", "out/life/mine.vtkhdf",
                     "out/life/000000000007.vtkhdf", "out/life.mp4"]:
            self.write(name, "mine")
        mine = set(files(self.folder / "out")) - set(self.record()["files"])
        second = self.run_program("life", self.FEW)
        self.assertEqual((second.returncode, second.stderr.count("\n")), (0, 1), second)
        self.assertRegex(second.stderr, programs.REMOVED)
        self.assertEqual(set(files(self.folder / "out")), mine | {"life.csv", "checkpoint.previous.h5"})
        self.assertEqual((self.folder / "out/checkpoint.previous.h5").read_bytes(), checkpoint)

    def test_a_table_that_a_fresh_run_does_not_write_is_removed(self):
        self.finish("life", self.MANY)
        self.finish("life", ["seed=3", *self.MANY, "output.table_every=0", "output.plot=[]"])
        self.assertNotIn("life.csv", files(self.folder / "out"))
        self.assertIn("life.gif", files(self.folder / "out"))

    def test_files_of_a_run_without_a_record_are_found_by_their_names(self):
        self.finish("life", self.MANY)
        (self.folder / "out/run.json").unlink()
        self.write("out/frames/mine.png", "mine")
        self.finish("life", self.FEW)
        self.assertEqual(set(files(self.folder / "out")),
                         {"run.json", "life.csv", "frames/mine.png", "checkpoint.previous.h5"})

    def test_a_refused_run_touches_nothing(self):
        self.finish("life", self.MANY)
        before = files(self.folder)
        for refused in [["rows=0"], ["devices=41"], ["output.agents_every=1"], ["checkpoint.file=out/run.json"],
                        ["pattern=missing.rle"]]:
            outcome = self.run_program("life", refused)
            self.assertEqual((outcome.returncode, outcome.stderr.count("\n")), (2, 1), outcome)
            self.assertEqual(files(self.folder), before)

    def test_a_folder_where_a_file_must_go_is_found_before_anything_is_removed(self):
        settings = self.MANY
        self.finish("life", settings)
        for name in ["life.csv", "life.gif", "life.mp4", "life.vtkhdf", "life.plot.svg", "life.plot.png", "run.json",
                     "checkpoint.previous.h5", "life.csv.partial", "run.json.partial"]:
            with self.subTest(name=name):
                path = self.folder / "out" / name
                kept = path.read_bytes() if path.exists() else None
                path.unlink(missing_ok=True)
                path.mkdir()
                before = files(self.folder)
                self.check_refused("life", self.run_program("life", settings), f"'out/{name}'", "folder")
                self.assertEqual(files(self.folder), before)
                path.rmdir()
                if kept is not None:
                    path.write_bytes(kept)
        (self.folder / "out/agents.csv").mkdir(parents=True)
        self.finish("life", settings)

    def test_a_checkpoint_replaces_checkpoints_only(self):
        self.write("t.txt", "thesis")
        self.write("new.previous.h5", "thesis")
        (self.folder / "folder").mkdir()
        self.finish("life", ["steps=20", "output.folder=first", "checkpoint.file=new.h5"])
        before = files(self.folder)
        for name in ["t.txt", "new.h5", "folder", ".", "..", "/", "out", "out/", "out/x/", "/proc/x/y", "t.txt/x"]:
            with self.subTest(name=name):
                outcome = self.run_program("life", [f"checkpoint.file={name}", "steps=4"])
                self.check_refused("life", outcome, f"--set checkpoint.file={name}: ")
                self.assertEqual(files(self.folder), before)
                self.assertFalse((self.folder / "out").exists())

    def test_a_checkpoint_outside_the_folder_is_kept_once(self):
        name = "checkpoint.file=deep/er/my.h5"
        self.finish("life", ["steps=20", name])
        first = (self.folder / "deep/er/my.h5").read_bytes()
        outcome = self.run_program("life", ["steps=40", name])
        self.assertEqual(outcome.returncode, 0, outcome)
        self.assertIn("life: note: in 'deep/er': renamed its checkpoint to my.previous.h5\n", outcome.stderr)
        self.assertEqual((self.folder / "deep/er/my.previous.h5").read_bytes(), first)
        self.finish("life", ["steps=60", name], "--restart", "deep/er/my.h5")
        self.assertEqual((self.folder / "deep/er/my.previous.h5").read_bytes(), first)

    def test_a_restart_keeps_and_lists_what_it_does_not_write(self):
        self.finish("life", self.MANY)
        self.assertNotIn("continued", self.record())
        before = set(files(self.folder / "out"))
        outcome = self.run_program("life", ["steps=60", *self.FEW[1:3]], "--restart", "out/checkpoint.h5")
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""), outcome)
        self.assertEqual(set(files(self.folder / "out")), before)
        self.assertEqual(set(self.record()["files"]) | {"run.json"}, before)
        self.finish("life", ["steps=70", *self.FEW[1:3]], "--restart", "out/checkpoint.h5")
        self.assertEqual(self.record()["continued"], 2)

    def test_a_run_after_a_killed_one_says_so_and_removes_its_files(self):
        process = self.start_endless("life")
        self.assertEqual(self.record()["state"], "running")
        process.kill()
        process.communicate(timeout=programs.PATIENCE)
        outcome = self.run_program("life", ["steps=1"])
        self.assertEqual(outcome.returncode, 0, outcome)
        self.assertIn("life: note: the last run in 'out' did not end", outcome.stderr)
        self.assertRegex(outcome.stderr, programs.REMOVED)
        self.assertEqual(set(files(self.folder / "out")) - {"checkpoint.previous.h5"},
                         set(self.record()["files"]) | {"run.json"})
        self.finish("life", ["steps=1"])

    def test_an_error_or_a_signal_is_recorded(self):
        (self.folder / "out/frames/000000010.png/x").mkdir(parents=True)
        self.assertEqual(self.run_program("life", self.MANY).returncode, 2)
        self.assertEqual(self.record()["state"], "failed")
        self.assertIn("frames/000000000.png", self.record()["files"])
        process = self.start_endless("heat2d", "heat")
        process.terminate()
        process.communicate(timeout=programs.PATIENCE)
        record = self.record("heat")
        self.assertEqual(record["state"], "interrupted")
        self.assertLess(record["step"], 10**9)

    def test_entries_outside_the_folder_or_through_links_are_ignored(self):
        self.finish("life", self.MANY)
        victims = [self.write(name, "mine") for name in ["victim", "far/victim", "out/sub/victim"]]
        (self.folder / "out/link").symlink_to("../victim")
        (self.folder / "out/folder").symlink_to("../far")
        record = self.record()
        record["files"] += ["../victim", str(victims[0]), "link", "folder/victim", "sub", "sub/../../victim"]
        self.write("out/run.json", json.dumps(record))
        self.finish("life", self.FEW)
        for victim in victims:
            self.assertEqual(victim.read_bytes(), b"mine")
        self.assertTrue((self.folder / "out/link").is_symlink() and (self.folder / "out/folder").is_symlink())


class Signals(Folder):
    ENDLESS = ["steps=1000000000", "output.frame_every=0", "output.data_every=0"]

    def start(self, program, assignments, output="out"):
        return start(self, program, assignments, output)

    def check_stop(self, number, code, name):
        process = self.start("life", self.ENDLESS)
        process.send_signal(number)
        _, messages = process.communicate(timeout=programs.PATIENCE)
        self.assertEqual(process.returncode, code, messages)
        stopped = re.search(rf"^life: stopped by {name} at step (\d+) of 1000000000\.$", messages, re.MULTILINE)
        self.assertTrue(stopped, messages)
        self.assertIn("run the same command with --restart out/checkpoint.h5\n", messages)
        self.assertEqual(broken(self.folder), [])
        return int(stopped[1])

    def test_interrupt_and_termination_leave_a_checkpoint_to_go_on_from(self):
        for number, code, name in [(signal.SIGINT, 130, "Ctrl-C"), (signal.SIGTERM, 143, "SIGTERM")]:
            with self.subTest(signal=name):
                steps = self.check_stop(number, code, name) + 30
                quick = [f"steps={steps}", *self.ENDLESS[1:]]
                again = self.finish("life", [*quick, "devices=2"], "--restart", "out/checkpoint.h5")
                self.assertEqual(again, self.finish("life", [*quick, "output.folder=whole"]))
                self.assertEqual(results(self.folder / "out"), results(self.folder / "whole"))

    def check_stop_within_a_step(self, program, assignments):
        """Stops a run within its only step, which is continued on one thread."""
        self.write(f"{program}.yaml", "steps: 1\ncheckpoint: {every: 1}\n")
        words = [*assignments, f"output.folder={program}"]
        process = subprocess.Popen(command(program, f"{program}.yaml", words), cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + programs.PATIENCE
        while not (self.folder / program / "run.json").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        time.sleep(0.15)
        process.send_signal(signal.SIGINT)
        output, messages = process.communicate(timeout=programs.PATIENCE)
        self.assertEqual(process.returncode, 130, messages)
        # On a busy machine the step may not have begun.
        stopped = re.search(rf"^{program}: stopped by Ctrl-C (at|after) step 0 of 1\.$", messages, re.MULTILINE)
        self.assertTrue(stopped, messages)
        if stopped[1] == "after":
            self.assertNotIn("state hash", output)
            again = run(command(program, None, [], "--again", f"{program}/run.json"), cwd=self.folder)
            self.check_refused(program, again, "a signal ended it within a step")
        rest = self.finish(program, [*words, "threads=1"], "--restart", f"{program}/checkpoint.h5")
        self.assertEqual(rest, self.finish(program, [*assignments, f"output.folder={program}-whole"]))
        tables = [(self.folder / folder / f"{program}.csv").read_text() for folder in [program, f"{program}-whole"]]
        self.assertEqual(tables[0], tables[1])
        self.assertEqual(broken(self.folder), [])

    def test_long_steps_of_events_stop_within(self):
        self.check_stop_within_a_step("phold", ["places=2000", "events.step=240", "threads=2"])
        self.check_stop_within_a_step("traffic", ["rows=15", "columns=15", "events.step=40000", "threads=2",
                                                  "events.engine=conservative"])

    def test_without_checkpoints_it_says_so(self):
        process = self.start("heat2d", [*self.ENDLESS, "checkpoint.every=0"])
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=programs.PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assertIn("No checkpoint was asked for (checkpoint.every)", messages)
        self.assertNotIn("out/checkpoint.h5", files(self.folder))

    def test_a_checkpoint_file_is_reason_enough_to_write_it(self):
        process = self.start("life", [*self.ENDLESS, "checkpoint.every=0", "checkpoint.file=my.h5"])
        process.send_signal(signal.SIGTERM)
        _, messages = process.communicate(timeout=programs.PATIENCE)
        self.assertEqual(process.returncode, 143)
        self.assertIn("--restart my.h5", messages)
        self.assertIn("my.h5", files(self.folder))


class FullDisk(Folder):
    """Runs in a file system that is too small."""

    def small_disk(self, kibibytes):
        disk = self.folder / "disk"
        disk.mkdir(exist_ok=True)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs", str(disk)]
        if os.geteuid() != 0 or shutil.which("mount") is None or subprocess.run(
                mount, capture_output=True, check=False).returncode != 0:
            self.skipTest("only root, where it may mount a file system, can have a full disk")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)], check=False)
        return disk

    def check_full(self, program, assignments, *options):
        outcome = self.run_program(program, ["output.folder=disk", *assignments], *options)
        self.check_refused(program, outcome, "'disk", "No space left on device", "free some space")
        self.assertEqual(broken(self.folder), [])

    def check_checkpoint(self, steps=120):
        """Checks that the last checkpoint is valid: a run restarts from it and reaches the expected state."""
        whole = self.finish("life", [f"steps={steps}", "output.folder=whole"])
        self.assertEqual(self.finish("life", [f"steps={steps}", "output.folder=rest"],
                                     "--restart", "disk/checkpoint.h5"), whole)

    def fill(self, disk, leave):
        """Fills a disk but for `leave` KiB."""
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        (disk / "ballast").write_bytes(b"x" * (free - leave * 1024))

    def first_part(self, disk, leave):
        self.finish("life", ["steps=40", "output.folder=disk", "output.frame_every=0", "output.data_every=0"])
        self.fill(disk, leave)

    def test_is_in_the_record_although_there_is_no_room_for_a_new_one(self):
        disk = self.small_disk(64)
        self.check_full("life", ["output.frame_every=1", "output.data_every=0", "checkpoint.every=0"])
        self.assertEqual(json.loads((disk / "run.json").read_text())["state"], "failed")
        frames = list((disk / "frames").iterdir())
        self.assertGreater(len(frames), 0)
        subprocess.run(["mount", "-o", "remount,size=400k", str(disk)], check=True)
        later = self.run_program("life", ["output.folder=disk", "steps=4", "output.frame_every=0",
                                          "output.data_every=0", "checkpoint.every=0"])
        self.assertEqual(later.returncode, 0, later)
        self.assertNotIn("did not end", later.stderr)
        self.assertEqual(set(files(disk)), {"life.csv", "run.json"})

    def test_from_the_start(self):
        disk = self.small_disk(64)
        self.fill(disk, 0)
        self.check_full("life", [])
        self.assertEqual(list(files(disk)), ["ballast"])

    def test_checkpoint(self):
        disk = self.small_disk(200)
        self.first_part(disk, 8)
        self.check_full("life", ["output.frame_every=0", "output.data_every=0"], "--restart", "disk/checkpoint.h5")
        self.assertNotIn("checkpoint.h5.partial", files(disk))
        self.check_checkpoint()

    def test_table(self):
        disk = self.small_disk(200)
        self.first_part(disk, 12)
        self.check_full("life", ["steps=100000", "output.frame_every=0", "output.data_every=0", "checkpoint.every=0"],
                        "--restart", "disk/checkpoint.h5")
        self.check_checkpoint()

    def test_frames(self):
        disk = self.small_disk(200)
        self.first_part(disk, 40)
        self.check_full("life", ["steps=1000", "output.frame_every=1", "output.data_every=0", "checkpoint.every=0"],
                        "--restart", "disk/checkpoint.h5")
        self.assertEqual([name for name in files(disk / "frames") if not name.endswith(".png")], [])
        self.check_checkpoint()

    def test_data(self):
        disk = self.small_disk(300)
        self.first_part(disk, 100)
        self.check_full("life", ["steps=1000", "output.frame_every=0", "output.data_every=1", "checkpoint.every=0"],
                        "--restart", "disk/checkpoint.h5")
        self.assertEqual([name for name in files(disk / "life") if not name.endswith(".vtkhdf")], [])
        self.check_checkpoint()

    def test_animation(self):
        disk = self.small_disk(400)
        self.fill(disk, 180)
        self.check_full("life", ["output.data_every=0", "output.frame_every=1", "output.animation=gif", "steps=30"])
        self.assertNotIn("life.gif", files(disk))

    def test_film(self):
        disk = self.small_disk(400)
        self.write("bin/ffmpeg", '#!/bin/sh\nfor last; do :; done\nexec cat /dev/zero > "${last#file:}"\n').chmod(0o755)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        outcome = self.run_program("life", ["output.folder=disk", "output.data_every=0", "output.animation=gif"],
                                   env={**os.environ, "PATH": path})
        self.check_refused("life", outcome, "'disk/life.mp4'", "No space left on device", "free some space")
        self.assertIn("life.gif", files(disk))
        self.assertEqual(broken(self.folder), [])

    def test_once_there_is_room_again_the_run_goes_on(self):
        disk = self.small_disk(400)
        self.fill(disk, 100)
        self.check_full("life", ["output.frame_every=1", "output.data_every=1"])
        (disk / "ballast").unlink()
        every = ["output.frame_every=1", "output.data_every=0"]
        if "checkpoint.h5" not in files(disk):
            self.finish("life", ["output.folder=disk", *every, "steps=40"])
        self.finish("life", ["output.folder=disk", *every, "steps=60"], "--restart", "disk/checkpoint.h5")
        self.finish("life", ["output.folder=whole", *every, "steps=60"])
        self.assertEqual(results(disk), results(self.folder / "whole"))

    def test_a_limit_on_file_sizes_is_an_error_too(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        outcome = self.run_program("life", ["rows=2000", "output.data_every=0", "output.frame_every=0"],
                                   preexec_fn=limit)
        self.check_refused("life", outcome, "out/checkpoint.h5", "File too large")
        self.assertEqual(set(files(self.folder / "out")), {"life.csv.partial", "run.json"})


class EndOfMemory(Folder):
    """Runs with little memory and agents that all have children at every step."""

    WARREN = """\
size: 200
sheep: 50000
wolves: 0
sheep_gain: 1000
sheep_birth: 1
output: {table_every: 1, frame_every: 0, data_every: 0, animation: none}
checkpoint: {every: 1}
"""

    def check_end(self, mebibytes, *assignments):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))

        self.write("predation.yaml", self.WARREN)
        if self.run_program("predation", ["sheep=0", "steps=1", *assignments], preexec_fn=limit).returncode != 0:
            self.skipTest("this build needs more address space for any run")
        outcome = self.run_program("predation", ["steps=30", *assignments], preexec_fn=limit)
        self.assertEqual(outcome.returncode, 2, outcome)
        *notes, last = programs.messages(outcome).splitlines()
        for note in notes:
            self.assertRegex(note, r"^predation: note: agents 'sheep' exceed the capacity of cpu\d, \d+: enlarged")
        self.assertRegex(last, r"^predation: (agents of class sheep need memory for \d+ on cpu\d, which has memory for \d+: "
                               r"device cpu\d cannot allocate \d+ bytes|out of memory: |there is not enough memory)")
        self.assertEqual(broken(self.folder), [])
        self.assertNotIn("out/checkpoint.h5.partial", files(self.folder))
        self.assertNotIn("out/checkpoint.h5.lock", files(self.folder))
        self.check_checkpoint()

    def check_checkpoint(self):
        """Checks that the checkpoint is one of the run, and that a run restarts from it."""
        refusal = self.run_program("predation", ["steps=0"], "--restart", "out/checkpoint.h5").stderr
        step = re.search(r"was written at step (\d+)", refusal)[1]
        self.assertGreater(int(step), 1)
        whole = self.run_program("predation", [f"steps={step}", "output.folder=whole"])
        same = self.run_program("predation", [f"steps={step}"], "--restart", "out/checkpoint.h5")
        self.assertEqual(programs.state_hash(same), programs.state_hash(whole))

    def test_is_said_and_leaves_the_last_checkpoint(self):
        for mebibytes, *assignments in [(200, "threads=1"), (250, "threads=1", "output.agents_every=1"),
                                        (450, "threads=4", "devices=3")]:
            with self.subTest(mebibytes=mebibytes, assignments=assignments):
                self.check_end(mebibytes, *assignments)


class FullSites(Folder):
    """Particles that double, in sites of capacity 32."""

    DOUBLING = """\
model:
  lattice: {sites: [4, 4, 4], spacing: 16 nm, timestep: 50 us}
  species: {A: %s um2/s}
  reactions:
    - {reaction: A -> 2 A, rate: 1000 /s}
  initial:
    - {species: A, count: 64, spread: evenly}
steps: 400
threads: 1
output: {table_every: 20}
checkpoint: {every: 10}
"""
    ADVICE = "set 'capacity: 256' in the section 'model' of rdme.yaml, and restart from step 0"

    def test_end_a_run_that_needs_more_room(self):
        self.write("rdme.yaml", self.DOUBLING % "1")
        for assignments in [[], ["devices=3"]]:
            with self.subTest(assignments=assignments):
                outcome = self.run_program("rdme", assignments)
                *notes, last = programs.messages(outcome).splitlines()
                self.assertEqual(outcome.returncode, 2, outcome)
                said = re.fullmatch(r"rdme: by step (\d+) a site received more than 32 particles, its capacity, and "
                                    r"the state is lost: (.*)", last)
                self.assertEqual(said[2], self.ADVICE)
                for note in notes:
                    self.assertRegex(note, r"warning: \d+ sites are full")
                self.assertEqual(broken(self.folder), [])
                refusal = self.run_program("rdme", ["steps=0"], "--restart", "out/checkpoint.h5").stderr
                step = int(re.search(r"was written at step (\d+)", refusal)[1])
                self.assertLess(step, int(said[1]))
                self.assertGreaterEqual(step, int(said[1]) - 10)

    def test_of_256_are_the_most(self):
        self.write("rdme.yaml", (self.DOUBLING % "1").replace("  initial", "  capacity: 256\n  initial"))
        outcome = self.run_program("rdme")
        self.assertEqual(outcome.returncode, 2, outcome)
        self.assertRegex(outcome.stderr.splitlines()[-1], r"more than 256 particles, .* this is the largest capacity: "
                                                          r"reduce the particles or the spacing$")

    def test_where_reactions_find_no_room_are_said_once_and_in_the_end(self):
        self.write("rdme.yaml", self.DOUBLING % "0")
        for assignments in [["output.table_every=0"], []]:  # the second leaves the table
            with self.subTest(assignments=assignments):
                outcome = self.run_program("rdme", assignments)
                self.assertEqual(outcome.returncode, 0, outcome)
                self.assertRegex(programs.messages(outcome), r"^rdme: warning: \d+ sites are full at step \d+, with a capacity of 32 "
                                                 rf"particles each: .*; {self.ADVICE}\n$")
                self.assertEqual("full sites suppress reactions" in outcome.stdout, assignments == [])
        rows = (self.folder / "out/rdme.csv").read_text().splitlines()
        self.assertTrue(rows[0].endswith(",full_sites"), rows[0])
        self.assertTrue(rows[1].endswith(",0") and rows[-1].endswith(",64"), rows[-1])

    def test_where_nothing_grows_are_no_matter(self):
        self.write("rdme.yaml", (self.DOUBLING % "0").replace("2 A", "A").replace("64", "2048"))
        self.finish("rdme", ["steps=20"])
        self.assertNotIn("full_sites", (self.folder / "out/rdme.csv").read_text())


class Ffmpeg(Folder):
    """Runs with a substitute for ffmpeg."""

    FRAMES = ["output.frame_every=10", "output.animation=gif"]

    def run_with(self, script, assignments=()):
        self.write("bin/ffmpeg", f"#!/bin/sh\n{script}\n").chmod(0o755)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        return self.run_program("life", [*self.FRAMES, *assignments], env={**os.environ, "PATH": path})

    def test_that_fails_is_a_warning(self):
        outcome = self.run_with("echo 'no such encoder' >&2; exit 3")
        self.assertEqual(outcome.returncode, 0, outcome)
        self.assertEqual(outcome.stderr, "life: warning: cannot write 'out/life.mp4': ffmpeg failed: no such encoder\n")
        self.assertRegex(outcome.stdout, r"(?s)state hash .*animation   out/life\.gif\n.*table ")
        self.assertNotIn("mp4", outcome.stdout)
        self.assertEqual([name for name in files(self.folder / "out") if "mp4" in name or "partial" in name], [])

    def test_that_has_no_folder_for_its_messages_is_a_warning(self):
        outcome = self.run_program("life", self.FRAMES, env={**os.environ, "TMPDIR": str(self.folder / "missing")})
        self.assertEqual(outcome.returncode, 0, outcome)
        self.assertRegex(outcome.stderr, r"^life: warning: cannot write 'out/life.mp4': cannot run ffmpeg: .*\n$")


class Terminal(Folder):
    def test_progress_is_shown_on_a_terminal_and_wiped(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(command("life", "life.yaml", Signals.ENDLESS), cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=theirs)
        self.addCleanup(process.kill)
        os.close(theirs)
        shown, stopped = "", False  # a second signal would kill it
        while True:
            try:
                shown += os.read(ours, 4096).decode()
            except OSError:  # the program has ended and closed the terminal
                break
            if "left" in shown and not stopped:
                process.terminate()
                stopped = True
        os.close(ours)
        self.assertEqual(process.wait(programs.PATIENCE), 143)
        lines, messages = shown.split("life: stopped by SIGTERM")
        self.assertRegex(lines, r"step \d+/1000000000 +\d+ % +[\d.]+ [kMG]? ?places/s +.* left")
        self.assertNotIn("\n", lines)
        self.assertTrue(lines.endswith("\r\x1b[K"), repr(lines[-20:]))
        self.assertNotIn("places/s", messages)

    def test_nothing_is_shown_elsewhere(self):
        self.finish("life", ["rows=300", "steps=2000", "output.data_every=0", "output.frame_every=0"])


class OddButRight(Folder):
    def test_no_steps(self):
        self.finish("life", ["steps=0"])
        self.assertEqual(set(files(self.folder / "out")),
                         {"life.csv", "frames/000000000.png", "life/000000000000.vtkhdf", "life.vtkhdf", "run.json"})
        self.assertEqual(len((self.folder / "out/life.csv").read_text().splitlines()), 2)

    def test_narrow_worlds(self):
        for program in ["life", "heat2d"]:
            for rows, columns in [(1, 1), (1, 30), (30, 1), (2, 2), (2, 1)]:
                for border in {"life": ["border=periodic", "border=dead"],
                               "heat2d": ["edges=insulated", "edges=fixed"]}[program]:
                    with self.subTest(program=program, rows=rows, columns=columns, border=border):
                        shape = [f"rows={rows}", f"columns={columns}", border, "steps=6", "output.frame_every=3"]
                        one = self.finish(program, shape)
                        self.assertEqual(self.finish(program, [*shape, f"devices={rows}"]), one)
        self.assertEqual(broken(self.folder), [])

    def test_a_frame_every_step_and_an_animation(self):
        self.finish("life", ["steps=9", "output.frame_every=1", "output.animation=gif"])
        self.assertEqual(len(list((self.folder / "out/frames").iterdir())), 10)
        self.assertIn("out/life.gif", files(self.folder))
        self.assertEqual(broken(self.folder), [])

    def test_a_single_frame_makes_no_animation(self):
        self.finish("life", ["steps=9", "output.frame_every=10", "output.animation=gif"])
        self.assertNotIn("out/life.gif", files(self.folder))

    def test_output_that_is_due_never(self):
        never = ["output.table_every=0", "output.frame_every=0", "output.data_every=0", "checkpoint.every=0"]
        before = files(self.folder)
        self.finish("life", never)
        self.assertEqual(files(self.folder), before)
        self.assertFalse((self.folder / "out").exists())

    def test_intervals_larger_than_any_step(self):
        most = str(2**63 - 1)
        self.finish("life", [f"{key}={most}" for key in
                             ["output.table_every", "output.frame_every", "output.data_every", "checkpoint.every"]])
        self.assertEqual(len((self.folder / "out/life.csv").read_text().splitlines()), 2)

    def test_a_folder_with_spaces_and_letters_of_other_scripts(self):
        folder = "meine Läufe/実行 №1"
        self.finish("life", [f"output.folder={folder}", "output.animation=gif"])
        self.finish("life", [f"output.folder={folder}"], "--restart", f"{folder}/checkpoint.h5")
        self.assertEqual(broken(self.folder), [])
        self.assertIn(f"{folder}/life.csv", files(self.folder))

    def test_the_working_folder_as_output_folder(self):
        self.finish("life", ["output.folder=."])
        self.assertIn("life.csv", files(self.folder))

    def test_a_link_to_a_settings_file_finds_the_pattern_beside_the_file_or_the_link(self):
        pattern = "x = 3, y = 1\n3o!\n"
        self.write("real/set.yaml", "pattern: p.rle\nrows: 9\ncolumns: 9\n")
        self.write("links/p.rle", pattern)
        (self.folder / "links/set.yaml").symlink_to("../real/set.yaml")
        self.finish("life", settings="links/set.yaml")

    def test_an_empty_pattern_means_random_cells(self):
        self.write("with.yaml", programs.LIFE + "pattern: p.rle\n")
        self.write("p.rle", "x = 3, y = 1\n3o!\n")
        blinker = self.finish("life", settings="with.yaml")
        random = self.finish("life", ["pattern="], settings="with.yaml")
        self.assertNotEqual(blinker, random)
        self.assertEqual(random, self.finish("life"))

    def test_the_rule_comes_from_the_settings_else_the_pattern_else_conway(self):
        self.write("p.rle", "x = 3, y = 1, rule = B2/S\n3o!\n")
        given, plain = ["pattern=p.rle"], ["pattern=q.rle"]
        self.write("q.rle", "x = 3, y = 1\n3o!\n")
        self.assertEqual(self.finish("life", given), self.finish("life", [*plain, "rule=B2/S"]))
        self.assertEqual(self.finish("life", plain), self.finish("life", [*given, "rule=b3/s23"]))
        self.assertNotEqual(self.finish("life", plain), self.finish("life", given))

    def test_spellings_of_a_rule(self):
        plain = self.finish("life", ["rule=B36/S23"])
        for rule in ["b36s23", "B36_S23", "s23/b36", "23/36", "HighLife", "B36/S23:T40,40", "B36/S23/C2"]:
            with self.subTest(rule=rule):
                self.assertEqual(self.finish("life", [f"rule={rule}"]), plain)
        self.assertEqual(self.finish("life", ["rule=Brian's Brain"]), self.finish("life", ["rule=/2/3"]))
        self.assertEqual(self.finish("life", ["rule=tlife"]), self.finish("life", ["rule=b3s2-i34q"]))

    def test_the_rule_of_the_settings_replaces_one_that_is_unknown(self):
        self.write("p.rle", "x = 3, y = 3\nbob$2bo$3o!\n")
        glider = self.finish("life", ["pattern=p.rle"])
        for rule in ["B3/S23:T100,100", "LifeHistory", "R5,C0,M1,S34..58,B34..45,NM"]:
            with self.subTest(rule=rule):
                self.write("q.rle", f"#N Glider on a torus\nx = 3, y = 3, rule = {rule}\nbob$2bo$3o!\n")
                self.assertEqual(self.finish("life", ["pattern=q.rle", "rule=B3/S23"]), glider)

    def test_formats_of_a_pattern(self):
        self.write("p.rle", "x = 3, y = 3\nbob$2bo$3o!\n")
        glider = self.finish("life", ["pattern=p.rle"])
        for name, text in [("p.rle", "x = 3, y = 3, rule = s23/b3\nbob$2bo$3o!\n"),
                           ("p.rle", "x=3,y=3,rule=b3/s23:T40,40\r\nbob$2bo$3o!\r\n"),
                           ("p.lif", "#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n"),
                           ("p.lif", "#Life 1.05\n#D a glider\n#N\n#P -1 -1\n.*.\n..*\n***\n"),
                           ("p.cells", "!Name: Glider\n.O\n..O\nOOO\n")]:
            with self.subTest(name=name, text=text):
                self.write(name, text)
                self.assertEqual(self.finish("life", [f"pattern={name}"]), glider)

    def test_the_same_setting_twice_takes_the_last(self):
        self.assertEqual(self.finish("life", ["steps=3", "steps=7"]), self.finish("life", ["steps=7"]))

    def test_settings_from_a_pipe(self):
        outcome = self.run_program("life", settings="/dev/stdin", input=programs.LIFE)
        self.assertEqual(programs.state_hash(outcome), self.finish("life"))

    def test_the_settings_that_the_repository_gives(self):
        for name in ["life", "heat2d"]:
            self.finish(name, ["steps=20", "output.folder=out"], settings=programs.SETTINGS / f"{name}.yaml")
        self.finish("heat2d", ["steps=20", "output.folder=out"], settings=programs.SETTINGS / "heat2d-mode.yaml")

    def test_other_threads_and_weights_give_the_same_state(self):
        one = self.finish("life")
        for more in [["threads=3"], ["devices=40"], ["devices=3", "weights=[1, 1000, 1e-9]"],
                     ["devices=2", "weights=[1e308, 1e308]"], ["MAX_PLACE_EXCHANGE=5"]]:
            with self.subTest(more=more):
                self.assertEqual(self.finish("life", more), one)

    def test_two_runs_at_once_do_not_mix(self):
        self.check_two_runs([], [], "out")

    def test_nor_do_their_checkpoints(self):
        (self.folder / "link").symlink_to(".")
        self.check_two_runs(["checkpoint.file=shared.h5"], ["checkpoint.file=link/shared.h5", "output.folder=second"],
                            "'link/shared.h5'")
        self.assertEqual(broken(self.folder), [])
        self.assertNotIn("shared.h5.lock", files(self.folder))

    def check_two_runs(self, assignments, others, says):
        """Checks that a run with `others` is refused while one with `assignments` is running."""
        first = subprocess.Popen(command("life", "life.yaml", [*Signals.ENDLESS, *assignments]), cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(first.kill)
        table = self.folder / "out/life.csv.partial"
        deadline = time.monotonic() + programs.PATIENCE
        while not table.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.check_refused("life", self.run_program("life", others), says, "another run")
        first.terminate()
        _, messages = first.communicate(timeout=programs.PATIENCE)
        self.assertEqual(first.returncode, 143, messages)
        self.finish("life", others)


if __name__ == "__main__":
    programs.main()
