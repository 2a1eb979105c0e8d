"""Mutation testing: puts one fault after the other into a copy of the sources and runs the tests that must catch it.
The faults are listed in mutants.toml. Prints each with its outcome, and fails if fewer than --least percent are
caught.

python3 run.py [--folder build/mutants] [--only EXPRESSION] [--least 95]
python3 run.py --check      compiles nothing: checks that each fault is a part of one line of its file"""

import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time
import tomllib

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 3600  # seconds of a test


def test_source(name):
    """Returns the source of a test program, relative to the sources."""
    for path in (SOURCE / "tests").rglob("*_test.cpp"):
        if str(path.relative_to(SOURCE / "tests")).replace("/", "_") == name + ".cpp":
            return str(path.relative_to(SOURCE))
    return None


class Mutant:
    def __init__(self, entry):
        self.file, self.original, self.fault = entry["file"], entry["from"], entry["to"]
        self.tests = [test.partition(":") for test in entry["tests"]]  # name, colon, filter
        self.names = [name for name, _, _ in self.tests]
        is_header = not self.file.endswith(".cpp")
        self.sources = entry.get("compile", [test_source(name) for name in self.names] if is_header else [self.file])

    def mistakes(self):
        """Returns the mistakes in the entry of the list."""
        path = SOURCE / self.file
        count = path.read_text().count(self.original) if path.is_file() else 0
        found = [f"{count} times in the file"] if count != 1 else []
        if "\n" in self.original + self.fault or self.original == self.fault:
            found.append("the fault is no change of one line")
        return found + [f"there is no {name}" for name in self.names if test_source(name) is None]

    def __str__(self):
        line = (SOURCE / self.file).read_text().partition(self.original)[0].count("\n") + 1
        return f"{self.file}:{line}: '{self.original}' -> '{self.fault}'"


def listed():
    with open(pathlib.Path(__file__).with_name("mutants.toml"), "rb") as file:
        return [Mutant(entry) for entry in tomllib.load(file)["mutant"]]


def copy_sources(target):
    """Makes `target` a copy of the sources; leaves the times of unchanged files."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=SOURCE, check=True,
                           capture_output=True).stdout.decode().split("\0")
    wanted = {name for name in names if name and (SOURCE / name).is_file()}
    for path in target.rglob("*"):
        name = path.relative_to(target)
        if path.is_file() and name.parts[0] != "build" and str(name) not in wanted:
            path.unlink()
    for name in wanted:
        to = target / name
        if to.is_file() and to.read_bytes() == (SOURCE / name).read_bytes():
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, to)  # with the present time


class Build:
    """Build of a copy of the sources, and the commands of its objects and programs."""

    def __init__(self, folder, tests):
        self.root = folder / "source"
        self.folder = self.root / "build/cpu"
        self.faults = folder / "faults"
        self.faults.mkdir(parents=True, exist_ok=True)
        copy_sources(self.root)
        # GCC would use precompiled headers without the fault.
        self.must(["cmake", "--preset", "cpu", "-DMASS_BUILD_BENCHMARKS=OFF", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON",
                   "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], self.root)
        self.must(["ninja", *tests], self.folder)
        self.seconds = {}  # processor time of each test
        self.compile = {}
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            path = os.path.relpath(entry["file"], self.root)
            self.compile[path.removeprefix("build/cpu/")] = entry["command"]

    @staticmethod
    def must(command, folder):
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"{done.stdout[-4000:]}\n'{' '.join(command)}' failed")

    def shell(self, command):
        return subprocess.run(command, shell=True, cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0

    def compiled(self, source):
        """Compiles a source. Returns the object of the build and the new one; None if it does not compile."""
        command = self.compile[source]
        usual = re.search(r" -o (\S+)", command)[1]
        new = str(self.faults / (source.replace("/", "_") + ".o"))
        return (usual, new) if self.shell(command.replace(usual, new)) else None

    def linked(self, name, objects):
        """Links a test with new objects. Returns the program, or None."""
        commands = subprocess.run(["ninja", "-t", "commands", f"tests/{name}"], cwd=self.folder, check=True,
                                  capture_output=True, text=True).stdout.splitlines()
        link = re.search(rf"(?:^|&& )(\S*(?:\+\+|ccache)\S* .* -o tests/{name} .*?)(?: && |$)", commands[-1])[1]
        program = str(self.faults / name)
        for usual, new in objects:
            if f" {usual} " in link:
                link = link.replace(f" {usual} ", f" {new} ")
            else:  # an object of a library, which is searched after the objects
                link = link.replace(" -o ", f" {new} -o ", 1)
        return program if self.shell(link.replace(f" -o tests/{name} ", f" -o {program} ")) else None

    def passes(self, program, test):
        """Runs a test. A fault is caught, too, if the test takes ten times as long as without it."""
        # Seconds of all processors, independent of other load.
        most = 10 + 10 * int(self.seconds.get(test, PATIENCE / 10))
        line = [program, *([f"--gtest_filter={test[2]}"] if test[2] else [])]
        try:
            return subprocess.run(line, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=PATIENCE,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most))
                                  ).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def measure(self, tests):
        """Runs the tests without a fault; they must pass. Keeps their processor time."""
        for test in sorted(tests):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            if not self.passes(str(self.folder / "tests" / test[0]), test):
                sys.exit(f"{test[0]} fails without a fault")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.seconds[test] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def outcome(self, mutant):
        """Returns 'caught', 'survived' or 'does not build'."""
        path = self.root / mutant.file
        text, times = path.read_text(), path.stat()
        path.write_text(text.replace(mutant.original, mutant.fault))
        try:
            objects = [self.compiled(source) for source in mutant.sources]
            if None in objects:
                return "does not build"
            for test in mutant.tests:
                program = self.linked(test[0], objects)
                if program is None:
                    return "does not build"
                if not self.passes(program, test):
                    return "caught"
            return "survived"
        finally:
            path.write_text(text)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def check(mutants):
    wrong = [f"{mutant.file}: '{mutant.original}': {', '.join(found)}"
             for mutant in mutants if (found := mutant.mistakes())]
    if wrong:
        sys.exit("\n".join(wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, default=SOURCE / "build/mutants")
    parser.add_argument("--only", default="", help="only faults that match this regular expression")
    parser.add_argument("--least", type=float, default=95, help="percent that must be caught")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    mutants = listed()
    check(mutants)
    if arguments.check:
        return
    mutants = [mutant for mutant in mutants if re.search(arguments.only, str(mutant))]
    tests = sorted({name for mutant in mutants for name in mutant.names})
    build = Build(arguments.folder.resolve(), tests)
    build.measure({test for mutant in mutants for test in mutant.tests})
    print(f"{len(mutants)} faults, {len(tests)} tests, which pass without them", flush=True)
    counts = {"caught": 0, "survived": 0, "does not build": 0}
    for mutant in mutants:
        start = time.monotonic()
        outcome = build.outcome(mutant)
        counts[outcome] += 1
        print(f"{outcome}: {mutant} ({time.monotonic() - start:.0f} s)", flush=True)
    print(", ".join(f"{outcome}: {count}" for outcome, count in counts.items()))
    if 100 * counts["caught"] < arguments.least * len(mutants):
        sys.exit(f"fewer than {arguments.least:g} % are caught")


if __name__ == "__main__":
    main()
