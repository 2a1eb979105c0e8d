"""Plays finished runs in the live view (--show): show_test.py FOLDER_OF_PROGRAMS [unittest's options]."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import programs
from programs import Folder, state_hash

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from live_client import LiveClient

FOREST = ["rows=31", "columns=40", "seed=5", "threads=1", "output.table_every=1", "output.frame_every=0"]


class Player:
    """A program that shows a run, with a page open."""

    def __init__(self, folder, name, *options):
        arguments = programs.command(name, None, [], "--show", *options)
        self.process = subprocess.Popen(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.notes = []
        while not (match := re.search(r"live view at (\S+)\n", line := self.process.stderr.readline())):
            assert line, self.process.communicate()
            self.notes.append(line)
        self.page = LiveClient(match[1])

    def go_to(self, step):
        """Goes to a step; returns the hash of the state there."""
        self.page.send(do="go", step=step)
        self.page.until(lambda page: page.status and page.status["step"] == step and page.status["state"] != "running")
        self.page.shown(step)
        self.page.texts.clear()
        return self.page.hash(step)

    def end(self):
        """Ends the program; returns its outcome."""
        self.page.send(do="end")
        output, error = self.process.communicate(timeout=programs.PATIENCE)
        return subprocess.CompletedProcess("", self.process.returncode, output, error)

    def stop(self):
        self.page.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Show(Folder):
    def plain(self, name, assignments, *options):
        """Runs a program without a settings file."""
        return programs.run(programs.command(name, None, assignments, *options), cwd=self.folder)

    def record(self, name, assignments, changes=()):
        """Runs a program to the folder `out`, with changes of settings; returns the folder."""
        self.plain(name, [*assignments, "output.folder=first"])
        programs.write_changes(self.folder / "first/run.json", changes)
        # The record of its repetition is that of a run with these changes.
        self.plain(name, ["output.folder=out"], "--again", "first/run.json")
        return self.folder / "out"

    def show(self, name, folder, *options):
        player = Player(self.folder, name, folder, *options)
        self.addCleanup(player.stop)
        return player

    def contents(self, folder):
        return {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.rglob("*") if file.is_file()}

    def hash_at(self, step, name, out):
        """Returns the hash of the run of `out`, stopped at a step."""
        record = json.loads((out / "run.json").read_text())
        record["changes"] = [change for change in record.get("changes", []) if change["step"] <= step]
        record["step"] = step
        stopped = self.folder / "stopped"
        shutil.rmtree(stopped, ignore_errors=True)
        stopped.mkdir()
        (stopped / "run.json").write_text(json.dumps(record))
        self.plain(name, [], "--again", "stopped/run.json")
        return json.loads((stopped / "again/run.json").read_text())["hash"]

    def test_any_step_has_the_state_of_the_run(self):
        changes = [(0, "growth", 0.02), (13, "growth", 0.1), (30, "lightning", 0.01), (30, "growth", 0)]
        out = self.record("forest_fire", [*FOREST, "steps=60", "checkpoint.every=25"], changes)
        before = self.contents(out)
        player = self.show("forest_fire", out)
        for step in [60, 13, 14, 31, 30, 29, 50, 51, 0, 60]:
            self.assertEqual(player.go_to(step), self.hash_at(step, "forest_fire", out), step)
        self.assertEqual(player.page.status["values"]["growth"], "0")
        outcome = player.end()
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        self.assertIn("reproduced", outcome.stdout)
        self.assertEqual(self.contents(out), before)

    def test_a_step_back_begins_at_the_checkpoint(self):
        out = self.record("forest_fire", [*FOREST, "steps=60", "checkpoint.every=25"])
        player = self.show("forest_fire", out)
        player.go_to(60)
        (out / "checkpoint.h5").write_bytes(b"")
        self.assertEqual(player.go_to(49), self.hash_at(49, "forest_fire", out))  # from step 0
        player.page.send(do="go", step=55)
        error = player.process.communicate(timeout=programs.PATIENCE)[1]
        self.assertIn("checkpoint.h5", error)

    def test_a_continued_run_begins_at_its_checkpoint(self):
        small = ["rows=20", "columns=20", "threads=1"]
        self.plain("life", [*small, "output.folder=a", "steps=40", "checkpoint.every=20"])
        self.plain("life", [*small, "output.folder=b", "steps=60"], "--restart", "a/checkpoint.h5")
        player = self.show("life", self.folder / "b")
        alone = self.plain("life", [*small, "output.folder=c", "steps=52"])
        self.assertEqual(player.go_to(52), state_hash(alone))
        player.page.send(do="go", step=3)
        player.page.state("paused", 40)
        player.end()

    def test_a_page_does_not_change_it(self):
        out = self.record("forest_fire", [*FOREST, "steps=60"])
        player = self.show("forest_fire", out)
        player.go_to(20)
        for request in [{"do": "set", "key": "growth", "value": "0.5"}, {"do": "again", "seed": 3}, {"do": "checkpoint"}]:
            player.page.send(**request)
            player.page.text("note", text="a recorded run is shown as it was", isError=True)
            player.page.texts.clear()
        self.assertEqual(player.go_to(60), json.loads((out / "run.json").read_text())["hash"])
        self.assertEqual(player.end().returncode, 0)

    def test_nobody_need_look(self):
        out = self.record("forest_fire", [*FOREST, "steps=60", "checkpoint.every=25"])
        outcome = self.plain("forest_fire", [], "--show", out, "--live-now")
        self.assertEqual(outcome.returncode, 0)
        self.assertIn("reproduced", outcome.stdout)

    def test_another_final_state_is_reported(self):
        out = self.record("forest_fire", [*FOREST, "steps=60"])
        file = out / "run.json"
        record = json.loads(file.read_text())
        file.write_text(json.dumps({**record, "commit": "0123", "hash": "0" * 16}))
        outcome = self.plain("forest_fire", [], "--show", out, "--live-now")
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("the program is not that of the run", outcome.stderr)
        self.assertIn("is not reproduced: its state hash is 0000000000000000", outcome.stderr)

    def test_a_checkpoint_of_another_run_is_not_used(self):
        out = self.record("forest_fire", [*FOREST, "steps=60", "checkpoint.every=25"], [(13, "growth", 0.1)])
        shutil.copy(self.folder / "first/checkpoint.h5", out / "checkpoint.h5")  # a run without changes
        player = self.show("forest_fire", out)
        self.assertEqual(player.go_to(57), self.hash_at(57, "forest_fire", out))
        player.end()

    def test_what_cannot_be_shown_is_refused(self):
        out = self.record("forest_fire", [*FOREST, "steps=10"])
        cases = [("life", ["--show", out], "is the record of a run of 'forest_fire'"),
                 ("forest_fire", ["--show", "none"], "none/run.json"),
                 ("forest_fire", ["--show", ""], "--show '' names no output folder"),
                 ("forest_fire", ["--show", out, "--again", out / "run.json"], "leave out the option --again"),
                 ("forest_fire", ["--show", out, "--restart", out / "checkpoint.h5"], "leave out the option --restart")]
        for name, options, message in cases:
            with self.subTest(message=message):
                self.check_refused(name, programs.run(programs.command(name, None, [], *options), cwd=self.folder), message)
        record = json.loads((out / "run.json").read_text())
        (out / "run.json").write_text(json.dumps({**record, "state": "running"}))
        outcome = programs.run(programs.command("forest_fire", None, [], "--show", out), cwd=self.folder)
        self.check_refused("forest_fire", outcome, "it did not end")


if __name__ == "__main__":
    programs.main()
