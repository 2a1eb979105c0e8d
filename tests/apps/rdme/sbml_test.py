"""Tests of apps/rdme/sbml_to_yaml.py. sbml_test.py FOLDER_OF_PROGRAMS [unittest's options]

Exit code 77 if the Python package libsbml is missing.

Models of the SBML discrete stochastic models test suite (Evans, Gillespie & Wilkinson, Bioinformatics 24:285, 2008) run
as independent sites without diffusion, in which rdme is Gillespie's exact method: there is no error of the time step.
Means and variances are compared with cumulants of the exact distribution, within `ERRORS` standard errors. The seed is
fixed.
"""

import collections
import contextlib
import csv
import io
import itertools
import math
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(SOURCE / "tests/apps"), str(SOURCE / "apps/rdme")]

import programs  # noqa: E402

try:
    import libsbml
    import sbml_to_yaml
    from sbml.errors import Refused
    from sbml.mass_action import channels_of, side_text
    from sbml.polynomial import polynomial_of
except ImportError as missing:
    if missing.name != "libsbml":
        raise
    print("skipped: the Python package libsbml is missing (Debian and Ubuntu: python3-sbml5; pip: python-libsbml)")
    sys.exit(77)

MODELS = pathlib.Path(__file__).with_name("sbml")
SAMPLES = 1500
ERRORS = 5  # standard errors; a normal variable exceeds them with a probability of 6e-7


# Cumulants 1 to 4 of exact distributions

def cumulants(distribution):
    """Returns the cumulants of a distribution, a list of (value, probability)."""
    mean = sum(x * p for x, p in distribution)
    second, third, fourth = (sum((x - mean) ** k * p for x, p in distribution) for k in (2, 3, 4))
    return [mean, second, third, fourth - 3 * second ** 2]


def birth_death(first, birth, death):
    """Linear birth and death, by the geometric law of the descendants of one particle (Kendall, 1948)."""
    def at(time):
        growth = math.exp((birth - death) * time)
        extinct = death * (growth - 1) / (birth * growth - death)
        more = birth * (growth - 1) / (birth * growth - death)
        one = [(0, extinct)] + [(k, (1 - extinct) * (1 - more) * more ** (k - 1)) for k in range(1, 1000)]
        return [first * each for each in cumulants(one)]
    return at


def immigration_death(rate, death):
    """Immigration and death: a Poisson distribution."""
    return lambda time: [rate / death * (1 - math.exp(-death * time))] * 4


def batch_immigration_death(rate, batch, death, slices=2000):
    """Immigration in batches: cumulant j is rate times the integral of E[(survivors of a batch of age s)^j]."""
    def at(time):
        total = [0.0] * 4
        for i in range(slices):
            alive = math.exp(-death * time * (i + 0.5) / slices)
            survivors = [(k, math.comb(batch, k) * alive ** k * (1 - alive) ** (batch - k)) for k in range(batch + 1)]
            for j in range(4):
                total[j] += rate * time / slices * sum(k ** (j + 1) * p for k, p in survivors)
        return total
    return at


