"""Formulas of SBML as polynomials.

A polynomial is a dictionary from a term's names, in ascending order and each as often as its power, to a coefficient:
2 A² B - 3 is {("A", "A", "B"): 2, (): -3}. A term that cancels keeps the coefficient 0.
"""

import collections
import math

import libsbml
from sbml.errors import Refused, UnknownName

AVOGADRO = 6.02214076e23
MAX_TERMS = 200  # and factors of a term
MAX_POWER = 9
ROUNDING = 1e-9  # relative difference below which two numbers are equal

NUMBERS = (libsbml.AST_INTEGER, libsbml.AST_REAL, libsbml.AST_REAL_E, libsbml.AST_RATIONAL)
FUNCTIONS = {libsbml.AST_FUNCTION_EXP: math.exp, libsbml.AST_FUNCTION_LN: math.log}


def is_equal(a, b):
    return math.isclose(a, b, rel_tol=ROUNDING)


def constant(value):
    if not math.isfinite(value):
        raise Refused("has a number that is not finite")
    return {(): float(value)}


def add(a, b, factor=1.0):
    """Returns a + factor * b."""
    total = dict(a)
    for names, coefficient in b.items():
        total[names] = total.get(names, 0.0) + factor * coefficient
        if abs(total[names]) <= ROUNDING * abs(coefficient):
            total[names] = 0.0
    return total


def multiply(a, b):
    product = collections.defaultdict(float)
    for left, x in a.items():
        for right, y in b.items():
            product[tuple(sorted(left + right))] += x * y
    if len(product) > MAX_TERMS or any(len(names) > MAX_TERMS for names in product):
        raise Refused(f"has more than {MAX_TERMS} terms or factors")
    return dict(product)


def number_of(polynomial, role):
    """Returns the value of a constant polynomial. @throws Refused if it has species"""
    if any(coefficient != 0 for names, coefficient in polynomial.items() if names):
        raise Refused(f"has species in {role}")
    return polynomial.get((), 0.0)


def divide(a, b):
    return multiply(a, constant(1 / number_of(b, "a denominator")))


def power(base, exponent):
    exponent = number_of(exponent, "an exponent")
    if not any(base):
        return constant(number_of(base, "a base") ** exponent)
    if exponent not in range(MAX_POWER + 1):
        raise Refused(f"has species to the power of {exponent:g}")
    return product_of([base] * int(exponent))


def sum_of(parts):
    total = {}
    for part in parts:
        total = add(total, part)
    return total


def product_of(parts):
    product = constant(1)
    for part in parts:
        product = multiply(product, part)
    return product


def expand(node, values):
    """Returns the polynomial of a formula; expects operators with valid numbers of operands."""
    kind = node.getType()
    if kind in NUMBERS:
        return constant(node.getValue())
    if kind == libsbml.AST_NAME_AVOGADRO:
        return constant(AVOGADRO)
    if kind == libsbml.AST_NAME:
        if node.getName() not in values:
            raise UnknownName(node.getName())
        return values[node.getName()]
    parts = [expand(node.getChild(i), values) for i in range(node.getNumChildren())]
    if kind == libsbml.AST_PLUS:
        return sum_of(parts)
    if kind == libsbml.AST_MINUS:
        return add(*parts, factor=-1.0) if len(parts) == 2 else multiply(parts[0], constant(-1))
    if kind == libsbml.AST_TIMES:
        return product_of(parts)
    if kind == libsbml.AST_DIVIDE:
        return divide(*parts)
    if kind in (libsbml.AST_POWER, libsbml.AST_FUNCTION_POWER):
        return power(*parts)
    if kind in FUNCTIONS:
        return constant(FUNCTIONS[kind](number_of(parts[0], f"'{node.getName()}'")))
    raise Refused(f"contains '{node.getName() or libsbml.formulaToL3String(node)}', which is no mass action")


def polynomial_of(node, values):
    """Returns the polynomial of a formula. @param values polynomial of each name @throws Refused if it is none"""
    try:
        return expand(node, values)
    except RecursionError:
        raise Refused("is nested too deeply") from None
    except (ArithmeticError, ValueError, TypeError) as error:
        raise Refused(f"cannot be evaluated: {error}") from None
