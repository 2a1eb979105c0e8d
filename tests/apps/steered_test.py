"""Repeats runs whose settings change, on several numbers of devices: steered_test.py FOLDER_OF_PROGRAMS [unittest's options].

The changes are written into the record of a run without changes."""

import json

import programs
from programs import Folder, run, state_hash

# Runs of apps: settings, and changes as step, key and value.
RUNS = [
    ("boids", ["boids=200"], [(0, "steer", 0.1), (7, "separation", 2.5), (7, "change", 0.5), (13, "match", 0)]),
    ("circles", ["particles=200"], [(9, "repulsion", 0.5)]),
    ("forest_fire", ["rows=31", "columns=40"], [(3, "growth", 0.1), (12, "lightning", 0.01), (12, "growth", 0)]),
    ("life", ["rows=31", "columns=40"], [(4, "rule", "B36/S23"), (11, "rule", "HighLife"), (17, "rule", "B3/S45")]),
    ("life", ["rows=31", "columns=40", "storage=bits"], [(4, "rule", "B36/S23")]),
    ("life", ["rows=31", "columns=40", "rule=B2-a/S12"], [(4, "rule", "B3/S23")]),
    ("life", ["rows=31", "columns=40", "rule=B2/S345/C4"], [(4, "rule", "B2/S34/C4")]),
    ("life3d", ["planes=9", "rows=11", "columns=12"], [(2, "rule", "B5/S4-7")]),
    ("predation", ["size=30"], [(5, "regrowth", 3), (8, "sheep_birth", 0.3), (8, "wolf_gain", 5.5), (15, "wolf_birth", 0.1)]),
    ("schelling", ["size=30"], [(2, "wanted", 0.7)]),
    ("sugarscape", ["size=30"], [(5, "growth", 4), (9, "replacement", False), (11, "tries", 1)]),
]

# Changes that an app refuses: app, settings, key, value, and the message.
REFUSED = [
    ("boids", [], "separation", 6, "separation=6: it is more than the radius, 5"),
    ("circles", ["radius=0.5"], "repulsion", 0.6, "repulsion=0.6: particles may move at most 0.99 of the radius"),
    ("life", ["rule=HighLife"], "rule", "", "name the rule to change to"),
    ("life", [], "rule", "B2/S345/C4", "rule=B2/S345/C4: has 4 states, and the run began with B3/S23, of 2"),
    ("life", [], "rule", "B3/S23:T30,20", "a bounded grid cannot change during a run"),
    ("life", [], "rule", "B2-a/S12", "depends on the arrangement of neighbours"),
    ("life", [], "rule", "B9/S", "rule=B9/S: "),
    ("life3d", [], "rule", "B99/S", "rule=B99/S: "),
    ("predation", [], "sheep_gain", 1e300, "sheep_gain=1e+300: is too large for "),
]


class Steered(Folder):
    def line(self, app, assignments, *options):
        return programs.command(app, None, assignments, *options)

    def record(self, app, settings, changes):
        """Runs an app for 20 steps; returns its record, with changes that it did not have."""
        out = self.folder / app
        assignments = [*settings, "steps=20", "seed=5", "threads=1", "output.table_every=1", "output.frame_every=0",
                       f"output.folder={out}"]
        self.assertEqual(run(self.line(app, assignments)).returncode, 0)
        file = out / "run.json"
        return file, programs.write_changes(file, changes)["hash"]

    def test_are_repeated_on_other_devices(self):
        for app, settings, changes in RUNS:
            if not (programs.BIN / app).exists():
                continue
            with self.subTest(app=app, settings=settings):
                file, unchanged = self.record(app, settings, changes)
                outcome = run(self.line(app, [], "--again", file))
                self.assertIn("is not reproduced", outcome.stderr)
                again = file.parent / "again" / "run.json"
                record = json.loads(again.read_text(encoding="utf-8"))
                self.assertNotEqual(record["hash"], unchanged)
                self.assertEqual([tuple(change.values()) for change in record["changes"]], changes)
                for devices in [2, 3]:
                    outcome = run(self.line(app, [f"devices={devices}", f"threads={devices}"], "--again", again))
                    self.assertEqual(state_hash(outcome), record["hash"])
                    self.assertIn("reproduced", outcome.stdout)

    def test_are_refused_with_the_message_of_the_app(self):
        for app, settings, key, value, message in REFUSED:
            if not (programs.BIN / app).exists():
                continue
            with self.subTest(app=app, value=value):
                file, _ = self.record(app, settings, [(3, key, value)])
                self.check_refused(app, run(self.line(app, [], "--again", file)), message)


if __name__ == "__main__":
    programs.main()
