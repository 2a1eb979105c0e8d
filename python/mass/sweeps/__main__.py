"""Makes the runs of a sweep that a file describes."""

from __future__ import annotations

import argparse
import sys

from .. import _core
from .execution import sweep


def main() -> int:
    parser = argparse.ArgumentParser(prog="sweep", description=__doc__, epilog="docs/sweeps.md describes the file.")
    parser.add_argument("file", metavar="FILE.yaml")
    parser.add_argument("--folder", help="folder of the results, instead of that of the file")
    parser.add_argument("--parallel", metavar="N", help="number of processes, cores, or gpus")
    parser.add_argument("--retry", action="store_true", help="make failed runs again")
    parser.add_argument("--mixed", action="store_true", help="accept runs of several versions of the library")
    parser.add_argument("--quiet", action="store_true", help="print errors only")
    options = parser.parse_args()
    keys = {name: value for name in ("folder", "parallel") if (value := getattr(options, name)) is not None}
    try:
        made = sweep(options.file, retry=options.retry, mixed=options.mixed, progress=not options.quiet, **keys)
    except _core.Error as error:
        print(f"sweep: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nsweep: interrupted; the same command goes on", file=sys.stderr)
        return 130
    if not options.quiet:
        print(f"{made.folder}/runs.csv: {made.count} runs; {made.folder}/points.csv")
    if made.failed:
        print(f"sweep: {made.failed} runs failed, see the column 'error'; --retry makes them again", file=sys.stderr)
    return 1 if made.failed else 0


if __name__ == "__main__":
    sys.exit(main())
