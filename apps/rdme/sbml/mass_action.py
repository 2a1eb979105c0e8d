"""Kinetic laws as reactions of rdme."""

import collections
import math

from sbml.errors import Refused
from sbml.polynomial import is_equal

MAX_REACTANTS, MAX_PRODUCTS = 2, 7  # limits of rdme
EMPTY_SIDE = "nothing"  # side of an equation without species

# Reaction in one direction. Reactants and products are counts of particles by species. With n particles of a species,
# events per second are rate, rate n, rate n m, or rate n (n - 1) for two equal reactants.
Channel = collections.namedtuple("Channel", "reactants products rate")


def channels_of(law, reactants, products, is_reversible):
    """Returns the channels of a kinetic law.

    @param law polynomial in numbers of particles, events per second
    @throws Refused if it is no mass action"""
    law = {names: rate for names, rate in joined_pairs(law).items() if rate != 0}
    if not all(map(math.isfinite, law.values())):
        raise Refused("kinetic law is not finite")
    order = max(map(len, law), default=0)
    if order > MAX_REACTANTS:
        raise Refused(f"kinetic law is of order {order}, above the limit of {MAX_REACTANTS}")
    forward = {names: rate for names, rate in law.items() if rate > 0}
    backward = {names: -rate for names, rate in law.items() if rate < 0}
    if backward and (not is_reversible or len(forward) > 1 or len(backward) > 1):
        raise Refused("kinetic law has negative terms, and is neither k*A*(A - 1) nor, in a reversible "
                      "reaction, k1*A - k2*B: no mass action")
    return ([channel_of(names, rate, reactants, products) for names, rate in forward.items()] +
            [channel_of(names, rate, products, reactants) for names, rate in backward.items()])


def joined_pairs(law):
    """Returns a law with c n² in place of c n² - c n = c n (n - 1), which are the events of c n² in rdme."""
    law = dict(law)
    for names, rate in law.items():
        if len(names) == 2 and names[0] == names[1] and is_equal(law.get(names[:1], 0.0), -rate):
            law[names[:1]] = 0.0
    return law


def channel_of(names, rate, reactants, products):
    """Returns the channel of a term. Its species beyond `reactants` are catalysts: both reactants and products."""
    catalysts = collections.Counter(names)
    catalysts.subtract(reactants)
    if min(catalysts.values(), default=0) < 0:
        raise Refused(f"kinetic law has the term k*{'*'.join(names) or '1'}, which is no mass action of "
                      f"'{side_text(reactants)}'")
    products = collections.Counter(products) + catalysts
    if products.total() > MAX_PRODUCTS:
        raise Refused(f"has {products.total()} products, catalysts included, above the limit of {MAX_PRODUCTS}")
    return Channel(collections.Counter(names), products, rate)


def side_text(species):
    """Returns a side of an equation of rdme, in which an empty side is EMPTY_SIDE."""
    terms = [name if count == 1 else f"{count} {name}" for name, count in sorted(species.items()) if count]
    return " + ".join(terms) or EMPTY_SIDE
