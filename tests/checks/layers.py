"""Checks that the code keeps to its layers: layers.py ROOT [--picture].

An #include may only point to a lower layer, or into its own; inside mass/kernels, likewise by the table KERNELS.
Third-party file formats stay in the .cpp files of mass/io, MPI stays in mass/backend/mpi, METIS in mass/graph/metis, Boost in mass/program/live/beast, apps include nothing but <mass/mass.hpp>, and a header has at
most 250 lines that are not comments. Headers have no conditions on CUDA but those of CUDA_CONDITIONS. --picture prints the pictures of docs/architecture.md, which docs.py compares with
the tables.
"""

import pathlib
import re
import sys

# From the lowest to the highest. Layers of one row must not include each other. docs/architecture.md shows this table.
LAYERS = [
    ["support"],
    ["random"],
    ["graph"],
    ["partition"],
    ["backend"],
    ["memory"],
    ["launch"],
    ["exchange", "rules"],
    ["dispatch", "io", "kernels"],
    ["model"],
    ["program"],
    ["mass.hpp"],
]
# The order inside mass/kernels, likewise. An entry is a folder or a file; a file's own entry overrides its folder's. "."
# is the files of mass/kernels itself.
KERNELS = [
    ["."],
    ["gpu", "no_gpu"],
    ["march", "plane_sweep"],
    ["gpu/launchers.hpp"],
    ["streaming", "scatter", "events", "schedule"],
    ["launchers.hpp", "rule_check.hpp", "scheduled_rates.hpp"],
]
RANK = {name: rank for rank, row in enumerate(LAYERS) for name in row}
KERNEL_RANK = {name: rank for rank, row in enumerate(KERNELS) for name in row}
# Shared by .cpp files of mass/io and not installed, so they may show a file format.
PRIVATE_HEADERS = {"mass/io/foreign_dataset.hpp", "mass/io/frame_list.hpp", "mass/io/frame_store.hpp", "mass/io/hdf5.hpp"}
MPI = re.compile(r"mpi\.h(pp)?$")
FILE_FORMATS = re.compile(r"yaml-cpp/|hdf5|H5|png\.h|gif_lib\.h|expat\.h|CLI/")
STANDARD_HEADER = re.compile(r"[a-z_0-9]+")
INCLUDE = re.compile(r'\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)"|(.*))')
LONGEST_HEADER = 250
# Headers with preprocessor conditions on CUDA. Others use the macros and constants of the first (MASS_FN, `if constexpr
# (onGpu)`), or a header with a body in mass/support/host/ and one in mass/support/cuda/.
CUDA_CONDITIONS = {
    "mass/support/qualifiers.hpp": "defines the macros and constants",
    "mass/support/platform.hpp": "selects mass/support/host/ or mass/support/cuda/",
    "mass/kernels/launchers.hpp": "selects mass/kernels/gpu/ or mass/kernels/no_gpu/",
}
CUDA_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|elif)(?:[^\n]*\\\n)*[^\n]*(?:CUDA|NVCC|EMULATED_GPUS)", re.MULTILINE)
SOURCES = {".hpp", ".cpp", ".cuh", ".cu"}
HEADERS = {".hpp", ".cuh"}


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


def kernel_entry(path):
    """Returns the entry of KERNELS that holds a file, given by its parts below mass/kernels; None if none does."""
    whole = "/".join(path)
    entry = whole if whole in KERNEL_RANK else path[0] if len(path) > 1 else "."
    return entry if entry in KERNEL_RANK else None


def complaint_in_kernels(source, target):
    """Returns the reason why mass/kernels/`source` must not include mass/kernels/`target`, or None."""
    own, other = kernel_entry(source), kernel_entry(target)
    for entry, path in ((own, source), (other, target)):
        if entry is None:
            return f"mass/kernels/{path[0]} is in no row of KERNELS"
    if own != other and KERNEL_RANK[other] >= KERNEL_RANK[own]:
        return f"upward inside mass/kernels: <mass/kernels/{'/'.join(target)}>"
    return None


