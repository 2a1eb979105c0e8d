"""Tests programs built with CUDA on a machine without a usable GPU.

python3 no_gpu_test.py FOLDER_OF_PROGRAMS FOLDER_OF_FAKE_DRIVER MAJOR_VERSION_OF_CUDA [unittest's options]"""

import ctypes
import os
import sys
import unittest

import programs
from programs import Folder, files, messages, state_hash

# Set from the command line.
FAKE_DRIVER = ""
CUDA = 0

# Values of CUresult.
SUCCESS, NO_DEVICE, NOT_READY = 0, 100, 802


def has_driver():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


class NoGpu(Folder):
    def check(self, says, version=None, init=SUCCESS, is_noted=False):
        """Checks that `cuda` is an error and that `auto` runs on CPUs, with a note if `is_noted`; without a version, there is
        no driver."""
        environment = dict(os.environ)
        if version is not None:
            path = ":".join(filter(None, [FAKE_DRIVER, environment.get("LD_LIBRARY_PATH")]))
            environment |= {"LD_LIBRARY_PATH": path, "FAKE_DRIVER_VERSION": str(version), "FAKE_DRIVER_INIT": str(init)}
        self.write("predation.yaml", "steps: 1\n")
        before = files(self.folder)
        for program in ["life", "predation"]:
            outcome = self.run_program(program, ["backend=cuda"], env=environment)
            self.check_refused(program, outcome, says, "'backend' to cpu")
            self.assertEqual(outcome.stdout, "")
        self.assertEqual(files(self.folder), before)
        on_processors = self.finish("life", ["backend=cpu", "output.folder=cpu"])
        auto = self.run_program("life", ["backend=auto"], env=environment)
        self.assertEqual(state_hash(auto), on_processors)
        self.assertIn(" places, 1 CPU device, ", auto.stdout)
        if is_noted:
            self.assertTrue(auto.stderr.startswith("life: note: running on CPUs: "), auto.stderr)
            self.assertIn(says, auto.stderr)
        self.assertEqual(messages(auto).count("\n"), 1 if is_noted else 0)

    @unittest.skipIf(has_driver(), "there is a driver")
    def test_no_driver(self):
        self.check("there is no NVIDIA driver on this machine")

    def test_old_driver(self):
        for version, text in [((CUDA - 1) * 1000, f"{CUDA - 1}.0"), (11080, "11.8")]:
            with self.subTest(version=version):
                self.check(f"the NVIDIA driver is too old: it supports CUDA {text}, this program needs {CUDA}.0", version,
                           is_noted=True)

    def test_no_gpu(self):
        self.check("there is no GPU on this machine that CUDA can use", (CUDA + 1) * 1000, NO_DEVICE)

    def test_devices_of_a_gpu_that_are_no_number(self):
        for text in ["", "0", "9", "2x"]:
            with self.subTest(text=text):
                outcome = self.run_program("life", ["backend=cuda"], env=os.environ | {"MASS_DEVICES_PER_GPU": text})
                self.check_refused("life", outcome, f"MASS_DEVICES_PER_GPU in the environment is '{text}'", "set it to 1 to 8")

    def test_other_failure(self):
        self.check("(cudaErrorSystemNotReady)", CUDA * 1000, NOT_READY, is_noted=True)


if __name__ == "__main__":
    FAKE_DRIVER, CUDA = sys.argv.pop(2), int(sys.argv.pop(2))
    programs.main()
