"""Checks the language of comments, documents and settings: words.py ROOT [--verbose] [GROUP...].

Prints a line for each group of texts and fails if a group has more than LIMIT `what` in 1,000 words, or if a comment
or the text of a setting opens with a relative clause. --verbose lists each offender as 'file:line: text'.
The groups are mass, apps, tests and benchmarks (comments of C++ and CUDA sources), scripts (comments and docstrings of
shell, Python and CMake files), settings (help texts of keys, messages, comments of settings files) and docs (prose of
Markdown files outside code).
"""

import argparse
import ast
import io
import pathlib
import re
import sys
import tokenize
from dataclasses import dataclass

LIMIT = 1.0  # `what` in 1,000 words
CODE = {".hpp", ".cpp", ".cu", ".cuh"}
SKIPPED_FOLDERS = {"build", "out", "install", ".git"}
CLAUSE = re.compile(r"(what|whether|how|those|where|which|whose|of|the same|the others|as)\b", re.IGNORECASE)
WORD = re.compile(r"[A-Za-z']+")
IN_BACKTICKS = re.compile(r"`[^`]*`")
COMMAND = re.compile(r"(?=[@\\](?:param|tparam|return|returns|retval|throws|pre|post|note|brief)\b)")
COMMAND_NAME = re.compile(r"[@\\](?:(?:t?param(?:\[\w+\])?|throws|retval)\s+[\w.]+|\w+)\s*")
TOKEN = re.compile(
    r'R"(?P<mark>\w*)\((?:.|\n)*?\)(?P=mark)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*"
    r"|/\*(?:.|\n)*?\*/"
)
SETTING = re.compile(r"\b(?:add|addTree)\s*\(|\brunProgram\s*\(|\bthrow\s+[\w:]+\s*[({]|\.reject\s*\(")


@dataclass
class Text:
    """A comment, the text of a setting, or a line of prose."""

    path: pathlib.Path
    line: int
    text: str
    judged: bool  # True if its opening words are checked

    def words(self):
        """Returns the words, in lower case, without code in backticks."""
        return WORD.findall(IN_BACKTICKS.sub(" ", self.text).lower())

    def opening(self):
        """Returns the first part that opens with a relative clause, or None."""
        if not self.judged:
            return None
        for part in COMMAND.split(self.text):
            part = COMMAND_NAME.sub("", part, count=1) if part.startswith(("@", "\\")) else part
            if len(part.split()) >= 3 and CLAUSE.match(part):
                return part
        return None


