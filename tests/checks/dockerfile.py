"""Checks the Dockerfile: dockerfile.py ROOT [--run [--mirror URL]].

The image begins from Debian 12, and its last RUN line is the first command of README.md. With --run, a fresh Debian 12
is made by debootstrap in a temporary folder, and the RUN lines are executed in it by chroot. That needs root and a mirror
of Debian, and takes some minutes; without root or debootstrap, the exit code is 77.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
SOURCES = """deb {mirror} bookworm main
deb {mirror} bookworm-updates main
"""


def instructions(text):
    """Returns the (instruction, argument) pairs of a Dockerfile whose lines are not continued."""
    lines = [line.strip() for line in text.splitlines()]
    return [tuple(line.split(None, 1)) for line in lines if line and not line.startswith("#")]


def first_command(readme):
    """Returns the first line of the first code block of README.md that names no language."""
    match = re.search(r"^```\n(.+)$", readme, re.MULTILINE)
    return match.group(1) if match else None


def complaints(root):
    """Returns the reasons why the Dockerfile does not agree with README.md."""
    steps = instructions((root / "Dockerfile").read_text())
    found = [f"{name} is not supported by this check" for name, _ in steps
             if name not in ("FROM", "COPY", "WORKDIR", "RUN", "CMD")]
    if steps[0] != ("FROM", "debian:12"):
        found.append("the image does not begin from debian:12")
    if [argument for name, argument in steps if name == "COPY"] != [". /mass"] or ("WORKDIR", "/mass") not in steps:
        found.append("the image does not have the project in /mass")
    commands = [argument for name, argument in steps if name == "RUN"]
    wanted = first_command((root / "README.md").read_text())
    if not commands or commands[-1] != wanted:
        found.append(f"the last RUN line is not README's first command, {wanted}")
    return [f"Dockerfile:1: {reason}" for reason in found]


def copy_project(root, target):
    """Copies the project as COPY does, without the files of .dockerignore."""
    ignored = (root / ".dockerignore").read_text().split()
    shutil.copytree(root, target, symlinks=True,
                    ignore=lambda folder, names: ignored if pathlib.Path(folder) == root else [])


def run(root, mirror):
    """Executes the RUN lines in a fresh Debian 12. Returns the exit code."""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("needs root and debootstrap")
        return SKIPPED
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
    environment |= {name: os.environ[name] for name in ("http_proxy", "https_proxy", "no_proxy") if name in os.environ}
    with tempfile.TemporaryDirectory() as folder:
        system = pathlib.Path(folder, "debian")
        start = time.monotonic()
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", system, mirror], check=True)
        print(f"debootstrap: {time.monotonic() - start:.0f} s", flush=True)
        (system / "etc/apt/sources.list").write_text(SOURCES.format(mirror=mirror))
        shutil.copy("/etc/resolv.conf", system / "etc/resolv.conf")
        copy_project(root, system / "mass")
        subprocess.run(["mount", "-t", "proc", "proc", system / "proc"], check=False)  # not allowed in some containers
        try:
            for name, argument in instructions((root / "Dockerfile").read_text()):
                if name == "RUN":
                    start = time.monotonic()
                    code = subprocess.run(["chroot", system, "/bin/sh", "-c", f"cd /mass && {argument}"], env=environment,
                                          stdin=subprocess.DEVNULL).returncode
                    print(f"RUN {argument}: exit code {code}, {time.monotonic() - start:.0f} s", flush=True)
                    if code:
                        return 1
        finally:
            subprocess.run(["umount", system / "proc"], check=False, stderr=subprocess.DEVNULL)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    arguments = parser.parse_args()
    root = pathlib.Path(arguments.root).resolve()
    found = complaints(root)
    print("\n".join(found) or "The Dockerfile agrees with README.md.", flush=True)
    sys.exit(1 if found else run(root, arguments.mirror) if arguments.run else 0)
