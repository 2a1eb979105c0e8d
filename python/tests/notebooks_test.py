"""Code of the notebooks in docs/notebooks, run without Jupyter."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
import unittest.mock

NOTEBOOKS = pathlib.Path(__file__).parents[2] / "docs" / "notebooks"


class Notebooks(unittest.TestCase):
    def test_run_and_print_what_they_show(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        for file in sorted(NOTEBOOKS.glob("*.ipynb")):
            with self.subTest(file.name), tempfile.TemporaryDirectory() as folder, \
                    unittest.mock.patch.dict(os.environ, {"MASS_CACHE": folder}):
                os.chdir(NOTEBOOKS)
                names = {}
                for cell in json.loads(file.read_text())["cells"]:
                    if cell["cell_type"] != "code":
                        continue
                    printed = io.StringIO()
                    with contextlib.redirect_stdout(printed):
                        exec(compile("".join(cell["source"]), file.name, "exec"), names)
                    shown = "".join("".join(output["text"]) for output in cell["outputs"]
                                    if output.get("name") == "stdout")
                    self.assertEqual(printed.getvalue(), shown)


if __name__ == "__main__":
    unittest.main()
