"""Runs the examples: the same hash on several devices, and a property of each that a reader would expect.

python3 examples_test.py FOLDER_OF_PROGRAMS [unittest's options]"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv.pop(1))


def run(example, folder, assignments, devices=1):
    """Runs an example. Returns its hash and the columns of its table."""
    options = [part for assignment in [*assignments, f"devices={devices}", f"output.folder={folder}"]
               for part in ("--set", assignment)]
    done = subprocess.run([BIN / example, *options], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    with open(pathlib.Path(folder) / f"{example}.csv", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    columns = {name: [float(row[name]) for row in rows] for name in rows[0]}
    return re.search(r"state hash +([0-9a-f]{16})", done.stdout).group(1), columns


class Examples(unittest.TestCase):
    def check(self, example, *assignments):
        """Runs an example on one and three devices. Returns its table."""
        with tempfile.TemporaryDirectory() as folder:
            one, table = run(example, folder, assignments)
            three, _ = run(example, folder, assignments, devices=3)
        self.assertEqual(one, three)
        return table

    def test_gray_scott(self):
        table = self.check("gray_scott", "tiles=8", "steps=600", "output.table_every=100")
        self.assertGreater(table["v"][-1], 100, "the pattern lives")
        self.assertGreater(table["herds"][-1], 3 * table["herds"][0], "and feeds the herds")


if __name__ == "__main__":
    unittest.main()
