"""Sweeps: designs, tables, kills and errors."""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import mass
import numpy
from mass.sweeps import design, file, functions, keep, runner, statistics, store

SMALL = {"size": 20, "steps": 10}


class InFolder(unittest.TestCase):
    """Test with a fresh folder."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def sweep(self, name="sweep", settings=SMALL, parallel=1, **keys):
        return mass.sweep(program="predation", settings=settings, parallel=parallel, folder=self.folder / name,
                          progress=False, **keys)

    def text(self, name="sweep", table="runs.csv"):
        return (self.folder / name / table).read_text()

    def count_made(self, name="sweep"):
        """Returns the number of results, of runs that were made twice included."""
        files = (self.folder / name / "parts").glob("*.txt")
        return sum(file.read_bytes().count(b'"key"') for file in files)

    def edit_parts(self, change, name="sweep"):
        """Replaces the lines of the part files by `change` of them."""
        for part in (self.folder / name / "parts").glob("*.txt"):
            part.write_bytes(b"\n".join(change([line for line in part.read_bytes().split(b"\n") if line])))


class Designs(InFolder):
    def points(self, axes=(), designs=None, types=(), seed=1):
        return [settings for settings, _ in design.points_of(dict(axes), designs, dict(types), seed)]

    def test_combine_axes_of_which_the_last_changes_fastest(self):
        self.assertEqual(self.points({"a": [1, 2], "b": {"values": ["x", [3, 4]]}}),
                         [{"a": a, "b": b} for a in ("1", "2") for b in ("x", "[3, 4]")])

    def test_have_exact_ends(self):
        self.assertEqual(design.linspace(0.1, 0.7, 7), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
        self.assertEqual(design.logspace(0.001, 10, 5), [0.001, 0.01, 0.1, 1, 10])
        self.assertEqual([design.linspace(3, 9, 1), design.logspace(3, 9, 1), design.logspace(3, 9, 0)], [[3], [3], []])

    def test_round_to_integers_once(self):
        self.assertEqual(self.points({"n": {"linspace": [1, 3, 9]}}, types={"n": "integer"}),
                         [{"n": "1"}, {"n": "2"}, {"n": "3"}])

    def test_vary_random_axes_together(self):
        axes = {"a": {"random": [2, 4, 50]}, "b": [1, 2], "n": {"random": [1, 3, 50]}}
        points = self.points(axes, types={"n": "integer"})
        self.assertEqual(len(points), 100)
        self.assertTrue(all(2 <= float(point["a"]) < 4 for point in points))
        self.assertEqual({point["n"] for point in points}, {"1", "2", "3"})
        self.assertEqual(points, self.points(axes, types={"n": "integer"}))
        self.assertNotEqual(points, self.points(axes, types={"n": "integer"}, seed=2))
        more = self.points({"a": {"random": [2, 4, 60]}})
        self.assertEqual([point["a"] for point in more[:50]], [point["a"] for point in points[::2]])

    def test_come_from_csv_files(self):
        path = self.folder / "designs.csv"
        path.write_text('\ufeffa,b,w\n1,x,"[1, 2]"\n\n2,y,[3]\n')
        self.assertEqual(self.points(designs=path),
                         [{"a": "1", "b": "x", "w": "[1, 2]"}, {"a": "2", "b": "y", "w": "[3]"}])
        self.assertEqual(self.points({"c": [5]}, {"file": path, "columns": ["b"]}),
                         [{"b": "x", "c": "5"}, {"b": "y", "c": "5"}])

    def test_refuse_csv_files(self):
        path = self.folder / "designs.csv"
        for text, message in [("", "has no designs"), ("a,b\n", "has no designs"), ("a,a\n1,2\n", "'a'"),
                              ("a,\n1,2\n", "''"),
                              ("a,b\n1\n", "designs.csv:2: 1 values in 2 columns"),
                              ("a,b\n1,2\n3,\n", "designs.csv:3: there is no value of 'b'"),
                              ('a\n"1\n', "cannot read")]:
            with self.subTest(text=text), self.assertRaisesRegex(mass.InputError, message):
                path.write_text(text)
                self.points(designs=path)
        path.write_text("a,b\n1,2\n")
        with self.assertRaisesRegex(mass.InputError, "has no column 'c'; it has a, b"):
            self.points(designs={"file": path, "columns": ["c"]})
        with self.assertRaisesRegex(mass.InputError, "cannot read .*none.csv': No such file"):
            self.points(designs=self.folder / "none.csv")

    def test_refuse_axes(self):
        for axis, message in [([], "axis 'a' has no values"), ({"linspace": [1, 2, 0]}, "has no values"),
                              (5, "axis 'a' = 5: it is a list of values"),
                              ({"linspce": [1, 2, 3]}, "did you mean 'linspace'"),
                              ({"linspace": [1, 2]}, "linspace takes \\[low, high, count\\]"),
                              ({"random": [1, "x", 3]}, "random takes"),
                              ({"linspace": [1, "nan", 3]}, "linspace takes"),
                              ({"logspace": [0, 2, 3]}, "both ends must be above 0"),
                              ({"linspace": [1, 2, 2.5]}, "takes"), ({"random": [3, 2, 5]}, "random takes")]:
            with self.subTest(axis=axis), self.assertRaisesRegex(mass.UsageError, message):
                self.points({"a": axis})
        for axes in [{"a": {"linspace": [1, 2, 1e300]}}, {"a": [*range(9999)], "b": {"linspace": [0, 1, 10**5]}}]:
            with self.subTest(axes=axes), self.assertRaisesRegex(mass.UsageError, "at most 10000000 are possible"):
                self.points(axes)
        with self.assertRaisesRegex(mass.UsageError, "3 is no name of a setting"):
            self.points({3: [1]})
        with self.assertRaisesRegex(mass.UsageError, "'a' is set twice"):
            self.points({"a": [1]}, [{"a": 2}])
        with self.assertRaisesRegex(mass.UsageError, "'b' has 3 random values, one before has 2"):
            self.points({"a": {"random": [1, 2, 2]}, "b": {"random": [1, 2, 3]}})


class Statistics(unittest.TestCase):
    def test_have_the_quantiles_of_tables_of_student(self):
        for freedom, quantile in [(1, 12.7062047364), (2, 4.3026527299), (3, 3.1824463053), (4, 2.7764451052),
                                  (9, 2.2621571628), (30, 2.0422724563), (99, 1.9842169516), (100, 1.9839715184),
                                  (200, 1.9718962236), (201, 1.9718365068), (1000, 1.9623390808)]:
            self.assertAlmostEqual(statistics.student_t(freedom), quantile, 9, freedom)

    def test_have_95_percent_of_the_density_between_the_quantiles(self):
        for freedom in (3, 5, 8, 199, 250):
            angle = numpy.linspace(0, numpy.pi / 2, 200001)  # t = sqrt(freedom) tan(angle)
            density = numpy.cos(angle) ** (freedom - 1)
            inside = angle <= numpy.arctan(statistics.student_t(freedom) / freedom**0.5)
            part = numpy.trapezoid(density[inside], angle[inside])
            self.assertAlmostEqual(part / numpy.trapezoid(density, angle), 0.95, 4)

    def test_summarize(self):
        n, mean, deviation, low, high, *quantiles = statistics.summary([1.0, 2.0, 3.0, 6.0])
        self.assertEqual((n, mean), (4, 3))
        self.assertAlmostEqual(deviation, (14 / 3) ** 0.5)
        self.assertAlmostEqual(high - mean, 3.1824463053 * deviation / 2)
        self.assertAlmostEqual(mean - low, high - mean)
        self.assertEqual(quantiles[1:4], [1.75, 2.5, 3.75])

    def test_leave_out_those_that_few_values_do_not_define(self):
        self.assertEqual(statistics.summary([]), [0] + [None] * 9)
        self.assertEqual(statistics.summary([4.0]), [1, 4, None, None, None, 4, 4, 4, 4, 4])

    def test_take_any_number(self):
        self.assertEqual(statistics.mean([1e308, 1e308]), 1e308)
        self.assertTrue(numpy.isnan(statistics.mean([numpy.inf, -numpy.inf])))
        self.assertTrue(numpy.isnan(statistics.summary([1.0, numpy.nan])[1]))


class Kept(unittest.TestCase):
    def test_rows(self):
        read = [(step, [float(step), 1.0]) for step in range(11)]
        for request, steps, rows in [("last", [10], [(None, [10, 1])]),
                                     ({"every": 5}, [0, 5, 10], [(0, [0, 1]), (5, [5, 1]), (10, [10, 1])]),
                                     ({"mean": [2, 4]}, [2, 3, 4], [(None, [3, 1])]),
                                     ({"mean": "2"}, [9, 10], [(None, [9.5, 1])])]:
            with self.subTest(request=request):
                kept = keep.read_keep(request)
                self.assertEqual(list(kept.rows.steps(10)), steps)
                self.assertEqual(kept.rows.reduce([read[step] for step in steps]), rows)
                self.assertEqual(keep.read_keep(kept.request), kept)

    def test_requests_are_refused(self):
        for request in ["first", {"every": 0}, {"mean": [5, 2]}, {"mean": [1, 2, 3]}, {"every": 1, "mean": 2},
                        {"ever": 3}, 5, {"columns": [1]}, {"every": 1.5}, {"columns": 3}, {"columns": None}]:
            with self.subTest(request=request), self.assertRaisesRegex(mass.UsageError, "'keep' = .*it is last"):
                keep.read_keep(request)


class Sweeps(InFolder):
    def test_have_the_rows_of_runs(self):
        made = self.sweep(axes={"wolves": [5, 10]}, seeds=[3, 4], keep={"columns": ["sheep", "wolves"]})
        self.assertEqual((made.count, made.failed), (4, 0))
        self.assertEqual(list(made.runs), ["wolves", "seed", "sheep", "table.wolves", "error"])
        run = mass.open("predation", {**SMALL, "wolves": 10, "seed": 3, "threads": 1})
        run.step(10)
        self.assertEqual(made.runs["sheep"][2], run.row["sheep"])
        self.assertEqual(made.runs["table.wolves"][2], run.row["wolves"])
        self.assertEqual(made.points["mean"][0], made.runs["sheep"][:2].mean())

    def test_have_the_same_bytes_for_any_number_of_workers(self):
        keys = {"axes": {"wolves": [0, 5, 10]}, "seeds": 4}
        texts = set()
        for parallel in (1, 4):
            self.sweep(str(parallel), parallel=parallel, **keys)
            texts.add(self.text(str(parallel)) + self.text(str(parallel), "points.csv"))
        self.assertEqual(len(texts), 1)

    def test_keep_several_rows_and_means(self):
        every = self.sweep("every", keep={"every": 4})
        mean = self.sweep("mean", keep={"mean": [4, 6]})
        run = mass.open("predation", {**SMALL, "threads": 1})
        run.step(10)
        self.assertEqual(list(every.runs["step"]), [0, 4, 8])
        self.assertEqual(list(every.runs["sheep"]), list(run.table["sheep"][[0, 4, 8]]))
        self.assertEqual(mean.runs["sheep"][0], run.table["sheep"][4:7].mean())
        self.assertEqual(list(every.points["step"][every.points["quantity"] == "sheep"]), [0, 4, 8])

    def test_have_floats_that_read_back_exactly(self):
        made = self.sweep(settings=SMALL, axes={"wolf_gain": {"random": [10, 20, 3]}}, keep={"mean": 7})
        rows = list(csv.DictReader(self.text().splitlines()))
        for name in ("wolf_gain", "sheep"):
            self.assertEqual([float(row[name]) for row in rows], list(made.runs[name]))

    def test_make_equal_runs_once(self):
        self.sweep(designs=[{"wolf_gain": "1e1"}, {"wolf_gain": 10}, {"wolf_gain": 12}], seeds=2)
        self.assertEqual(self.count_made(), 4)
        self.sweep(settings={"size": "2e1", "steps": 10, "threads": 1}, axes={"wolf_gain": [12.0, 10]}, seeds=3)
        self.assertEqual(self.count_made(), 6)
        self.assertEqual(len(self.text().splitlines()), 7)

    def test_take_seeds_from_designs(self):
        path = self.folder / "designs.csv"
        path.write_text("seed,wolves\n7,5\n8,5\n7,9\n")
        made = self.sweep(designs=path)
        self.assertEqual(list(made.runs["seed"]), [7, 8, 7])
        self.assertEqual(list(made.points["n"][made.points["quantity"] == "sheep"]), [2, 1])
        with self.assertRaisesRegex(mass.UsageError, "'seeds' and the setting 'seed'"):
            self.sweep(designs=path, seeds=3)

    def test_know_files_by_their_contents(self):
        pattern = self.folder / "pattern.cells"
        for text, count in [("OO.\nOO.\n", 1), ("OOO\nO..\n", 2)]:
            pattern.write_text(text)
            mass.sweep(program="life", settings={"pattern": pattern, "rows": 8, "columns": 8, "steps": 2}, parallel=1,
                       folder=self.folder / "sweep", progress=False)
            self.assertEqual(self.count_made(), count)

    def test_take_runs_without_steps_and_lists(self):
        made = self.sweep(settings={"size": 20, "steps": 0, "weights": [1]})
        self.assertEqual((made.failed, made.count), (0, 1))
        made = self.sweep("lists", axes={"weights": [[1], [2.5]]})
        self.assertEqual(made.count, 1)  # equal results

    def test_read_files(self):
        (self.folder / "designs.csv").write_text("wolves\n5\n")
        (self.folder / "base.yaml").write_text("size: 20\nsteps: 500\n")
        path = self.folder / "sweep.yaml"
        path.write_text("program: predation\nsettings_file: base.yaml\nsettings: {steps: 5}\ndesigns: designs.csv\n"
                        "axes:\n  wolf_gain: {linspace: [1e1, 20, 3]}\nseeds: 2\nkeep: {columns: [sheep]}\n")
        code = subprocess.run([sys.executable, "-m", "mass.sweeps", path, "--folder", self.folder / "out"],
                              capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        self.assertEqual(code.returncode, 0, code.stderr)
        self.assertIn("6/6 runs", code.stderr)
        self.assertEqual(self.text("out").splitlines()[0], "wolves,wolf_gain,seed,sheep,error")
        self.assertEqual(self.text("out").splitlines()[1][:7], "5,10,1,")
        path.write_text("a: 1\na: 2\n")
        with self.assertRaisesRegex(mass.InputError, "'a' occurs twice"):
            file.read(path)
        path.write_text("a: [on, 010, 1e-3, 2024-01-01, true, 7]")
        self.assertEqual(file.read(path)["a"], ["on", 10, 0.001, "2024-01-01", True, 7])


FUNCTION = """import random
import mass

