"""State hashes of apps in Python, compared with the table of their programs (tests/apps/hashes.csv).

Environment: MASS_HASHES=all: all rows, otherwise one of each app; MASS_BACKEND=cuda: on GPUs; MASS_DEVICES: numbers of
devices, by default 3.
"""

import csv
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import mass

SOURCE = pathlib.Path(__file__).parents[2]
PROGRAMS = pathlib.Path(os.environ["MASS_PROGRAMS"])
BACKEND = os.environ.get("MASS_BACKEND", "cpu")
DEVICES = [int(devices) for devices in os.environ.get("MASS_DEVICES", "3").split(",")]
# The quickest settings of each app.
FEW = ["boids", "calcium", "circles", "forest_fire", "heat2d", "heat3d", "cavity", "life", "life3d-glider", "predation",
       "rdme-abcd", "schelling", "seismic", "sugarscape"]


def rows():
    """Yields (app, settings file, assignments, hash) of the table; the hash is "" if libraries or processors change it."""
    lines = (SOURCE / "tests" / "apps" / "hashes.csv").read_text().splitlines()
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        wanted = os.environ.get("MASS_HASHES") == "all" or row["settings"] in FEW
        expected = row["gpu" if BACKEND == "cuda" else "cpu"]
        if wanted and row["app"] in mass.apps() and expected != "-":
            yield (row["app"], SOURCE / "settings" / f"{row['settings']}.yaml", row["assignments"].split(),
                   expected if row["bits"] == "exact" else "")


def program_hash(app, settings, assignments):
    """Returns the hash of the program of an app."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word for each in [*assignments, f"output.folder={folder}"] for word in ("--set", each)]
        output = subprocess.run([PROGRAMS / app, settings, *words], capture_output=True, text=True, check=True).stdout
    return re.search(r"state hash  (\w+)", output).group(1)


class Hashes(unittest.TestCase):
    def test_are_those_of_the_programs(self):
        for app, settings, assignments, expected in rows():
            with self.subTest(settings.stem):
                assignments += [f"backend={BACKEND}", "threads=1", *(
                    f"output.{key}=0" for key in ["table_every", "frame_every", "data_every", "agents_every"]),
                    "output.plot=[]", "output.animation=none", "checkpoint.every=0"]
                expected = expected or program_hash(app, settings, assignments)
                for devices in DEVICES:
                    given = dict(each.split("=", 1) for each in assignments)
                    run = mass.open(app, settings, {**given, "devices": devices, "threads": devices})
                    run.step(run.last_step)
                    self.assertEqual(run.hash, expected, f"{devices} devices")


if __name__ == "__main__":
    unittest.main()
