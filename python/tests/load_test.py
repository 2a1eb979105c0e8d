"""Models of the user, compiled by mass.load."""

import contextlib
import ctypes
import dataclasses
import inspect
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import delays
import mass
import numpy
from own_models import IS_LONG, MODELS, cache, common_cache, compiler_of, load, model

PROGRAMS = pathlib.Path(os.environ["MASS_PROGRAMS"])

HEADER = """#include <mass/mass.hpp>
class Cell : public mass::Place<1> {
 public:
  int value = 0;
  using Attributes = mass::Attributes<&Cell::value>;
  MASS_FN void add(int by) { %s }
};
"""


def setUpModule():
    """Compiles the models of all tests."""
    unittest.enterModuleContext(cache(common_cache()))
    WithModels.life = model("life.hpp")
    WithModels.grazing = model("grazing.hpp")
    WithModels.reactor = model("reactor_reference.hpp")


class WithModels(unittest.TestCase):
    """Tests with compiled models."""

    def open(self, **settings):
        return mass.Mass({"threads": settings.get("devices", 1), "seed": 5, **settings})

    def meadow(self, shape=(4, 6), **settings):
        return self.grazing.Meadow(self.open(**settings), shape)


class Rules(WithModels):
    def test_have_the_hash_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            words = [word for setting in ["rows=40", "columns=61", "steps=30", "seed=5", "density=0.3", "threads=1",
                                          f"output.folder={folder}", "output.frame_every=0", "output.data_every=0"]
                     for word in ("--set", setting)]
            output = subprocess.run([PROGRAMS / "life", *words], capture_output=True, text=True, check=True).stdout
        expected = re.search(r"state hash  (\w+)", output).group(1)
        for devices in [1, 2, 3, 8]:
            world = self.open(devices=devices)
            cells = self.life.Life(world, (40, 61), name="life")
            cells.randomise(0.3)
            cells.nextGeneration(steps=29)
            cells.nextGeneration()
            self.assertEqual(world.hash, expected)

    def test_take_numbers_of_python_and_numpy(self):
        meadow = self.meadow()
        meadow.grow(4, False)
        meadow.grow(numpy.int64(-2), numpy.bool_(True))
        self.assertTrue((meadow.grass == 3 + 4 - 4).all())
        meadow.become(1)
        self.assertTrue((meadow.soil == 1).all())
        self.assertEqual(meadow.soil.dtype, numpy.uint8)
        self.assertTrue((meadow.weighted(numpy.float32(0.5)) == 1.5).all())
        self.assertTrue((meadow.weighted(2) == 6).all())

    def test_take_arrays(self):
        meadow = self.meadow()
        meadow.growBy(numpy.arange(8.0)[::2] / 2)
        self.assertEqual(meadow.grass[:, 5].tolist(), [0, 1, 2, 3])
        for array in [[1.0, 2.0], numpy.arange(4), numpy.ones((2, 2))]:
            with self.assertRaisesRegex(TypeError, r"argument 1 of growBy\(\) is an array of float64 with one axis"):
                meadow.growBy(array)

    def test_refuse_other_arguments(self):
        meadow = self.meadow()
        for arguments, message in [(("x", False), r"argument 1 of grow\(\) is signed char; 'x' was given"),
                                   ((1.5, False), "argument 1"), ((300, False), "argument 1"), ((2**70, False), "argument 1"),
                                   ((1, 2), r"argument 2 of grow\(\) is bool"),
                                   ((1,), r"grow\(\) takes 2 arguments; 1 were given")]:
            with self.assertRaisesRegex(TypeError, message):
                meadow.grow(*arguments)
        self.assertFalse(hasattr(meadow, "overloaded"))
        self.assertFalse(hasattr(meadow, "hidden"))
        for steps, message in [(-1, "-1 steps"), (1.5, "steps = 1.5: it is a whole number"), (2**70, "whole number from -2")]:
            with self.assertRaisesRegex(mass.UsageError, message):
                meadow.grow(1, False, steps=steps)
        for turn in [3, ()]:
            with self.assertRaisesRegex(mass.UsageError, "no rule in turn: give its name, or a tuple"):
                meadow.inTurn(turn)

    def test_return_arrays_and_reductions(self):
        meadow = self.meadow()
        meadow.growBy(numpy.array([1.0, 5.0, 2.0, 7.0]))
        self.assertEqual(meadow.total().shape, (4, 6))
        self.assertEqual(meadow.total().dtype, numpy.int32)
        self.assertEqual(meadow.hasMore(4).dtype, bool)
        self.assertEqual(meadow.reduce("sum", "hasMore", 4), 12)
        self.assertEqual(meadow.reduce("maximum", "total"), 7)
        self.assertEqual(meadow.reduce("minimum", "weighted", 0.5), 0.5)
        self.assertEqual(meadow.reduce("minimum", "hasMore", 4), 0)
        self.assertEqual(meadow.reduce("maximum", "hasMore", 4), 1)
        with self.assertRaisesRegex(mass.UsageError, "no operation 'mean': it is sum, minimum, maximum"):
            meadow.reduce("mean", "total")
        with self.assertRaisesRegex(KeyError, "no function 'grow' that returns a number"):
            meadow.reduce("sum", "grow")

    def test_have_texts_of_the_header(self):
        self.assertEqual(str(inspect.signature(self.grazing.Meadow.grow)), "(self, by: 'signed char', twice: 'bool', /, *, steps: int = 1)")
        self.assertEqual(self.life.Life.randomise.__doc__, "MASS_FN void randomise(const mass::Here<2>& here, double "
                         "density)\n\nMakes the cell alive with probability `density`.")

    def test_leave_members_of_the_package_alone(self):
        meadow = self.meadow()
        self.assertEqual(meadow.shape, (4, 6))
        self.assertEqual(meadow.reduce("sum", "shape"), 3 * 24)

    def test_end_after_ctrl_c(self):
        cells = self.life.Life(self.open(), (200, 200))
        cells.randomise(0.3)
        delays.assert_ends_after_ctrl_c(self, lambda: cells.nextGeneration(steps=10**12))
        cells.nextGeneration()


    def test_reduce_several_values_in_one_pass(self):
        meadow = self.meadow((5, 6), devices=2)
        meadow.growBy(numpy.array([1.0, 5.0, 2.0, 7.0, 1.0]))
        meadow.soil = numpy.arange(30).reshape(5, 6) % 3 == 0
        self.assertEqual(meadow.histogram("grass", [1, 2, 5.5]).tolist(), [12, 12])
        if IS_LONG:  # each compiles for seconds
            self.assertEqual(meadow.countEach("soil", 2).tolist(), [20, 10])
            self.assertEqual(meadow.reduceEach("mean", "grass", "total").tolist(), [3.2, 3.2])
            sheep = self.grazing.Sheep(meadow, at=[[0, 0, 1], [0, 0, 1]])
            sheep.energy = [1, 2, 2]
            self.assertEqual(sheep.countEach("energy", 3).tolist(), [0, 1, 2])
            self.assertEqual(sheep.reduceEach("maximum", "energy", "doubled").tolist(), [2, 4])
        for error, message, call in [(KeyError, "has no number 'light'; it has grass", lambda: meadow.countEach("light", 2)),
                                     (mass.UsageError, "1 to 32 values", lambda: meadow.countEach("soil", 33)),
                                     (mass.UsageError, "ascending edges", lambda: meadow.histogram("grass", [1, 1])),
                                     (mass.UsageError, "no operation 'median'", lambda: meadow.reduceEach("median", "grass"))]:
            with self.assertRaisesRegex(error, message):
                call()

    def test_refuse_a_fork(self):
        cells = self.life.Life(self.open(), (4, 4))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
        if process == 0:
            try:
                cells.nextGeneration()
            except mass.UsageError as error:
                os._exit(0 if "fork" in str(error) else 1)
            os._exit(2)
        self.assertEqual(os.waitpid(process, 0)[1], 0)


