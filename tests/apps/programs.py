"""Runs the programs as a user does, and checks the files that they write. Needs the standard library only."""

import csv
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SETTINGS = SOURCE / "settings"

# Folder of the programs; set by `main`.
BIN = pathlib.Path()

# Limit of a run in seconds; a minute is long even with a sanitizer on a busy machine.
PATIENCE = 120

LIFE = """\
rows: 40
columns: 40
density: 0.4
seed: 5
steps: 120
threads: 1
output: {table_every: 1, frame_every: 10, data_every: 20, animation: none}
checkpoint: {every: 20}
"""

HEAT2D = """\
rows: 24
columns: 30
heat_time: 60
steps: 120
threads: 1
output: {table_every: 1, frame_every: 10, data_every: 20, animation: none}
checkpoint: {every: 20}
"""

HEAT3D = """\
planes: 13
rows: 10
columns: 11
order: 6
ball_radius: 4
steps: 120
threads: 1
output: {table_every: 1, frame_every: 10, data_every: 20, animation: none}
checkpoint: {every: 20}
"""

LIFE3D = """\
planes: 13
rows: 12
columns: 21
rule: B5/S2-7
density: 0.4
seed: 5
steps: 120
threads: 1
output: {table_every: 1, frame_every: 10, data_every: 20, animation: none}
checkpoint: {every: 20}
"""

# Assignments of a run of 41 steps without files.
NO_FILES = ["output.table_every=0", "output.frame_every=0", "output.data_every=0", "output.animation=none",
            "checkpoint.every=0", "threads=1", "steps=41"]

# Worlds of programs whose rules may make several steps in a pass over memory or between exchanges. Each of two ranks has
# the rows of four steps.
STEPPED = {
    "forest_fire": ["rows=61", "columns=40", "density=0.6", "growth=0.05", "lightning=0.001"],
    "heat2d": ["rows=24", "columns=31", "precision=float"],
    "heat3d": ["planes=33", "rows=9", "columns=10", "order=8", "time_step=0.08", "ball_radius=6", "faces=fixed"],
    "lbm": ["cells=[7, 8, 12]", "collision=regularized", "velocity.y_high=[1, 0, 0.5]", "reynolds=30"],
    "life": ["rows=40", "columns=70", "density=0.4"],
    "life3d": ["planes=13", "rows=7", "columns=20", "rule=B5/S2-7", "density=0.4"],
    "seismic": ["cells=[11, 9, 33]", "spacing=10", "sponge.width=2", "source.frequency=12"],
}


def main():
    """Takes the folder of the programs from the first argument, and passes the others to unittest."""
    global BIN
    BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(module="__main__")


# Former names of programs.
FORMER = {"lbm": "cavity"}


def available(program):
    """Name of the program in this build: a former one in a build that has no other."""
    former = FORMER.get(program, program)
    return program if (BIN / program).exists() or not (BIN / former).exists() else former


def command(program, settings, assignments=(), *options):
    """Returns a command line; `assignments` such as "steps=3"."""
    line = [str(BIN / program)] + ([] if settings is None else [str(settings)])
    for assignment in assignments:
        line += ["--set", assignment]
    return line + [str(option) for option in options]


def run(line, **options):
    return subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, **options)


# Note on files of an earlier run in the output folder, which a fresh run removes.
REMOVED = re.compile(r"^\w+: note: in '.*': (removed \d+ files? of the earlier run \(.*\))?(, )?"
                     r"(renamed its checkpoint to \S+\.previous\.h5)?\n", re.MULTILINE)


def messages(outcome):
    """Returns the standard error of a run without the note on files of an earlier run."""
    return REMOVED.sub("", outcome.stderr, count=1)


def state_hash(outcome):
    """Returns the state hash that a run printed."""
    assert outcome.returncode == 0, outcome
    return re.search(r"state hash +([0-9a-f]{16})", outcome.stdout)[1]


