"""Runs of own models, whose steps are functions of Python."""

import gc
import tempfile
import threading
import unittest

import delays
import mass
import numpy
from own_models import model

from live_page import open_page

from live_client import get  # live_page has added its folder


class Simulation(unittest.TestCase):
    def setUp(self):
        self.world, self.cells = self.make()

    def make(self, **settings):
        """Returns a world, and its cells."""
        world = mass.Mass({"seed": 5, "threads": 1, "output": {"table_every": 4}, **settings})
        cells = model("life.hpp").Life(world, (31, 40), name="cells")
        cells.randomise(0.3)
        return world, cells

    def run_of(self, step=None, **options):
        """Returns a run whose table has the number of living cells."""
        cells = self.cells
        options.setdefault("observe", {"alive": lambda: cells.alive.sum()})
        return mass.Simulation(self.world, step or cells.nextGeneration, **options)

    def sown(self, run):
        """Returns the run of a step with parameters, which sows or makes a generation."""
        def step(density=0.25, sows=False):
            if sows:
                self.cells.randomise(density)
            self.cells.nextGeneration()
        return self.run_of(step, **run)

    def page(self, run):
        """Opens the live view and a page."""
        return open_page(self, run)

    def test_makes_the_steps_of_the_model(self):
        run = self.run_of()
        run.step(10)
        run.step()
        _, other = self.make()
        other.nextGeneration(steps=8)
        self.assertEqual(run.table["alive"][2], other.alive.sum())
        other.nextGeneration(steps=3)
        self.assertTrue((other.alive == self.cells.alive).all())
        self.assertEqual(run.hash, self.world.hash)
        self.assertEqual((run.steps, run.table["step"].tolist(), run.row["alive"]), (11, [0, 4, 8], other.alive.sum()))

    def test_ends_when_a_condition_holds(self):
        run = self.run_of(until=lambda: run.steps >= 9, every=5)
        run.step(8)
        self.assertEqual((run.finished, run.ended_by), (False, ""))
        run.step(30)
        self.assertEqual((run.steps, run.finished, run.ended_by), (10, True, "a function"))

    def test_observes_several_columns_by_one_function(self):
        run = self.run_of(observe={("dead", "alive"): lambda: numpy.bincount(self.cells.alive.ravel(), minlength=2)})
        self.assertEqual(run.row, {"dead": (~self.cells.alive).sum(), "alive": self.cells.alive.sum()})
        with self.assertRaisesRegex(mass.UsageError, "columns a, b returned 1 values"):
            self.run_of(observe={("a", "b"): lambda: [1]}).step()

    def test_keeps_numbers_only(self):
        with self.assertRaisesRegex(mass.UsageError, "the state 'season' is 'dry': it must be a number"):
            self.run_of(state={"season": "dry"})

    def test_shows_agents_over_the_picture(self):
        grazing = model("grazing.hpp")
        world = mass.Mass({"threads": 1, "seed": 5})
        meadow = grazing.Meadow(world, (9, 12))
        sheep = grazing.Sheep(meadow, at=[[0, 3, 3, 8], [11, 2, 2, 5]])
        sheep.energy = [1, 0, 2, 1]
        kinds = {"hungry": "#010203", "fed": (230, 60, 40)}
        run = mass.Simulation(world, lambda: sheep.walk(), pictures=[(meadow, "grass")],
                              layers=[(sheep, "energy", kinds), (sheep, "doubled", {"none": "#0a0b0c"})])
        picture = run.picture()
        shown = {"hungry": [[3.5, 2.5]], "fed": [[0.5, 11.5], [8.5, 5.5]], "none": [[3.5, 2.5]]}
        self.assertEqual(list(picture.layers), list(shown))
        for name, at in shown.items():
            numpy.testing.assert_allclose(picture.layers[name], at, rtol=1e-6)
        for color in [b"\x01\x02\x03", b"\xe6\x3c\x28", b"\x0a\x0b\x0c"]:
            self.assertIn(color, picture.png)  # in its palette
        direct = meadow.picture("grass", layers=[(sheep, sheep.energy == 2, {"others": "#ffffff", "two": "#010203"})])
        self.assertEqual([len(at) for at in direct.layers.values()], [3, 1])
        self.assertEqual(len(run.picture(layers=[(sheep, (9, 8, 7))]).layers["Sheep"]), 4)
        run.step()
        sheep.manageAll()
        numpy.testing.assert_allclose(run.picture().layers["none"], [[3.5, 3.5]], rtol=1e-6)
        _, page = self.page(run)
        page.shown(1)
        page.send(do="frame", size=[64, 64], reduce="mean", after=0, id=2)
        page.until(lambda client: client.picture.get("id") == 2)
        self.assertEqual([(each["name"], each["color"], each["count"]) for each in page.picture["points"]],
                         [("hungry", "010203", 1), ("fed", "e63c28", 2), ("none", "0a0b0c", 1)])

    def test_refuses_other_layers(self):
        grazing = model("grazing.hpp")
        world = mass.Mass({"threads": 1})
        meadow = grazing.Meadow(world, (9, 12))
        sheep = grazing.Sheep(meadow, 4)
        rabbits = grazing.Rabbit(grazing.Burrow(world, mass.Graph(4, [[0, 1]])), 2)
        for error, message, layer in [(mass.UsageError, "a layer is", sheep), (mass.UsageError, "a layer is", (meadow, "#ffffff")),
                                      (mass.UsageError, "'red' is no colour", (sheep, "red")),
                                      (mass.UsageError, "is no colour", (sheep, (1, 2, 256))),
                                      (mass.UsageError, "are a dict", (sheep, "energy", "#ffffff")),
                                      (mass.UsageError, "2-D places; 'Rabbit' do not", (rabbits, "#ffffff")),
                                      (KeyError, "wool", (sheep, "wool", {"a": "#ffffff"}))]:
            with self.assertRaisesRegex(error, message):
                mass.Simulation(world, lambda: None, pictures=[(meadow, "grass")], layers=[layer])
            with self.assertRaisesRegex(error, message):
                meadow.picture("grass", layers=[layer])
        with self.assertRaisesRegex(mass.UsageError, "over pictures of 2-D places"):
            mass.Simulation(world, lambda: None, layers=[(sheep, "#ffffff")])
        with self.assertRaisesRegex(mass.UsageError, "4 agents needs a value for each"):
            meadow.picture("grass", layers=[(sheep, [1, 2], {"a": "#ffffff"})])

    def test_keeps_numbers(self):
        def step():
            self.cells.nextGeneration()
            run.state["season"] += 0.5
            run.state["wet"] = not run.state["wet"]
        run = self.run_of(step, state={"season": 2.0, "wet": False, "year": 7})
        start = run.hash
        run.step(5)
        self.assertEqual(dict(run.state), {"season": 4.5, "wet": True, "year": 7})
        self.assertEqual(run.table["season"].tolist(), [2, 4])
        with tempfile.TemporaryDirectory() as folder:
            run.save(folder + "/five")
            five = run.hash
            self.assertNotEqual(five, start)
            run.state["season"] = 9
            self.assertNotEqual(run.hash, five)
            run.restore(folder + "/five")
        self.assertEqual((run.state["season"], run.hash), (4.5, five))
        for wrong in (lambda: run.state["none"], lambda: run.state.update(year=1.5)):
            self.assertRaises(mass.UsageError, wrong)
        self.assertRaises(TypeError, run.state.pop, "year")

    def test_calls_a_function_for_each_step(self):
        calls = []
        run = self.run_of(lambda: calls.append(self.cells.nextGeneration()))
        run.step(7)
        self.assertEqual(len(calls), 7)
        _, other = self.make()
        other.nextGeneration(steps=7)
        self.assertTrue((other.alive == self.cells.alive).all())

    def test_changes_parameters_between_steps(self):
        run = self.sown({"sliders": {"density": (0, 1)}})
        run.step(2)
        run.set({"density": 1.0, "sows": True})
        run.step()
        self.assertEqual(run.row["alive"], 0)  # all were alive
        self.assertEqual(run.changes, [{"step": 2, "key": "density", "value": 1.0}, {"step": 2, "key": "sows", "value": True}])
        with self.assertRaisesRegex(mass.SettingsError, "density=2: must be 0 to 1"):
            run.set({"density": 2})

    def test_has_its_own_parameters(self):
        given = []
        first = self.run_of(lambda rate=1: given.append(rate), sliders={"rate": (0, 5)})
        first.set({"rate": 4})
        first.step()
        self.run_of(lambda rate=9: given.append(rate)).step()
        run = self.run_of(lambda rate=0.5: given.append(rate), sliders={"rate": (0, 1)})
        run.step()
        self.assertEqual((given, run.changes), ([4, 9, 0.5], []))
        with self.assertRaisesRegex(mass.SettingsError, "must be 0 to 1"):
            run.set({"rate": 4})

    def test_goes_on_from_a_checkpoint(self):
        run = self.run_of()
        with tempfile.TemporaryDirectory() as folder:
            run.step(6)
            run.save(f"{folder}/a.h5")
            run.step(6)
            end = run.hash
            run.restore(f"{folder}/a.h5")
        self.assertEqual((run.steps, self.world.hash), (6, run.hash))
        run.step(6)
        self.assertEqual(run.hash, end)

    def test_shows_and_steers_a_model(self):
        run = self.sown({"sliders": {"density": (0, 1)}, "pictures": [(self.cells, "alive")]})
        _, page = self.page(run)
        page.state("idle", 0)
        page.shown(0)
        page.until(lambda client: client.run)
        self.assertEqual(page.run["columns"], ["alive"])
        self.assertEqual([(each["key"], each["low"], each["high"]) for each in page.run["settings"]],
                         [("density", 0, 1), ("sows", None, None)])
        thread = threading.Thread(target=run.step, args=(10**9,))
        thread.start()
        page.state("running")
        page.send(do="pause")
        page.state("paused")
        first = page.status["step"]
        page.send(do="set", key="sows", value="true")
        page.send(do="set", key="density", value="1")
        page.send(do="step", count=5)  # the first row after that of step 0 is at step 4
        page.state("paused", first + 5)
        page.shown(first + 5)
        page.send(do="end")
        thread.join()
        self.assertEqual((run.steps, self.cells.alive.sum()), (first + 5, 0))
        self.assertEqual(page.hash(first + 5), self.world.hash)
        page.send(do="curves", generation=0, **{"from": 0})
        self.assertEqual(page.text("curves")["steps"][:2], [0, 4])

    def test_shows_the_model_between_two_calls(self):
        run = self.run_of(pictures=[(self.cells, "alive", ["dead", "alive"])])
        _, page = self.page(run)
        page.shown(0)
        self.cells.alive = False  # without the run
        number = page.picture["number"]
        page.send(do="frame", size=[64, 64], reduce="mean", after=number, id=2)
        page.until(lambda client: client.picture["number"] > number)
        self.assertEqual(page.text("legend")["categories"], ["dead", "alive"])
        self.assertEqual(page.hash(0), self.world.hash)

    def test_shows_one_of_several_pictures(self):
        other = model("life.hpp").Life(self.world, (8, 9), name="other")
        run = self.run_of(pictures=[(self.cells, "alive"), (other, "alive")])
        _, page = self.page(run)
        page.shown(0)
        self.assertEqual(page.picture["places"], [31, 40])
        page.send(do="set", key="picture", value="other.alive")
        page.until(lambda client: client.status["values"]["picture"] == "other.alive")
        page.send(do="frame", size=[64, 64], reduce="mean", after=page.picture["number"], id=3)
        page.until(lambda client: client.picture["id"] == 3)
        self.assertEqual(page.picture["places"], [8, 9])
        self.assertEqual(run.picture().values.shape, (8, 9))

    def test_ends_with_its_object(self):
        run = self.sown({"pictures": [(self.cells, "alive")]})
        live, _ = self.page(run)
        url = live.url
        live._core = None
        run = None
        gc.collect()
        with self.assertRaises(OSError):
            get(url)

    def test_passes_errors_of_a_step_on(self):
        def step(fails=False):
            if fails:
                raise ArithmeticError("too hot")
            self.cells.nextGeneration()
        run = self.run_of(step)
        run.step(3)
        run.set({"fails": True})
        with self.assertRaisesRegex(ArithmeticError, "too hot"):
            run.step(3)
        run.set({"fails": False})
        run.step(3)
        self.assertEqual(run.steps, 6)

    def test_ends_after_ctrl_c(self):
        run = self.run_of()
        delays.assert_ends_after_ctrl_c(self, lambda: run.step(10**12))
        steps = run.steps
        self.assertGreater(steps, 0)
        _, other = self.make()
        other.nextGeneration(steps=steps)
        self.assertTrue((other.alive == self.cells.alive).all())

    def test_refuses_bad_input(self):
        cells, world = self.cells, self.world
        recursive = mass.Simulation(world, lambda: recursive.step())
        for call, error, message in [
                (lambda: self.run_of(cells.randomise), mass.UsageError, "the parameter 'density': give it a number"),
                (lambda: self.run_of(lambda seed=3: None), mass.UsageError, "'seed' is a setting of the library"),
                (lambda: self.run_of(sliders={"rate": (0, 1)}), mass.UsageError, "'rate' has a slider and is no parameter"),
                (lambda: self.run_of(lambda rate=3.0: None, sliders={"rate": (0, 1)}), mass.UsageError, "out of range: must be 0 to 1"),
                (lambda: self.run_of(lambda rate=0.5: None, sliders={"rate": (0, float("nan"))}), mass.UsageError, "slider of 'rate' is"),
                (lambda: self.run_of(lambda rate=0.5: None, sliders={"rate": 5}), mass.UsageError, "slider of 'rate' is 5: give"),
                (lambda: mass.Simulation(None, lambda: None), mass.UsageError, "takes a mass.Mass and a rule"),
                (lambda: self.run_of(3), mass.UsageError, "takes a mass.Mass and a rule"),
                (lambda: self.run_of(observe={"alive": 3}), mass.UsageError, "observe has a function for each name"),
                (lambda: self.run_of(pictures=[(cells, "age")]), KeyError, "no attribute 'age'"),
                (lambda: self.run_of(pictures=[(world, "alive")]), mass.UsageError, "a picture is"),
                (lambda: self.run_of(observe={"alive": lambda: "many"}), ValueError, "many"),
                (lambda: recursive.step(), mass.UsageError, "a step of this run is being made"),
                (lambda: self.run_of().picture(), mass.UsageError, "no picture"),
                (lambda: self.run_of().step(-1), mass.UsageError, "-1 steps")]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()
        self.run_of().step(2)  # the world is as before

    def test_leaves_the_world_to_one_thread(self):
        entered, leave = threading.Event(), threading.Event()

        def step():
            entered.set()
            leave.wait()
            self.cells.nextGeneration()

        thread = threading.Thread(target=self.run_of(step).step)
        thread.start()
        entered.wait()
        with self.assertRaisesRegex(mass.UsageError, "another thread uses this run"):
            self.cells.nextGeneration()
        leave.set()
        thread.join()


if __name__ == "__main__":
    unittest.main()
