"""Species, volume and reactions of an SBML model."""

import collections

from sbml.errors import Refused, UnknownName
from sbml.mass_action import EMPTY_SIDE, channels_of
from sbml.polynomial import constant, multiply, number_of, polynomial_of
from sbml.units import Units

DEFAULT_VOLUME = 1e-18  # m³, of a compartment without size
LIBRARY_PACKAGE = "l3v2extendedmath"  # in which libsbml has mathematics of Level 3 Version 2
MAX_SPECIES = 255  # limit of rdme
MAX_PARTICLES = 1e8
ROUNDING = 1e-6  # relative difference of a number of particles from a whole number that is not noted
MAX_VOLUME = 1.0  # m³, limit of rdme for a site


class ModelReader:
    """Reads a model. `problems` has a line for each element that rdme cannot represent, `notes` one for each element
    whose meaning changes, as 'LINE: ELEMENT 'ID' TEXT'."""

    def __init__(self, document, chosen_units):
        self.document = document  # owns the memory of all elements
        self.model, self.problems, self.notes = document.getModel(), [], []
        self.values = {}  # polynomial of each name: a number, or for species a multiple of the number of particles
        self.particles, self.channels, self.volume = {}, [], DEFAULT_VOLUME
        self.refused = set()
        self.units = None
        self.refuse_packages(document)
        self.each(self.model.getListOfEvents(), refuse, "is an event, which rdme has not")
        self.each(self.model.getListOfRules(), refuse, "is a rule, which rdme has not")
        self.each([self.model], self.read_units, chosen_units)
        if self.units:
            self.read_constants()
            self.read_all_species()
            self.read_volumes()
            self.each(self.model.getListOfReactions(), self.read_reaction)

    def each(self, elements, read, *arguments):
        """Calls read(element, ...) for each element, and adds those that it refuses to `problems`."""
        for element in elements:
            try:
                read(element, *arguments)
            except Refused as reason:
                self.refused.add(id_of(element))
                if getattr(reason, "name", None) not in self.refused - {id_of(element)}:  # else refused already
                    self.problems.append(line_of(element, reason))

    def note(self, element, text):
        self.notes.append(line_of(element, text))

    def read_units(self, model, chosen):
        self.units = Units(model, chosen)
        if len(model.getListOfSpecies()) > MAX_SPECIES:
            raise Refused(f"has {len(model.getListOfSpecies())} species, above the limit of {MAX_SPECIES}")
        if model.isSetConversionFactor():
            raise Refused("has a conversion factor, which is not supported")
        for constraint in model.getListOfConstraints():
            self.note(constraint, "is not checked")

    def refuse_packages(self, document):
        for i in range(document.getNumPlugins()):
            package = document.getPlugin(i).getPackageName()
            if document.getLevel() == 3 and document.getPackageRequired(package) and package != LIBRARY_PACKAGE:
                self.problems.append(line_of(self.model, f"requires the SBML package '{package}'"))

    def formula_of(self, element, values=None):
        if element.getMath() is None:
            raise Refused("has no formula")
        return polynomial_of(element.getMath(), self.values if values is None else values)

    def read_constants(self):
        """Reads the values of parameters, sizes of compartments, and their initial assignments."""
        model = self.model
        variable = self.refused | {assignment.getSymbol() for assignment in model.getListOfInitialAssignments()}
        self.each([p for p in model.getListOfParameters() if p.isSetValue() and p.getId() not in variable],
                  lambda parameter: self.values.update({parameter.getId(): constant(parameter.getValue())}))
        self.each([c for c in model.getListOfCompartments() if c.isSetSize() and c.getId() not in variable],
                  lambda compartment: self.values.update({compartment.getId(): constant(compartment.getSize())}))
        waiting = [a for a in model.getListOfInitialAssignments() if model.getSpecies(a.getSymbol()) is None]
        while waiting:  # each may need the values of others
            later = [assignment for assignment in waiting if not self.can_assign(assignment)]
            if len(later) == len(waiting):
                break
            waiting = later
        self.each(waiting, self.assign)

    def assign(self, assignment):
        value = number_of(self.formula_of(assignment), "an initial assignment")
        self.values[assignment.getSymbol()] = constant(value)

    def can_assign(self, assignment):
        try:
            self.assign(assignment)
        except Refused:
            return False
        return True

    def size_of(self, name):
        if name not in self.values:
            raise Refused(f"needs the size of compartment '{name}', which has none")
        size = number_of(self.values[name], "a size")
        if not size > 0:
            raise Refused(f"needs the size of compartment '{name}', which is not above 0")
        return size

    def read_all_species(self):
        assigned = {a.getSymbol(): a for a in self.model.getListOfInitialAssignments()}
        species = [s for s in self.model.getListOfSpecies() if s.getId() not in self.refused]
        self.each(species, self.read_species, assigned)
        if not self.particles and not self.problems:
            self.problems.append(line_of(self.model, "has no species that reactions can change"))

    def read_species(self, species, assigned):
        """Reads the initial number of particles and the value of a species."""
        name = species.getId()
        self.units.require_substance(species.getSubstanceUnits())
        if species.isSetConversionFactor() or species.getSpatialSizeUnits():
            raise Refused("has a conversion factor or spatialSizeUnits, which are not supported")
        size = 1.0 if species.getHasOnlySubstanceUnits() else self.size_of(species.getCompartment())
        if name in assigned:
            amount = number_of(self.formula_of(assigned[name]), "its initial assignment") * size
        elif species.isSetInitialAmount():
            amount = species.getInitialAmount()
        elif species.isSetInitialConcentration():
            amount = species.getInitialConcentration() * self.size_of(species.getCompartment())
        else:
            raise Refused("has neither initialAmount nor initialConcentration")
        if species.getBoundaryCondition() or species.getConstant():
            self.values[name] = constant(amount / size)
            return
        if name == EMPTY_SIDE:
            raise Refused("has an id that stands for no particles in rdme: rename it")
        self.values[name] = {(name,): 1 / (size * self.units.substance)}
        self.particles[name] = self.whole(species, amount * self.units.substance)

    def whole(self, species, particles):
        if not 0 <= particles <= MAX_PARTICLES:
            raise Refused(f"has {particles:.6g} initial particles, not 0 to {MAX_PARTICLES:g}: the unit of substance is "
                          f"{self.units.substance:.6g} particles; --substance gives another")
        if abs(round(particles) - particles) > ROUNDING * particles:
            self.note(species, f"has {particles:.6g} initial particles, which are rounded to {round(particles)}")
        return round(particles)

    def read_volumes(self):
        """Reads the volume of the compartment of all particles. Refuses a second one."""
        inhabited = []
        for name in dict.fromkeys(self.model.getSpecies(name).getCompartment() for name in self.particles):
            compartment = self.model.getCompartment(name)
            if compartment is None:
                self.problems.append(line_of(self.model, f"has no compartment '{name}'"))
            else:
                inhabited.append(compartment)
        self.each(inhabited[:1], self.read_volume)
        self.each(inhabited[1:], refuse, "has species, and so has another compartment: the settings are those of one "
                  "volume; split the model, or give site types in YAML")

    def read_volume(self, compartment):
        if compartment.isSetSpatialDimensions() and compartment.getSpatialDimensionsAsDouble() != 3:
            raise Refused(f"has {compartment.getSpatialDimensionsAsDouble():g} dimensions; expected 3")
        if compartment.getId() not in self.values:
            self.note(compartment, "has no size, and is given 1 um3")
            return
        unit = self.units.find("volume", compartment.getUnits() or self.model.getVolumeUnits())
        self.volume = self.size_of(compartment.getId()) * unit
        if not self.volume <= MAX_VOLUME:
            raise Refused(f"has {self.volume:g} m3, above {MAX_VOLUME:g} m3; --volume gives another unit")

    def read_reaction(self, reaction):
        law = reaction.getKineticLaw()
        if law is None:
            raise Refused("has no kinetic law")
        if law.isSetTimeUnits() or law.isSetSubstanceUnits():
            raise Refused("has a kinetic law with units of its own, which are not supported")
        if reaction.getFast():
            raise Refused("is fast, an equilibrium at all times, which rdme has not")
        reactants, products = map(self.read_side, (reaction.getListOfReactants(), reaction.getListOfProducts()))
        rate = multiply(self.formula_of(law, self.values_in(law)), constant(self.units.substance / self.units.time))
        found = channels_of(rate, reactants, products, reaction.getReversible())
        self.channels += [(reaction.getId(), channel) for channel in found]
        if not found:
            self.note(reaction, "has the rate 0, and is left out")

    def values_in(self, law):
        """Returns the values of names in a kinetic law, whose own parameters hide others of the same name."""
        own = [law.getParameter(i) for i in range(law.getNumParameters())]
        values = {name: value for name, value in self.values.items() if name not in {p.getId() for p in own}}
        return values | {p.getId(): constant(p.getValue()) for p in own if p.isSetValue()}

    def read_side(self, references):
        """Returns the number of particles of each species on one side, without those that no reaction changes."""
        side = collections.Counter()
        for reference in references:
            name, count = reference.getSpecies(), reference.getStoichiometry()
            if reference.isSetStoichiometryMath() or reference.getId() in self.values or not is_positive_integer(count):
                raise Refused(f"has a stoichiometry of '{name}' that is no positive whole number")
            if name not in self.values:
                raise UnknownName(name)
            if name in self.particles:
                side[name] += int(count)
        return side


def is_positive_integer(number):
    return number > 0 and float(number).is_integer()


def refuse(_, reason):
    raise Refused(reason)


def id_of(element):
    return getattr(element, "getVariable", str)() or element.getId()


def line_of(element, text):
    name = f" '{id_of(element)}'" if id_of(element) else ""
    return f"{element.getLine()}: {element.getElementName()}{name} {text}"