class Structures(WithModels):
    def sites(self, **settings):
        return self.reactor.Site(self.open(**settings), (9, 7), border="mirrored")

    def test_are_arguments_as_objects_or_dicts(self):
        sites = self.sites()
        weights = self.reactor.Weights(areDoubled=True)
        self.assertEqual(repr(weights), "Weights(near=[1.0, 0.5], areDoubled=True, mode=0, rates=Rates(on=6.0, off=10.0))")
        sites.weigh(weights)
        self.assertEqual(sites.level[4, 5].tolist(), (2, 1 - 0.5 * 6))
        weights.mode, weights.near, weights.rates.on = 1, numpy.array([3, 1]), 2
        sites.weigh(weights)
        self.assertEqual(sites.level[4, 5].tolist(), (4, 3 - 1 * 2))
        sites.weigh({"near": (2, 0), "rates": {"off": 1}})
        self.assertEqual(sites.level[4, 5].tolist(), (1, 2))
        meadow = self.meadow()
        meadow.sow(self.grazing.Species())
        self.assertEqual(meadow.grass[1, 2], 4)

    def test_refuse_members_that_do_not_fit(self):
        sites = self.sites()
        for given, message in [(3, r"argument 1 of weigh\(\) is a Weights, or a dict of near, areDoubled, mode, rates; 3 was"),
                               ({"nea": 1}, "'nea' is no member of a Weights"),
                               ({"near": [1]}, r"member 'near' of Weights is 2 of float32; \[1\] was given"),
                               ({"near": [1, "x"]}, "member 'near'"), ({"near": 1}, "member 'near'"),
                               ({"mode": 300}, "member 'mode' of Weights is Mode; 300"),
                               ({"rates": {"on": "x"}}, "member 'on' of Rates is double; 'x'"),
                               ({"rates": 5}, "member 'rates' of Weights is a Rates, or a dict of on, off; 5")]:
            with self.subTest(given=given), self.assertRaisesRegex(TypeError, message):
                sites.weigh(given)
        for rule, message in [(sites.odd, r"odd\(Odd with the member value\) of 'Site' cannot be called"),
                              (sites.hidden, r"hidden\(Hidden\) of 'Site' cannot be called from Python: arguments are numbers")]:
            with self.assertRaisesRegex(TypeError, message):
                rule(1)

    def test_are_the_space_of_places(self):
        sites = self.sites()
        self.assertEqual(sites.length(sites.space(0.5))[3, 4], 9 * 0.5 + 100 * 7 * 0.5)
        periodic = self.reactor.Site(self.open(), (4, 5))
        self.assertEqual(periodic.length(periodic.space(2))[0, 0], 8 + 100 * 10 + 0.5)
        with self.assertRaisesRegex(mass.UsageError, "the edge of a bin is 0"):
            sites.space(0)

    def test_are_elements_of_attributes(self):
        sites = self.sites()
        self.assertEqual(sites.marks[:, 3, 4].tolist(), [1, 2, 3])
        self.assertEqual(sites.level["height"].tolist(), [[2] * 7] * 9)
        level = sites.level
        level["height"] = numpy.arange(63).reshape(9, 7)
        sites.level = level
        self.assertEqual(sites.level[8, 6].tolist(), (62, 0.25))
        sites.level = self.reactor.Level(slope=3)
        self.assertEqual(sites.level[8, 6].tolist(), (2, 3))
        sites.level = {"height": -1}
        self.assertEqual(sites.level[0, 6].tolist(), (-1, 0.25))
        for values, message in [({"height": 1.5}, "member 'height' of Level is int32; 1.5"), ({"depth": 1}, "'depth'"),
                                (3, "'level' of 'Site' is .*; the values are int64")]:
            with self.assertRaisesRegex(TypeError, message):
                sites.level = values
        with self.assertRaisesRegex(mass.UsageError, "the values of 'level' are of a class: copy them"):
            sites.view("level")[0]

    def test_act_together(self):
        for devices in [1, 2]:
            world = self.open(devices=devices)
            meadow = self.grazing.Meadow(world, (2, 3))
            sheep = self.grazing.Sheep(meadow, at=[[0, 1], [2, 0]])
            world.together(lambda: meadow.crop(sheep), sheep.graze)
            self.assertEqual(meadow.grass.tolist(), [[3, 3, 2], [2, 3, 3]])
            self.assertEqual(sheep.energy.tolist(), [13, 13])  # 12 after the crop
            meadow.crop(sheep)
            sheep.graze()
            self.assertEqual(sheep.energy.tolist(), [14, 14])
            before = world.hash
            for rules, error, message in [([lambda: meadow.crop(sheep)] * 2, mass.UsageError, "two rules change 'Meadow'"),
                                          ([sheep.graze, sheep.manageAll], mass.UsageError, "manageAll is not possible"),
                                          ([sheep.graze, lambda: meadow.grass[:, :] + "one"], TypeError, "")]:
                with self.subTest(message), self.assertRaisesRegex(error, message):
                    world.together(*rules)
                self.assertEqual(world.hash, before)

    def test_shuffle_identities(self):
        meadow = self.meadow((9, 9))
        shuffled = self.grazing.Sheep(meadow, 40, shuffled=True, name="shuffled")
        self.assertEqual(sorted(shuffled.ids.tolist()), list(range(40)))
        self.assertNotEqual(shuffled.ids.tolist(), list(range(40)))

    def test_run_in_turn_and_by_events_as_in_cpp(self):
        declared = mass.model_compiler.declarations_of(MODELS / "reactor_reference.hpp")
        with compiler_of("reactor_reference.hpp"):
            library, _ = mass.model_compiler.compiled(MODELS / "reactor_reference.hpp", declared, "cpu")
        reference = ctypes.CDLL(str(library)).reactorHashes
        for devices in [1, 3]:
            expected = (ctypes.c_uint64 * 2)()
            reference(devices, expected)
            world = self.open(devices=devices)
            sites = self.reactor.Site(world, (9, 7), border="mirrored")
            sites.fill(20)
            sites.inTurn(("rise", 0.5), "count", steps=5)
            self.assertEqual(world.hash, f"{expected[0]:016x}")
            sites.hopRate("calcium", 50)
            sites.runEvents(0.02, self.reactor.Rates(on=4))
            rates = numpy.zeros((4, 9, 7))
            rates[1], rates[3] = 80, 20
            sites.hopRate("calcium", rates)
            windows = sites.eventWindows(0.02)
            sites.runEvents(0.02, {})
            self.assertEqual(world.hash, f"{expected[1]:016x}")
            self.assertGreater(windows, 0)
            self.assertGreater(sites.eventCounts()["events"], 1000)

    def test_refuse_turns_and_events(self):
        sites = self.sites()
        for call, error, message in [(lambda: sites.inTurn("risen"), KeyError, "no rule 'risen'"),
                                     (lambda: sites.inTurn("rise"), TypeError, "takes 1 arguments; 0 were given"),
                                     (lambda: sites.inTurn("count", steps=-1), mass.UsageError, "-1 steps"),
                                     (lambda: sites.hopRate("cal", 1), KeyError, "it has those of calcium"),
                                     (lambda: sites.hopRate("calcium", [1, 2]), ValueError, r"have \(4, 9, 7\)"),
                                     (lambda: sites.hopRate("calcium", -1), mass.UsageError, "a rate is -1"),
                                     (lambda: sites.runEvents(-1, {}), mass.UsageError, "a time of -1 s"),
                                     (lambda: sites.runEvents(1), TypeError, r"runEvents\(\) takes 1 arguments")]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()
        self.assertFalse(hasattr(self.meadow(), "runEvents"))

    def test_run_scheduled_events(self):
        ferry = load("ferry.hpp")
        hashes = set()
        for engine in ["reference", "time_warp", "conservative"]:
            world = self.open(**{"threads": 2, "events.engine": engine})
            ports = ferry.Port(world, (6,), border="periodic")
            ports.lookahead(1)
            ports.schedule("arrive", 0, 0, 10)
            ports.schedule("arrive", 0.25, 3, 7)
            storm = ports.schedule("close", 2, 5)
            ports.scheduleAll("close", 100)
            self.assertEqual(ports.pendingEvents(), 9)
            ports.cancel(storm)
            self.assertEqual(ports.pendingEvents(), 8)
            ports.runEvents(4, ferry.Timetable(sailing=1))  # a port each 1.5 s
            self.assertEqual(ports.visits.tolist(), [1, 1, 1, 1, 1, 1])
            self.assertEqual(ports.passengers.tolist(), [10, 10, 10, 7, 7, 7])
            ports.runEvents(2, {"sailing": 1})
            self.assertEqual(ports.visits.tolist(), [2, 1, 1, 2, 1, 1])
            self.assertEqual(ports.eventCounts()["events"], 16)
            hashes.add(world.hash)
        self.assertEqual(len(hashes), 1)
        for call, error, message in [(lambda: ports.schedule("sink", 0, 0), KeyError, "it has arrive, leave, close"),
                                     (lambda: ports.schedule("arrive", 0, 0), TypeError, "takes 1 arguments; 0 were given"),
                                     (lambda: ports.schedule("arrive", -1, 0, 1), mass.UsageError, "a delay of -1 s"),
                                     (lambda: ports.schedule("arrive", 0, 6, 1), mass.UsageError, "no place 6"),
                                     (lambda: ports.runEvents(1), TypeError, r"runEvents\(\) takes 1 arguments")]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()
        self.assertFalse(hasattr(ports, "hopRate"))

    def test_end_scheduled_events_after_ctrl_c(self):
        ferry = load("ferry.hpp")
        ports = ferry.Port(self.open(**{"events.engine": "time_warp"}), (6,), border="periodic")
        ports.lookahead(1)
        ports.schedule("arrive", 0, 0, 10)
        delays.assert_ends_after_ctrl_c(self, lambda: ports.runEvents(10**8, ferry.Timetable(sailing=1)))
        self.assertEqual(ports.pendingEvents(), 1)
        visits = ports.visits.sum()
        self.assertGreater(visits, 0)
        ports.runEvents(15, {"sailing": 1})
        self.assertEqual(ports.visits.sum(), visits + 10)  # a port each 1.5 s

    def test_end_events_after_ctrl_c(self):
        sites = self.reactor.Site(self.open(), (20, 20))
        sites.fill(20)
        sites.hopRate("calcium", 50)
        particles = (sites.calcium + sites.bound).sum()
        delays.assert_ends_after_ctrl_c(self, lambda: sites.runEvents(10**6, {}))
        self.assertEqual((sites.calcium + sites.bound).sum(), particles)
        events = sites.eventCounts()["events"]
        sites.runEvents(0.02, {})
        self.assertGreater(sites.eventCounts()["events"], events)


