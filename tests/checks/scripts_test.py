"""Tests the scripts' choice of CUDA's compiler, with a simulated compiler and GPU."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib.sh"


class ScriptsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program("nvidia-smi", "GPU 0: NVIDIA H200")

    def program(self, name, says):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\necho '{says}'\n")
        path.chmod(0o755)
        return str(path)

    def nvcc(self, release):
        return self.program("nvcc", f"Cuda compilation tools, release {release}, V{release}.88")

    def run_script(self, script):
        environment = {name: value for name, value in os.environ.items() if name != "CUDACXX"}
        environment["PATH"] = f"{self.folder}:{environment['PATH']}"
        outcome = subprocess.run(["bash", "-c", f"set -euo pipefail; . '{LIBRARY}'; {script}"], env=environment,
                                 capture_output=True, text=True, check=True)
        return outcome.stdout.strip()

    def test_a_new_compiler_is_taken(self):
        for release in ["13.0", "13.2", "14.1"]:
            path = self.nvcc(release)
            self.assertEqual(self.run_script("find_nvcc; echo $CUDACXX"), path)
            self.assertEqual(self.run_script("preset_here"), "cuda-native")

    def test_an_old_compiler_is_passed_over(self):
        for release in ["12.9", "9.2"]:
            path = self.nvcc(release)
            found = self.run_script("find_nvcc || true; echo ${CUDACXX:-}")
            self.assertNotEqual(found, path)  # another one may be installed
            self.assertEqual(self.run_script("preset_here"), "cuda-native" if found else "cpu")

    def test_a_compiler_that_does_not_run_is_passed_over(self):
        path = self.program("nvcc", "no such thing")
        self.assertNotEqual(self.run_script("find_nvcc || true; echo ${CUDACXX:-}"), path)

    def test_only_presets_that_compile_for_gpus_need_a_compiler(self):
        self.program("cmake", "made")
        for preset, needs in [("cpu", False), ("cuda-90", True), ("cuda-emulated", False)]:
            outcome = self.run_script(f"find_nvcc() {{ return 1; }}; (configure {preset} '{self.folder}/{preset}' 2>&1) || true")
            self.assertEqual("needs CUDA's compiler" in outcome, needs)
            self.assertEqual((self.folder / preset / ".configured").exists(), not needs)

    def test_every_preset_can_be_tested(self):
        presets = json.loads((LIBRARY.parents[1] / "CMakePresets.json").read_text())
        names = [preset["name"] for preset in presets["configurePresets"] if not preset.get("hidden")]
        self.assertEqual([preset["name"] for preset in presets["testPresets"]], names)


if __name__ == "__main__":
    unittest.main()
