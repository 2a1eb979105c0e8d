"""Runs of apps from Python."""

import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import delays
import mass
import numpy

SETTINGS = pathlib.Path(__file__).parents[2] / "settings"

class Apps(unittest.TestCase):
    def test_are_listed_with_their_settings(self):
        self.assertIn("predation", mass.apps())
        keys = mass.schema("life")
        self.assertEqual(keys["rows"]["default"], 512)
        self.assertEqual(keys["rows"]["range"], "at least 1")
        self.assertEqual(keys["output.table_every"]["unit"], "steps")
        with self.assertRaisesRegex(mass.UsageError, "no app 'lif'; apps are .*life"):
            mass.schema("lif")


class Runs(unittest.TestCase):
    def open(self, **settings):
        return mass.open("predation", {"size": 30, "seed": 3, "threads": 1, **settings})

    def test_have_a_table(self):
        run = self.open(output={"table_every": 5})
        run.step(12)
        self.assertEqual(list(run.table["step"]), [0, 5, 10])
        self.assertEqual(run.table["sheep"].dtype, numpy.float64)
        run.step(3)
        self.assertEqual(run.row["sheep"], run.table["sheep"][-1])
        self.assertEqual(run.row["sheep"], len(run.agents["sheep"]))

    def test_show_and_take_attributes(self):
        run = self.open()
        name, places = next(iter(run.places.items()))
        self.assertEqual(places.shape, (30, 30))
        attribute = next(iter(places))
        values = places[attribute]
        self.assertEqual(values.shape, (30, 30))
        self.assertEqual(values.dtype, places.attributes[attribute])
        before = run.hash
        changed = values.copy()
        changed[3, 4] += 1
        places[attribute] = changed
        self.assertNotEqual(run.hash, before)
        self.assertTrue((run.places[name][attribute] == changed).all())
        places[attribute] = values
        self.assertEqual(run.hash, before)
        places[attribute] = 2
        self.assertTrue((places[attribute] == 2).all())

    def test_show_agents(self):
        run = self.open()
        agents = next(iter(run.agents.values()))
        self.assertEqual(agents.ids.shape, (len(agents),))
        self.assertEqual(agents.coordinates.shape, (2, len(agents)))
        self.assertLess(agents.coordinates.max(), 30)
        energy = agents["energy"]
        agents["energy"] = energy + 1
        self.assertTrue((agents["energy"] == energy + 1).all())

    def test_take_any_byte_but_0_for_true(self):
        run = mass.open("life", {"rows": 20, "columns": 20, "threads": 1})
        cells = run.places["life"]
        alive = cells["alive"]
        expected = run.hash
        cells["alive"] = (alive.astype("u1") * 255).view(bool)
        self.assertEqual(run.hash, expected)

    def test_refuse_to_replace_other_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "notes.txt"
            file.write_text("keep")
            with self.assertRaisesRegex(mass.OutputError, "no checkpoint"):
                self.open().save(file)
            self.assertEqual(file.read_text(), "keep")

    def test_refuse_other_arrays(self):
        run = self.open()
        places = next(iter(run.places.values()))
        attribute = next(iter(places))
        with self.assertRaisesRegex(ValueError, r"has the shape \(30, 30\); the values have \(30, 31\)"):
            places[attribute] = numpy.zeros((30, 31), places.attributes[attribute])
        with self.assertRaisesRegex(TypeError, "convert them first"):
            places[attribute] = numpy.full((30, 30), "x")
        with self.assertRaisesRegex(KeyError, "has no attribute 'grss'; it has "):
            places["grss"] = 0
        with self.assertRaisesRegex(KeyError, "has no attribute"):
            places["grss"]

    def test_refuse_settings(self):
        with self.assertRaisesRegex(mass.SettingsError, "did you mean 'size'"):
            self.open(siz=3)
        with self.assertRaisesRegex(mass.SettingsError, "size"):
            self.open(size=-1)
        for value in [object(), {}, 1j]:
            with self.assertRaisesRegex(mass.UsageError, "'size' = .*: a setting is a number"):
                self.open(size=value)
        with self.assertRaises(mass.Error):
            mass.open("predation", "none.yaml")
        with self.assertRaisesRegex(mass.UsageError, "no app 'predatio'"):
            mass.open("predatio")
        with self.assertRaisesRegex(mass.UsageError, "-1 steps"):
            self.open().step(-1)
        with self.assertRaisesRegex(mass.UsageError, "2\\^62"):
            self.open().step(2**62 + 1)

    def test_refuse_what_has_another_type(self):
        run = self.open()
        for use, message in [
                (lambda: mass.open(3), "an app is named by a text, such as 'life'; 3 was given"),
                (lambda: mass.open("life", 3), "settings are a YAML file and dicts; 3 was given"),
                (lambda: mass.open("life", {1: 2}), "1 is no name of a setting"),
                (lambda: mass.open("life", {"output": {"folder=a": 2}}), "'folder=a' is no name"),
                (lambda: mass.open("life", {"output.folder": "\udc80"}), "has characters that UTF-8 does not have"),
                (lambda: mass.schema(None), "an app is named by a text"),
                (lambda: run.step(1.5), "the number of steps = 1.5: it is a whole number"),
                (lambda: run.step(2**70), "the number of steps = .*: it is a whole number from -2\\^62 to 2\\^62"),
                (lambda: run.set("life.yaml"), "takes a dict of settings; 'life.yaml' was given"),
                (lambda: run.save(None), "a file is named by a text or a path; None was given"),
                (lambda: run.restore("a\0b"), "is no name of a file"),
                (lambda: run.live(-1), "the port = -1: it is a whole number from 0 to 65535"),
                (lambda: run.live(65536), "from 0 to 65535")]:
            with self.subTest(message), self.assertRaisesRegex(mass.UsageError, message):
                use()
        with self.assertRaisesRegex(mass.OutputError, "cannot write '/none/a.png': No such file"):
            run.picture().save("/none/a.png")

    def test_read_a_file_and_then_dicts(self):
        run = mass.open("life", SETTINGS / "life.yaml", {"steps": 7, "threads": 1})
        self.assertEqual(run.last_step, 7)
        self.assertIn("steps: 7", run.settings)

    def test_continue_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a.h5"
            run = self.open(output={"table_every": 2})
            run.step(6)
            run.save(file)
            expected = run.hash
            run.step(5)
            later = run.hash
            run.restore(file)
            self.assertEqual((run.steps, run.hash), (6, expected))
            self.assertEqual(list(run.table["step"]), [6])
            other = self.open(devices=2, threads=2)
            other.restore(file)
            other.step(5)
            self.assertEqual(other.hash, later)
            with self.assertRaises(mass.CheckpointError):
                mass.open("life", {"threads": 1}).restore(file)

    def test_change_settings(self):
        forest = {"rows": 31, "columns": 40, "threads": 1}
        run = mass.open("forest_fire", forest)
        run.step(5)
        run.set({"growth": 0.1, "lightning": numpy.float64(0.25)})
        run.set({"growth": 0.1})
        changes = [{"step": 5, "key": "growth", "value": 0.1}, {"step": 5, "key": "lightning", "value": 0.25}]
        self.assertEqual(run.changes, changes)
        self.assertIn("growth: 0.1", run.settings)
        with tempfile.TemporaryDirectory() as folder:
            run.save(pathlib.Path(folder) / "a.h5")
            run.step(5)
            other = mass.open("forest_fire", forest)
            other.restore(pathlib.Path(folder) / "a.h5")
        self.assertEqual(other.changes, changes)
        other.step(5)
        self.assertEqual(other.hash, run.hash)

    def test_refuse_changes_of_other_settings(self):
        run = self.open()
        self.assertTrue(mass.schema("predation")["regrowth"]["live"])
        self.assertFalse(mass.schema("predation")["size"]["live"])
        with self.assertRaisesRegex(mass.SettingsError, "'size' cannot change during a run; keys that can are regrowth"):
            run.set({"regrowth": 9, "size": 40})
        self.assertEqual(run.changes, [])

    def test_draw_pictures(self):
        run = self.open()
        picture = run.picture()
        self.assertEqual(picture.values.shape, (30, 30))
        self.assertTrue(picture.png.startswith(b"\x89PNG"))
        self.assertEqual(picture._repr_png_(), picture.png)
        sheep = run.agents["sheep"]
        layered = run.picture(layers=[(sheep, "#010203"), (run.agents["wolves"], numpy.zeros(len(run.agents["wolves"])), {"pack": (9, 8, 7)})])
        numpy.testing.assert_array_equal(numpy.floor(layered.layers["sheep"]).T, sheep.coordinates)
        self.assertEqual((picture.layers, list(layered.layers)), ({}, ["sheep", "pack"]))
        self.assertIn(b"\x01\x02\x03", layered.png)

    def test_end_their_steps_after_ctrl_c(self):
        run = mass.open("life", {"rows": 200, "columns": 200, "threads": 1})
        delays.assert_ends_after_ctrl_c(self, lambda: run.step(10**12))
        steps = run.steps
        self.assertGreater(steps, 0)
        other = mass.open("life", {"rows": 200, "columns": 200, "threads": 1})
        other.step(steps)
        self.assertEqual(run.hash, other.hash)
        run.step(1)

    def test_leave_other_threads_running_and_refuse_them_in_the_same_run(self):
        errors = []

        def use(action):
            try:
                action()
            except mass.UsageError as error:
                errors.append(str(error))

        while len(errors) < 20:  # on a busy machine, the other thread may end before this one goes on
            run = mass.open("life", {"rows": 300, "columns": 300, "threads": 1})
            worker = threading.Thread(target=run.step, args=(3000,))
            worker.start()
            while run.steps == 0:  # before the other thread uses the run
                time.sleep(0.001)
            while worker.is_alive() and len(errors) < 20:
                self.assertLessEqual(run.steps, 3000)
                use(lambda: run.hash)
                use(lambda: run.table)
            worker.join()
            self.assertEqual(run.steps, 3000)
        self.assertEqual(set(errors), {"another thread uses this run: open one for each thread"})

    def test_refuse_a_fork(self):
        run = self.open()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
        if process == 0:
            try:
                run.step()
            except mass.UsageError as error:
                os._exit(0 if "fork" in str(error) else 1)
            os._exit(2)
        self.assertEqual(os.waitpid(process, 0)[1], 0)
        run.step()

    def test_refuse_several_ranks(self):
        code = "import mass\ntry:\n    mass.open('life')\nexcept mass.UsageError as error:\n    print(error)"
        environment = {**os.environ, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
        output = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        self.assertIn("has started several processes", output.stdout)

    def test_end_with_their_last_reference(self):
        places = next(iter(self.open().places.values()))  # keeps its run
        self.assertEqual(places.shape, (30, 30))


if __name__ == "__main__":
    unittest.main()