class PopulationsOfModels(WithModels):
    def test_have_attributes(self):
        meadow = self.meadow()
        self.assertEqual(meadow.light.shape, (2, 4, 6))
        self.assertEqual(meadow.light[:, 2, 3].tolist(), [1, 0.5])
        meadow.grass = numpy.arange(24).reshape(4, 6)
        self.assertEqual(meadow.grass[1, 2], 8)
        with self.assertRaisesRegex(ValueError, "has the shape"):
            meadow.grass = numpy.zeros((4, 5), int)

    def test_are_created_by_count_and_by_place(self):
        meadow = self.meadow()
        sheep = self.grazing.Sheep(meadow, 7)
        self.assertEqual(len(sheep), 7)
        other = self.grazing.Sheep(meadow, at=[[0, 3], [2, 5]], name="other")
        self.assertEqual(other.coordinates.tolist(), [[0, 3], [2, 5]])
        for arguments in [{}, {"count": 1, "at": [[0], [0]]}]:
            with self.assertRaisesRegex(mass.UsageError, "give the number of agents, or their places"):
                self.grazing.Sheep(meadow, **arguments)
        with self.assertRaisesRegex(mass.UsageError, "'Sheep' live on places of class 'Meadow'"):
            self.grazing.Sheep(self.life.Life(self.open(), (4, 4)), 1)
        with self.assertRaisesRegex(mass.UsageError, r"4 is no coordinate along axis 0 of places of shape \[4, 6\]"):
            self.grazing.Sheep(meadow, at=[[4], [0]])
        with self.assertRaisesRegex(mass.UsageError, r"array of integers of the shape \(2, number of agents\)"):
            self.grazing.Sheep(meadow, at=[0, 1])
        with self.assertRaisesRegex(mass.UsageError, "array of integers of the shape"):
            self.grazing.Sheep(meadow, at=[[1], [1, 2]])
        self.assertEqual(len(self.grazing.Sheep(meadow, at=[[], []], name="none")), 0)
        self.assertEqual(sheep.add([[1], [2]]), 7)
        sheep.manageAll()
        self.assertEqual(len(sheep), 8)
        with self.assertRaisesRegex(mass.UsageError, "axis 1"):
            sheep.add([[1], [6]])
        with self.assertRaisesRegex(mass.UsageError, "name"):
            self.grazing.Sheep(meadow, 1)

    def test_move_are_born_and_are_counted(self):
        meadow = self.meadow(devices=2)
        sheep = self.grazing.Sheep(meadow, at=[[0, 3], [2, 5]])
        sheep.walk()
        sheep.lamb()
        sheep.manageAll()
        self.assertEqual(sheep.census(), {"alive": 4, "died": 0, "moved": 2, "blocked": 0, "born": 2, "unborn": 0})
        self.assertEqual(sheep.coordinates[1].tolist(), [2, 3, 0, 5])
        self.assertEqual(sheep.doubled().tolist(), [20] * 4)
        self.assertFalse(hasattr(sheep, "notListed"))

    def test_are_arguments_of_rules(self):
        meadow = self.meadow()
        sheep = self.grazing.Sheep(meadow, at=[[1, 1], [2, 2]])
        meadow.crop(sheep)
        self.assertEqual(meadow.grass[1, 2], 1)
        self.assertEqual(meadow.reduce("sum", "total"), 3 * 24 - 2)
        with self.assertRaisesRegex(TypeError, "is agents of class Sheep"):
            meadow.crop(meadow)

    def test_need_a_shape_and_borders_that_fit(self):
        for shape, border, message in [((4,), "periodic", "has 2 axes"), ((4, 4), ["fixed"], "has 2 axes"),
                                       ((4, 4), "open", "no border 'open'"), ((0, 4), "fixed", "0")]:
            with self.assertRaisesRegex(mass.UsageError, message):
                self.grazing.Meadow(self.open(), shape, border)
        for arguments, message in [((None, (4, 4)), "belong to a mass.Mass; None"), ((self.open(), (2.5, 4)), "a length = 2.5"),
                                   ((self.open(), (4, 2**70)), "a length = .*whole number from"),
                                   ((self.open(), (4, 4), "fixed", 3), "a name is a text; 3")]:
            with self.assertRaisesRegex(mass.UsageError, message):
                self.grazing.Meadow(*arguments)

    def test_refuse_names_that_would_change_nothing(self):
        meadow = self.meadow()
        for name in ["gras", "grow"]:
            with self.assertRaisesRegex(AttributeError, f"'Meadow' has no attribute '{name}'; it has grass, light, soil"):
                setattr(meadow, name, 3)

    def test_have_pictures(self):
        meadow = self.meadow()
        meadow.growBy(numpy.arange(4.0))
        picture = meadow.picture("grass")
        self.assertEqual((picture.low, picture.high, picture.values.shape), (0, 3, (4, 6)))
        self.assertTrue(picture.png.startswith(b"\x89PNG"))
        self.assertEqual(meadow.picture("soil", categories=["clay", "sand"]).categories, ["clay", "sand"])
        with self.assertRaisesRegex(mass.UsageError, "a picture shows a number of 2-D places"):
            meadow.picture("light")
        with self.assertRaises(mass.Error):
            meadow.picture("grass", palette="none")

    def test_are_kept_in_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a.h5"
            world = self.open()
            meadow = self.grazing.Meadow(world, (4, 6))
            meadow.grow(3, False)
            world.save(file)
            expected = world.hash
            meadow.grow(3, False)
            self.assertNotEqual(world.hash, expected)
            world.restore(file)
            self.assertEqual(world.hash, expected)

    def test_keep_their_mass(self):
        meadow = self.meadow()
        meadow.grow(1, False)
        sheep = self.grazing.Sheep(meadow, 3)
        del meadow
        sheep.walk()
        sheep.manageAll()


