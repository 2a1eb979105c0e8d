"""Runs the examples: the same hash on several devices, and a property of each that a reader would expect.

python3 examples_test.py FOLDER_OF_PROGRAMS [unittest's options]"""

import csv
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv.pop(1))


def run(example, folder, assignments, devices=1):
    """Runs an example. Returns its hash and the columns of its table."""
    options = [part for assignment in [*assignments, f"devices={devices}", f"output.folder={folder}"]
               for part in ("--set", assignment)]
    done = subprocess.run([BIN / example, *options], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    with open(pathlib.Path(folder) / f"{example}.csv", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    columns = {name: [float(row[name]) for row in rows] for name in rows[0]}
    return re.search(r"state hash +([0-9a-f]{16})", done.stdout).group(1), columns


class Examples(unittest.TestCase):
    def check(self, example, *assignments):
        """Runs an example, whose first steps are the same on one and three devices. Returns its table."""
        with tempfile.TemporaryDirectory() as folder:
            one, three = (run(example, folder, [*assignments, "steps=20"], devices)[0] for devices in (1, 3))
            self.assertEqual(one, three)
            return run(example, folder, assignments)[1]

    def test_all_are_short_and_in_the_gallery_with_a_picture(self):
        root = pathlib.Path(__file__).parents[2]
        gallery = (root / "docs" / "gallery.md").read_text(encoding="utf-8")
        longer = {"ants": 90, "tuberculosis": 130, "brain_grid": 130}
        for source in sorted((root / "examples").glob("*.cpp")):
            lines = len(source.read_text(encoding="utf-8").splitlines())
            self.assertTrue(30 <= lines <= longer.get(source.stem, 60), f"{source.stem} has {lines} lines")
            self.assertIn(f"(../examples/{source.name})", gallery)
            self.assertTrue(re.search(rf"!\[.*\]\(images/gallery/{source.stem}\.", gallery), source.stem)

    def test_gray_scott_feeds_the_herds(self):
        table = self.check("gray_scott", "tiles=8", "steps=600", "output.table_every=100")
        self.assertGreater(table["v"][-1], 100, "the pattern lives")
        self.assertGreater(table["herds"][-1], 3 * table["herds"][0], "and feeds the herds")

    def test_seir_has_the_final_size_of_kermack_and_mckendrick(self):
        table = self.check("seir", "people=6000", "squares=40", "infection=0.08", "output.table_every=300")
        contacts, exposed = 0.08 * 6000 / 40**2 / 0.15, 30 / 6000  # basic reproduction number, share at the start
        size = 1
        for _ in range(100):  # ln((1 - exposed) / (1 - size)) = contacts * size
            size = 1 - (1 - exposed) * math.exp(-contacts * size)
        self.assertEqual(table["exposed"][-1] + table["infectious"][-1], 0)
        self.assertAlmostEqual(table["recovered"][-1] / 6000, size, delta=0.03)

    def test_wave2d_swings_with_the_frequency_of_its_mode(self):
        size, courant = 15, 0.3
        table = self.check("wave2d", f"size={size}", f"courant={courant}", "mode=true", "output.table_every=1")
        force = 4 * courant * math.sin(math.pi / (size + 1) / 2) ** 2
        frequency = math.acos(1 - force)  # by von Neumann's analysis of the scheme
        for step, highest in zip(table["step"], table["highest"]):
            self.assertAlmostEqual(highest, abs(math.cos(frequency * step)), delta=1e-5)

    def flows(self, *assignments):
        """Returns the density of cars and the mean flow of each road of nagel_schreckenberg."""
        roads = 9
        table = self.check("nagel_schreckenberg", f"roads={roads}", "length=600", "steps=600", "output.table_every=5",
                           *assignments)
        return [(table[f"cars.{road}"][0], statistics.mean(table[f"flow.{road}"][40:])) for road in range(roads)]

    def test_nagel_schreckenberg_has_the_known_flows(self):
        for density, flow in self.flows("slowing=0"):
            self.assertAlmostEqual(flow, min(5 * density, 1 - density), delta=1e-12)
        for density, flow in self.flows("limit=1", "slowing=0.5"):  # Schreckenberg et al., Phys. Rev. E 51, 2939, 1995
            self.assertAlmostEqual(flow, (1 - math.sqrt(1 - 2 * density * (1 - density))) / 2, delta=0.01)

    def test_daisyworld_stays_at_one_temperature(self):
        table = self.check("daisyworld", "size=48", "start=0.9", "steps=1500", "output.table_every=500")
        self.assertGreater(table["bare"][-1] - table["bare"][0], 20)
        self.assertLess(table["temperature"][-1], table["temperature"][1], "the sun is brighter, the planet colder")
        for temperature in table["temperature"][1:]:
            self.assertAlmostEqual(temperature, 25, delta=6)

    def test_axelrod_has_more_cultures_the_more_traits_there_are(self):
        def cultures(traits, seed):
            table = self.check("axelrod", f"traits={traits}", f"seed={seed}", "steps=200000", "output.table_every=100")
            self.assertEqual(table["active"][-1], 0)
            return table["cultures"][-1]

        few, many = (statistics.mean(cultures(traits, seed) for seed in (1, 2, 3)) for traits in (5, 15))
        self.assertLess(few, 2, "1.0 in Axelrod's table")
        self.assertAlmostEqual(many, 20, delta=8, msg="20.0 in Axelrod's table")

    def test_conjugate_gradients_has_the_known_height(self):
        table = self.check("conjugate_gradients", "size=63", "steps=1000", "output.table_every=1")
        self.assertLess(table["step"][-1], 200, "as many steps as a few times the edge")
        self.assertAlmostEqual(table["highest"][-1], 0.0736713, delta=0.0736713 / 64**2)

    def test_ants_empty_the_piles_in_the_order_of_their_distance(self):
        table = self.check("ants", "steps=2500", "output.table_every=10")
        empty = [next(step for step, food in zip(table["step"], table[pile]) if food == 0)
                 for pile in ("first", "second", "third")]
        self.assertEqual(empty, sorted(empty), "as Wilensky describes his model")

    def test_flock3d_has_the_order_of_many_neighbours(self):
        table = self.check("flock3d", "size=4", "birds=2500", "start=0.5", "growth=0.01", "steps=50",
                           "output.table_every=10")
        for noise, order in list(zip(table["noise"], table["order"]))[3:]:
            self.assertAlmostEqual(order, 1 - noise**2 / 3, delta=0.02)  # if all have the same mean beside them

    def test_virus_in_tissue_spreads_by_the_root_of_the_diffusivity(self):
        def speed(diffusion):
            table = self.check("virus_in_tissue", "size=200", f"diffusion={diffusion}", "steps=1200",
                               "output.table_every=400")
            radius = [math.sqrt((200**2 - healthy) / math.pi) for healthy in table["healthy"]]
            return radius[3] - radius[2]

        self.assertAlmostEqual(speed(4) / speed(1), 2, delta=0.2)

    def test_tuberculosis_is_contained_if_there_are_t_cells(self):
        def bacteria(first_day):
            table = self.check("tuberculosis", "size=40", "macrophages=1000", f"t_cells_from={first_day}", "steps=300",
                               "output.table_every=100")
            return table["bacteria"][-1]

        self.assertGreater(bacteria(1000), 0.9 * 40**2, "they fill the lung")
        self.assertLess(bacteria(10), 0.2 * 40**2)

    def test_brain_grid_has_a_synapse_with_a_partner_on_each_place_that_joins_neurons(self):
        table = self.check("brain_grid", "size=60", "output.table_every=5")
        self.assertEqual(table["joined"], table["partners"])
        self.assertEqual(table["joined"], sorted(table["joined"]))
        self.assertGreater(table["joined"][-1], 20)

    def test_sir_on_network_has_the_final_size_of_percolation(self):
        people, contacts, days, cases = 20000, 6, 5, 100
        for infection in (0.02, 0.08):
            table = self.check("sir_on_network", "hubs=false", f"people={people}", f"infection={infection}",
                               "steps=300", "output.table_every=300")
            transmissibility = 1 - (1 - infection) ** days
            size = 1
            for _ in range(1000):  # Newman 2002, of a random network with Poisson's distribution of links
                size = 1 - (1 - cases / people) * math.exp(-contacts * transmissibility * size)
            self.assertEqual(table["ill"][-1], 0)
            self.assertAlmostEqual(table["recovered"][-1] / people, size, delta=0.02)

    def test_sir_on_network_spreads_below_the_threshold_if_there_are_hubs(self):
        for hubs, least, most in (("false", 0, 0.02), ("true", 0.04, 1)):
            table = self.check("sir_on_network", f"hubs={hubs}", "people=20000", "cases=20", "infection=0.02",
                               "steps=300", "output.table_every=300")
            self.assertGreater(table["recovered"][-1] / 20000, least)
            self.assertLess(table["recovered"][-1] / 20000, most)

    def test_bail_in_has_the_window_of_contagion(self):
        def contagion(*assignments):
            table = self.check("bail_in", "systems=40", "output.table_every=50", *assignments)
            return table["contagions"][-1], table["failed"][-1]

        self.assertEqual(contagion("debtors=0.5")[0], 0)
        frequency, failed = contagion("debtors=3")
        self.assertAlmostEqual(frequency, 80, delta=20)
        self.assertGreater(failed, 0.85 * frequency, "nearly all banks of these systems fail")
        self.assertEqual(contagion("debtors=10")[0], 0)
        self.assertEqual(contagion("debtors=3", "loss=0.5")[0], 0, "the bail-in stops it")


if __name__ == "__main__":
    unittest.main()
