"""Tests the page that benchmarks/performance.py writes from result files with fewer runs, as hosts with fewer GPUs have."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class PerformanceTest(unittest.TestCase):
    def page(self, keep=lambda name: True, anew=False):
        """Returns the page for the runs whose names `keep` accepts; `anew`: all of one version."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            shutil.copytree(ROOT / "benchmarks", root / "benchmarks")
            (root / "docs").mkdir()
            for path in (root / "benchmarks/results").glob("gpu_*.json"):
                results = json.loads(path.read_text())
                results["benchmarks"] = [run for run in results["benchmarks"] if keep(run["name"])]
                for run in results["benchmarks"]:
                    if anew:
                        run.pop("commit", None)
                path.write_text(json.dumps(results))
            outcome = subprocess.run([sys.executable, "-B", root / "benchmarks/performance.py"], capture_output=True, text=True)
            self.assertEqual(outcome.stderr, "")
            self.assertEqual([path.name for path in (root / "docs").iterdir()], ["performance.md"])
            return (root / "docs/performance.md").read_text()

    def test_all_of_it(self):
        self.assertEqual(self.page(), (ROOT / "docs/performance.md").read_text())

    def test_fewer_gpus(self):
        for most in (1, 2):
            with self.subTest(most=most):
                def has_so_many(name):
                    gpus = re.search("gpus:([0-9]+)|^circles/[0-9]+/([0-9]+)/", name)
                    return not gpus or int(gpus[1] or gpus[2]) <= most
                page = self.page(has_so_many)
                self.assertNotIn("Four GPUs", page)
                self.assertNotIn("four with an earlier version", page)
                self.assertNotIn("four GPUs of one that", page)
                self.assertEqual("Hallock et al. 2014, Table 2" in page, most == 2)
                self.assertIn("Most agents run", page)
                self.assertNotIn("\n\n\n", page)

    def test_few_worlds(self):
        page = self.page(lambda name: not re.search("^(wanderers|boids|firstOrder)|z:512", name))
        self.assertNotIn("Most agents run", page)
        self.assertNotIn("boids, 80,000", page)
        self.assertIn("schelling, 500", page)

    def test_one_version(self):
        page = self.page(anew=True)
        self.assertNotIn("earlier version", page)
        self.assertIn("Two GPUs with 512³ sites each", page)


if __name__ == "__main__":
    unittest.main()