class OtherPopulations(unittest.TestCase):
    """Rules that read other places, and agents that take."""

    def test_are_arguments(self):
        pond = load("pond.hpp")
        food = numpy.arange(48).reshape(8, 6) % 5
        for devices in [1, 2, 4]:
            world = mass.Mass({"devices": devices, "threads": devices})
            water, plants = pond.Water(world, (8, 6)), pond.Plant(world, (4, 3))
            light = pond.Light(world, (8, 6))
            water.food = food
            plants.grow(water)
            heights = food.reshape(4, 2, 3, 2).sum(axis=(1, 3))
            numpy.testing.assert_array_equal(plants.height, heights)
            light.dim(water, plants)
            numpy.testing.assert_array_equal(light.shade, 10 * food + heights.repeat(2, 0).repeat(2, 1))
            fish = pond.Fish(water, at=[[0, 0, 0, 3], [4, 4, 4, 1]])
            fish.eat()
            self.assertEqual([food[0, 4], food[3, 1]], [4, 4])
            numpy.testing.assert_array_equal(fish.weight, [2, 2, 0, 2])
            self.assertEqual([water.food[0, 4], water.food[3, 1]], [0, 2])
            plants.shelter(fish)
            heights[0, 2] += 4
            heights[1, 0] += 2
            numpy.testing.assert_array_equal(plants.height, heights)
            fish.nibble(plants, light)
            heights[0, 2] -= 3
            heights[1, 0] -= 1
            numpy.testing.assert_array_equal(plants.height, heights)
            numpy.testing.assert_array_equal(fish.weight, [3, 3, 1, 3])
            self.assertEqual(light.shade[0, 4], 10 * food[0, 4] + (heights[0, 2] - 1) + 300)
            fish.weight = [2, 2, 0, 2]
            pikes = pond.Pike(water, at=[[0, 3, 3], [4, 1, 1]])
            pikes.hunt(fish)
            numpy.testing.assert_array_equal(pikes.weight, [2, 2, 0])
            fish.manageAll()
            self.assertEqual(list(fish.ids), [1, 2])
            pikes.look(fish, 1)
            numpy.testing.assert_array_equal(pikes.weight, [2, 2, 2])
            pikes.feed(fish, 2)
            numpy.testing.assert_array_equal(fish.weight, [2, 6])
            keepers = pond.Keeper(world, 3)
            keepers.weigh(fish, 2)
            numpy.testing.assert_array_equal(keepers.heaviest, [6, 6, 6])
            self.assertEqual(fish.missing, 0)
            keepers.weigh(fish, 99)
            self.assertEqual(fish.missing, 3)
            self.assertEqual(keepers.add([[500]]), 3)
            keepers.manageAll()
            self.assertEqual(list(keepers.heaviest), [6, 6, 6, 0])
            with self.assertRaisesRegex(mass.UsageError, "'Keeper' are agents without space: give a Mass"):
                pond.Keeper(water, 3)
            with self.assertRaisesRegex(mass.UsageError, "give their number only"):
                pond.Keeper(world, at=[[1]])
            water.spawn(fish)
            fish.manageAll()
            self.assertEqual(len(fish.ids), 2 + 2 * (water.food > 3).sum())
            with self.assertRaisesRegex(TypeError, "places of class Water"):
                plants.grow(light)
            with self.assertRaisesRegex(mass.UsageError, "use CoarserField|as FinerField: use"):
                plants.grow(pond.Water(world, (4, 3), name="small"))

    @unittest.skipUnless(IS_LONG, "each deposit compiles for seconds")
    def test_receive_deposits(self):
        pond = load("pond.hpp")
        for devices in [1, 3]:
            world = mass.Mass({"devices": devices, "threads": devices})
            water, plants = pond.Water(world, (8, 6)), pond.Plant(world, (4, 3))
            fish = pond.Fish(water, at=[[0, 0, 3, 5], [4, 4, 1, 0]])
            fish.weight = [1, 2, 4, 8]
            if IS_LONG:  # each deposit compiles for seconds
                fish.deposit("weight", "height", on=plants)
                self.assertEqual(plants.height.tolist(), [[0, 0, 3], [4, 0, 0], [8, 0, 0], [0, 0, 0]])
            other = pond.Plant(world, (4, 3), name="other")
            other.height = 1
            snails = pond.Snail(plants, at=[[0, 0, 3], [1, 1, 2]])
            snails.position = [[0.2, 0.9, 3.7], [1.6, 1.1, 2.9]]
            snails.deposit("size", "height", "twice", "height", on=other)
            with self.assertRaisesRegex(mass.UsageError, "must belong to one Mass|another Mass"):
                snails.deposit("size", "height", "twice", "height", on=pond.Plant(mass.Mass({"threads": 1}), (4, 3)))
            self.assertEqual(other.height.tolist(), [[1, 7, 1], [1, 1, 1], [1, 1, 1], [1, 1, 4]])
            snails.deposit("twice", "food", on=water, position="position", space=water.space(0.5))
            self.assertEqual([water.food[0, 3], water.food[1, 2], water.food[7, 5], water.food.sum()], [2, 2, 2, 6])

    def test_refuse_other_deposits(self):
        pond = load("pond.hpp")
        world = mass.Mass({"threads": 1})
        water, plants = pond.Water(world, (8, 6)), pond.Plant(world, (4, 3))
        fish, snails = pond.Fish(water, 5), pond.Snail(plants, 5)
        for error, message, deposit in [
                (KeyError, "'Fish' has no number 'scent'; it has weight", lambda: fish.deposit("scent", "food")),
                (KeyError, "'Water' has no number 'smell'.*; it has food", lambda: fish.deposit("weight", "smell")),
                (mass.UsageError, "pairs of names", lambda: fish.deposit("weight")),
                (mass.UsageError, "without space", lambda: pond.Keeper(world, 3).deposit("heaviest", "food", on=water)),
                (mass.UsageError, r"on 'Light' of shape \[8, 5\]: both must have the same shape, or one a multiple",
                 lambda: fish.deposit("weight", "shade", on=pond.Light(world, (8, 5)))),
                (mass.UsageError, "give position", lambda: snails.deposit("size", "food", on=water)),
                (mass.UsageError, "'Plant' are not", lambda: fish.deposit("weight", "height", on=plants, position="x")),
                (mass.UsageError, "that of other places",
                 lambda: snails.deposit("size", "food", on=water, position="position", space=plants.space(1))),
                (mass.UsageError, "of the same mass.load", lambda: fish.deposit("weight", "food", on=fish))]:
            with self.assertRaisesRegex(error, message):
                deposit()

    def test_refuse_deposits_of_a_header_that_has_changed(self):
        pond = load("pond.hpp")
        changed = dataclasses.replace(pond.Fish._source, checksum="that of another text")
        pond.Fish._source = pond.Water._source = changed
        fish = pond.Fish(pond.Water(mass.Mass({"threads": 1}), (8, 6)), 5)
        with self.assertRaisesRegex(mass.UsageError, "has changed since mass.load compiled it"):
            fish.deposit("weight", "food")


