"""Compares the state hashes of all apps with a committed table.

The table, hashes.csv, holds the hash of every app at every shipped settings file after a few steps, as commit 6be47ee
computed it, or the commit that added the app or last changed its arithmetic. Each run is done with 1 and with 3 devices,
and all hashes of a row must be the same.

python3 hashes_test.py [--programs FOLDER] [--backend cuda] [--devices 1,3] [--quick] [--write]

Columns of the table:
app, settings, assignments   the command: APP settings/SETTINGS.yaml --set ASSIGNMENT ...
bits    `exact`: whole numbers, or operations that IEEE 754 rounds in one way; the same bits from every build.
        `libm`: sines of the C library are in the initial state, which another library may round differently.
        `contract`: exact on CPUs; GPUs round a*b+c once, as the app is compiled with CONTRACT.
        `contract+libm`: both.
cpu     hash on CPUs. Rows of `libm` are compared if the C library here has a fingerprint of the header.
gpu     hash on GPUs, or `-` for models of events, which run on CPUs only. Rows of `contract` are compared on GPUs of a compute capability of the header as well.

docs/determinism.md promises bits of floating-point models for one compiler and processor only. The table was compared
with builds by g++ 12 for the baseline of x86-64 and for AVX-512, and with the C library's mathematics with and without
fused multiplication: all hashes are the same.

Rows that are not comparable here are compared with the programs of another build if its folder is in the environment
variable MASS_BASE_PROGRAMS; without it, only the hashes of 1 and 3 devices are compared."""

import argparse
import csv
import hashlib
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import programs
from programs import SETTINGS, SOURCE, available, command, run, state_hash

TABLE = pathlib.Path(__file__).with_name("hashes.csv")
COLUMNS = ["app", "settings", "assignments", "bits", "cpu", "gpu"]

# Settings of runs that take seconds, of apps that have other rows: --quick leaves them out.
SLOW = {"barrier", "calcium-neuron-8", "calcium-threshold", "cavity-3d", "min-fine", "seismic-explosion"}

# ctest's SKIP_RETURN_CODE.
SKIPPED = 77

NO_OUTPUT = ["output.plot=[]", "output.table_every=0", "output.frame_every=0", "output.data_every=0",
             "output.agents_every=0", "output.animation=none", "checkpoint.every=0", "threads=1"]


class Table:
    """The committed table: a header of lines `# KEY: VALUE ...`, then CSV."""

    def __init__(self, path):
        lines = path.read_text(encoding="utf-8").splitlines()
        self.header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
        reader = csv.DictReader(line for line in lines if not line.startswith("# "))
        assert reader.fieldnames == COLUMNS, reader.fieldnames
        self.rows = list(reader)

    def add(self, key, value):
        """Adds a value to those of a header entry."""
        values = self.header.get(key, "").split()
        self.header[key] = " ".join(values if value in values else [*values, value])

    def save(self, path):
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.writelines(f"# {key}: {value}\n" for key, value in self.header.items())
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)


def libm_fingerprint():
    """Digest of results of the C library's mathematics, which depend on its version and on the processor."""
    digest = hashlib.sha256()
    for i in range(1, 5000):
        x = i / 397
        digest.update(struct.pack("<5d", math.sin(x), math.cos(x), math.exp(-x), math.log(x), math.pow(x, 1.5)))
    return digest.hexdigest()[:16]


def compute_capability():
    """Returns the compute capability of the first GPU, such as "9.0"; an empty string without a GPU."""
    query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def machine(backend):
    """Returns this machine's values of the header: rows of `libm` and `contract` depend on them."""
    return {"libm": libm_fingerprint()} | ({"compute capability": compute_capability()} if backend == "cuda" else {})


def environment(backend, devices):
    """Returns the environment of a run, in which each GPU stands for `devices` devices."""
    share = {}
    if backend == "cuda" and devices > 1:
        # Devices of one GPU wait for each other: they need hardware queues of their own, and kernels loaded in advance.
        share = {"MASS_DEVICES_PER_GPU": str(devices), "CUDA_DEVICE_MAX_CONNECTIONS": "32", "CUDA_MODULE_LOADING": "EAGER"}
    return {**os.environ, **share}


