"""Checks that the documents agree with the repository: docs.py ROOT.

In every .md file: a link leads to a file that exists and a heading that exists, a path in backticks exists, a function
in backticks as `PATH:name` occurs in that file, a code block whose first line is '// from: PATH' (or '# from: PATH') is,
but for its indentation, part of that file, and a code block behind a line '<!-- layers.py: TABLE -->' is the picture of
that table. In docs/architecture.md, each name of code in backticks occurs below mass/.
"""

import pathlib
import re
import sys
import textwrap

import layers

NAMES_ARE_CHECKED = "docs/architecture.md"
NAME = re.compile(r"(?:\w+::)*[A-Za-z_]\w*(?:\(\))?")
NO_DOCUMENTS = {"build", "out", "install"}
PATH = re.compile(r"(?:mass|apps|python|settings|scripts|tests|benchmarks|docs|cmake|\.ci)/[\w./-]*")
FUNCTION = re.compile(rf"({PATH.pattern}):((?:\w+::)*~?\w+)(?:\(\))?")
PICTURE = re.compile(r"\s*<!-- layers\.py: (\w+) -->")
FENCE = re.compile(r"\s*(```+|~~~+)\s*(\w*)")
HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*$")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\]\([^)]*\))*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
IMAGE = re.compile(r"!\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
REFERENCE = re.compile(r"\s{0,3}\[[^\]^]+\]:\s*<?([^\s>]+)")
TAG = re.compile(r"""<(?:a|img)\s[^>]*?(?:href|src)=["']([^"']+)["']""")
CODE = re.compile(r"`([^`]+)`")
FROM = re.compile(r"\s*(?://|#)\s*from:\s*(\S+)")


def split(text):
    """Returns the prose as (line number, line) and the code blocks as (line number of the fence, [line])."""
    prose, blocks, fence = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if fence:
            if match and match.group(1).startswith(fence) and not match.group(2):
                fence = None
            else:
                blocks[-1][1].append(line)
        elif match:
            fence = match.group(1)
            blocks.append((number, []))
        else:
            prose.append((number, line))
    return prose, blocks


def anchors(path):
    """Returns the names that a link may have after '#', made from the headings as GitHub makes them."""
    names, seen = set(), {}
    for _, line in split(path.read_text())[0]:
        names.update(re.findall(r"""<a\s+(?:id|name)=["']([^"']+)["']""", line))
        match = HEADING.match(line)
        if match:
            title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1)).lower()
            name = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
            count = seen.get(name, 0)
            seen[name] = count + 1
            names.add(f"{name}-{count}" if count else name)
    return names


def complaint_about_link(root, document, target):
    """Returns the error of a link to `target`, or None."""
    if re.match(r"[a-z][a-z+.-]*:", target):
        return None
    name, _, anchor = target.partition("#")
    path = (document.parent / name).resolve() if name else document
    if not path.is_relative_to(root) or not path.exists():
        return f"the link {target} leads nowhere"
    if anchor and path.suffix == ".md" and anchor not in anchors(path):
        return f"the link {target} names a heading that is not there"
    return None


def complaint_about_block(root, lines):
    """Returns the error of a code block, or None."""
    match = FROM.match(lines[0]) if lines else None
    if not match:
        return None
    source = root / match.group(1)
    if not source.is_file():
        return f"the code says it is from {match.group(1)}, which does not exist"
    quoted = textwrap.dedent("\n".join(lines[1:])).strip("\n").splitlines()
    if not quoted:
        return "the code block is empty"
    original = source.read_text().splitlines()
    for start in range(len(original) - len(quoted) + 1):
        window = original[start : start + len(quoted)]
        if textwrap.dedent("\n".join(window)).splitlines() == quoted:
            return None
    return f"the code is not, word for word, in {match.group(1)}"


def complaint_about_function(root, path, name):
    """Returns the error of a function `path`:`name`, or None."""
    if not (root / path).is_file():
        return f"`{path}` is not a file"
    text = (root / path).read_text()
    missing = [word for word in name.split("::") if not re.search(rf"\b{re.escape(word)}\b", text)]
    return f"{path} has no `{missing[0]}`" if missing else None


def complaint_about_picture(marker, lines):
    """Returns the error of a code block behind the line `marker`, or None."""
    match = PICTURE.match(marker)
    if match and lines != layers.picture(match.group(1)):
        return f"the picture differs from {match.group(1)}: python3 tests/checks/layers.py --picture prints it"
    return None


def words_of(folder):
    """Returns all names in the sources and the files' paths below a folder."""
    paths = [path for path in folder.rglob("*") if path.suffix in (".hpp", ".cpp", ".cu", ".cuh")]
    return set(re.findall(r"\w+", " ".join([*(path.read_text() for path in paths), *map(str, paths)])))


def violations(root):
    """Returns every violation below `root`, as 'file:line: reason'."""
    root = pathlib.Path(root).resolve()
    found = []
    for document in sorted(root.rglob("*.md")):
        name = document.relative_to(root)
        if name.parts[0] in NO_DOCUMENTS:
            continue
        prose, blocks = split(document.read_text())
        complaints = []
        known = words_of(root / "mass") if name.as_posix() == NAMES_ARE_CHECKED else None
        for number, line in prose:
            without_code = CODE.sub("", line)
            targets = [t for form in (LINK, IMAGE, REFERENCE, TAG) for t in form.findall(without_code)]
            complaints += [(number, complaint_about_link(root, document, t)) for t in dict.fromkeys(targets)]
            for code in CODE.findall(line):
                path = code.split()[0] if code.split() else ""
                if match := FUNCTION.fullmatch(code):
                    complaints.append((number, complaint_about_function(root, *match.groups())))
                if known is not None and NAME.fullmatch(code):
                    unknown = [word for word in re.findall(r"\w+", code) if word not in known]
                    complaints += [(number, f"`{word}` occurs nowhere in mass/") for word in unknown]
                if PATH.fullmatch(path) and not (root / path).exists():
                    complaints.append((number, f"`{path}` does not exist"))
        complaints += [(number, complaint_about_block(root, lines)) for number, lines in blocks]
        before = dict(prose)
        complaints += [(number, complaint_about_picture(before.get(number - 1, ""), lines)) for number, lines in blocks]
        found += [f"{name}:{number}: {wrong}" for number, wrong in complaints if wrong]
    return found


if __name__ == "__main__":
    found = violations(sys.argv[1])
    print("\n".join(found) or "The documents agree with the repository.")
    sys.exit(bool(found))
