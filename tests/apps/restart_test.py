"""Continues runs of earlier versions, which restart/make.py wrote, with the programs of this build. Those of predation and
sugarscape are of the commit in their whole.json, which changed their rules; all others are of 6be47ee.

python3 restart_test.py FOLDER_OF_PROGRAMS [unittest's options]

A fixture ended at step 8, with a checkpoint of step 5; it is continued to step 14 on 1 and on 3 devices. Compared are
- the state hash with that of an uninterrupted run of 6be47ee, in all apps. A step after the checkpoint uses no
  functions of the C library, so the hash depends neither on the processor nor on the compiler;
- the tables with those of that run: byte for byte in apps of whole numbers, and numbers to 1e-6 of the largest of
  their column in apps of floating-point numbers, since columns may be computed by the C library;
- the names of all files, and the bytes of the frames that are older than the checkpoint;
- the frames that are newer, and the series files, with those of an uninterrupted run of this build if that run has the
  hash of 6be47ee: in apps of floating-point numbers the initial state may come from another C library."""

import csv
import json
import pathlib
import re
import shutil
import unittest

import programs
from programs import Folder, available, broken, files

FIXTURES = pathlib.Path(__file__).with_name("restart")
CHECKPOINT = 5
TOLERANCE = 1e-6

# Programs whose tables hold floating-point numbers that a model computed.
FLOATING_POINT = {"boids", "cavity", "circles", "heat2d"}

# Present names of programs of 6be47ee.
RENAMED = {"cavity": "lbm"}


def fixtures():
    return sorted(path.parent.name for path in FIXTURES.glob("*/whole.json"))


def is_older(path):
    """True if the file is a frame that the restarted run leaves as it is."""
    match = re.search(r"/(\d+)\.(png|vtkhdf|h5)$", path)
    return match is not None and int(match[1]) <= CHECKPOINT


def timeless(data):
    """HDF5 data with zeros for the times in object headers of version 2 and for the checksums of these headers."""
    data = bytearray(data)
    for match in re.finditer(rb"OHDR\x02", bytes(data)):
        flags, at = data[match.end()], match.end() + 1
        if flags & 0x20:
            data[at:at + 16] = bytes(16)
            at += 16
        if flags & 0x10:
            at += 4
        width = 1 << (flags & 3)
        end = at + width + int.from_bytes(data[at:at + width], "little")
        data[end:end + 4] = bytes(4)
    return bytes(data)


class Fixture:
    """One folder of the fixtures, and the program that continues it."""

    def __init__(self, name):
        self.folder = FIXTURES / name
        whole = json.loads((self.folder / "whole.json").read_text(encoding="utf-8"))
        self.former, self.steps, self.hash, self.files = (whole[key] for key in ["program", "steps", "hash", "files"])
        self.program = available(RENAMED.get(self.former, self.former))
        self.exact = self.former not in FLOATING_POINT

    def left(self, folder):
        """Files of a run by their names in 6be47ee, where the table has the program's name and there is no record."""
        return {re.sub(rf"^{self.program}(?=\.csv$)", self.former, path): data
                for path, data in files(folder).items() if path != "run.json"}


class Restart(Folder):
    def continued(self, fixture, devices):
        """Files that the continued run leaves; its hash is checked."""
        folder = self.folder / f"{fixture.folder.name}-{devices}"
        shutil.copytree(fixture.folder, folder)
        assignments = [f"steps={fixture.steps}", f"devices={devices}", f"output.folder={folder}/out"]
        found = self.finish(fixture.program, assignments, "--restart", folder / "out/checkpoint.h5",
                            settings=folder / "settings.yaml")
        self.assertEqual(found, fixture.hash)
        self.assertEqual([path for path in broken(folder / "out") if ".csv: " not in path], [])
        return fixture.left(folder / "out")

    def check_table(self, fixture, path, data):
        expected = (fixture.folder / "whole" / path).read_bytes()
        if fixture.exact:
            self.assertEqual(data, expected, path)
            return
        found, stored = (list(csv.reader(text.decode().splitlines())) for text in [data, expected])
        self.assertEqual(found[0], stored[0], path)
        self.assertEqual(len(found), len(stored), path)
        for name, mine, theirs in zip(found[0], zip(*found[1:]), zip(*stored[1:])):
            mine, theirs = [float(cell) for cell in mine], [float(cell) for cell in theirs]
            allowed = TOLERANCE * max(map(abs, theirs))
            for number, other in zip(mine, theirs):
                self.assertAlmostEqual(number, other, delta=allowed, msg=f"{path}, {name}")

    def check_files(self, fixture, left):
        self.assertEqual(sorted(left), fixture.files)
        before = files(fixture.folder / "out")
        for path, data in left.items():
            if path.endswith(".csv"):
                self.check_table(fixture, path, data)
            elif is_older(path):
                self.assertEqual(data, before[path], path)

    def check_new_frames(self, fixture, left):
        folder = self.folder / f"{fixture.folder.name}-whole"
        found = self.finish(fixture.program, [f"steps={fixture.steps}", f"output.folder={folder}/out"],
                            settings=fixture.folder / "settings.yaml")
        if found != fixture.hash:
            self.assertFalse(fixture.exact, f"an uninterrupted run has the hash {found}, expected {fixture.hash}")
            return
        whole = fixture.left(folder / "out")
        for path, data in left.items():
            if not path.endswith(".csv") and path != "checkpoint.h5" and not is_older(path):
                self.assertEqual(timeless(data), timeless(whole[path]), path)

    def test_continues_runs_of_6be47ee(self):
        self.assertEqual(len(fixtures()), 14)
        for name in fixtures():
            fixture = Fixture(name)
            for devices in [1, 3]:
                with self.subTest(fixture=name, devices=devices):
                    left = self.continued(fixture, devices)
                    self.check_files(fixture, left)
                    self.check_new_frames(fixture, left)


if __name__ == "__main__":
    programs.main()
