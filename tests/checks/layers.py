"""Checks that the code keeps to its layers: layers.py ROOT.

An #include may only point to a lower layer, or into its own. Third-party file formats stay in the .cpp files of
mass/io, apps see nothing but <mass/mass.hpp>, and a header has at most 250 lines.
"""

import pathlib
import re
import sys

# Layers of one row stand beside each other, and must not include each other.
LAYERS = [
    ["support"],
    ["random", "partition"],
    ["backend"],
    ["memory"],
    ["launch"],
    ["exchange", "rules"],
    ["dispatch", "io", "kernels"],
    ["model"],
    ["program"],
    ["mass.hpp"],
]
RANK = {name: rank for rank, row in enumerate(LAYERS) for name in row}
# Shared by .cpp files of mass/io and not installed, so they may show a file format.
PRIVATE_HEADERS = {"mass/io/frame_store.hpp", "mass/io/hdf5.hpp"}
FILE_FORMATS = re.compile(r"yaml-cpp/|hdf5|H5|png\.h|gif_lib\.h|CLI/")
STANDARD_HEADER = re.compile(r"[a-z_0-9]+")
INCLUDE = re.compile(r'\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)"|(.*))')
LONGEST_HEADER = 250


def includes(root, path):
    """Yields (line number, target) of each #include, a file beside the source given as its path from the root."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        angled, quoted, computed = match.groups()
        neighbour = path.parent / quoted if quoted else None
        if neighbour and neighbour.exists():
            yield number, neighbour.resolve().relative_to(root).as_posix()
        else:
            yield number, angled or quoted or computed


def complaint_in_library(source, target):
    """What is wrong with mass/`source` including `target`, or None."""
    layer = source.parts[1]
    if layer not in RANK:
        return f"mass/{layer} is not a layer"
    own = layer == "io" and source.suffix == ".cpp" or source.as_posix() in PRIVATE_HEADERS
    if (FILE_FORMATS.match(target) or target in PRIVATE_HEADERS) and not own:
        return f"<{target}> may only be included by .cpp files of mass/io"
    if target.startswith("apps/"):
        return f"the library includes an app: <{target}>"
    if not target.startswith("mass/"):
        return None
    other = target.split("/")[1]
    if other not in RANK:
        return f"<{target}> is in no layer"
    if other != layer and RANK[other] >= RANK[layer]:
        return f"mass/{layer} must not include mass/{other}: <{target}>"
    return None


def complaint_in_app(source, target):
    """What is wrong with apps/`source` including `target`, or None."""
    own = "/".join(source.parts[:2]) + "/"
    if target == "mass/mass.hpp" or target.startswith(own) or STANDARD_HEADER.fullmatch(target):
        return None
    return f"an app may include <mass/mass.hpp>, standard headers and its own, not <{target}>"


def violations(root):
    """Every violation below `root`, as 'file:line: what is wrong'."""
    root = pathlib.Path(root).resolve()
    found = []
    for top, complaint in (("mass", complaint_in_library), ("apps", complaint_in_app)):
        for path in sorted((root / top).rglob("*.[hc]pp")):
            source = path.relative_to(root)
            for number, target in includes(root, path):
                wrong = complaint(source, target)
                if wrong:
                    found.append(f"{source}:{number}: {wrong}")
            lines = len(path.read_text().splitlines())
            if path.suffix == ".hpp" and lines > LONGEST_HEADER:
                found.append(f"{source}:{lines}: a header has at most {LONGEST_HEADER} lines; split it")
    return found


if __name__ == "__main__":
    found = violations(sys.argv[1])
    print("\n".join(found) or "Every #include points down.")
    sys.exit(bool(found))
