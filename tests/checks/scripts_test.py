"""Tests functions of the scripts: the choice of CUDA's compiler, with a simulated compiler and GPU, and the start of ranks,
with a simulated launcher."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
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

    def start_ranks(self, version, ranks_code):
        """Starts run_ranks with a launcher that prints its arguments and then runs shell code."""
        launcher = self.folder / "launcher"
        launcher.write_text(f"#!/bin/bash\nif [[ $1 == --version ]]; then echo '{version}'; exit; fi\n{ranks_code}\n")
        launcher.chmod(0o755)
        script = f"set -euo pipefail; . '{LIBRARY}'; run_ranks '{launcher}' 3 program first 'second third'"
        return subprocess.Popen(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def after_signals(self, version, numbers, pause=0):
        """Returns the exit code and output of a launcher that counts signals, after some to the script, each with a pause."""
        started = self.folder / "started"
        started.unlink(missing_ok=True)
        code = f"""trap 'echo USR2; got USR2' USR2
                   trap 'echo TERM; got TERM; exit 143' TERM
                   got() {{ touch '{self.folder}/'$1; }}
                   touch '{started}'
                   for ((i = 0; i < 600; i++)); do sleep 0.05; [[ ! -e '{self.folder}/end' ]] || exit 140; done"""
        process = self.start_ranks(version, code)
        for number, effect in numbers:
            while not started.exists():
                time.sleep(0.01)
            process.send_signal(number)
            while not (self.folder / effect).exists():
                time.sleep(0.01)
            time.sleep(pause)
        (self.folder / "end").touch()
        output, errors = process.communicate(timeout=60)
        return process.returncode, output.split(), errors

    def test_ranks_pass_the_exit_code(self):
        for code in [0, 2, 137]:
            process = self.start_ranks("HYDRA", f'printf "%s\\n" "$@"; exit {code}')
            output, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, errors), (code, ""))
            self.assertEqual(output.splitlines(), ["-n", "3", "program", "first", "second third"])

    def test_open_mpi_gets_its_options(self):
        for version in ["mpirun (Open MPI) 4.1.4", "mpiexec (OpenRTE) 4.1.4"]:
            output, _ = self.start_ranks(version, 'printf "%s\\n" "$@"').communicate(timeout=60)
            options = output.splitlines()[2:-3]
            self.assertIn("--oversubscribe", options)
            self.assertIn("oob_tcp_keepalive_time", options)
            self.assertEqual("--allow-run-as-root" in options, os.geteuid() == 0)

    def test_ctrl_c_ends_ranks_at_a_step(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            self.assertEqual(self.after_signals("mpirun (Open MPI) 4.1.4", [(number, "USR2")]), (140, ["USR2"], ""))
            for name in ["end", "USR2"]:
                (self.folder / name).unlink()

    def test_mpich_gets_another_signal(self):
        self.assertEqual(self.after_signals("HYDRA build details:", [(signal.SIGINT, "TERM")]), (143, ["TERM"], ""))

    def test_a_second_ctrl_c_ends_ranks_at_once(self):
        signals = [(signal.SIGINT, "USR2"), (signal.SIGINT, "TERM")]
        self.assertEqual(self.after_signals("mpirun (Open MPI) 4.1.4", signals, 2.1), (143, ["USR2", "TERM"], ""))

    def test_a_signal_that_is_repeated_at_once_is_one(self):
        signals = [(signal.SIGTERM, "USR2"), (signal.SIGTERM, "USR2")]
        self.assertEqual(self.after_signals("mpirun (Open MPI) 4.1.4", signals), (140, ["USR2"], ""))

    def test_every_preset_can_be_tested(self):
        presets = json.loads((LIBRARY.parents[1] / "CMakePresets.json").read_text())
        names = [preset["name"] for preset in presets["configurePresets"] if not preset.get("hidden")]
        self.assertEqual([preset["name"] for preset in presets["testPresets"]], names)


if __name__ == "__main__":
    unittest.main()