class Networks(WithModels):
    def test_have_rules_that_read_links_and_change_edges(self):
        for devices in (1, 2):
            graph = mass.Graph(4, [[0, 1], [1, 2], [2, 3]])
            burrows = self.grazing.Burrow(self.open(devices=devices), graph)
            burrows.rabbits = [1, 2, 3, 4]
            burrows.count()
            self.assertEqual(burrows.rabbits.tolist(), [2, 4, 6, 3])
            burrows.dig(burrows, 3)
            self.assertEqual(burrows.edgeCounts(), {"added": 1, "removed": 0, "refused": 0})
            self.assertEqual(burrows.graph(), mass.Graph(4, [[0, 1], [1, 2], [2, 3], [0, 3]]))
            burrows.count()
            self.assertEqual(burrows.rabbits.tolist(), [7, 8, 7, 8])

    def test_have_agents_that_move_along_links(self):
        burrows = self.grazing.Burrow(self.open(devices=2), mass.Graph(3, [[0, 1], [1, 2]]))
        rabbits = self.grazing.Rabbit(burrows, at=[[0, 2]])
        rabbits.run()
        rabbits.manageAll()
        self.assertEqual(rabbits.census()["moved"], 2)
        with self.assertRaisesRegex(mass.UsageError, "does not exist"):
            burrows.dig(burrows, 3)


