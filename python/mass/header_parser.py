"""Classes of places and agents in a C++ header, and the names of their rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*\#(?:\\\n|[^\n])*',
                    re.S | re.M)
_NAMESPACE = re.compile(r"\bnamespace\s+(?P<name>[\w:]*)\s*$")
_CLASS = re.compile(r"(?P<template>>\s*)?\b(?P<key>class|struct)\s+(?P<name>\w+)\s*(?:final\s*)?:\s*(?P<bases>[^;{]*)$")
_BASE = re.compile(r"(?P<private>\bprivate\s+|\bprotected\s+)?(?:(?:::)?mass::(?P<node>Node)\b|"
                   r"(?:mass::|::mass::|\b)(?P<kind>Place|Agent)\s*<)")
_FUNCTION = re.compile(r"(?P<before>[^;{}:]*?(?:[\w>&*]|::)[\s&*]+)(?P<name>[A-Za-z_]\w*)\s*\((?P<parameters>[^()]*(?:\([^()]*\)[^()]*)*)\)"
                       r"\s*(?P<after>(?:const|noexcept|override|final|\s)*)$")
_PROVIDED = re.compile(r"\b(?:Here|Neighborhood|Streaming|Scatter|Intent|Links)\s*<|\bElement\b")
_STRUCTURE = re.compile(r"(?P<template>>\s*)?\b(?P<key>class|struct)\s+(?P<name>\w+)\s*(?:final\s*)?$")
_DECLARATOR = re.compile(r"(?P<before>.*[\s&*>])?(?P<name>[A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?P<bits>:(?!:).*)?$", re.S)
_ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^)]*\)", re.S)
_NO_MEMBER = re.compile(r"\b(?:static|using|typedef|friend|enum|struct|class|union|operator|template|return|namespace)\b|[()]")
_NO_RULE = re.compile(r"\b(?:static|virtual|friend|template|operator|using|typedef|return)\b")


@dataclass
class Function:
    """Member function of a class."""

    name: str
    declaration: str  #: in one line
    about: str = ""  #: comment before it
    line: int = 0

    def parameters(self) -> list[str]:
        """Returns the names of the parameters that a caller gives, without those that the library provides."""
        inside = self.declaration[self.declaration.index("(") + 1:self.declaration.rindex(")")]
        given = [each for each in re.split(r",(?![^<(]*[>)])", inside) if each.strip() and not _PROVIDED.search(each)]
        return [found[0] for each in given if (found := re.search(r"[A-Za-z_]\w*$", each.strip()))]


@dataclass
class FoundClass:
    """Class derived from mass::Place, mass::Node or mass::Agent."""

    name: str
    qualified: str  #: name with its namespaces
    kind: str  #: "Place" or "Agent"
    line: int
    functions: list[Function] = field(default_factory=list)
    lists_rules: bool = False  #: True if it has a mass::Rules

    def overloaded(self) -> set[str]:
        """Returns the names that several functions have."""
        names = [function.name for function in self.functions]
        return {name for name in names if names.count(name) > 1}


@dataclass
class FoundStructure:
    """Structure whose members are public."""

    name: str
    qualified: str  #: name with its namespaces
    members: list[str] = field(default_factory=list)
    is_usable: bool = True  #: False if a member has no address, or is not public


@dataclass
class Declarations:
    """Classes and structures of a header."""

    classes: list[FoundClass] = field(default_factory=list)
    structures: list[FoundStructure] = field(default_factory=list)


@dataclass
class _Scope:
    name: str = ""
    found: FoundClass | FoundStructure | None = None
    is_public: bool = False
    is_code: bool = False  #: body of a function, or braces of another kind


def parse(text: str) -> Declarations:
    """Returns the classes and structures of a header in their order.

    It reads declarations as the compiler would, but for templates, which it leaves out, and macros, which it does not
    expand.
    """
    plain = _TOKEN.sub(lambda token: _blank(token.group()), text)
    declared = Declarations()
    scopes: list[_Scope] = [_Scope()]
    start = 0
    for at, mark in _marks(plain):
        statement = plain[start:at]
        scope = scopes[-1]
        if scope.found is not None and not scope.is_code:
            statement = _access(statement, scope)
            if isinstance(scope.found, FoundClass):
                _add_function(text, plain, at, statement, mark, scope.found, scope.is_public)
            else:
                _add_data(statement, plain[start - 1:start], mark, scope.found, scope.is_public)
        if mark == "{":
            scopes.append(_scope_of(statement, scopes, plain.count("\n", 0, at) + 1))
            opened = scopes[-1].found
            if isinstance(opened, FoundClass):
                declared.classes.append(opened)
            elif opened is not None:
                declared.structures.append(opened)
        elif mark == "}" and len(scopes) > 1:
            scopes.pop()
        start = at + 1
    return declared


def _blank(token: str) -> str:
    """Returns blanks for a comment, a text or a line of the preprocessor, with its line breaks."""
    return re.sub(r"[^\n]", " ", token)


def _marks(plain: str) -> Iterator[tuple[int, str]]:
    """Yields the position of each end of a statement: {, } and ;, outside parentheses."""
    depth = 0
    for found in re.finditer(r"[{};()]", plain):
        if found.group() in "()":
            depth = max(0, depth + (1 if found.group() == "(" else -1))
        elif depth == 0:
            yield found.start(), found.group()


def _scope_of(statement: str, scopes: list[_Scope], line: int) -> _Scope:
    """Returns the scope that a brace after a statement opens."""
    outer = "".join(f"::{scope.name}" for scope in scopes if scope.name)
    if found := _NAMESPACE.search(statement):
        return _Scope(found["name"])
    declaration = _CLASS.search(statement)
    base = _BASE.search(declaration["bases"]) if declaration else None
    structure = _STRUCTURE.search(statement)
    if scopes[-1].is_code or "template" in statement:
        return _Scope(is_code=True)
    if declaration and base and not base["private"]:
        name = declaration["name"]
        return _Scope(name, FoundClass(name, f"{outer}::{name}", base["kind"] or "Place", line),
                      is_public=declaration["key"] == "struct")
    if structure and (scopes[-1].is_public or scopes[-1].found is None):
        name = structure["name"]
        return _Scope(name, FoundStructure(name, f"{outer}::{name}"), is_public=structure["key"] == "struct")
    return _Scope(is_code=True)


def _access(statement: str, scope: _Scope) -> str:
    """Returns a statement without the access specifiers before it, which change the scope."""
    while found := re.match(r"\s*(public|protected|private)\s*:(?!:)", statement):
        scope.is_public = found[1] == "public"
        statement = statement[found.end():]
    return statement


def _add_function(text: str, plain: str, at: int, statement: str, mark: str, found: FoundClass, is_public: bool) -> None:
    """Adds the function that a statement of a class declares."""
    if re.search(r"\busing\s+Rules\s*=", statement):
        found.lists_rules = True
    function = _FUNCTION.search(statement)
    if not is_public or mark == "}" or function is None or _NO_RULE.search(function["before"]):
        return
    if function["name"] == found.name or function["name"].startswith("MASS_"):
        return
    first = at - len(statement.lstrip())
    found.functions.append(Function(function["name"], " ".join(statement.split()), _comment_before(text, first),
                                    plain.count("\n", 0, first) + 1))


def _add_data(statement: str, before: str, mark: str, found: FoundStructure | None, is_public: bool) -> None:
    """Adds the data members that a statement of a structure declares. `before` is the mark before the statement."""
    if found is None or mark == "}":
        return
    declared = _ATTRIBUTE.sub("", statement)
    if _NO_MEMBER.search(declared.split("=")[0]):
        return
    for number, each in enumerate(_declarators(declared)):
        declarator = _DECLARATOR.search(each.split("=")[0].strip())
        follows = number > 0 or before == "}"  # needs no type before it
        if declarator is None or not (follows or declarator["before"]):
            continue
        found.is_usable = found.is_usable and is_public and not declarator["bits"]
        found.members.append(declarator["name"])


def _declarators(statement: str) -> list[str]:
    """Returns the parts of a statement between commas, without commas in brackets."""
    parts, depth = [""], 0
    for each in statement:
        depth += each in "<(["
        depth -= each in ">)]"
        if each == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += each
    return [part for part in parts if part.strip()]


def _comment_before(text: str, at: int) -> str:
    """Returns the lines of the /// comment that ends before a position."""
    lines = text[:at].rstrip().splitlines()
    about: list[str] = []
    while lines and lines[-1].lstrip().startswith("///"):
        about.insert(0, lines.pop().strip().removeprefix("///").strip())
    return "\n".join(about)
