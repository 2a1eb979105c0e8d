#!/usr/bin/env python3
"""Compiles each file beside this one and compares the first error with the text in the file's first line.

    run.py --scratch FOLDER COMPILER [OPTION...]

A file that begins with '// compiles' must compile. FOLDER receives the precompiled headers.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# An error of the compiler, or, of an error in two parts, the second: the reason why no candidate fits.
ERROR = re.compile(r"error: (.*)")
MOST_ERRORS = 3


def compile_file(command, path):
    """Returns what is wrong with the messages for a file; "" if nothing is."""
    expected = path.read_text().splitlines()[0].removeprefix("// ").removeprefix("error: ")
    result = subprocess.run([*command, "-fsyntax-only", str(path)], capture_output=True, text=True,
                            env={**os.environ, "LC_ALL": "C"})
    errors = [match.group(1) for match in map(ERROR.search, result.stderr.splitlines()) if match]
    if expected == "compiles":
        return "" if result.returncode == 0 else f"does not compile:\n{result.stderr}"
    if result.returncode == 0:
        return "compiles"
    named = [error for error in errors if not error.startswith("no matching function")]
    if not named or expected not in named[0]:
        return f"the first error is not '{expected}':\n{result.stderr}"
    return "" if len(errors) <= MOST_ERRORS else f"{len(errors)} errors:\n{result.stderr}"


def main(arguments):
    scratch = pathlib.Path(arguments[1])
    compiler = [*arguments[2:], "-std=c++20"]
    # The headers take most of the time, so they are compiled once. The compiler finds them by the name of the include.
    (scratch / "mass").mkdir(parents=True, exist_ok=True)
    (scratch / "mass/mass.hpp").write_text("#include_next <mass/mass.hpp>\n")
    subprocess.run([*compiler, "-w", "-x", "c++-header", str(scratch / "mass/mass.hpp"), "-o",
                    str(scratch / "mass/mass.hpp.gch")], check=True)
    command = [compiler[0], f"-I{scratch}", *compiler[1:], "-w"]
    files = sorted(HERE.glob("*.cpp"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = list(pool.map(lambda path: compile_file(command, path), files))
    for path, fault in zip(files, faults):
        if fault:
            print(f"{path.name}: {fault}")
    print(f"{len(files)} files, {sum(map(bool, faults))} faults")
    return 1 if any(faults) else 0


if __name__ == "__main__":
    sys.exit(main([argument for argument in sys.argv[1:] if argument]))