def growth(seed, rate: float = 0.5, steps: int = 10, kind="plain"):
    noise = random.Random(seed)
    size = 1.0
    for step in range(steps + 1):
        yield {"size": size, "twice": 2 * size}
        size *= 1 + rate * noise.random()

def final(seed, rate):
    *_, last = growth(seed, rate)
    return last

def opened(world): return {"one": "devices: 1" in world.settings and "threads: 1" in world.settings}
def constant(rate): return {"rate": rate}
def failing(seed): raise KeyError(seed)
def loading(seed): mass.load("cell.hpp"); return {"a": 1}
def options(seed, **more): return {"a": 1}
def default(seed, more=mass.sweep): return {"a": 1}
"""


class Functions(InFolder):
    """Sweeps of functions of the user."""

    def setUp(self):
        super().setUp()
        self.file = self.folder / "study.py"
        self.file.write_text(FUNCTION)

    def sweep(self, function="growth", name="sweep", parallel=1, **keys):
        return mass.sweep(program=f"{self.file}:{function}", parallel=parallel, folder=self.folder / name, progress=False,
                          **keys)

    def test_have_the_rows_that_they_yield(self):
        made = self.sweep(axes={"rate": [0, 1]}, seeds=2, keep={"every": 5, "columns": ["twice"]})
        self.assertEqual(list(made.runs["step"]), [0, 5, 10] * 4)
        self.assertEqual(list(made.runs["twice"][:6]), [2] * 6)
        self.assertNotEqual(made.runs["twice"][8], made.runs["twice"][11])
        last = self.sweep("final", "last", axes={"rate": [0, 1]}, seeds=2)
        self.assertEqual(list(2 * last.runs["size"]), list(made.runs["twice"][2::3]))
        self.assertEqual(last.points["n"].tolist(), [2] * 4)

    def test_take_a_world_with_one_thread(self):
        self.assertEqual(self.sweep("opened").runs["one"].tolist(), [1])

    def test_have_the_same_bytes_for_any_number_of_workers(self):
        for parallel in (1, 3):
            self.sweep(name=str(parallel), parallel=parallel, axes={"rate": {"random": [0, 1, 4]}}, seeds=2)
        self.assertEqual(self.text("1") + self.text("1", "points.csv"), self.text("3") + self.text("3", "points.csv"))

    def test_make_equal_runs_once_until_a_file_changes(self):
        self.sweep(designs=[{"rate": "1e0"}, {"rate": 1}], seeds=2)
        self.assertEqual(self.count_made(), 2)
        self.sweep(settings={"rate": 1, "steps": 10.0}, axes={"kind": ["plain"]}, seeds=3)
        self.assertEqual(self.count_made(), 3)
        self.file.write_text(FUNCTION.replace("1.0", "3.0"))
        self.assertEqual(self.sweep(settings={"rate": 0}).runs["size"].tolist(), [3])
        self.assertEqual(self.count_made(), 4)

    def test_know_the_headers_that_they_load(self):
        compiler = self.folder / "compiler"
        compiler.write_text("#!/bin/sh\ncase $1 in --version) exit ;; esac\nfor file; do :; done\n"
                            f"echo 'static long model[9]; void* {mass._core.model_function}(void) {{ return model; }}' >a.c\n"
                            'exec cc -shared -fPIC a.c -o "$file"\n')
        compiler.chmod(0o755)
        header = self.folder / "cell.hpp"
        self.file.write_text("import mass\nmass.load('cell.hpp')\n" + FUNCTION)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        with mock.patch.dict(os.environ, {"CXX": str(compiler), "MASS_CACHE": str(self.folder / "cache")}):
            for comment in ("one", "two", "two"):
                header.write_text(f"class Cell : public mass::Place<1> {{}};  // {comment}")
                self.sweep()
            self.assertEqual(self.count_made(), 2)
            self.file.write_text(FUNCTION)
            with self.assertRaisesRegex(mass.UsageError, "loading\\(\\) loads '.*cell.hpp': call mass.load at the top"):
                self.sweep("loading", "other")

    def test_that_fail_are_rows(self):
        self.assertEqual(self.sweep("failing", seeds=2).runs["error"].tolist(), ["KeyError: 1", "KeyError: 2"])

    def test_return_numbers(self):
        for made, error, message in [({"a": "x"}, TypeError, "'a' = 'x' of .*\\(\\) is no number"), ([], TypeError, "list"),
                                     ([{"a": 1}, {"b": 2}], ValueError, "row 1 of .* has the columns b; row 0 has a"),
                                     (5, TypeError, "returns a dict of numbers, or yields dicts of numbers, .*not int")]:
            with self.subTest(made=made), self.assertRaisesRegex(error, message):
                functions.rows_of(lambda: made, {})
        self.assertEqual(functions.rows_of(lambda: {"a": numpy.int8(3), "b": True}, {}), [{"a": 3.0, "b": 1.0}])

    def test_are_found_in_their_file(self):
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        import study
        self.addCleanup(sys.modules.pop, "study")
        made = mass.sweep(program=study.final, settings={"rate": 0}, parallel=1, folder=self.folder / "sweep", progress=False)
        self.assertEqual(made.runs["size"].tolist(), [1])
        path = self.folder / "sweep.yaml"
        path.write_text("program: study.py:final\n")
        self.assertEqual(file.read(path)["program"], str(self.folder / "study.py:final"))

    def load(self, function="growth"):
        with mock.patch.dict(sys.modules), mock.patch.object(sys, "path", list(sys.path)):
            return functions.load(f"{self.file}:{function}")[1]

    def test_are_refused(self):
        for program, keys, error, message in [
                (lambda seed: {}, {}, mass.UsageError, "'.*' is not a function at the top level of a file"),
                (print, {}, mass.UsageError, "'print' is not a function at the top level"),
                (f"{self.file}:none", {}, mass.InputError, "has no function 'none'"),
                ("none.py:run", {"settings_file": "a.yaml"}, mass.UsageError, "'settings_file' is for apps"),
                (f"{self.file}:growth", {"axes": {"rate": [1, "x"]}}, mass.SettingsError, "rate=x: expected a number"),
                (f"{self.file}:growth", {"keep": {"columns": ["sizes"]}}, mass.UsageError, "the column 'sizes'"),
                (f"{self.file}:constant", {"settings": {"rate": 1}, "seeds": 2}, mass.UsageError,
                 "has no parameter 'world' or 'seed'")]:
            with self.subTest(program=program, keys=keys), self.assertRaisesRegex(error, message):
                mass.sweep(program=program, folder=self.folder / "refused", parallel=1, progress=False, **keys)

    def test_refuse_settings(self):
        for name, texts, message in [("final", {}, "final\\(\\) needs a value of 'rate'"),
                                     ("growth", {"rats": "1"}, "no parameter 'rats'; did you mean 'rate'"),
                                     ("growth", {"steps": "1.5"}, "steps=1.5: expected an integer")]:
            with self.subTest(texts=texts), self.assertRaisesRegex(mass.SettingsError, message):
                self.load(name).values(texts)
        for text in ("-1", "0.5", "x"):
            with self.assertRaisesRegex(mass.SettingsError, f"seed={text}"):
                self.load().seed(text)
        self.assertEqual(self.load().values({"rate": "1", "steps": "1e1", "kind": "5"}),
                         {"rate": 1.0, "steps": 10, "kind": "5"})

    def test_of_unusable_files_are_refused(self):
        for name, message in [("options", "'\\*\\*more' of options\\(\\) has no name"),
                              ("default", "'more' = .* the default of a setting is")]:
            with self.subTest(name=name), self.assertRaisesRegex(mass.InputError, message):
                self.load(name)
        for text, message in [("1 +", "cannot load .*SyntaxError"), ("a = 1\nb", "line 2: NameError: name 'b'")]:
            self.file.write_text(text)
            with self.subTest(text=text), self.assertRaisesRegex(mass.InputError, message):
                self.load()
        for text, message in [("import os; os._exit(3)", "ended with exit code 3"),
                              ("import mass; mass.sweep()", "a process of a sweep cannot make a sweep")]:
            self.file.write_text(text)
            with self.subTest(text=text), self.assertRaisesRegex(mass.InputError, message):
                self.sweep()
        self.file.unlink()
        with self.assertRaisesRegex(mass.InputError, "cannot read '.*study.py': No such file"):
            self.load()


class Failures(InFolder):
    def test_are_rows_which_retry_repeats(self):
        keys = {"settings": {"size": 20}, "axes": {"steps": [5, 20]}, "keep": {"mean": [0, 10]}}
        made = self.sweep(**keys)
        self.assertEqual(made.failed, 1)
        self.assertRegex(made.runs["error"][0], "the run ends at step 5")
        self.assertTrue(numpy.isnan(made.runs["sheep"][0]))
        before = self.text()
        self.sweep(**keys)
        self.assertEqual(self.count_made(), 2)
        self.sweep(**keys, retry=True)
        self.assertEqual(self.count_made(), 3)
        self.assertEqual(self.text(), before)

    def test_count_less_than_results(self):
        failed, failed_later = (store.Result("a", "1", attempt, error="no") for attempt in (0, 3))
        done = store.Result("a", "1", 1)
        self.assertTrue(failed_later.replaces(failed) and done.replaces(failed_later) and failed.replaces(None))
        self.assertFalse(failed.replaces(failed_later) or failed_later.replaces(done))

    def kill_at(self, seed, number, times=1):
        """Returns a patch by which processes end with a signal in the run of a seed."""
        give, left = runner.Worker.give, [times]

        def kill(worker, task):
            if task.run.seed == seed and left[0] > 0:
                left[0] -= 1
                worker._process.send_signal(number)
                worker._process.wait()
            give(worker, task)

        return mock.patch.object(runner.Worker, "give", kill)

    def test_of_a_process_are_rows(self):
        with self.kill_at(2, signal.SIGSEGV):
            made = self.sweep(seeds=3)
        self.assertEqual(list(made.runs["error"] != ""), [False, True, False])
        self.assertRegex(made.runs["error"][1], "SIGSEGV")
        made = self.sweep(seeds=3, retry=True)
        self.assertEqual(made.failed, 0)
        self.assertEqual(self.count_made(), 4)

    def test_of_memory_are_rows_after_some_tries(self):
        with self.kill_at(1, signal.SIGKILL, 2):
            self.assertEqual(self.sweep(seeds=2).failed, 0)
        with self.kill_at(1, signal.SIGKILL, 9):
            made = self.sweep("other", seeds=2)
        self.assertRegex(made.runs["error"][0], "SIGKILL")
        self.assertEqual(made.failed, 1)

    def test_of_the_start_end_the_sweep(self):
        with mock.patch.object(runner.subprocess, "Popen", side_effect=OSError(24, "Too many open files")), \
                self.assertRaisesRegex(mass.UsageError, "cannot start process 1: Too many open files; reduce"):
            self.sweep()
        with mock.patch.object(runner.sys, "executable", "/bin/false"), \
                self.assertRaisesRegex(mass.UsageError, "does not start"):
            self.sweep()


class Kills(InFolder):
    def start(self, seeds=8, steps=150):
        path = self.folder / "sweep.yaml"
        path.write_text(json.dumps({"program": "predation", "settings": {"size": 30, "steps": steps}, "seeds": seeds,
                                    "axes": {"wolves": [5, 9]}, "parallel": 2,
                                    "folder": os.fspath(self.folder / "killed")}))
        return subprocess.Popen([sys.executable, "-m", "mass.sweeps", path], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, start_new_session=True)

    def wait_for(self, condition, process):
        while not condition() and process.poll() is None:
            time.sleep(0.002)

    def test_change_no_byte(self):
        self.sweep("whole", settings={"size": 30, "steps": 150}, axes={"wolves": [5, 9]}, seeds=8)
        for kill in range(3):
            process = self.start()
            wanted = 5 * kill + 2
            self.wait_for(lambda: self.count_made("killed") >= wanted, process)
            process.kill()
            process.communicate()
        process = self.start()
        self.assertIn(b"16/16 runs", process.communicate()[1])
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.text("killed"), self.text("whole"))
        self.assertEqual(self.text("killed", "points.csv"), self.text("whole", "points.csv"))

    def test_release_the_folder_and_end_the_workers(self):
        process = self.start(steps=10**8)
        self.wait_for(lambda: len(self.workers(process.pid)) == 2, process)
        with self.assertRaisesRegex(mass.UsageError, "another sweep uses the folder"):
            self.sweep("killed")
        workers = self.workers(process.pid)
        process.kill()
        process.communicate()
        store.Store(self.folder / "killed", {}).__exit__()
        while any(self.is_running(worker) for worker in workers):
            time.sleep(0.002)

    def test_of_the_process_that_gives_tasks_end_a_run(self):
        settings = {"size": "30", "steps": "100000000", "threads": "1"}
        task = {"key": "a", "library": "1", "attempt": 0, "program": "predation", "file": "", "settings": settings,
                "place": {}, "keep": {"rows": "last"}}
        worker = subprocess.Popen([sys.executable, "-m", "mass.sweeps.worker", self.folder / "part.txt"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        worker.stdout.readline()
        output, _ = worker.communicate(json.dumps(task).encode() + b"\n", timeout=20)
        self.assertEqual((output, worker.returncode), (b"", 0))

    def workers(self, pid):
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def is_running(self, pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def test_by_ctrl_c_end_soon_and_go_on(self):
        process = self.start(steps=10**8)
        self.wait_for(lambda: len(self.workers(process.pid)) == 2, process)
        self.wait_for(lambda: len(list((self.folder / "killed/parts").glob("worker-*"))) == 2, process)
        self.assertNotIn(process.pid, map(os.getsid, self.workers(process.pid)))
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        self.assertNotIn(b"Traceback", errors)
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"the same command goes on", errors)

    def test_leave_out_torn_and_damaged_lines(self):
        self.sweep(seeds=6)
        before = self.text()
        self.edit_parts(lambda lines: [lines[0], lines[1].replace(b"[[null, [", b"[[null, [9"), b"\xff\x00",
                                       *lines[3:-1], lines[-1][:-9]])
        self.sweep(seeds=6)
        self.assertEqual(self.text(), before)

    def test_leave_torn_lines_apart_from_later_ones(self):
        part = self.folder / "part.txt"
        first, second = store.Result("a", "1", 0, ["x"], [[None, [1.5]]]), store.Result("b", "1", 0, error="no")
        store.PartFile(part).append(first)
        part.write_bytes(part.read_bytes() * 2 + b"0123 {")
        store.PartFile(part).append(second)
        self.assertEqual(list(store._results(part)), [first, first, None, second])

    def test_leave_the_old_table_while_one_is_written(self):
        self.sweep(seeds=2)
        before = self.text()
        error = OSError(28, "No space left on device")
        for function in [mock.patch.object(store.os, "fsync", side_effect=error),
                         mock.patch.object(pathlib.Path, "replace", side_effect=error)]:
            with function, self.assertRaisesRegex(mass.OutputError, "No space left"):
                self.sweep(seeds=3)
            self.assertEqual(self.text(), before)
        self.sweep(seeds=3)
        self.assertEqual(len(self.text().splitlines()), 4)


class Folders(InFolder):
    def test_of_other_versions_are_mixed_on_request_only(self):
        self.sweep(seeds=2)
        before = self.text()
        with mock.patch.object(mass._core, "record", side_effect=self.record_of_version_9):
            self.sweep(seeds=2)
            self.assertEqual(self.text(), before)
            with self.assertRaisesRegex(mass.UsageError, "2 of 3 runs were made by version 0.*this is 9.9 abc.*mixed"):
                self.sweep(seeds=3)
            self.sweep(seeds=3, mixed=True)
        self.assertEqual(list(json.loads(self.text(table="sweep.json"))["libraries"].values()), [2, 1])

    def record_of_version_9(self, *arguments, record=mass._core.record):
        return json.dumps({**json.loads(record(*arguments)), "version": "9.9", "commit": "abc"})

    def test_of_others_are_refused(self):
        self.sweep()
        with self.assertRaisesRegex(mass.UsageError, "holds another sweep: its keep is"):
            self.sweep(keep={"every": 5})
        with self.assertRaisesRegex(mass.UsageError, "holds another sweep: its program is 'predation', not 'life'"):
            mass.sweep(program="life", folder=self.folder / "sweep", progress=False)
        (self.folder / "sweep/sweep.json").rename(self.folder / "sweep/sweep.json.old")
        (self.folder / "sweep/sweep.json").write_text("{")
        with self.assertRaisesRegex(mass.UsageError, "is damaged"):
            self.sweep()
        (self.folder / "directory/parts/x.txt").mkdir(parents=True)
        (self.folder / "directory/sweep.json").write_text(self.text(table="sweep.json.old"))
        with self.assertRaisesRegex(mass.OutputError, "cannot read .*x.txt': Is a directory"):
            self.sweep("directory")
        with self.assertRaisesRegex(mass.UsageError, "holds other files .* and no sweep"):
            self.sweep(".")

    def test_that_cannot_be_written_are_refused(self):
        (self.folder / "file").write_text("")
        with self.assertRaisesRegex(mass.OutputError, "cannot write .*file/sub': Not a directory"):
            self.sweep("file/sub")

    def test_on_a_full_disk_end_the_sweep(self):
        self.sweep()
        (self.folder / "sweep/parts/worker-0.txt").unlink()
        (self.folder / "sweep/parts/worker-0.txt").symlink_to("/dev/full")
        with mock.patch.object(store.Store, "read", return_value={}), \
                self.assertRaisesRegex(mass.OutputError, "cannot write .*worker-0.txt': No space left"):
            self.sweep()

    def test_are_taken_after_a_kill_between_their_files(self):
        (self.folder / "sweep").mkdir()
        (self.folder / "sweep/.lock").write_text("")
        (self.folder / "sweep/sweep.json.partial").write_text("{")
        self.assertEqual(self.sweep().count, 1)


class Requests(InFolder):
    def test_are_refused(self):
        for keys, error, message in [
                ({"axs": {}}, mass.UsageError, "a sweep has no key 'axs'; did you mean 'axes'"),
                ({"program": "predatio"}, mass.UsageError, "no app 'predatio'"),
                ({"program": 5}, mass.UsageError, "needs the key 'program'"),
                ({"settings": {"siz": 3}}, mass.SettingsError, "^siz=3: unknown key 'siz'; did you mean 'size'"),
                ({"settings": [1]}, mass.UsageError, "'settings' = .*a section"),
                ({"settings_file": "none.yaml"}, mass.Error, "none.yaml"),
                ({"axes": {"wolvs": [1]}}, mass.SettingsError, "did you mean 'wolves'"),
                ({"axes": {"wolves": [-1]}}, mass.SettingsError, "wolves=-1: must be at least 0"),
                ({"axes": {"wolves": []}}, mass.UsageError, "axis 'wolves' has no values"),
                ({"designs": []}, mass.UsageError, "'designs' = \\[\\]"),
                ({"designs": [{"wolves": 1}, {"sheep": 2}]}, mass.UsageError, "designs\\[1\\] has the settings sheep"),
                ({"designs": [{"wolves": "x"}]}, mass.SettingsError, "designs\\[0\\]: wolves=x: expected an integer"),
                ({"seeds": 0}, mass.UsageError, "'seeds' = 0: there are no runs"),
                ({"seeds": []}, mass.UsageError, "there are no runs"),
                ({"seeds": 2.5}, mass.UsageError, "'seeds' = 2.5"),
                ({"seeds": 10**12}, mass.UsageError, "1 points with 1000000000000 seeds: at most 10000000 runs are possible"),
                ({"seeds": [2**63]}, mass.UsageError, "seeds from 0 to 2\\^63 - 1"),
                ({"seeds": [-1]}, mass.UsageError, "'seeds'"), ({"random_seed": "x"}, mass.UsageError, "'random_seed'"),
                ({"keep": {"columns": ["sheeps"]}}, mass.UsageError,
                 "the column 'sheeps', which the table lacks; it has "),
                ({"parallel": 0}, mass.UsageError, "'parallel' = 0: it is a number of processes of at least 1"),
                ({"parallel": {"cores": -1}}, mass.UsageError, "'parallel'"),
                ({"parallel": float("inf")}, mass.UsageError, "'parallel'"),
                ({"settings_file": 3}, mass.UsageError, "'settings_file' = 3: it is the name of a file"),
                ({"designs": {"file": 3}}, mass.UsageError, "'designs'"),
                ({"designs": {"file": "a.csv", "columns": 3}}, mass.UsageError, "'designs'"),
                ({"folder": "a\0b"}, mass.UsageError, "needs the key 'folder'"),
                ({"parallel": "gpu"}, mass.UsageError, "'parallel'"),
                ({"parallel": {"gpus": [10**6]}}, mass.DeviceError, "asks for GPU 1000000; there are"),
                ({"folder": ""}, mass.UsageError, "needs the key 'folder'")]:
            with self.subTest(keys=keys), self.assertRaisesRegex(error, message):
                mass.sweep(**{"program": "predation", "settings": SMALL, "folder": self.folder / "sweep", "parallel": 1,
                              "progress": False, **keys})

    def test_give_each_gpu_a_process(self):
        with mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": "2,5,7"}):
            places = runner.places_of({"gpus": [0, 2]})
            self.assertEqual([place.environment["CUDA_VISIBLE_DEVICES"] for place in places], ["2", "7"])
            self.assertEqual(places[0].settings["backend"], "cuda")
            self.assertEqual(len(runner.places_of("gpus")), 3)


class Progress(unittest.TestCase):
    def test_has_rate_and_remaining_time(self):
        from mass.sweeps import progress
        with mock.patch.object(progress.time, "monotonic", side_effect=[0, 4.0]), \
                mock.patch.object(progress.sys, "stderr") as stream:
            stream.isatty.return_value = False
            shown = progress.Progress(10, 40, 0, True)
            for error in ("", "x", "", ""):
                shown.add(error, [])
            shown.end()
        text = "".join(call.args[0] for call in stream.write.call_args_list)
        self.assertEqual(text, "14/40 runs, 1 failed, 1/s, 26 s left\n")


if __name__ == "__main__":
    unittest.main()