class Folder(unittest.TestCase):
    """Test in an empty working folder, with settings files of life, heat2d, heat3d and life3d."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mass-apps-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.write("life.yaml", LIFE)
        self.write("heat2d.yaml", HEAT2D)
        self.write("heat3d.yaml", HEAT3D)
        self.write("life3d.yaml", LIFE3D)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_program(self, program, assignments=(), *options, settings=None, **more):
        settings = f"{program}.yaml" if settings is None else settings
        return run(command(program, settings, assignments, *options), cwd=self.folder, **more)

    def finish(self, *arguments, **more):
        """Runs a program that must succeed without messages; returns its state hash."""
        outcome = self.run_program(*arguments, **more)
        self.assertEqual((outcome.returncode, messages(outcome)), (0, ""))
        return state_hash(outcome)

    def check_refused(self, program, outcome, *says):
        """Checks for exactly one clear message, and exit code 2."""
        self.assertEqual(outcome.returncode, 2, outcome)
        lines = messages(outcome).splitlines()
        self.assertEqual(len(lines), 1, outcome.stderr)
        self.assertTrue(lines[0].startswith(f"{program}: "), lines[0])
        self.assertNotRegex(lines[0], r"std::|filesystem error|[Ee]xception|\{\}")
        for text in says:
            self.assertIn(text, lines[0])


def write_changes(file, changes):
    """Adds changes of settings (step, key, value) to the record of a run; returns the record as it was."""
    text = file.read_text(encoding="utf-8")
    changed = [{"step": step, "key": key, "value": value} for step, key, value in changes]
    file.write_text(json.dumps({**json.loads(text), "changes": changed}), encoding="utf-8")
    return json.loads(text)


def files(folder):
    """Returns the contents of all files below a folder by name."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file() and not path.is_symlink()}


def results(folder):
    """Returns the pictures and tables of a run."""
    return {name: data for name, data in files(folder).items() if name.endswith((".png", ".csv", ".gif"))}


def broken(folder):
    """Returns the defects of files that have their final names."""
    checks = {".png": check_png, ".gif": check_gif, ".mp4": check_mp4, ".csv": check_csv,
              ".h5": check_hdf5, ".vtkhdf": check_hdf5}
    found = []
    for name, data in files(folder).items():
        check = checks.get(pathlib.Path(name).suffix)
        try:
            if check:
                check(data)
        except (AssertionError, ValueError, IndexError, struct.error, zlib.error) as error:
            found.append(f"{name}: {error!r}")
    return found


def check_png(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, kinds, pixels, size = 8, [], b"", None
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(kind + body), kind
        if kind == b"IHDR":
            size = struct.unpack_from(">IIBB", body)
        if kind == b"IDAT":
            pixels += body
        kinds.append(kind)
        at += 12 + length
    assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND"
    width, height, depth, kind = size
    bits = depth * {2: 3, 6: 4}.get(kind, 1)  # RGB, RGBA, or a palette
    assert len(zlib.decompress(pixels)) == height * (1 + (width * bits + 7) // 8)


def check_gif(data):
    assert data[:6] == b"GIF89a" and data[-1:] == b";"


def check_mp4(data):
    at, kinds = 0, []
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        kinds.append(kind)
        at += length
    assert at == len(data) and b"moov" in kinds and b"mdat" in kinds


def check_hdf5(data):
    """Checks that the file is as long as its superblock says, or the header that precedes it in a checkpoint."""
    if data.startswith(b"MASS checkpoint, then HDF5\n"):
        assert struct.unpack_from("<Q", data, 40)[0] == len(data)
        assert data[512:520] == b"\x89HDF\r\n\x1a\n"
        return
    assert data[:8] == b"\x89HDF\r\n\x1a\n"
    end = struct.unpack_from("<Q", data, 40 if data[8] < 2 else 28)[0]
    assert end == len(data), (end, len(data))


def check_csv(data):
    text = data.decode()
    assert text.endswith("\n")
    header, *rows = csv.reader(text.splitlines())
    steps = []
    for row in rows:
        assert len(row) == len(header), row
        steps.append(int(row[0]))
        for cell in row[1:]:
            float(cell)
    # A table of agents has a row of each agent.
    assert steps == sorted(steps if "id" in header else set(steps))


def as_other_user():
    """Returns arguments of `run` for a user other than root."""
    return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