def hash_of(row, backend, devices, folder):
    """Returns the final hash of the row's run, or its error."""
    assignments = [*row["assignments"].split(), f"backend={backend}", f"devices={devices}",
                   f"output.folder={folder}/out", *NO_OUTPUT]
    settings = SETTINGS / f"{row['settings']}.yaml"
    try:
        outcome = run(command(available(row["app"]), settings, assignments), env=environment(backend, devices))
    except OSError as error:
        return f"no run: {error}"
    if outcome.returncode != 0:
        return f"exit code {outcome.returncode}: {outcome.stderr.strip()}"
    return state_hash(outcome)


def comparable(row, table, here, backend):
    """True if the row's hash holds on this machine."""
    needed = ["libm"] if "libm" in row["bits"] else []
    if backend == "cuda" and "contract" in row["bits"]:
        needed.append("compute capability")
    return all(here[key] in table.header.get(key, "").split() for key in needed)


def missing(table):
    """Settings files that the table lacks."""
    return sorted({path.stem for path in SETTINGS.glob("*.yaml")} - {row["settings"] for row in table.rows})


class Comparison:
    def __init__(self, table, arguments, folder):
        self.table, self.backend, self.devices = table, arguments.backend, arguments.devices
        self.column = "gpu" if arguments.backend == "cuda" else "cpu"
        self.base = os.environ.get("MASS_BASE_PROGRAMS")
        self.programs, self.folder = arguments.programs, folder
        self.here = machine(arguments.backend)
        self.failures, self.unknown = [], []

    def hashes(self, row, devices):
        return {count: hash_of(row, self.backend, count, self.folder) for count in devices}

    def expected(self, row):
        """Hash of the table or of the base programs; None if neither holds here."""
        if comparable(row, self.table, self.here, self.backend):
            return row[self.column]
        if not self.base:
            self.unknown.append(row["settings"])
            return None
        programs.BIN = pathlib.Path(self.base).resolve()
        try:
            return self.hashes(row, [1])[1]
        finally:
            programs.BIN = self.programs

    def check(self, row):
        name = f"{row['app']} settings/{row['settings']}.yaml {row['assignments']}"
        expected, found = self.expected(row), self.hashes(row, self.devices)
        if expected == "":
            self.failures.append(f"{name}: the table has no hash of {self.column}s, found {found}; --write writes it")
        elif len(set(found.values()) | ({expected} - {None})) > 1:
            self.failures.append(f"{name}: expected {expected or 'one hash'}, found by devices {found}")

    def write(self, row):
        found = self.hashes(row, self.devices)
        if len(set(found.values())) > 1 or ": " in found[self.devices[0]]:
            self.failures.append(f"{row['settings']}: errors or differing hashes, none is written: {found}")
        else:
            row[self.column] = found[self.devices[0]]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=SOURCE / "build/cpu/bin",
                        help="folder of the programs; default build/cpu/bin")
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--devices", type=lambda text: [int(count) for count in text.split(",")], default=[1, 3],
                        help="device counts, separated by commas; default 1,3")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    parser.add_argument("--quick", action="store_true", help="leave out the slowest rows")
    parser.add_argument("--write", action="store_true", help="write the column of the backend instead of comparing it")
    arguments = parser.parse_args()
    arguments.programs = programs.BIN = arguments.programs.resolve()
    return arguments


def main():
    arguments = parse()
    if arguments.backend == "cuda" and not compute_capability():
        print("there is no GPU")
        return SKIPPED
    table = Table(arguments.table)
    with tempfile.TemporaryDirectory(prefix="mass-hashes-") as folder:
        comparison = Comparison(table, arguments, folder)
        comparison.failures += [f"the table has no row of settings/{name}.yaml" for name in missing(table)]
        left_out = SLOW if arguments.quick else set()
        for row in [row for row in table.rows if row[comparison.column] != "-" and row["settings"] not in left_out]:
            comparison.write(row) if arguments.write else comparison.check(row)
    if arguments.write:
        for key, value in comparison.here.items():
            table.add(key, value)
        table.save(arguments.table)
    print(*comparison.failures, sep="\n", end="\n" if comparison.failures else "")
    if comparison.unknown:
        print(f"compared between devices only, for want of a like machine: {', '.join(comparison.unknown)}")
    print(f"{len(table.rows) - len(left_out)} rows, {len(comparison.failures)} failures")
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main())
