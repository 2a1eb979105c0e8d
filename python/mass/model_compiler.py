"""Compilation of a header with classes of places and agents into a shared library, which a cache keeps."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from . import _core
from .header_parser import Declarations, FoundClass, FoundStructure, parse

PACKAGE = pathlib.Path(__file__).parent
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)


class CompileError(_core.InputError):
    """The compiler does not accept a header. The text begins with the first error; `output` has all."""

    def __init__(self, text: str, output: str) -> None:
        super().__init__(text)
        self.output = output


@dataclass
class Compiler:
    """Compiler and its options for models."""

    program: str
    options: list[str]
    library: pathlib.Path

    @classmethod
    def of(cls, backend: str) -> Compiler:
        """Returns the compiler for a backend, "cpu" or "cuda".

        Raises UsageError if the package has no such backend, or there is no compiler.
        """
        settings = json.loads((PACKAGE / "model_compiler.json").read_text())
        includes = [f"-I{(PACKAGE / folder).resolve()}" for folder in settings["includes"]]
        library = (PACKAGE / settings["library"]).resolve()
        link = ["-shared", f"-L{library.parent}", "-lmass"]
        if backend == "cpu":
            options = [*settings["options"], "-fPIC", "-fvisibility=hidden", f"-Wl,-rpath,{library.parent}"]
            return cls(_program("CXX", "g++", "mass.load compiles C++"), [*options, *includes, *link], library)
        if backend != "cuda":
            raise _core.UsageError(f"there is no backend '{backend}': it is cpu or cuda")
        if settings["nvcc_options"] == [""]:
            raise _core.UsageError("this package was built without CUDA: build it with MASS_CUDA=ON for backend cuda")
        options = [*settings["nvcc_options"], f"-arch={os.environ.get('MASS_CUDA_ARCH', 'native')}", "-cudart=shared",
                   "-Xcompiler=-fPIC,-fvisibility=hidden", f"-Xlinker=-rpath={library.parent}", "-x", "cu"]
        return cls(_program("NVCC", "nvcc", "backend cuda needs the CUDA Toolkit"), [*options, *includes, *link], library)

    def identity(self) -> str:
        """Returns a text that differs for another compiler, other options, or another library."""
        return "\0".join([self.program, _version(self.program), *self.options, _digest(self.library)])


def _program(variable: str, name: str, purpose: str) -> str:
    """Returns the path of a compiler, from an environment variable or by its name."""
    asked = os.environ.get(variable) or name
    found = shutil.which(asked)
    if found is None:
        raise _core.UsageError(f"there is no '{asked}': {purpose}; install it, or set {variable}")
    return found


@functools.cache
def _version(program: str) -> str:
    return _output_of([program, "--version"]).stdout


def _output_of(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs a compiler. Raises UsageError if it does not start."""
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise _core.UsageError(f"cannot start the compiler '{command[0]}': {error.strerror}") from None