class Sweeps(WithModels):
    def test_have_the_results_of_models(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "study.py"
            file.write_text(f"import mass\nlife = mass.load({str(MODELS / 'life.hpp')!r})\n"
                            "def alive(world, size, density):\n"
                            "    cells = life.Life(world, (size, size))\n"
                            "    cells.randomise(density)\n"
                            "    cells.nextGeneration(steps=5)\n"
                            "    return {'alive': cells.alive.sum()}\n")
            made = mass.sweep(program=f"{file}:alive", settings={"size": 20}, axes={"density": [0.2, 0.4]}, seeds=[5],
                              folder=pathlib.Path(folder) / "out", parallel=1, progress=False)
        for density, alive in zip(made.runs["density"], made.runs["alive"]):
            cells = self.life.Life(self.open(), (20, 20))
            cells.randomise(density)
            cells.nextGeneration(steps=5)
            self.assertEqual(alive, cells.alive.sum())


class Views(WithModels):
    def test_show_memory_without_a_copy(self):
        meadow = self.meadow((3, 5))
        view = meadow.view("grass")
        array = numpy.asarray(view)
        self.assertEqual(array.tolist(), meadow.grass.tolist())
        self.assertFalse(array.flags.owndata)
        self.assertFalse(array.flags.writeable)
        self.assertEqual(view[1, 2], 3)
        self.assertEqual(view.shape, (3, 5))
        self.assertTrue((numpy.from_dlpack(meadow.view("light", 1)) == 0.5).all())

    def test_end_with_the_next_step(self):
        meadow = self.meadow()
        view = meadow.view("grass")
        meadow.grow(1, False)
        for use in [lambda: view[0], lambda: numpy.asarray(view), lambda: numpy.from_dlpack(view)]:
            with self.assertRaisesRegex(mass.UsageError, "out of date"):
                use()

    def test_keep_the_state_as_long_as_an_array_exists(self):
        meadow = self.meadow()
        array = numpy.asarray(meadow.view("grass"))
        part = array[1]
        del array
        for change in [lambda: meadow.grow(1, False), lambda: meadow.__setitem__("grass", 1)]:
            with self.assertRaisesRegex(mass.UsageError, "1 arrays of views are in use"):
                change()
        self.assertEqual(part.tolist(), [3] * 6)
        del part
        meadow.grow(1, False)

    def test_outlive_their_world(self):
        array = numpy.asarray(self.meadow().view("grass"))
        self.assertEqual(array.sum(), 72)

    def test_are_one_for_each_device(self):
        meadow = self.meadow((5, 3), devices=2)
        meadow.growBy(numpy.arange(5.0))
        bands = meadow.bands("grass")
        self.assertEqual([band.first for band in bands], [0, bands[0].shape[0]])
        self.assertEqual(numpy.concatenate(bands).tolist(), meadow.grass.tolist())
        with self.assertRaisesRegex(mass.UsageError, "is on 2 devices"):
            meadow.view("grass")

    def test_are_assigned_from_other_libraries(self):
        class Other:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        meadow = self.meadow()
        meadow.grass = Other(numpy.arange(24, dtype=numpy.int32).reshape(4, 6))
        self.assertEqual(meadow.grass[3, 5], 23)


class Load(unittest.TestCase):
    def load(self, text, folder, name="cell.hpp"):
        file = pathlib.Path(folder) / name
        file.write_text(text)
        return mass.load(file)

    def test_names_the_line_of_the_first_error(self):
        with cache() as folder, self.assertRaises(mass.CompileError) as raised:
            self.load(HEADER % "value += by + nothing;", folder)
        self.assertRegex(str(raised.exception), r"^/.*cell.hpp:6:\d+: error: .nothing. was not declared")
        self.assertIn("nothing", raised.exception.output)

    def test_names_the_line_at_which_the_library_refuses_a_class(self):
        with cache() as folder, self.assertRaisesRegex(mass.CompileError, "cell.hpp.*error: static assertion failed"):
            self.load((HEADER % "value += by;").replace("int value", "int other = 0; int value"), folder)

    def test_names_the_class_or_the_note_of_an_error_elsewhere(self):
        with cache() as folder:
            header = folder / "cell.hpp"
            header.write_text(HEADER % "")
            for output, place in [("a.hpp:7:2: error: no type named 'Attributes' in 'class Cell'\nb.hpp:3: error: more", ":2"),
                                  (f"model.cpp:9:2: error: expected }}\n{header}:6:3: note: to match this", ":6"),
                                  (f"model.cpp:9:2: error: expected }}\na.hpp:1: error: more\n{header}:6:3: note:", "")]:
                text = mass.model_compiler._first_error(output, header)
                self.assertEqual(text.split(": error: ")[0], f"{header}{place}")

    def test_refuses_headers_without_classes(self):
        with cache() as folder:
            with self.assertRaisesRegex(mass.InputError, "has no class derived from mass::Place"):
                self.load("struct A {};", folder)
            with self.assertRaisesRegex(mass.InputError, "cell.hpp:9: there are two classes 'Cell'"):
                self.load(HEADER % "value += by;" + "namespace b {\nclass Cell : public mass::Place<2> {};\n}\n", folder)
            with self.assertRaisesRegex(mass.InputError, "cannot read '.*none.hpp': No such file"):
                mass.load("none.hpp")

    def test_knows_classes_of_included_files(self):
        header = MODELS / "grazing.hpp"
        with cache() as folder:
            (folder / "more.hpp").write_text(f'#include "{header}"\n#include "{header}"\n')
            found = mass.model_compiler.declarations_of(folder / "more.hpp")
            self.assertEqual([each.name for each in found.classes + found.structures],
                             ["Meadow", "Sheep", "Burrow", "Rabbit", "Species"])

    def test_knows_structures_that_the_classes_name(self):
        with cache() as folder:
            file = folder / "cell.hpp"
            file.write_text(HEADER % "" + """
                struct Plain { int a = 1, b; alignas(16) float light[2] = {1, 0.5F}; std::array<float, 3> c{1, 2}, d;
                               [[maybe_unused]] mass::Tuple<2, int> e; static constexpr int f = 3; int g() const { return a; }
                               using H = int; H i{}, j = int(2); };
                struct Unused { int a; };
                class Hidden { int a; public: int b; };
                struct Bits { int a : 3; };
                struct Derived : Plain { int z; };
                template <class T> struct Template { T a; };
                #if A
                struct Either { int a; };
                #else
                struct Either { float a; };
                #endif
                namespace n { struct Outer { struct Inner { int a; } inner; Inner second; enum class Kind { x, y } kind; }; }
                // Plain Hidden Bits Derived Template Either Outer Inner""")
            found = mass.model_compiler.declarations_of(file).structures
            self.assertEqual({each.qualified: each.members for each in found},
                             {"::Plain": ["a", "b", "light", "c", "d", "e", "i", "j"], "::n::Outer": ["inner", "second", "kind"],
                              "::n::Outer::Inner": ["a"]})

    def test_says_what_is_missing(self):
        with cache() as folder:
            with unittest.mock.patch.dict(os.environ, {"PATH": "", "CXX": ""}), \
                    self.assertRaisesRegex(mass.UsageError, "there is no 'g.*': mass.load compiles C.*; install it"):
                mass.load(MODELS / "life.hpp")
            with self.assertRaisesRegex(mass.UsageError, "no backend 'gpu'"):
                mass.load(MODELS / "life.hpp", backend="gpu")
            os.environ["MASS_CACHE"] = str(folder / "file")
            (folder / "file").write_text("")
            with self.assertRaisesRegex(mass.OutputError, "set MASS_CACHE to a folder that can be written"):
                mass.load(MODELS / "life.hpp")


# A compiler that makes a model without classes. The last argument is the file to write.
FAKE = """#!/bin/sh
case $1 in --version) echo fake; exit ;; esac
echo compiled >>"$LOG"
sleep "$SECONDS_OF_COMPILER"
for file; do :; done
echo 'static long model[9]; const void* %s(void) { return model; }' >"$file.c"
exec cc -shared -fPIC "$file.c" -o "$file"
"""


class Cache(unittest.TestCase):
    """Kept models, with a compiler that counts its calls."""

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.folder = stack.enter_context(cache())
        self.log = self.folder / "log"
        program = self.folder / "fake"
        program.write_text(FAKE % mass.model_compiler._core.model_function)
        program.chmod(0o755)
        self.header = self.folder / "cell.hpp"
        self.header.write_text('#include "more.hpp"\n' + HEADER % "value += by;")
        (self.folder / "more.hpp").write_text("")
        stack.enter_context(unittest.mock.patch.dict(
            os.environ, {"CXX": str(program), "LOG": str(self.log), "SECONDS_OF_COMPILER": "0"}))

    def compilations(self):
        return len(self.log.read_text().splitlines())

    def start(self, count=1):
        """Starts processes that load the model."""
        code = f"import mass; mass.load({str(self.header)!r})"
        return [subprocess.Popen([sys.executable, "-c", code], start_new_session=True) for _ in range(count)]

    def test_keeps_a_model_until_one_of_its_files_changes(self):
        mass.load(self.header)
        mass.load(self.header)
        self.assertEqual(self.compilations(), 1)
        (self.folder / "more.hpp").write_text("// changed")
        mass.load(self.header)
        self.assertEqual(self.compilations(), 2)
        self.header.write_text(self.header.read_text() + "// changed")
        mass.load(self.header)
        self.assertEqual(self.compilations(), 3)

    def test_keeps_models_of_each_compiler(self):
        mass.load(self.header)
        other = self.folder / "other"
        other.write_text((self.folder / "fake").read_text().replace("echo fake", "echo other"))
        other.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"CXX": str(other)}):
            mass.load(self.header)
        mass.load(self.header)
        self.assertEqual(self.compilations(), 2)

    def test_is_filled_once_by_two_processes(self):
        with unittest.mock.patch.dict(os.environ, {"SECONDS_OF_COMPILER": "0.5"}):
            self.assertEqual([process.wait() for process in self.start(2)], [0, 0])
        self.assertEqual(self.compilations(), 1)
        self.assertEqual(list(self.folder.glob("cell-*.*"))[0].suffix, ".so")

    def test_has_locks_that_others_remove_at_any_time(self):
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-6)
        uses = []  # True each if no other thread had the lock

        def use():
            for _ in range(100):
                with mass.model_compiler._locked(self.folder / "a.lock"):
                    before = len(uses)
                    time.sleep(0)
                    uses.append(len(uses) == before)

        threads = [threading.Thread(target=use) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(uses), all(uses)), (800, True))

    def test_survives_a_kill(self):
        with unittest.mock.patch.dict(os.environ, {"SECONDS_OF_COMPILER": "60"}):
            process, = self.start()
            while not (self.log.exists() and self.compilations()):
                time.sleep(0.01)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        mass.load(self.header)
        self.assertEqual(self.compilations(), 2)
        self.assertEqual([file.suffix for file in self.folder.glob("cell-*")], [".so"])

    def test_replaces_a_damaged_file(self):
        for number, text in enumerate([b"", b"torn"]):
            self.start()[0].wait()
            model, = self.folder.glob("cell-*.so")
            model.write_bytes(text)
            self.start()[0].wait()
            self.assertEqual(self.compilations(), number + 2)

    def test_needs_a_compiler_that_works(self):
        program = self.folder / "fake"
        for text, error, message in [("exit 0", mass.CompileError, "cell.hpp: the compiler failed"),
                                     ("kill -9 $$", mass.CompileError, "cell.hpp: the compiler failed")]:
            program.write_text(f"#!/bin/sh\n[ $1 = --version ] && exit\n{text}\n")
            with self.assertRaisesRegex(error, message):
                mass.load(self.header)
        program.write_text("none")
        mass.model_compiler._version.cache_clear()
        with self.assertRaisesRegex(mass.UsageError, "cannot start the compiler '.*fake': Exec format error"):
            mass.load(self.header)
        self.assertEqual(list(self.folder.glob("cell-*")), [])

    def test_is_quick(self):
        mass.load(self.header)

        def delay():
            start = time.monotonic()
            mass.load(self.header)
            return time.monotonic() - start

        delays.assert_quick(self, delay, 0.05)


if __name__ == "__main__":
    unittest.main()