def files(root, folders, suffixes, names=()):
    """Yields the files below `folders` with one of the suffixes or names, in order."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root).parts
            if SKIPPED_FOLDERS.isdisjoint(inside) and path.is_file():
                if path.suffix in suffixes or path.name in names:
                    yield path


def joined(path, comments):
    """Yields a Text for each run of (line, column, stands alone, text) on successive lines.

    A comment behind code is a Text of its own, with the comments below it that begin in the same column.
    """
    run = []
    for comment in comments:
        line, column, alone, text = comment
        if run:
            last_line, last_column, first_alone = run[-1][0], run[-1][1], run[0][2]
            if line != last_line + 1 or not alone or not (first_alone or column == last_column):
                yield Text(path, run[0][0], " ".join(c[3] for c in run).strip(), True)
                run = []
        run.append(comment)
    if run:
        yield Text(path, run[0][0], " ".join(c[3] for c in run).strip(), True)


def code_comments(path):
    """Yields the comments of a C++ or CUDA source."""
    source = path.read_text(errors="ignore")
    comments = []
    for match in TOKEN.finditer(source):
        token = match.group()
        line = source.count("\n", 0, match.start()) + 1
        column = match.start() - source.rfind("\n", 0, match.start()) - 1
        alone = not source[match.start() - column : match.start()].strip()
        if token.startswith("//"):
            comments.append((line, column, alone, re.sub(r"^//[/!]?<?\s*", "", token).strip()))
        elif token.startswith("/*"):
            text = re.sub(r"\n\s*\*? ?", " ", token[2:-2])
            comments.append((line, column, alone, text.lstrip("*!< ").strip()))
    yield from joined(path, comments)


def literals(path):
    """Yields the texts that users read: of settings, of programs and of errors, adjacent literals joined."""
    source = path.read_text(errors="ignore")
    strings, comments = [], []
    for match in TOKEN.finditer(source):
        (comments if match.group().startswith(("//", "/*")) else strings).append(match)
    for call in SETTING.finditer(source):
        if any(comment.start() <= call.start() < comment.end() for comment in comments):
            continue
        parts, last = [], call.end()  # parts: (start, [literal])
        for match in strings:
            if match.start() < last:
                continue
            between = source[last : match.start()]
            if ";" in between:
                break
            if parts and not between.strip():
                parts[-1][1].append(match.group())
            else:
                parts.append((match.start(), [match.group()]))
            last = match.end()
        for start, pieces in parts:
            text = "".join(piece[1:-1] for piece in pieces if piece.startswith('"'))
            yield Text(path, source.count("\n", 0, start) + 1, text, call.group().startswith("add"))


def hash_comments(path):
    """Yields the comments of a shell, CMake or YAML file."""
    comments = []
    for number, line in enumerate(path.read_text(errors="ignore").splitlines(), 1):
        match = re.match(r"(\s*)#(.*)", line) or re.match(r"(.*\S\s+)#\s(.*)", line)
        if match and not re.match(r"!|\s*shellcheck\s", match.group(2)):
            comments.append((number, len(match.group(1)), not match.group(1).strip(), match.group(2).strip("# ")))
    yield from joined(path, comments)


def python_comments(path):
    """Yields the comments and docstrings of a Python file."""
    source = path.read_text()
    comments = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            alone = not token.line[: token.start[1]].strip()
            comments.append((*token.start, alone, token.string.lstrip("# ").strip()))
    yield from joined(path, comments)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield Text(path, node.body[0].lineno, " ".join(ast.get_docstring(node).split()), True)


def prose(path):
    """Yields the lines of a Markdown file that are no code, without code in backticks and addresses of links."""
    fence = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r"\s*(```+|~~~+)", line)
        if match and (fence is None or match.group(1).startswith(fence)):
            fence = None if fence else match.group(1)
        elif fence is None:
            yield Text(path, number, re.sub(r"\]\([^)]*\)|<[^>]*>", " ", IN_BACKTICKS.sub(" ", line)), False)


def is_script(path):
    with path.open(errors="ignore") as file:
        return file.readline().startswith("#!") or path.suffix == ".sh"


def texts_of(root, group):
    """Yields the Texts of a group."""
    if group == "docs":
        for path in files(root, ["."], {".md"}):
            yield from prose(path)
    elif group == "settings":
        for path in files(root, ["mass", "apps"], {".cpp", ".hpp"}):
            yield from literals(path)
        for path in files(root, ["settings"], {".yaml"}):
            yield from hash_comments(path)
    elif group == "scripts":
        for path in files(root, ["."], {".py"}):
            yield from python_comments(path)
        for path in files(root, ["."], {".cmake", ".sh"}, {"CMakeLists.txt", "Dockerfile"}):
            yield from hash_comments(path)
        for path in files(root, ["scripts", ".ci", ".github"], {"", ".txt", ".yml"}):
            if path.suffix or is_script(path):
                yield from hash_comments(path)
    else:
        for path in files(root, [group], CODE):
            yield from code_comments(path)


GROUPS = ["mass", "apps", "python", "tests", "benchmarks", "scripts", "settings", "docs"]


class Count:
    """The figures of one group."""

    def __init__(self, texts):
        texts = [t for t in texts if len(t.text.split()) >= 3]
        self.texts = len(texts)
        self.words = sum(len(t.words()) for t in texts)
        self.with_what = [t for t in texts if "what" in t.words()]
        what = sum(t.words().count("what") for t in texts)
        self.what_per_thousand = 1000 * what / max(self.words, 1)
        self.with_clause = [t for t in texts if t.opening()]

    def passes(self):
        return self.what_per_thousand <= LIMIT and not self.with_clause


def check(root, groups=tuple(GROUPS), verbose=False):
    """Returns (True if all groups pass, the lines to print)."""
    root = pathlib.Path(root).resolve()
    passed, lines = True, []
    for group in groups:
        count = Count(texts_of(root, group))
        passed = passed and count.passes()
        lines.append(
            f"{group}: {count.texts} texts, {count.words} words, 'what' {count.what_per_thousand:.1f} per 1,000, "
            f"{len(count.with_clause)} open with a relative clause" + ("" if count.passes() else "  FAILED")
        )
        if verbose:
            for text in count.with_clause:
                lines.append(f"  {text.path.relative_to(root)}:{text.line}: opens: {text.opening()[:90]}")
            for text in count.with_what:
                found = re.search(r"\bwhat\b", text.text, re.IGNORECASE).start()
                lines.append(f"  {text.path.relative_to(root)}:{text.line}: what: ...{text.text[max(found - 40, 0):found + 50]}")
    return passed, lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("groups", nargs="*", default=GROUPS, metavar="GROUP")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_intermixed_args()
    unknown = set(arguments.groups) - set(GROUPS)
    if unknown:
        parser.error(f"no such group: {', '.join(sorted(unknown))}; the groups are {', '.join(GROUPS)}")
    passed, lines = check(arguments.root, arguments.groups, arguments.verbose)
    print("\n".join(lines))
    sys.exit(not passed)