@functools.cache
def _digest(file: pathlib.Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def cache_folder() -> pathlib.Path:
    """Returns the folder of compiled models: MASS_CACHE, or ~/.cache/mass. It is made if it does not exist.

    Raises OutputError if it cannot be written.
    """
    folder = pathlib.Path(os.environ.get("MASS_CACHE") or pathlib.Path.home() / ".cache" / "mass")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise _core.OutputError(f"compiled models cannot be kept in '{folder}' ({error.strerror}): set MASS_CACHE to a "
                                "folder that can be written") from None
    return folder


def texts_of(header: pathlib.Path) -> dict[pathlib.Path, str]:
    """Returns the texts of the files that a header includes by "...", directly or not, and then its own.

    Raises InputError if the header cannot be read.
    """
    texts: dict[pathlib.Path, str] = {}

    def add(file: pathlib.Path) -> None:
        texts[file] = file.read_text(errors="surrogateescape")
        for name in _INCLUDE.findall(texts[file]):
            included = (file.parent / name).resolve()
            if included not in texts and included.is_file():  # others are of the library
                add(included)
        texts[file] = texts.pop(file)  # after those that it includes

    try:
        add(header)
    except OSError as error:
        raise _core.InputError(f"cannot read '{error.filename}': {error.strerror}") from None
    return texts


def declarations_of(header: pathlib.Path) -> Declarations:
    """Returns the classes of places and agents of a header and of the files that it includes by "...", and the structures
    that these classes name.

    Raises InputError if there are no classes, or two of one name.
    """
    found = Declarations()
    texts = texts_of(header)
    lines: dict[str, int] = {}
    for file, text in texts.items():
        declared = parse(text)
        for each in declared.classes:
            if each.name in lines:
                raise _core.InputError(f"{file}:{each.line}: there are two classes '{each.name}': the names of classes are "
                                       "those of Python")
            lines[each.name] = each.line
        found.classes += declared.classes
        found.structures += declared.structures
    if not found.classes:
        raise _core.InputError(f"'{header}' has no class derived from mass::Place, mass::Node or mass::Agent")
    words = [word for text in texts.values() for word in re.findall(r"\w+", text)]
    names = [each.qualified for each in found.structures]  # twice in branches of the preprocessor
    found.structures = [each for each in found.structures if each.is_usable and each.members
                        and words.count(each.name) > 1 and names.count(each.qualified) == 1]
    return found


@dataclass(frozen=True)
class Source:
    """Header of a compiled model."""

    header: pathlib.Path
    backend: str  #: "cpu" or "cuda"
    checksum: str  #: of the texts of its files when it was compiled


def compiled(header: pathlib.Path, declared: Declarations, backend: str) -> tuple[pathlib.Path, Source]:
    """Returns the shared library of a header, from the cache if it has one, and its source.

    Raises CompileError if the compiler does not accept it.
    """
    library, checksum = _library(header, _generated(header, declared), backend)
    return library, Source(header, backend, checksum)


def compiled_function(source: Source, declaration: str, body: Iterable[str]) -> pathlib.Path:
    """Returns a shared library with a function of C++ that uses the classes of a header.

    Raises UsageError if the header has changed since it was compiled; CompileError if the compiler does not accept the
    function.
    """
    if _checksum(texts_of(source.header).values()) == source.checksum:
        text = "\n".join(["#include <mass/mass.hpp>", "#include <python/model/model.hpp>",
                          f'#include "{source.header}"', "", f'extern "C" [[gnu::visibility("default")]] void {declaration} {{',
                          *(f"  {line}" for line in body), "}", ""])
        library, checksum = _library(source.header, text, source.backend)
        if checksum == source.checksum:
            return library
    raise _core.UsageError(f"'{source.header}' has changed since mass.load compiled it: load it again, and create its "
                           "agents and places anew")


def _library(header: pathlib.Path, source: str, backend: str) -> tuple[pathlib.Path, str]:
    """Returns the shared library of a source that includes a header, from the cache if it has one, and the checksum of
    the texts of the header's files.

    Raises CompileError if the compiler does not accept it.
    """
    compiler = Compiler.of(backend)
    while True:
        texts = texts_of(header)
        parts = [source, compiler.identity(), *(f"{file}\0{text}" for file, text in texts.items())]
        library = cache_folder() / f"{header.stem}-{_checksum(parts)[:24]}.so"
        if _is_model(library):
            return library, _checksum(texts.values())
        with _locked(library.with_suffix(".lock")):
            if not _is_model(library):
                _compile(compiler, header, source, library)
        if texts_of(header) == texts:
            return library, _checksum(texts.values())
        library.unlink(missing_ok=True)  # a file changed meanwhile


def _checksum(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogateescape")).hexdigest()


def _is_model(file: pathlib.Path) -> bool:
    """True if a file exists and is not empty, as after a failure of the file system."""
    return file.exists() and file.stat().st_size > 0


@contextlib.contextmanager
def _locked(file: pathlib.Path) -> Iterator[None]:
    """Waits for other processes that compile the same model. The lock ends with the process."""
    while True:
        with file.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_open(file, lock.fileno()):
                continue  # the process before has removed it
            try:
                yield
            finally:
                file.unlink(missing_ok=True)
            return


def _is_open(file: pathlib.Path, descriptor: int) -> bool:
    """True if a descriptor is that of the file of this name, which other processes may remove at any time."""
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except FileNotFoundError:
        return False


def _compile(compiler: Compiler, header: pathlib.Path, source: str, library: pathlib.Path) -> None:
    """Compiles in a folder beside the library, and renames the result. @pre the model is locked

    Raises CompileError; OutputError if the folder of the library cannot be written.
    """
    folder = library.with_suffix(".compile")
    shutil.rmtree(folder, ignore_errors=True)  # a process that was killed left it
    try:
        folder.mkdir()
        file = folder / "model.cpp"
        file.write_text(source)
        made = folder / "model.so"
        # Options that name libraries follow the source.
        done = _output_of([compiler.program, str(file), *compiler.options, "-o", str(made)])
        if done.returncode != 0 or not made.exists():
            raise CompileError(_first_error(done.stderr, header), done.stderr)
        os.replace(made, library)
    except OSError as error:
        raise _core.OutputError(f"cannot write '{library}': {error.strerror}") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _first_error(output: str, header: pathlib.Path) -> str:
    """Returns the first error of a compiler, with the line of the header at which it arises."""
    lines = output.splitlines()
    number = next((i for i, line in enumerate(lines) if re.search(r"\berror\b", line)), None)
    if number is None:
        return f"{header}: the compiler failed: {output.strip()[-2000:]}"
    error = lines[number]
    if error.startswith(str(header)):
        return "\n".join(lines[number:number + 3])
    message = re.sub(r"^.*?\berror:?\s*", "", error)
    return f"{_place_of(lines, number, header)}: error: {message}"


def _place_of(lines: list[str], number: int, header: pathlib.Path) -> str:
    """Returns the line of a header at which an error arises in a template of the library: the last one on the way there,
    the first one in the notes on it, or that of a class that it names."""
    end = next((i for i in range(number + 1, len(lines)) if re.search(r"\berror\b", lines[i])), len(lines))
    for order in (reversed(lines[:number]), lines[number + 1:end]):
        for line in order:
            if found := re.search(re.escape(str(header)) + r"[:(]\d+", line):
                return found[0]
    for each in parse(header.read_text(errors="surrogateescape")).classes:
        if re.search(rf"\b{each.name}\b", lines[number]):
            return f"{header}:{each.line}"
    return str(header)


def _generated(header: pathlib.Path, declared: Declarations) -> str:
    """Returns the source that describes the classes of a header to the package."""
    lines = ["#include <python/model/classes.hpp>", f'#include "{header}"', "", "namespace mass::python {",
             *map(_members, declared.structures), "}", "",
             f'extern "C" [[gnu::visibility("default")]] const mass::python::Model* {_core.model_function}() {{',
             "  using namespace mass::python;"]
    for name, kind in [("places", "Place"), ("agents", "Agent")]:
        classes = [each for each in declared.classes if each.kind == kind]
        lines += [f"  static constexpr auto rulesOf{each.name} = {_rules(each)};" for each in classes]
        made = ", ".join(f"{name}Class<{each.qualified}>(rulesOf{each.name})" for each in classes)
        lines.append(f"  static constexpr std::array<{name.capitalize()}Class, {len(classes)}> {name}{{{{{made}}}}};")
    structures = ", ".join(each.qualified for each in declared.structures)
    return "\n".join([*lines, f"  static constexpr auto all = structures<{structures}>();",
                      "  static constexpr Model model{places, agents, all};", "  return &model;", "}", ""])


def _members(structure: FoundStructure) -> str:
    """Returns the specialisation that names the members of a structure."""
    pointers = ", ".join(f"&{structure.qualified}::{member}" for member in structure.members)
    return f"template <>\nstruct Members<{structure.qualified}> : MemberList<{pointers}> {{}};"


def _rules(found: FoundClass) -> str:
    if found.lists_rules:
        return f"rulesOf<{found.qualified}>({found.qualified}::Rules{{}})"
    overloaded = found.overloaded()
    pointers = [f", &{found.qualified}::{function.name}" for function in found.functions if function.name not in overloaded]
    return f"rulesOf<{found.qualified}{''.join(pointers)}>()"
