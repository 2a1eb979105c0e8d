"""Writes the fixtures of restart_test.py: small runs by the programs of commit 6be47ee.

A fixture FOLDER/ beside this file has
    settings.yaml   settings of the run
    out/            output of a run that ended at step 8, with a checkpoint of step 5
    whole/          tables of a run that ended at step 14, without a restart
    whole.json      program, commit, step, state hash and files of that run

python3 make.py --programs FOLDER [--commit 6be47ee] [FIXTURE ...]"""

import argparse
import json
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import programs  # noqa: E402
from programs import command, files, run, state_hash  # noqa: E402

STOPPED, WHOLE = 8, 14

# Steps 6 to 8 come after the checkpoint: the rows, pictures and data of these steps are written once more.
OUTPUT = """\
seed: 7
threads: 1
steps: 8
checkpoint: {every: 5}
output: {%s, animation: none}
"""
TABLE = OUTPUT % "table_every: 1"
PLACES = OUTPUT % "table_every: 1, frame_every: 6, data_every: 6"
AGENTS = OUTPUT % "table_every: 1, frame_every: 6, data_every: 6, agents_every: 3"
AGENTS_IN_HDF5 = OUTPUT % "table_every: 1, agents_every: 3, agents_format: hdf5"

PARTICLES = """\
model:
  lattice: {sites: [3, 2, 3], spacing: 16 nm, timestep: 50 us}
  species: {A: 1 um2/s, B: 1 um2/s, C: 0.5 um2/s}
  reactions:
    - {reaction: A <-> B, rate: [200 /s, 100 /s]}
    - {reaction: A + B <-> C, rate: [2e7 /M/s, 50 /s]}
  initial:
    - {species: A, count: 40}
    - {species: B, count: 30}
"""

# The part of a folder's name before the first hyphen is the program.
FIXTURES = {
    "boids": "boids: 24\nwidth: 16\n" + AGENTS,
    "cavity": """\
cells: [12, 10]
reynolds: 20
velocity: {y_high: [1, 0]}
obstacles:
  block: {box: {low: [0.25, 0.25], high: [0.5, 0.5]}}
probes:
  middle: [0.6, 0.5]
""" + PLACES,
    "cavity-3d": """\
cells: [6, 5, 4]
reynolds: 5
precision: half
collision: regularized
faces: {x_low: inlet, x_high: outlet, y_high: wall, z_low: periodic, z_high: periodic}
velocity: {x_low: [1, 0, 0]}
""" + PLACES,
    "circles": "particles: 30\nwidth: 6\n" + AGENTS,
    "forest_fire": "rows: 14\ncolumns: 11\ngrowth: 0.1\nlightning: 0.01\ndensity: 0.6\n" + PLACES,
    "heat2d": "rows: 9\ncolumns: 11\nheat_time: 10\n" + PLACES,
    "heat2d-float": "rows: 9\ncolumns: 11\nedges: fixed\nstart: mode\nprecision: float\n" + TABLE,
    "life": "rows: 13\ncolumns: 37\ndensity: 0.4\n" + PLACES,
    "predation": "size: 10\nsheep: 20\nwolves: 8\nsheep_birth: 0.2\n" + AGENTS,
    "rdme": PARTICLES + TABLE,
    "rdme-deep": PARTICLES.replace("  species:", "  capacity: 256\n  species:") + TABLE,
    "schelling": "size: 8\n" + AGENTS,
    "sugarscape": "size: 10\nagents: 16\nMAX_PLACE_EXCHANGE: 6\n" + AGENTS,
    "sugarscape-mass": "rules: mass\nsize: 8\nagents: 8\nMAX_PLACE_EXCHANGE: 6\nMAX_AGENT_TRAVEL: 3\n" + AGENTS_IN_HDF5,
}


def finish(program, folder, assignments):
    """Final hash of a run in a folder; the run must print no note."""
    outcome = run(command(programs.available(program), "settings.yaml", assignments), cwd=folder)
    if outcome.returncode != 0 or outcome.stderr:
        sys.exit(f"{folder}: {outcome}")
    return state_hash(outcome)


def make(name, settings, commit):
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "settings.yaml").write_text(settings, encoding="utf-8")
    program = name.split("-", maxsplit=1)[0]
    finish(program, folder, [])
    with tempfile.TemporaryDirectory(prefix="mass-fixture-") as other:
        shutil.copy(folder / "settings.yaml", other)
        final = finish(program, other, [f"steps={WHOLE}"])
        left = files(pathlib.Path(other) / "out")
    for path, data in left.items():
        if path.endswith(".csv"):
            (folder / "whole").mkdir(exist_ok=True)
            (folder / "whole" / path).write_bytes(data)
    whole = {"program": program, "commit": commit, "steps": WHOLE, "hash": final, "files": sorted(left)}
    (folder / "whole.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the programs of the commit")
    parser.add_argument("--commit", default="6be47ee", help="of these programs")
    parser.add_argument("fixtures", nargs="*", help="all if none is named")
    arguments = parser.parse_args()
    programs.BIN = arguments.programs.resolve()
    for name in arguments.fixtures or FIXTURES:
        make(name, FIXTURES[name], arguments.commit)


if __name__ == "__main__":
    main()
