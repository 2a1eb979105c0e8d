"""Networks: mass.Graph, its files and its generators."""

import pathlib
import tempfile
import unittest

import mass
import numpy

TRIANGLE = [[0, 1], [1, 2], [2, 0]]


class Matrix:
    """Sparse matrix with the members of SciPy that are used."""

    def __init__(self, shape, indptr, indices, data):
        self.shape = shape
        self.indptr = numpy.array(indptr, "int32")
        self.indices = numpy.array(indices, "int32")
        self.data = numpy.array(data)

    def tocsr(self):
        return self


class GraphTest(unittest.TestCase):
    def test_edges_are_links_of_both_ends(self):
        graph = mass.Graph(4, numpy.array(TRIANGLE, "int32"), [1, 2, 4])
        self.assertEqual((graph.nodes, graph.links), (4, 6))
        self.assertEqual(graph.offsets.tolist(), [0, 2, 4, 6, 6])
        self.assertEqual(graph.targets.tolist(), [1, 2, 0, 2, 1, 0])
        self.assertEqual(graph.weights.tolist(), [1, 4, 1, 2, 2, 4])
        self.assertEqual(repr(graph), "<Graph: 4 nodes, 6 links>")

    def test_directed_edges_are_links_of_their_sources(self):
        graph = mass.Graph(3, TRIANGLE, directed=True)
        self.assertEqual(graph.targets.tolist(), [1, 2, 0])
        self.assertIsNone(graph.weights)
        self.assertEqual(graph.reversed().targets.tolist(), [2, 0, 1])

    def test_arrays_of_a_network_outlive_it(self):
        targets = mass.Graph(3, TRIANGLE).targets
        self.assertEqual(targets.sum(), 6)
        self.assertFalse(targets.flags.writeable)

    def test_a_network_may_have_no_edges(self):
        self.assertEqual(mass.Graph(2, []).links, 0)

    def test_links_of_a_matrix(self):
        graph = mass.Graph.from_scipy(Matrix((3, 3), [0, 2, 2, 3], [2, 1, 0], [0.5, 1, 2]))
        wanted = mass.Graph(3, [[0, 2], [0, 1], [2, 0]], [0.5, 1, 2], directed=True)
        self.assertEqual(graph, wanted)
        self.assertEqual(mass.Graph.from_arrays(graph.offsets, graph.targets, graph.weights), wanted)
        with self.assertRaisesRegex(mass.UsageError, "3 rows and 2 columns"):
            mass.Graph.from_scipy(Matrix((3, 2), [0, 0, 0, 0], [], []))

    def test_wrong_edges_are_refused(self):
        with self.assertRaisesRegex(mass.UsageError, "edge 1: 1 to 3: node 3 does not exist"):
            mass.Graph(3, [[0, 1], [1, 3]])
        with self.assertRaisesRegex(mass.UsageError, "edge 1: 1 to 0: repeats edge 0"):
            mass.Graph(3, [[0, 1], [1, 0]])
        with self.assertRaisesRegex(mass.UsageError, "edges has a number that does not fit int64"):
            mass.Graph(3, numpy.array([[0, 2**63 + 1]], numpy.uint64))
        self.assertEqual(mass.Graph(3, numpy.array([[0, 2]], numpy.uint64)), mass.Graph(3, [[0, 2]]))
        with self.assertRaisesRegex(TypeError, "edges must be convertible to int64, not float64"):
            mass.Graph(3, [[0.0, 1.5]])
        with self.assertRaisesRegex(ValueError, "one row of two nodes"):
            mass.Graph(3, [0, 1])

    def test_options_treat_loops_and_duplicates(self):
        edges = [[0, 1], [1, 1], [1, 0]]
        graph = mass.Graph(2, edges, [1, 2, 4], self_loops="drop", duplicates="merge")
        self.assertEqual(graph, mass.Graph(2, [[0, 1]], [5]))
        with self.assertRaisesRegex(mass.UsageError, "duplicates = 'sum' is none of 'refuse', 'keep', 'merge'"):
            mass.Graph(2, edges, duplicates="sum")

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a.csv"
            file.write_text("source,target\n0,1\n2,0\n")
            self.assertEqual(mass.readGraph(file), mass.Graph(3, [[0, 1], [2, 0]]))
            self.assertEqual(mass.readGraph(str(file), directed=True).links, 2)
            file.write_text("source,target\n0,0\n")
            with self.assertRaisesRegex(mass.InputError, "a.csv:2: 0 to 0: an edge from a node to itself"):
                mass.readGraph(file)

    def test_generators_have_the_networks_of_cpp(self):
        # Hashes of tests/mass/graph/generators_test.cpp.
        self.assertEqual(mass.erdosRenyiGraph(1000, 0.01, seed=42).hash, 0xB3D9D04D1E6B103B)
        self.assertEqual(mass.latticeGraph([2, 3]).links, 14)
        self.assertEqual(mass.torusGraph([3, 4]).links, 48)
        self.assertEqual(mass.wattsStrogatzGraph(1000, 6, 0.3).links, 6000)
        self.assertEqual(mass.barabasiAlbertGraph(1000, 5).links, 9950)
        self.assertEqual(mass.randomGeometricGraph(10, 2, dimensions=3).links, 90)


if __name__ == "__main__":
    unittest.main()
