"""Checks the API's reference: api.py ROOT [--verbose] [--write].

Runs Doxygen (docs/Doxyfile.in) over the headers and fails if a public member of `namespace mass` has no comment, if a
type that apps see is in no group of docs/groups.dox, or if docs/api.md and the headers do not list the same calls with
the same signatures. --verbose lists every warning of
Doxygen instead of the number for each file. --write writes docs/api.md anew, with the first sentence of each comment.

The page has the groups of docs/groups.dox as chapters and their types as sections, `### Name`; the functions,
constants and aliases of FREE are in a section of their own. Code blocks hold one declaration for each call.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import xml.etree.ElementTree as xml

import surface

PAGE = "docs/api.md"
FUNCTIONS = "Functions and constants"
WIDTH = 120
# Members of `namespace mass` other than types that a model's author uses.
FREE = {
    "Places": ["steps", "borders", "spaceOf", "Shape", "Coordinates", "Offset", "moore", "vonNeumann", "sum", "minimum",
               "maximum", "writes", "count", "indexOf", "coordinatesOf"],
    "Networks": ["readGraph", "erdosRenyiGraph", "wattsStrogatzGraph", "barabasiAlbertGraph", "latticeGraph", "torusGraph",
                 "randomGeometricGraph"],
    "Agents": ["anywhere"],
    "Attributes": ["constant", "mostly", "mostlyDefault", "stored", "streamed", "only", "positions"],
    "Rules": ["sinPi", "logarithm", "inverseSqrt", "wayAround", "onGpu", "checked"],
    "Programs": ["runProgram", "printResult", "printError"],
    "Settings": ["SettingValue", "parseValue", "nearestName", "toYaml"],
    "Output": ["readByteArray", "readFloatArray", "writePng", "render"],
}
# Types that only the library makes or takes: a call that mentions one is not for a model's author.
INTERNAL = re.compile(r"\bdetail::|\b(Launch|AgentLaunch|PlaceFields|AgentFields|SharedArray|RandomOwner|AgentView\w*)\b")


def doxyfile(root, folder, **more):
    """Returns the text of Doxygen's settings, with output below `folder`."""
    cmake = (root / "CMakeLists.txt").read_text()
    values = {
        "PROJECT_SOURCE_DIR": str(root),
        "PROJECT_VERSION": re.search(r"project\(\w+ VERSION ([\d.]+)", cmake).group(1),
        "PROJECT_DESCRIPTION": re.search(r'DESCRIPTION "([^"]*)"', cmake).group(1),
        "DOC_FOLDER": str(folder),
    }
    text = (root / "docs/Doxyfile.in").read_text()
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text + "".join(f"{name} = {value}\n" for name, value in more.items())


def run_doxygen(root, folder):
    """Writes XML to `folder`/xml and returns the warnings as (file from the root, line, text), each once."""
    settings = doxyfile(root, folder, GENERATE_HTML="NO", GENERATE_XML="YES", XML_PROGRAMLISTING="NO", WARN_AS_ERROR="NO")
    outcome = subprocess.run(["doxygen", "-"], input=settings, capture_output=True, text=True, cwd=root,
                             env={**os.environ, "LC_ALL": "C"})
    warnings = {}
    for line in outcome.stderr.splitlines():
        match = re.match(r"(.+?):(\d+): (?:warning|error): (.*)", line)
        if match:
            warnings[(os.path.relpath(match.group(1), root), int(match.group(2)), match.group(3))] = None
        elif re.match(r"(warning|error): ", line):
            warnings[("docs/Doxyfile.in", 1, line)] = None
    if outcome.returncode and not warnings:
        warnings[("docs/Doxyfile.in", 1, f"doxygen failed: {outcome.stderr.strip()[-300:]}")] = None
    return list(warnings)