def complaint_in_library(source, target):
    """Returns the reason why the library's file `source` must not include `target`, or None."""
    layer = source.parts[1]
    if layer not in RANK:
        return f"mass/{layer} is not a layer"
    own = layer == "io" and source.suffix == ".cpp" or source.as_posix() in PRIVATE_HEADERS
    if (FILE_FORMATS.match(target) or target in PRIVATE_HEADERS) and not own:
        return f"<{target}> may only be included by .cpp files of mass/io"
    if MPI.search(target) and source.parts[1:3] != ("backend", "mpi"):
        return f"<{target}> may only be included by mass/backend/mpi"
    if target == "metis.h" and source.parts[1:3] != ("graph", "metis"):
        return f"<{target}> may only be included by mass/graph/metis"
    if target.startswith("boost/") and source.parts[1:4] != ("program", "live", "beast"):
        return f"<{target}> may only be included by mass/program/live/beast"
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
    """Returns the reason why the app's file `source` must not include `target`, or None."""
    own = "/".join(source.parts[:2]) + "/"
    variants = re.compile(rf"{source.parts[1]}_model/(\w+_)?variants\.inc")  # generated by cmake/variants.cmake
    known = target == "mass/mass.hpp" or target.startswith(own)
    if known or variants.fullmatch(target) or STANDARD_HEADER.fullmatch(target):
        return None
    return f"an app may include <mass/mass.hpp>, standard headers and its own, not <{target}>"


def length(header):
    """Returns the number of lines of a header that are not comments."""
    without = re.sub(r"/\*(?:.|\n)*?\*/", "//", header.read_text())
    return sum(not line.lstrip().startswith("//") for line in without.splitlines())


def cuda_conditions(header):
    """Yields the number of each line of a header that begins a preprocessor condition on CUDA."""
    text = header.read_text()
    for match in CUDA_CONDITION.finditer(text):
        yield text.count("\n", 0, match.start()) + 1


def violations(root):
    """Returns every violation below `root` as 'file:line: reason'."""
    root = pathlib.Path(root).resolve()
    found = []
    for top, complaint in (("mass", complaint_in_library), ("apps", complaint_in_app)):
        for path in sorted(path for path in (root / top).rglob("*") if path.suffix in SOURCES):
            source = path.relative_to(root)
            for number, target in includes(root, path):
                wrong = complaint(source, target)
                parts = target.split("/")
                if not wrong and source.parts[:2] == ("mass", "kernels") and parts[:2] == ["mass", "kernels"]:
                    wrong = complaint_in_kernels(source.parts[2:], tuple(parts[2:]))
                if wrong:
                    found.append(f"{source}:{number}: {wrong}")
            if path.suffix in HEADERS and source.as_posix() not in CUDA_CONDITIONS:
                for number in cuda_conditions(path):
                    found.append(f"{source}:{number}: a condition on CUDA; use mass/support/qualifiers.hpp or platform.hpp")
            if path.suffix in HEADERS and length(path) > LONGEST_HEADER:
                found.append(f"{source}:1: {length(path)} lines are not comments; a header has at most {LONGEST_HEADER}")
    return found


def picture(name):
    """Returns the lines of a drawing of the table LAYERS or KERNELS, its highest row on top."""
    rows = {"LAYERS": [*LAYERS, ["apps"]], "KERNELS": KERNELS}[name]
    width = 71
    names = {".": "*.hpp"}
    lines, above = [], set()
    for row in reversed(rows):
        cuts = {round((width + 1) * k / len(row)) for k in range(1, len(row))}
        edges = sorted({0, width + 1} | cuts)
        corners = {(True, True): "┼", (True, False): "┴", (False, True): "┬", (False, False): "─"}
        inner = "".join(corners[(column in above, column in cuts)] for column in range(1, width + 1))
        lines.append(("├" if lines else "┌") + inner + ("┤" if lines else "┐"))
        cells = [names.get(text, text).center(end - begin - 1) for text, begin, end in zip(row, edges, edges[1:])]
        lines.append("│" + "│".join(cells) + "│")
        above = cuts
    lines.append("└" + "".join("┴" if column in above else "─" for column in range(1, width + 1)) + "┘")
    return lines


if __name__ == "__main__":
    if "--picture" in sys.argv:
        for name in ("LAYERS", "KERNELS"):
            print("\n".join(picture(name)))
        sys.exit()
    found = violations(sys.argv[1])
    print("\n".join(found) or "Every #include points down.")
    sys.exit(bool(found))
