"""Classes of places and agents in a C++ header, and the names of their rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*\#(?:\\\n|[^\n])*',
                    re.S | re.M)
_NAMESPACE = re.compile(r"\bnamespace\s+(?P<name>[\w:]*)\s*$")
_CLASS = re.compile(r"(?P<template>>\s*)?\b(?P<key>class|struct)\s+(?P<name>\w+)\s*(?:final\s*)?:\s*(?P<bases>[^;{]*)$")
_BASE = re.compile(r"(?P<private>\bprivate\s+|\bprotected\s+)?(?:mass::|::mass::|\b)(?P<kind>Place|Agent)\s*<")
_FUNCTION = re.compile(r"(?P<before>[^;{}:]*?(?:[\w>&*]|::)[\s&*]+)(?P<name>[A-Za-z_]\w*)\s*\((?P<parameters>[^()]*(?:\([^()]*\)[^()]*)*)\)"
                       r"\s*(?P<after>(?:const|noexcept|override|final|\s)*)$")
_PROVIDED = re.compile(r"\b(?:Here|Neighborhood|Streaming|Scatter|Intent)\s*<|\bElement\b")
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
    """Class derived from mass::Place or mass::Agent."""

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
class _Scope:
    name: str = ""
    found: FoundClass | None = None
    is_public: bool = False
    is_code: bool = False  #: body of a function, or braces of another kind


def parse(text: str) -> list[FoundClass]:
    """Returns the classes of a header in their order.

    It reads declarations as the compiler would, but for templates, which it leaves out, and macros, which it does not
    expand.
    """
    plain = _TOKEN.sub(lambda token: _blank(token.group()), text)
    classes: list[FoundClass] = []
    scopes: list[_Scope] = [_Scope()]
    start = 0
    for at, mark in _marks(plain):
        statement = plain[start:at]
        scope = scopes[-1]
        if scope.found is not None and not scope.is_code:
            statement = _access(statement, scope)
            _add_member(text, plain, start, at, statement, mark, scope)
        if mark == "{":
            scopes.append(_scope_of(statement, scopes, plain.count("\n", 0, at) + 1))
            opened = scopes[-1].found
            if opened is not None and not scopes[-1].is_code:
                classes.append(opened)
        elif mark == "}" and len(scopes) > 1:
            scopes.pop()
        start = at + 1
    return classes


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
    outer = "::".join(scope.name for scope in scopes if scope.name)
    if found := _NAMESPACE.search(statement):
        return _Scope(found["name"])
    declaration = _CLASS.search(statement)
    base = _BASE.search(declaration["bases"]) if declaration else None
    is_inside_code = scopes[-1].is_code or "template" in statement
    if declaration and base and not base["private"] and not is_inside_code:
        name = declaration["name"]
        return _Scope(name, FoundClass(name, f"::{outer}::{name}" if outer else f"::{name}", base["kind"], line),
                      is_public=declaration["key"] == "struct")
    return _Scope(is_code=True)


def _access(statement: str, scope: _Scope) -> str:
    """Returns a statement without the access specifiers before it, which change the scope."""
    while found := re.match(r"\s*(public|protected|private)\s*:(?!:)", statement):
        scope.is_public = found[1] == "public"
        statement = statement[found.end():]
    return statement


def _add_member(text: str, plain: str, start: int, at: int, statement: str, mark: str, scope: _Scope) -> None:
    """Adds the function that a statement of a class declares."""
    found = scope.found
    assert found is not None
    if re.search(r"\busing\s+Rules\s*=", statement):
        found.lists_rules = True
    function = _FUNCTION.search(statement)
    if not scope.is_public or mark == "}" or function is None or _NO_RULE.search(function["before"]):
        return
    if function["name"] == found.name or function["name"].startswith("MASS_"):
        return
    first = at - len(statement.lstrip())
    found.functions.append(Function(function["name"], " ".join(statement.split()), _comment_before(text, first),
                                    plain.count("\n", 0, first) + 1))


def _comment_before(text: str, at: int) -> str:
    """Returns the lines of the /// comment that ends before a position."""
    lines = text[:at].rstrip().splitlines()
    about: list[str] = []
    while lines and lines[-1].lstrip().startswith("///"):
        about.insert(0, lines.pop().strip().removeprefix("///").strip())
    return "\n".join(about)
