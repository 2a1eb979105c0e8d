"""Tests that models have bitwise equal results on GPUs and on CPUs.

python3 gpu_test.py FOLDER_OF_PROGRAMS [unittest's options]

BACKEND=cpu in the environment compares CPU devices, to run the test itself without a GPU."""

import os
import unittest

import programs
from programs import SETTINGS, Folder, command, run, state_hash

BACKEND = os.environ.get("BACKEND", "cuda")

# A small block in three dimensions.
BLOCK = ["planes=17", "rows=13", "columns=70"]

# Programs, settings files, numbers of steps, and other settings; models without the CMake option CONTRACT.
MODELS = [
    ("life", "life", 200, []),
    ("life", "life", 200, ["pattern=", "rule=345/2/4"]),
    ("life", "life", 200, ["pattern=", "rule=B3/S2-i34q"]),
    ("heat2d", "heat2d", 50, []),
    ("heat3d", "heat3d", 20, ["precision=float", "order=2", *BLOCK]),
    ("heat3d", "heat3d", 20, ["faces=periodic", "order=4", *BLOCK]),
    ("heat3d", "heat3d", 20, ["faces=fixed", "order=8", "time_step=0.09", *BLOCK]),
    ("heat3d", "heat3d-mode", 20, []),
    ("life3d", "life3d", 20, BLOCK),
    ("life3d", "life3d-b2r", 20, BLOCK),
    ("forest_fire", "forest_fire", 50, []),
    ("sugarscape", "sugarscape", 100, []),
    ("sugarscape", "sugarscape-mass", 100, []),
    ("schelling", "schelling", 20, []),
    ("predation", "predation", 50, []),
    ("rdme", "rdme-abcd", 100, []),
    ("rdme", "min", 100, []),
    ("rdme", "barrier", 100, []),
    ("seismic", "seismic", 50, []),
    ("seismic", "seismic-explosion", 50, ["precision=double"]),
]


# Runs whose settings change: program, settings, and changes as step, key and value.
STEERED = [
    ("forest_fire", ["rows=31", "columns=40"], [(3, "growth", 0.1), (12, "lightning", 0.01), (12, "growth", 0)]),
    ("life", ["rows=31", "columns=40", "storage=bits"], [(4, "rule", "B36/S23")]),
    ("predation", ["size=30"], [(5, "regrowth", 3), (8, "sheep_birth", 0.3), (15, "wolf_birth", 0.1)]),
]


class Gpus(Folder):
    def outcome(self, program, settings, steps, backend, devices, more=()):
        assignments = [f"steps={steps}", f"backend={backend}", f"devices={devices}", f"output.folder={self.folder}/out",
                       "output.animation=none", "output.frame_every=0", "output.data_every=0", "checkpoint.every=0", *more]
        return run(command(program, SETTINGS / f"{settings}.yaml", assignments), cwd=self.folder)

    def device_counts(self):
        counts = [n for n in [1, 2, 3, 4, 8] if self.outcome("life", "life", 1, BACKEND, n).returncode == 0]
        if not counts:
            self.skipTest("there is no GPU")
        return counts

    def test_give_the_bits_of_cpus(self):
        counts = self.device_counts()
        for program, settings, steps, more in MODELS:
            expected = state_hash(self.outcome(program, settings, steps, "cpu", 1, more))
            for devices in counts:
                with self.subTest(settings=settings, more=more, devices=devices):
                    outcome = self.outcome(program, settings, steps, BACKEND, devices, more)
                    self.assertEqual(state_hash(outcome), expected)

    def test_repeat_a_steered_run_of_cpus(self):
        counts = self.device_counts()
        for program, settings, changes in STEERED:
            if not (programs.BIN / program).exists():
                continue
            first, file = self.folder / program, self.folder / program / "again" / "run.json"
            run(command(program, None, [*settings, "steps=20", "backend=cpu", f"output.folder={first}"]))
            programs.write_changes(first / "run.json", changes)
            run(command(program, None, ["backend=cpu"], "--again", first / "run.json"))
            for devices in counts:
                with self.subTest(program=program, devices=devices):
                    outcome = run(command(program, None, [f"backend={BACKEND}", f"devices={devices}"], "--again", file))
                    self.assertIn("reproduced  ", outcome.stdout, outcome)


if __name__ == "__main__":
    programs.main()
