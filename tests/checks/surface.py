"""Checks the size of the library's surface: surface.py ROOT [--verbose].

Counts the names of classes, structs, unions, enumerations and concepts that the headers below mass/ define in
`namespace mass` itself. Aliases, specialisations, nested types and types of inner namespaces, such as `mass::detail`, do
not count. Fails if there are more than LIMIT. --verbose lists them as 'file:line: kind name'.
"""

import argparse
import pathlib
import re
import sys

LIMIT = 93
KINDS = {"class", "struct", "union", "enum", "concept"}
NO_TOKEN = re.compile(
    r'R"(?P<mark>\w*)\((?:.|\n)*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
    r"|//[^\n]*|/\*(?:.|\n)*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.MULTILINE,
)
TOKEN = re.compile(r"\w+|::|\[\[|\]\]|\S")
CLOSING = {"<": ">", "(": ")", "[[": "]]"}


def tokens(source):
    """Returns the (line, token) of a source without comments, literals and preprocessor lines."""
    blank = NO_TOKEN.sub(lambda match: "\n" * match.group().count("\n"), source)
    return [(line, t) for line, text in enumerate(blank.split("\n"), 1) for t in TOKEN.findall(text)]


def without(opening, statement):
    """Returns a statement that begins with `opening`, such as "<", without the part up to its closing token."""
    depth, parentheses = 0, 0
    for index, (_, token) in enumerate(statement):
        if opening == "<" and token in "()":
            parentheses += 1 if token == "(" else -1
        elif parentheses == 0 and token == opening:
            depth += 1
        elif parentheses == 0 and token == CLOSING[opening]:
            depth -= 1
            if depth == 0:
                return statement[index + 1 :]
    return []


def declared(statement):
    """Returns the (line, kind, name) of the type whose definition begins with `statement`, or None."""
    while statement and statement[0][1] in ("template", "requires", "[["):
        if statement[0][1] == "template":
            statement = without("<", statement[1:])
        elif statement[0][1] == "[[":
            statement = without("[[", statement)
        else:  # the clause ends where the type begins
            following = [i for i, (_, token) in enumerate(statement) if token in KINDS]
            statement = statement[following[0] :] if following else []
    if not statement or statement[0][1] not in KINDS:
        return None
    line, kind = statement[0]
    rest = statement[1:]
    if kind == "enum" and rest and rest[0][1] in ("class", "struct"):
        rest = rest[1:]
    while rest and rest[0][1] in ("[[", "alignas", "MASS_EXPORT"):
        if rest[0][1] == "MASS_EXPORT":
            rest = rest[1:]
        else:
            rest = without("[[", rest) if rest[0][1] == "[[" else without("(", rest[1:])
    if not rest or not re.match(r"[A-Za-z_]", rest[0][1]):
        return None
    specialised = len(rest) > 1 and rest[1][1] == "<"
    return None if specialised else (line, kind, rest[0][1])


def types(source):
    """Yields the (line, kind, name) of each type that a source defines in `namespace mass` itself."""
    scopes, statement = [], []  # a scope: the namespace's name, or None for any other block
    for line, token in tokens(source):
        if token == "{":
            names = [t for _, t in statement if t not in ("::", "inline")]
            if names and names[0] == "namespace":
                scopes.append("::".join(names[1:]))
            else:
                if scopes == ["mass"] and (found := declared(statement)):
                    yield found
                scopes.append(None)
            statement = []
        elif token == "}":
            if scopes:
                scopes.pop()
            statement = []
        elif token == ";":
            found = declared(statement) if scopes == ["mass"] else None
            if found and found[1] == "concept":
                yield found
            statement = []
        else:
            statement.append((line, token))


def surface(root):
    """Returns {name: (file, line, kind)} of the types in `namespace mass`, each with its first definition."""
    root = pathlib.Path(root).resolve()
    found = {}
    for path in sorted((root / "mass").rglob("*.hpp")):
        for line, kind, name in types(path.read_text()):
            found.setdefault(name, (path.relative_to(root).as_posix(), line, kind))
    return found


def included(root):
    """Returns the names of the headers that mass/mass.hpp includes, directly or through others, and its own."""
    root = pathlib.Path(root)
    found, waiting = set(), ["mass/mass.hpp"]
    while waiting:
        header = waiting.pop()
        if header not in found and (root / header).is_file():
            found.add(header)
            waiting += re.findall(r"^\s*#\s*include\s*<(mass/[^>]+)>", (root / header).read_text(), re.MULTILINE)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    found = surface(arguments.root)
    if arguments.verbose:
        for name, (file, line, kind) in sorted(found.items(), key=lambda item: item[1]):
            print(f"{file}:{line}: {kind} {name}")
    headers = included(arguments.root)
    seen = sum(file in headers for file, _, _ in found.values())
    print(f"{len(found)} types are in namespace mass, {seen} of them where an app sees them; at most {LIMIT} may be")
    sys.exit(len(found) > LIMIT)
