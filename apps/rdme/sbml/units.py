"""Units of an SBML model."""

import collections

import libsbml
from sbml.errors import Refused
from sbml.polynomial import AVOGADRO, is_equal

LITRE = 1e-3  # m³

Unit = collections.namedtuple("Unit", "value length time amount")  # value in m, s and particles; exponents of these

BASE_UNITS = {
    "item": Unit(1, 0, 0, 1), "mole": Unit(AVOGADRO, 0, 0, 1), "dimensionless": Unit(1, 0, 0, 0),
    "avogadro": Unit(AVOGADRO, 0, 0, 0), "second": Unit(1, 0, 1, 0), "metre": Unit(1, 1, 0, 0),
    "meter": Unit(1, 1, 0, 0), "litre": Unit(LITRE, 3, 0, 0), "liter": Unit(LITRE, 3, 0, 0)}
EXPONENTS = {"substance": (0, 0, 1), "time": (0, 1, 0), "volume": (3, 0, 0)}
LEVEL_2_UNITS = {"substance": "mole", "time": "second", "volume": "litre"}
# Units on the command line, in particles, s and m³.
CHOICES = {
    "substance": {"item": 1, "mol": AVOGADRO, "mmol": 1e-3 * AVOGADRO, "umol": 1e-6 * AVOGADRO,
                  "nmol": 1e-9 * AVOGADRO, "pmol": 1e-12 * AVOGADRO, "fmol": 1e-15 * AVOGADRO},
    "time": {"s": 1, "ms": 1e-3, "us": 1e-6, "min": 60, "h": 3600},
    "volume": {"l": LITRE, "ml": 1e-6, "ul": 1e-9, "nl": 1e-12, "pl": 1e-15, "fl": 1e-18, "um3": 1e-18, "m3": 1}}


def unit_of(model, name):
    """Returns the unit of an SBML base unit or a unit definition."""
    definition = model.getUnitDefinition(name)
    if definition is None:
        return base_unit(name)
    value, *exponents = Unit(1, 0, 0, 0)
    for part in definition.getListOfUnits():
        base, power = base_unit(libsbml.UnitKind_toString(part.getKind())), part.getExponentAsDouble()
        value *= (part.getMultiplier() * 10.0 ** part.getScale() * base.value) ** power
        exponents = [have + power * more for have, more in zip(exponents, base[1:])]
    return Unit(value, *exponents)


def base_unit(name):
    if name not in BASE_UNITS:
        raise Refused(f"has the unit '{name}'; expected {', '.join(BASE_UNITS)} or products of these")
    return BASE_UNITS[name]


class Units:
    """Units of the model: particles per unit of substance and seconds per unit of time.

    @param chosen by quantity, units in place of those of the file; None for those of the file
    @throws Refused if one is missing"""

    def __init__(self, model, chosen):
        self.model, self.chosen = model, chosen
        self.time = self.find("time", model.getTimeUnits())
        self.substance = self.find("substance", model.getExtentUnits() or model.getSubstanceUnits())
        self.require_substance(model.getSubstanceUnits())

    def find(self, quantity, name):
        """Returns the value of the chosen unit, or else that of `name`, or else the default of Level 2."""
        if self.chosen[quantity]:
            return CHOICES[quantity][self.chosen[quantity]]
        if not name and self.model.getLevel() == 2:
            name = quantity
        if not name:
            raise Refused(f"has no unit of {quantity}: give it by --{quantity}, as {', '.join(CHOICES[quantity])}")
        if name == quantity and self.model.getUnitDefinition(name) is None:
            name = LEVEL_2_UNITS[quantity]
        value, *exponents = unit_of(self.model, name)
        is_count = quantity == "substance" and not any(exponents)
        if tuple(exponents) != EXPONENTS[quantity] and not is_count:
            raise Refused(f"has the unit '{name}', which is none of {quantity}")
        return value

    def require_substance(self, name):
        """Refuses a unit of substance that differs from that of reactions."""
        if name and not is_equal(self.find("substance", name), self.substance):
            raise Refused(f"has the unit of substance '{name}', which differs from that of reactions")
