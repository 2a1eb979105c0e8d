"""Runs each app twice, two seconds apart, and compares all files byte for byte.

python3 repeat_test.py FOLDER_OF_PROGRAMS [unittest's options]

Of run.json, times and the working folder are left out."""

import json
import pathlib
import time

import programs
from programs import Folder, files
from restart_test import Fixture, fixtures

TIMED = {"begin", "end", "compute_seconds", "output_seconds", "working_folder"}


def reproducible(name, data):
    """Returns the bytes of a file; of run.json the entries that equal runs share."""
    if pathlib.Path(name).name != "run.json":
        return data
    return {key: value for key, value in json.loads(data).items() if key not in TIMED}


class EqualRuns(Folder):
    def run_all(self, name):
        """Runs the settings of all fixtures, each with its results in `<name>/<fixture>/out`; returns all files."""
        for fixture in map(Fixture, fixtures()):
            folder = self.folder / name / fixture.folder.name
            folder.mkdir(parents=True)
            table = (fixture.folder / "whole" / f"{fixture.former}.csv").read_text(encoding="utf-8")
            column = table.splitlines()[0].split(",")[1]
            for agents_format in ["csv", "hdf5"]:
                outcome = programs.run(
                    programs.command(fixture.program, fixture.folder / "settings.yaml",
                                     [f"output.agents_format={agents_format}", f"output.folder={agents_format}",
                                      "output.animation=gif", f"output.plot={column}"]),
                    cwd=folder)
                self.assertEqual(outcome.returncode, 0, outcome)
        return files(self.folder / name)

    def test_two_seconds_apart_they_write_equal_bytes(self):
        start = time.monotonic()
        first = self.run_all("a")
        time.sleep(max(0, 2 - (time.monotonic() - start)))
        second = self.run_all("b")
        kinds = {pathlib.Path(name).suffix for name in first}
        self.assertLessEqual({".csv", ".png", ".gif", ".svg", ".vtkhdf", ".h5"}, kinds)
        self.assertEqual(sorted(first), sorted(second))
        self.assertEqual([path for path in programs.broken(self.folder) if ".csv: " not in path], [])
        for name, data in first.items():
            self.assertEqual(reproducible(name, data), reproducible(name, second[name]), name)


if __name__ == "__main__":
    programs.main()
