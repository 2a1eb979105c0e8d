#!/usr/bin/env python3
"""Converts a mass-action model in SBML, Level 2 or 3, to settings of rdme, which are printed.

    python3 sbml_to_yaml.py model.xml > model.yaml

The settings have one well-mixed volume, that of the model's compartment. Elements that rdme cannot represent are listed
by id on standard error, with exit code 2.
"""

import argparse
import json
import math
import os
import pathlib
import re
import sys

try:
    import libsbml
except ImportError:
    print("sbml_to_yaml: the Python package libsbml is missing: install it by 'pip install python-libsbml', or on "
          "Debian and Ubuntu by 'apt-get install python3-sbml5'", file=sys.stderr)
    sys.exit(2)

from sbml.mass_action import side_text
from sbml.model_reader import ModelReader
from sbml.polynomial import AVOGADRO
from sbml.units import CHOICES, LITRE

CAPACITY = 256  # particles in a site, the largest of rdme
CROWDED = 128  # initial particles in a site up to which it has room for twice as many
UNITS_OF_ORDER = ["M/s", "/s", "/M/s"]
OTHER_CHECKS = [
    libsbml.LIBSBML_CAT_GENERAL_CONSISTENCY, libsbml.LIBSBML_CAT_MATHML_CONSISTENCY,
    libsbml.LIBSBML_CAT_SBO_CONSISTENCY, libsbml.LIBSBML_CAT_UNITS_CONSISTENCY,
    libsbml.LIBSBML_CAT_OVERDETERMINED_MODEL, libsbml.LIBSBML_CAT_MODELING_PRACTICE]


def rate_text(channel, volume):
    """Returns a rate constant k in rdme's convention: events per volume and time are k, k [A], k [A][B] or k [A]²."""
    order = channel.reactants.total()
    return f"{channel.rate * (volume / LITRE * AVOGADRO) ** (order - 1):.12g} {UNITS_OF_ORDER[order]}"


def fastest_rate(model, particles):
    """Returns the largest number of events per second and particle of a reaction; of those without reactants, per
    `CROWDED` particles if there are fewer."""
    rates = [channel.rate * particles ** (order - 1) if order > 0 else channel.rate / max(particles, CROWDED)
             for channel, order in ((each, each.reactants.total()) for _, each in model.channels)]
    return max(rates, default=1)


def rounded_down(value):
    """Returns the largest of 1, 2 and 5 times a power of ten that is not above `value`, within rdme's time steps."""
    value = min(max(value, 1e-17), 1e6)
    unit = 10.0 ** math.floor(math.log10(value))
    return max(factor * unit for factor in (1, 2, 5) if factor == 1 or factor * unit <= value)


def lattice_of(model, samples):
    """Returns sites along each axis, spacing (m), time step (s) and diffusion coefficient (m²/s)."""
    particles = max(1, sum(model.particles.values()))
    edge = 1 if samples or particles <= CROWDED else math.ceil((2 * particles / CROWDED) ** (1 / 3))
    spacing = model.volume ** (1 / 3) / edge
    # The slowest mode of diffusion decays at about 10 / (edge² step), 100 times as fast as reactions are.
    step = rounded_down(0.1 / (edge ** 2 * fastest_rate(model, particles)))
    diffusion = 0.25 * spacing ** 2 / step if edge > 1 else 0
    return [1, 1, samples] if samples else [edge] * 3, spacing, step, diffusion


def settings_of(model, name, samples):
    """Returns the settings as YAML. @param samples number of independent copies; None for one volume"""
    sites, spacing, step, diffusion = lattice_of(model, samples)
    spread = ", spread: evenly" if samples else ""
    species = [f"    {json.dumps(each)}: {diffusion:.6g} m2/s" for each in model.particles]
    reactions = [f'    - {{reaction: "{side_text(channel.reactants)} -> {side_text(channel.products)}", '
                 f"rate: {rate_text(channel, model.volume)}}}  # {each}" for each, channel in model.channels]
    initial = [f"    - {{species: {json.dumps(each)}, count: {count * (samples or 1)}{spread}}}"
               for each, count in model.particles.items()]
    return "\n".join([
        "# Converted from SBML by sbml_to_yaml.py. SBML has no geometry and no diffusion coefficients: these are of "
        + ("independent volumes, a site each." if samples else "a well-mixed volume."),
        "model:", f"  name: {json.dumps(name)}", "  lattice:", f"    sites: {sites}", f"    spacing: {spacing:.12g} m",
        f"    timestep: {step:g} s", "    borders: periodic", f"  capacity: {CAPACITY}", "  species:", *species,
        *(["  reactions:"] if reactions else []), *reactions, "  initial:", *initial, "", "steps: 1000", "devices: 1",
        "output:", f"  folder: out/{name}", "  table_every: 10", ""])


def read_document(path):
    """Returns an SBML document without function definitions; ends the program if the file is none."""
    try:
        path.open("rb").close()
    except OSError as error:
        fail(path, [error.strerror])
    document = libsbml.readSBMLFromFile(str(path))
    for category in OTHER_CHECKS:
        document.setConsistencyChecks(category, False)
    document.checkConsistency()  # unique and defined ids
    for error in map(document.getError, range(document.getNumErrors())):
        # XML without a declaration or encoding is in UTF-8.
        if error.getSeverity() >= libsbml.LIBSBML_SEV_ERROR and error.getErrorId() not in (
                libsbml.MissingXMLDecl, libsbml.MissingXMLEncoding):
            fail(path, [f"{error.getLine()}: no valid SBML: {' '.join(error.getMessage().split())}"])
    if document.getModel() is None or document.getLevel() not in (2, 3):
        fail(path, ["expected a model in SBML Level 2 or 3"])
    expand = libsbml.ConversionProperties()
    expand.addOption("expandFunctionDefinitions", True)
    if document.convert(expand) != libsbml.LIBSBML_OPERATION_SUCCESS:
        fail(path, ["its function definitions cannot be inserted into the formulas"])
    return document


def report(path, lines):
    for line in lines:
        print(f"sbml_to_yaml: {path}:{'' if line[:1].isdigit() else ' '}{line}", file=sys.stderr)


def fail(path, lines):
    report(path, lines)
    sys.exit(2)


def sample_count(text):
    if not 1 <= int(text) <= 2 ** 30:
        raise argparse.ArgumentTypeError("expected a number of copies, at least 1")
    return int(text)


def parsed_arguments(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--samples", type=sample_count, metavar="N", help="make N independent copies of the volume, "
                        "each a site along z: with output.profile_of, the table has N samples of a species")
    for quantity, units in CHOICES.items():
        parser.add_argument(f"--{quantity}", choices=units, help=f"unit of {quantity}, in place of that of the file")
    return parser.parse_args(arguments)


def convert(options):
    model = ModelReader(read_document(options.file), {quantity: getattr(options, quantity) for quantity in CHOICES})
    if model.problems:
        fail(options.file, model.problems)
    report(options.file, model.notes)
    name = model.model.getId() or re.sub(r"\W+", "_", options.file.stem, flags=re.ASCII)
    print(settings_of(model, name, options.samples), end="")


def main():
    options = parsed_arguments()
    child = os.fork()  # libsbml crashes on some damaged files
    if child == 0:
        convert(options)
        return
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code < 0:
        fail(options.file, [f"no valid SBML: libsbml ended by signal {-code}"])
    sys.exit(code)


if __name__ == "__main__":
    main()