def text_of(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def tidy(code):
    """Returns a declaration with the white space of this project's style."""
    code = " ".join(code.split())
    code = re.sub(r"\s*([<>])\s*", r"\1", code)
    code = re.sub(r"\btemplate<", "template <", code)
    code = re.sub(r">(?=\w)", "> ", code)
    code = re.sub(r"\s*(&&|[&*])\s*(?=[\w.])", r"\1 ", code)
    code = re.sub(r"\s*(&&|[&*])\s*(?=[,)>])", r"\1", code)
    code = code.replace("& ...", "&...").replace(" ...", "...")
    code = re.sub(r"\s*(?<![=!<>])=(?!=)\s*", " = ", code)
    code = re.sub(r"\s*,\s*", ", ", code)
    code = re.sub(r"\)>\s*(?=\d)", ") > ", code)
    return code.replace("operator = ", "operator=").replace("( ", "(").replace(" )", ")").strip()


def same(code):
    """Returns a declaration without the white space that means nothing."""
    return re.sub(r"\s*(\W)\s*", r"\1", " ".join(code.split()))


def template_of(element):
    """Returns "template <...> ", with the clause that constrains it, or ""."""
    parameters = element.find("templateparamlist")
    if parameters is None:
        return ""
    parts = []
    for parameter in parameters:
        part = text_of(parameter.find("type"))
        name = text_of(parameter.find("declname"))
        if name and not re.search(rf"\b{name}$", part):
            part += f" {name}"
        value = text_of(parameter.find("defval"))
        parts.append(part + (f" = {value}" if value else ""))
    clause = text_of(element.find("requiresclause"))
    shown = clause and not INTERNAL.search(clause)
    return f"template <{', '.join(parts)}> " + (f"requires {clause} " if shown else "")


def declaration(member):
    """Returns the declaration of a member, without inline, constexpr and the macros of mass/support/qualifiers.hpp."""
    kind, name = member.get("kind"), text_of(member.find("name"))
    type_name = re.sub(r"\b(inline|constexpr|virtual|static)\b", "", text_of(member.find("type")))
    arguments = text_of(member.find("argsstring"))
    head = template_of(member)
    if kind == "enum":
        values = ", ".join(text_of(value.find("name")) for value in member.findall("enumvalue"))
        strong = "class " if member.get("strong") == "yes" else ""
        underlying = f" : {type_name.strip()}" if type_name.strip() else ""
        return tidy(f"enum {strong}{name}{underlying}") + f" {{{values}}}"
    if kind == "typedef":
        return tidy(f"{head}using {name} = {type_name}{arguments}")
    if kind == "variable":
        static = "static " if member.get("static") == "yes" and "mass::" in text_of(member.find("definition")) else ""
        value = re.sub(r"^=\s*", " = ", text_of(member.find("initializer")))
        value = "" if len(value) > 60 else value if not value or value.startswith(" =") else f" {value}"
        return tidy(f"{head}{static}{type_name} {name}{arguments}") + value
    arguments = re.sub(r"\s*=\s*(default|delete|0)$|\s*\boverride\b|\s*\bnoexcept\b", "", arguments)
    prefix = "static " if member.get("static") == "yes" else "explicit " if member.get("explicit") == "yes" else ""
    return tidy(f"{head}{prefix}{type_name} {name}{arguments}")


def first_sentence(element):
    """Returns the brief comment of a member or type, as Markdown."""
    def markdown(part):
        inner = (part.text or "") + "".join(markdown(child) + (child.tail or "") for child in part)
        return {"ndash": "--", "mdash": "---"}.get(part.tag, f"`{inner}`" if part.tag == "computeroutput" else inner)

    brief = element.find("briefdescription")
    return " ".join(markdown(brief).split()) if brief is not None else ""


def is_deprecated(root, member):
    """Returns true if a member is marked [[deprecated]] in its header."""
    location = member.find("location")
    path = root / location.get("file") if location is not None else None
    if path is None or not path.is_file():
        return False
    lines = path.read_text().splitlines()
    first = int(location.get("line")) - 1
    declared = " ".join(lines[max(first - 2, 0) : first + 1])
    declared = re.split(r"[;{}]", declared.rsplit(text_of(member.find("name")), 1)[0])[-1]
    return "[[deprecated" in declared


class Section:
    """A type, or the free functions of a group: its name, its comment and its calls as (declaration, comment)."""

    def __init__(self, name, comment, calls, head=""):
        self.name, self.comment, self.calls, self.head = name, comment, calls, head


def calls_of(root, members):
    """Returns (declaration, comment) for each public member that a model's author can use."""
    calls = []
    for member in members:
        if member.get("prot") != "public" or member.get("kind") not in ("function", "variable", "typedef", "enum"):
            continue
        name, code = text_of(member.find("name")), declaration(member)
        if INTERNAL.search(code) or name.startswith("~") or is_deprecated(root, member):
            continue
        if "= delete" in text_of(member.find("argsstring")):
            continue
        calls.append((code, first_sentence(member)))
    return calls


def type_section(root, compound):
    """Returns the section of a class or struct."""
    name = text_of(compound.find("compoundname")).removeprefix("mass::")
    members = [m for part in compound.findall("sectiondef") for m in part.findall("memberdef")]
    members.sort(key=lambda m: (m.find("location").get("file"), int(m.find("location").get("line"))))
    bases = [text_of(base).removeprefix("mass::") for base in compound.findall("basecompoundref")
             if base.get("prot") == "public"]
    members = [m for m in members if text_of(m.find("name")) not in bases]  # inherited constructors
    head = tidy(f"{template_of(compound)}{compound.get('kind')} {name}" + (f" : {', '.join(bases)}" if bases else ""))
    return Section(name, first_sentence(compound), calls_of(root, members), head)


def chapters(root, folder):
    """Returns [(title, comment, [Section])] from Doxygen's XML."""
    def compound(name):
        return xml.parse(folder / "xml" / f"{name}.xml").getroot().find("compounddef")

    namespace = compound("namespacemass")
    free = [m for part in namespace.findall("sectiondef") for m in part.findall("memberdef")]
    found = []
    index = xml.parse(folder / "xml" / "index.xml").getroot()
    groups = {text_of(c.find("name")): c.get("refid") for c in index if c.get("kind") == "group"}
    order = re.findall(r"@defgroup (\w+)", (root / "docs/groups.dox").read_text())
    for title in order:
        group = compound(groups[title])
        inner = [compound(c.get("refid")) for c in group.findall("innerclass")]
        inner = [c for c in inner if c.find("location").get("bodyfile")]  # without those that no header defines
        sections = [type_section(root, c) for c in inner]
        enums = [m for part in group.findall("sectiondef") for m in part.findall("memberdef") if m.get("kind") == "enum"]
        named = [m for name in FREE.get(title, []) for m in free if text_of(m.find("name")) == name]
        calls = calls_of(root, named + enums)
        if calls:
            sections.append(Section(FUNCTIONS, "", calls))
        comment = first_sentence(group) or text_of(group.find("detaileddescription"))
        found.append((title, comment, sections))
    return found


def group_complaints(root, found):
    """Returns the types that docs/groups.dox lists but the headers lack, and those that apps see but no group has."""
    complaints = []
    listed = {section.name for _, _, sections in found for section in sections}
    for number, line in enumerate((root / "docs/groups.dox").read_text().splitlines(), 1):
        match = re.match(r"/// @(?:class|struct) mass::(\w+)", line)
        if match and match.group(1) not in listed:
            complaints.append(f"docs/groups.dox:{number}: the headers have no mass::{match.group(1)}")
    complaints += [f"docs/groups.dox:1: mass::{section.name} has no comment" for _, _, sections in found
                   for section in sections if not section.comment and section.name != FUNCTIONS]
    seen = surface.included(root)
    for name, (file, line, kind) in surface.surface(root).items():
        if kind in ("class", "struct") and file in seen and name not in listed:
            complaints.append(f"{file}:{line}: mass::{name} is in no group of docs/groups.dox")
    return complaints


def wrapped(code):
    """Returns a declaration as lines of at most WIDTH columns, broken behind commas and the parameters of templates."""
    lines = [""]
    for part in re.findall(r"template <[^()]*?> (?=\w)|.+?(?:, |$)", code + ";"):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > WIDTH:
            lines.append("    ")
        lines[-1] += part
    return [line.rstrip() for line in lines]


def page(found):
    """Returns the text of docs/api.md."""
    lines = ["# All calls on one page", ""]
    lines += textwrap.wrap(
        "Everything that a model's author can call, by purpose, with its signature and the first sentence of its comment. "
        "The comments of the headers have units, ranges and errors; `ninja -C build/cpu doc` makes HTML of them. All names "
        "are in `namespace mass`, all from `<mass/mass.hpp>`. The words `inline`, `constexpr` and `MASS_FN` are left out. "
        "`scripts/check api` compares this page with the headers, and `python3 tests/checks/api.py . --write` writes it.",
        WIDTH)
    for title, comment, sections in found:
        lines += ["", f"## {title}", "", *textwrap.wrap(comment, WIDTH)]
        for section in sections:
            lines += ["", f"### {section.name}", ""]
            if section.comment:
                lines += [*textwrap.wrap(section.comment, WIDTH), ""]
            lines.append("```cpp")
            if section.head:
                lines += wrapped(section.head)
            for code, explanation in section.calls:
                declared = wrapped(code)
                if not explanation:
                    lines += declared
                elif len(declared) == 1 and len(declared[0]) + 5 + len(explanation) <= WIDTH:
                    lines.append(f"{declared[0]}  // {explanation}")
                else:
                    lines += [f"// {line}" for line in textwrap.wrap(explanation, WIDTH - 3)] + declared
            lines.append("```")
    return "\n".join(lines) + "\n"


def declarations_on(text):
    """Returns {(chapter, section): [(line, declaration)]} of the page."""
    found, chapter, section, inside, code, first = {}, "", "", False, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside, code = not inside, ""
        elif inside:
            if not code.strip():
                first = number
            code += " " + re.sub(r"(^|\s)//.*", "", line)
            if code.rstrip().endswith(";"):
                found.setdefault((chapter, section), []).append((first, code.strip()[:-1]))
                code = ""
        elif line.startswith("## "):
            chapter, section = line[3:].strip(), ""
        elif line.startswith("### "):
            section = line[4:].strip()
    return found


def differences(found, text):
    """Returns the differences between the headers' calls and the page, as 'docs/api.md:line: reason'."""
    complaints = []
    written = declarations_on(text)
    wanted = {(title, s.name): [code for code, _ in s.calls] + ([s.head] if s.head else [])
              for title, _, sections in found for s in sections}
    for key in wanted:
        have = collections.Counter(same(code) for _, code in written.get(key, []))
        for code in wanted[key]:
            if have[same(code)] > 0:
                have[same(code)] -= 1
            else:
                complaints.append(f"{PAGE}:1: {key[0]}, {key[1]}: missing: {code};")
    for key, codes in written.items():
        left = collections.Counter(same(code) for code in wanted.get(key, []))
        for line, code in codes:
            if left[same(code)] > 0:
                left[same(code)] -= 1
            else:
                complaints.append(f"{PAGE}:{line}: {key[0]}, {key[1]}: not in the headers: {code};")
    return complaints


# ctest's SKIP_RETURN_CODE.
SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if not shutil.which("doxygen"):
        print("doxygen is not installed")
        return SKIPPED
    root = pathlib.Path(arguments.root).resolve()
    with tempfile.TemporaryDirectory() as folder:
        warnings = run_doxygen(root, pathlib.Path(folder))
        found = chapters(root, pathlib.Path(folder))
    ungrouped = group_complaints(root, found)
    if arguments.verbose:
        for file, line, text in sorted(warnings):
            print(f"{file}:{line}: {text}")
    else:
        for file, count in collections.Counter(file for file, _, _ in warnings).most_common():
            print(f"{file}: {count} warnings")
    undocumented = sum("is not documented" in text for _, _, text in warnings)
    print(f"Doxygen: {undocumented} undocumented members, {len(warnings) - undocumented} other warnings")
    path = root / PAGE
    if arguments.write:
        path.write_text(page(found))
    complaints = differences(found, path.read_text() if path.exists() else "")
    calls = sum(len(s.calls) for _, _, sections in found for s in sections)
    print("\n".join(ungrouped + complaints + [f"{PAGE}: {calls} calls, {len(complaints)} differences from the headers"]))
    return bool(warnings or ungrouped or complaints)


if __name__ == "__main__":
    sys.exit(main())