def dimerisation(first, join, split, step=0.05):
    """Monomers of 2 P <-> P2, by the master equation over the number of dimers (Runge-Kutta of order 4)."""
    dimers = range(first // 2 + 1)
    up = [join * (first - 2 * d) * (first - 2 * d - 1) / 2 for d in dimers]
    down = [split * d for d in dimers]

    def slope(p):
        flow = [up[d] * p[d] - down[d + 1] * p[d + 1] for d in dimers[:-1]]
        return [left - right for left, right in zip([0, *flow], [*flow, 0])]

    def advanced(p, by):
        k1 = slope(p)
        k2 = slope([x + by / 2 * k for x, k in zip(p, k1)])
        k3 = slope([x + by / 2 * k for x, k in zip(p, k2)])
        k4 = slope([x + by * k for x, k in zip(p, k3)])
        return [x + by / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(p, k1, k2, k3, k4)]

    def at(time):
        p = [1.0] + [0.0] * (len(dimers) - 1)
        count = max(1, math.ceil(time / step))
        for _ in range(count):
            p = advanced(p, time / count)
        return cumulants([(first - 2 * d, p[d]) for d in dimers])
    return at


Case = collections.namedtuple("Case", "model species seconds exact")
CASES = [
    Case("001-01", "X", 10, birth_death(100, 0.1, 0.11)),
    Case("001-04", "X", 50, birth_death(10, 0.1, 0.11)),
    Case("001-06", "X", 10, birth_death(100, 0.1, 0.11)),
    Case("001-07", "X", 8, birth_death(100, 0.1, 0.11)),
    Case("001-11", "X", 20, birth_death(100, 0.05, 0.055)),
    Case("001-13", "X", 10, birth_death(100, 0.1, 0.11)),
    Case("001-18", "X", 20, birth_death(100, 0.05, 0.055)),
    Case("002-01", "X", 50, immigration_death(1, 0.1)),
    Case("002-03", "X", 20, immigration_death(5, 0.1)),
    Case("002-06", "X", 12, immigration_death(10, 0.1)),
    Case("002-08", "X", 50, immigration_death(1, 0.1)),
    Case("003-01", "P", 50, dimerisation(100, 0.001, 0.01)),
    Case("004-01", "X", 30, batch_immigration_death(1, 5, 0.2))]


def convert(path, *options):
    """Returns the exit code and the text on both streams of the converter, called in this process."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            sbml_to_yaml.convert(sbml_to_yaml.parsed_arguments([str(path), *map(str, options)]))
            code = 0
        except SystemExit as end:
            code = end.code
    return subprocess.CompletedProcess([], code, out.getvalue(), errors.getvalue())


def deviations(samples, exact):
    """Returns the deviations of the sample's mean and variance from the exact ones, in standard errors."""
    n, mean, variance, fourth = len(samples), exact[0], exact[1], exact[3]
    found = sum(samples) / n
    spread = sum((x - found) ** 2 for x in samples) / (n - 1)
    return ((found - mean) / math.sqrt(variance / n),
            (spread - variance) / math.sqrt(fourth / n + 2 * variance ** 2 / (n - 1)))


class Converted(programs.Folder):
    """Settings of models, and the words of refusals."""

    def settings(self, path, *options):
        outcome = convert(path, *options)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        return outcome.stdout

    def reactions(self, path, *options):
        """Returns the equations and rates of the settings, and the initial particles."""
        text = self.settings(path, *options)
        return (re.findall(r'reaction: "(.*)", rate: (.*)}', text),
                re.findall(r'species: "(\w+)", count: (\d+)', text))

    def model(self, **parts):
        return self.write("model.xml", model_text(**parts))

    def refused(self, *says, path=None, options=(), **parts):
        outcome = convert(path or self.model(**parts), *options)
        self.assertEqual((outcome.returncode, outcome.stdout), (2, ""), outcome.stderr)
        lines = outcome.stderr.splitlines()
        self.assertEqual(len(lines), len(says), outcome.stderr)
        for line, text in zip(lines, says):
            self.assertTrue(line.startswith("sbml_to_yaml: "), line)
            self.assertIn(text, line)


class Suite(Converted):
    def rows(self, model, species, seconds):
        """Yields the time and the numbers of particles of all sites, for rows of the table of a run."""
        text = self.settings(MODELS / f"dsmts-{model}.xml", "--samples", SAMPLES)
        settings = self.write(f"{model}.yaml", text)
        step = float(re.search(r"timestep: (\S+) s", text)[1])
        steps = round(seconds / step)
        outcome = programs.run(programs.command(
            "rdme", settings, [f"steps={steps}", f"output.table_every={max(1, steps // 4)}", f"output.folder={model}",
                               f"output.profile_of={species}", "seed=3"]), cwd=self.folder)
        self.assertEqual(outcome.returncode, 0, outcome)
        with open(self.folder / model / "rdme.csv", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                self.assertEqual(row.get("full_sites", "0"), "0")
                yield float(row["time"]), [int(row[f"{species}.z{z}"]) for z in range(SAMPLES)]

    def test_means_and_variances_are_exact(self):
        for case in CASES:
            with self.subTest(case.model):
                rows = list(self.rows(case.model, case.species, case.seconds))[1:]
                self.assertGreaterEqual(len(rows), 4)
                for time, samples in rows:
                    for deviation in deviations(samples, case.exact(time)):
                        self.assertLess(abs(deviation), ERRORS, (case.model, time))

    def test_bounds_find_a_rate_that_is_wrong_by_a_factor(self):
        time, samples = list(self.rows("001-04", "X", 50))[-1]
        for wrong in [birth_death(10, 0.1, 0.12), birth_death(10, 0.07, 0.08), birth_death(12, 0.1, 0.11)]:
            self.assertGreater(max(map(abs, deviations(samples, wrong(time)))), ERRORS)

    def test_other_spellings_of_a_model_are_the_same_model(self):
        expected = self.reactions(MODELS / "dsmts-001-01.xml")
        for formula in ["Lambda*X*0.5*2", "Lambda*X/2/0.5", "Lambda*(X/2)/0.5", "Lambda*X/(2/2)", "X*Lambda^1",
                        "0.2*X - Lambda*X", "X/(1/Lambda)"]:
            document = libsbml.readSBMLFromFile(str(MODELS / "dsmts-001-01.xml"))
            document.getModel().getReaction("Birth").getKineticLaw().setMath(libsbml.parseL3Formula(formula))
            path = self.write("spelling.xml", libsbml.writeSBMLToString(document))
            self.assertEqual(self.reactions(path), expected, formula)

    def test_models_that_rdme_has_not_are_refused_by_id(self):
        event = ('<listOfEvents><event id="reset" useValuesFromTriggerTime="true"><trigger initialValue="true" '
                 f'persistent="true">{math_text("time >= 25")}</trigger><listOfEventAssignments><eventAssignment '
                 f'variable="A">{math_text("50")}</eventAssignment></listOfEventAssignments></event></listOfEvents>')
        rule = f'<listOfRules><assignmentRule variable="y">{math_text("2*A")}</assignmentRule></listOfRules>'
        self.refused("event 'reset' is an event", more=event)  # models 002-09, 003-03
        self.refused("assignmentRule 'y' is a rule", more=rule, species="A=100 B=0 y=0")  # model 001-19
        for law in ["0.5*k*(100-2*B)*(99-2*B)", "k*(100-2*B)*(100-2*B-1)/2"]:  # models 003-05 to 003-07
            self.refused("reaction 'R0' kinetic law has negative terms", reactions=[("-> B", law)])
        self.refused("reaction 'R0' has 10 products", reactions=[("-> 10 A", "k")])  # model 004-02


def math_text(formula):
    """Returns MathML of a formula in the syntax of libsbml."""
    return libsbml.writeMathMLToString(libsbml.parseL3Formula(formula)).split("?>", 1)[-1]


def model_text(species="A=100 B=0", reactions=(("A -> B", "k*A"),), parameters="k=2", more="", attributes="",
               size='size="1"', compartments="", amounts="true", units='substanceUnits="item" timeUnits="second"',
               reversible="false", species_attributes=""):
    """Returns a model of Level 3. @param more elements in the place of rules and events"""
    def references(side):
        terms = [term.split() for term in side.split("+") if term.strip()]
        return "".join(f'<speciesReference species="{term[-1]}" stoichiometry="{term[0] if len(term) > 1 else 1}" '
                       'constant="true"/>' for term in terms)

    def reaction(number, equation, law):
        left, right = (references(side) for side in equation.split("->"))
        sides = [f"<{tag}>{side}</{tag}>"
                 for tag, side in [("listOfReactants", left), ("listOfProducts", right)] if side]
        law = f"<kineticLaw>{math_text(law)}</kineticLaw>" if law else ""
        return (f'<reaction id="R{number}" reversible="{reversible}" fast="false">' + "".join(sides) + law +
                "</reaction>")

    pairs = [pair.split("=") for pair in species.split()]
    listed = "".join(
        f'<species id="{name}" compartment="{"c" if "@" not in value else value.split("@")[1]}" '
        f'initialAmount="{value.split("@")[0]}" hasOnlySubstanceUnits="{amounts}" boundaryCondition="false" '
        f'constant="false" {species_attributes}/>' for name, value in pairs)
    values = "".join(f'<parameter id="{name}" value="{value}" constant="true"/>'
                     for name, value in (pair.split("=") for pair in parameters.split()))
    laws = "".join(reaction(i, *each) for i, each in enumerate(reactions))
    before, after = (more, "") if "<listOfEvents" not in more else ("", more)
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" '
            f'level="3" version="1">\n<model id="m" {units} volumeUnits="litre" {attributes}>\n<listOfCompartments>'
            f'<compartment id="c" spatialDimensions="3" {size} constant="true"/>{compartments}</listOfCompartments>\n'
            "<listOfSpecies>"
            f"{listed}</listOfSpecies>\n<listOfParameters>{values}</listOfParameters>\n{before}\n" +
            (f"<listOfReactions>{laws}</listOfReactions>\n" if laws else "") + f"{after}\n</model>\n</sbml>\n")


def recognised(law, reactants, products, is_reversible=False):
    """Returns the channels of a law in particle numbers of A, B and C with k = 2, as text."""
    values = {name: {(name,): 1.0} for name in "ABC"} | {"k": {(): 2.0}}
    polynomial = polynomial_of(libsbml.parseL3Formula(law), values)
    found = channels_of(polynomial, collections.Counter(reactants), collections.Counter(products), is_reversible)
    return sorted(f"{side_text(each.reactants)} -> {side_text(each.products)} {each.rate:g}" for each in found)


class Recogniser(unittest.TestCase):
    def test_products_of_reactants_in_any_order_and_form(self):
        for law in ["k*A*B", "B*k*A", "A*(k*B)", "(A/0.5)*B", "2*A*B", "A*B/(1/k)", "k*(A*B*2 - A*B)", "k*A*B^1",
                    "-(-k*A*B)", "A*B*exp(0)*k", "k*(A + 1)*B - k*B"]:
            self.assertEqual(recognised(law, "AB", "C"), ["A + B -> C 2"], law)

    def test_pairs_of_equal_particles(self):
        for law in ["k*A*(A-1)/2", "A*(A-1)", "A^2", "A*A - A", "0.5*k*(A^2 - A)"]:
            self.assertEqual(recognised(law, "AA", "B"), ["2 A -> B 1"], law)

    def test_catalysts_are_on_both_sides(self):
        self.assertEqual(recognised("k*A*C", "A", "B"), ["A + C -> B + C 2"])
        self.assertEqual(recognised("k*A", "A", "AA"), ["A -> 2 A 2"])
        self.assertEqual(recognised("k + A", "", "B"), ["A -> A + B 1", "nothing -> B 2"])

    def test_reversible_laws_are_two_reactions(self):
        self.assertEqual(recognised("k*A*B - 3*C", "AB", "C", True), ["A + B -> C 2", "C -> A + B 3"])
        self.assertEqual(recognised("k*(10 - A)", "", "A", True), ["A -> nothing 2", "nothing -> A 20"])

    def test_other_laws_are_refused(self):
        for law, reactants in itertools.chain(
                ((law, "A") for law in ["k", "k*B", "k*A/(1 + A)", "k*A^0.5", "A^B", "k*A - B", "sin(A)", "k*time*A",
                                        "piecewise(1, A > 3, 0)", "A/B", "k*A*B*C", "unknown*A", "A/0", "1e300*1e300*A",
                                        "(A + B + C)^10", "floor(A)", "delay(A, 3)"]),
                ((law, "AA") for law in ["k*A", "k*A*(A-2)", "k*A*(A-1)*(A-2)", "k*A*A - 1.01*k*A"])):
            with self.subTest(law), self.assertRaises(Refused):
                recognised(law, reactants, "B")


class Models(Converted):
    def rates(self, **parts):
        return [rate for _, rate in self.reactions(self.model(**parts))[0]]

    def test_rates_are_in_the_units_of_rdme(self):
        """Laws in amounts or concentrations, mol/l and minutes: the textbook constants k, in 1 litre."""
        laws = [("-> A", "k"), ("A -> B", "k*A"), ("A + B -> ", "k*A*B"), ("2 A -> B", "k*A^2")]
        wanted = [0.1, 0.1, 0.1, 0.1]  # M/s, /s and /M/s, of k = 6 in minutes
        parts = dict(species="A=2e-22 B=2e-22", reactions=laws, parameters="k=6",
                     more='', units='substanceUnits="mole" extentUnits="mole" timeUnits="minute"', amounts="false")
        minute = ('<listOfUnitDefinitions><unitDefinition id="minute"><listOfUnits><unit kind="second" exponent="1" '
                  'scale="0" multiplier="60"/></listOfUnits></unitDefinition></listOfUnitDefinitions>')
        for amounts in ["true", "false"]:
            text = model_text(**{**parts, "amounts": amounts})
            text = text.replace("<listOfCompartments>", minute + "<listOfCompartments>")
            found = self.reactions(self.write("units.xml", text))[0]
            for (equation, rate), value in zip(found, wanted):
                self.assertAlmostEqual(float(rate.split()[0]), value, 9, equation)
            self.assertEqual([rate.split()[1] for _, rate in found], ["M/s", "/s", "/M/s", "/M/s"])

    def test_volume_converts_rates_of_particles(self):
        cell = 'size="1e-15"'  # 1 um3, in which 1 /s of a pair is 6.02214076e8 /M/s
        self.assertEqual(self.rates(size=cell, reactions=[("A + B ->", "A*B")]), ["602214076 /M/s"])
        self.assertEqual(self.rates(size=cell, reactions=[("2 A -> B", "A*(A-1)")]), ["602214076 /M/s"])
        self.assertEqual(self.rates(size=cell, reactions=[("-> B", "602214076")]), ["1 M/s"])

    def test_boundary_conditions_and_constants_are_numbers_in_rates(self):
        text = model_text(species="A=3 B=4", size='size="2"', reactions=[("A + B -> B", "k*A*B")], amounts="false")
        head, tail = text.split('<species id="B"')
        for flag in ["boundaryCondition", "constant"]:
            path = self.write("b.xml", head + '<species id="B"' + tail.replace(f'{flag}="false"', f'{flag}="true"', 1))
            self.assertEqual(self.reactions(path), ([("A -> nothing", "2 /s")], [("A", "3")]))  # k B/2 A/2 = 2 A

    def test_level_2_in_nanomoles_per_litre(self):
        law = (f'<kineticLaw>{math_text("c*(k*A - q*B)")}<listOfParameters><parameter id="k" value="3"/>'
               '<parameter id="q" value="4"/></listOfParameters></kineticLaw>')
        path = self.write("l2.xml", '<sbml xmlns="http://www.sbml.org/sbml/level2" level="2" version="1"><model id="m">'
                          '<listOfUnitDefinitions><unitDefinition id="substance"><listOfUnits><unit kind="mole" '
                          'scale="-9"/></listOfUnits></unitDefinition></listOfUnitDefinitions><listOfCompartments>'
                          '<compartment id="c" size="1e-14"/></listOfCompartments><listOfSpecies><species id="A" '
                          'compartment="c" initialConcentration="100"/><species id="B" compartment="c" '
                          'initialAmount="0"/></listOfSpecies><listOfReactions><reaction id="R"><listOfReactants>'
                          '<speciesReference species="A"/></listOfReactants><listOfProducts><speciesReference '
                          f'species="B"/></listOfProducts>{law}</reaction></listOfReactions></model></sbml>')
        self.assertEqual(self.reactions(path), ([("A -> B", "3 /s"), ("B -> A", "4 /s")], [("A", "602"), ("B", "0")]))

    def test_options_give_units(self):
        path = self.model(units="", species="A=2 B=0")
        self.refused("model 'm' has no unit of time: give it by --time", path=path)
        self.refused("model 'm' has no unit of substance", path=path, options=["--time", "s"])
        found = self.reactions(path, "--time", "min", "--substance", "item")
        self.assertEqual(found, ([("A -> B", "0.0333333333333 /s")], [("A", "2"), ("B", "0")]))

    def test_constants(self):
        """Functions, initial assignments in any order, and constants of formulas."""
        assignments = (f'<listOfInitialAssignments><initialAssignment symbol="k">{math_text("2*q")}</initialAssignment>'
                       f'<initialAssignment symbol="q">{math_text("3")}</initialAssignment>'
                       f'<initialAssignment symbol="A">{math_text("10*q")}</initialAssignment>'
                       "</listOfInitialAssignments>")
        path = self.model(parameters="k=1 q=1", more=assignments, size='size="2"', amounts="false")
        self.assertEqual(self.reactions(path), ([("A -> B", "3 /s")], [("A", "60"), ("B", "0")]))
        text = model_text(reactions=[("A + B ->", "f(A, B)")]).replace(
            "<listOfCompartments>", '<listOfFunctionDefinitions><functionDefinition id="f">' +
            math_text("lambda(x, y, 3*x*y)") + "</functionDefinition></listOfFunctionDefinitions><listOfCompartments>")
        self.assertEqual([equation for equation, _ in self.reactions(self.write("f.xml", text))[0]],
                         ["A + B -> nothing"])

    def test_many_particles_have_several_sites_that_are_mixed(self):
        text = self.settings(self.model(species="A=10000 B=0", parameters="k=0.1", size='size="1e-15"'))
        self.assertIn("sites: [6, 6, 6]", text)
        outcome = programs.run(programs.command("rdme", self.write("many.yaml", text), ["steps=10"]), cwd=self.folder)
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        self.assertNotIn("WARNING", outcome.stdout)

    def test_model_without_reactions_and_odd_names_run(self):
        for parts in [{"reactions": []}, {"species": "null=3 no=3 yes=1", "reactions": [
                ("no -> null", "k*no"), ("null -> 2 yes", "k*null"), ("2 yes -> ", "yes*(yes-1)")]}]:
            text = self.settings(self.model(**parts))
            outcome = programs.run(programs.command("rdme", self.write("odd.yaml", text), [
                "steps=50", f"output.folder={len(parts)}"]), cwd=self.folder)
            self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))

    def test_elements_are_refused_by_id(self):
        for says, parts in [
                ("species 'A' has 6.02214e+25 initial particles", {
                    "units": 'substanceUnits="mole" timeUnits="second"'}),
                ("species 'A' has -1 initial particles", {"species": "A=-1 B=0"}),
                ("species 'A' needs the size of compartment 'c'", {"size": "", "amounts": "false", "species": "A=1",
                                                                   "reactions": [("A ->", "k*A")]}),
                ("species 'A' has a conversion factor", {"species_attributes": 'conversionFactor="k"', "species": "A=1",
                                                         "reactions": []}),
                ("model 'm' has a conversion factor", {"attributes": 'conversionFactor="k"'}),
                ("compartment 'c' has 1e+06 m3", {"size": 'size="1e9"'}),
                ("compartment 'd' has species, and so has another", {
                    "compartments": '<compartment id="d" spatialDimensions="3" size="1" constant="true"/>',
                    "species": "A=1 B=1@d"}),
                ("reaction 'R0' has no kinetic law", {"reactions": [("A -> B", "")]}),
                ("reaction 'R0' has a stoichiometry of 'A'", {"reactions": [("1.5 A -> B", "k*A")]}),
                ("reaction 'R0' has species in a denominator", {"reactions": [("A -> B", "k*A/(5 + A)")]}),
                ("reaction 'R0' uses 'q'", {"reactions": [("A -> B", "q*A")]}),
                ("reaction 'R0' uses 'Z'", {"reactions": [("A -> Z", "k*A")]}),
                ("model 'm' has 256 species", {"species": " ".join(f"A{i}=1" for i in range(256)), "reactions": []}),
                ("parameter 'k' has a number that is not finite", {"parameters": "k=INF"}),
                ("unit 'gram'", {"units": 'substanceUnits="gram" timeUnits="second"'}),
                ("species 'nothing' has an id", {"species": "nothing=1", "reactions": []})]:
            with self.subTest(says):
                self.refused(says, **parts)
        self.refused("model 'm' has no species", path=self.write("constant.xml", model_text(reactions=[]).replace(
            'boundaryCondition="false"', 'boundaryCondition="true"')))
        unset = '<listOfLocalParameters><localParameter id="k"/></listOfLocalParameters></kineticLaw>'
        path = self.write("unset.xml", model_text().replace("</kineticLaw>", unset))
        self.refused("reaction 'R0' uses 'k'", path=path)
        fast = model_text().replace('fast="false"', 'fast="true"')
        self.refused("reaction 'R0' is fast", path=self.write("fast.xml", fast))
        self.refused("reaction 'R0' kinetic law has negative terms", "reaction 'R2' contains",
                     reactions=[("A -> B", "k*A - B"), ("A -> B", "k*A"), ("B -> A", "k*cos(B)")])

    def test_files_that_are_no_model_are_refused(self):
        good = model_text()
        for says, content in [("no valid SBML", good[:len(good) // 2]), ("no valid SBML", b"\x00\xff" * 500),
                              ("no valid SBML", ""), ("no valid SBML", "<html><body/></html>"),
                              ("no valid SBML", good.replace('id="A"', 'id="Größe"')),
                              ("no valid SBML", good.replace("</species>", "").replace("<listOfParameters>", "")),
                              ("SBML", '<sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" level="3" '
                               'version="1"/>')]:
            with self.subTest(content[:60]):
                self.refused(says, path=self.write("bad.xml", content))
        self.refused("No such file", path=self.folder / "missing.xml")

    def test_program_prints_settings_or_one_message(self):
        def run(path):
            return programs.run([sys.executable, "-B", sbml_to_yaml.__file__, str(path)])

        good, deep = self.model(), "<apply><minus/>" * 200000 + "<ci>k</ci>" + "</apply>" * 200000
        self.assertEqual(run(good).stdout, self.settings(good))
        for content in ["no SBML", model_text().replace("<ci> k </ci>", deep)]:  # the second one ends libsbml
            outcome = run(self.write("bad.xml", content))
            self.assertEqual((outcome.returncode, outcome.stdout), (2, ""), outcome)
            self.assertRegex(outcome.stderr, r"^sbml_to_yaml: .*bad.xml:.*\n$")

    def test_rounded_particles_are_noted(self):
        for amount, count in [("10.4", 10), ("1e-08", 0)]:
            outcome = convert(self.model(species=f"A={amount} B=0"))
            self.assertEqual(outcome.returncode, 0)
            self.assertIn(f"species 'A' has {amount} initial particles, which are rounded to {count}", outcome.stderr)


if __name__ == "__main__":
    programs.BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(module="__main__")
