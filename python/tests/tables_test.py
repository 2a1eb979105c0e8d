"""Tables of runs as Parquet files."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import mass

try:
    import h5py  # noqa: F401
    import pyarrow.parquet
except ImportError:
    pyarrow = None

PROGRAMS = pathlib.Path(os.environ["MASS_PROGRAMS"])


@unittest.skipIf(pyarrow is None, "pyarrow and h5py are not installed")
class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_predation(self, **settings):
        words = [word for key, value in {"size": 20, "steps": 6, "threads": 1, "output.agents_every": 3,
                                         "output.folder": self.folder, **settings}.items()
                 for word in ("--set", f"{key}={value}")]
        subprocess.run([PROGRAMS / "predation", *words], capture_output=True, check=True)

    def test_keep_columns_and_types(self):
        self.run_predation(**{"output.agents_format": "hdf5"})
        run = mass.open("predation", {"size": 20, "threads": 1})
        run.step(6)
        table = pyarrow.parquet.read_table(mass.to_parquet(self.folder / "predation.csv"))
        self.assertEqual(table["sheep"].to_pylist()[-1], len(run.agents["sheep"]))
        agents = pyarrow.parquet.read_table(mass.to_parquet(self.folder / "sheep.h5", self.folder / "a.parquet"))
        self.assertEqual(agents.column_names[0], "step")
        self.assertEqual(str(agents.schema.field("energy").type), "float")
        last = agents.filter(pyarrow.compute.equal(agents["step"], 6))
        self.assertEqual(last["energy"].to_pylist(), run.agents["sheep"]["energy"].tolist())
        self.assertEqual([file.name for file in self.folder.glob("*.part")], [])

    def test_may_have_no_rows(self):
        self.run_predation(sheep=0, **{"output.agents_format": "hdf5"})
        table = pyarrow.parquet.read_table(mass.to_parquet(self.folder / "sheep.h5"))
        self.assertEqual(table.num_rows, 0)
        self.assertIn("energy", table.column_names)

    def test_refuse_other_files(self):
        with self.assertRaisesRegex(mass.InputError, "no table of a run"):
            mass.to_parquet(self.folder / "run.json")
        with self.assertRaisesRegex(mass.InputError, "there is no table"):
            mass.to_parquet(self.folder / "sheep.h5")
        (self.folder / "sheep.h5").write_text("text")
        with self.assertRaisesRegex(mass.InputError, "no table of agents"):
            mass.to_parquet(self.folder / "sheep.h5")
        (self.folder / "sheep.csv").write_text("a,b\n1,2\n3\n")
        with self.assertRaisesRegex(mass.InputError, "sheep.csv"):
            mass.to_parquet(self.folder / "sheep.csv")
        (self.folder / "good.csv").write_text("a,b\n1,2\n")
        with self.assertRaisesRegex(mass.OutputError, "cannot be written"):
            mass.to_parquet(self.folder / "good.csv", self.folder / "none" / "a.parquet")


if __name__ == "__main__":
    unittest.main()
