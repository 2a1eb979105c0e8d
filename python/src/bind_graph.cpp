// Networks: mass.Graph, its files and its generators.

#include <python/src/bindings.hpp>

#include <mass/graph/generators.hpp>
#include <mass/io/graph_file.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mass::python {
namespace {

using namespace nb::literals;

template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

/// Returns `given` as an array of NumPy with elements of a type, to which integers are converted.
/// @throws nb::type_error if that would round numbers
/// @throws UsageError if an integer does not fit the type
template <class T>
Array<T> arrayOf(nb::handle given, const char* name, const char* type) {
  const nb::object numpy = nb::module_::import_("numpy");
  const nb::object array = numpy.attr("asarray")(given);
  const bool isEmpty = nb::cast<std::size_t>(array.attr("size")) == 0;
  if (!isEmpty && !nb::cast<bool>(numpy.attr("can_cast")(array.attr("dtype"), type, "same_kind")))
    throw nb::type_error(fmt::format("{} must be convertible to {}, not {}", name, type,
                                     nb::cast<std::string>(array.attr("dtype").attr("name")))
                             .c_str());
  const nb::object converted = numpy.attr("ascontiguousarray")(array, type);
  if (std::is_integral_v<T> && !converted.is(array) &&
      !nb::cast<bool>(numpy.attr("array_equal")(converted, array)))
    throw UsageError("{} has a number that does not fit {}", name, type);
  return nb::cast<Array<T>>(converted);
}

template <class T>
std::span<const T> spanOf(const Array<T>& array) {
  return {array.data(), array.size()};
}

/// Returns the element of `names` that is called `name`.
/// @throws UsageError with all names if there is none
template <class E, std::size_t N>
E valueOf(const char* parameter, const std::string& name,
          const std::array<std::pair<std::string_view, E>, N>& names) {
  std::string all;
  for (const auto& [text, value] : names) {
    if (text == name) return value;
    all += fmt::format("{}'{}'", all.empty() ? "" : ", ", text);
  }
  throw UsageError("{} = '{}' is none of {}", parameter, name, all);
}

Graph::Options optionsOf(bool directed, const std::string& selfLoops,
                         const std::string& duplicates) {
  constexpr std::array<std::pair<std::string_view, Graph::SelfLoops>, 3> ofLoops{
      {{"refuse", Graph::SelfLoops::refuse},
       {"keep", Graph::SelfLoops::keep},
       {"drop", Graph::SelfLoops::drop}}};
  constexpr std::array<std::pair<std::string_view, Graph::Duplicates>, 3> ofDuplicates{
      {{"refuse", Graph::Duplicates::refuse},
       {"keep", Graph::Duplicates::keep},
       {"merge", Graph::Duplicates::merge}}};
  return {directed ? Graph::Direction::directed : Graph::Direction::undirected,
          valueOf("self_loops", selfLoops, ofLoops),
          valueOf("duplicates", duplicates, ofDuplicates)};
}

Array<double> weightsOf(nb::handle given) {
  return given.is_none() ? arrayOf<double>(nb::tuple(), "weights", "float64")
                         : arrayOf<double>(given, "weights", "float64");
}

Graph ofEdges(std::int64_t nodes, nb::handle edges, nb::handle weights, bool directed,
              const std::string& selfLoops, const std::string& duplicates) {
  const auto ends = arrayOf<std::int64_t>(edges, "edges", "int64");
  if (ends.size() > 0 && (ends.ndim() != 2 || ends.shape(1) != 2))
    throw nb::value_error("edges must have one row of two nodes for each edge");
  std::vector<Graph::Edge> list(ends.size() / 2);
  for (std::size_t edge = 0; edge < list.size(); ++edge)
    list[edge] = {ends.data()[2 * edge], ends.data()[2 * edge + 1]};
  return Graph(nodes, list, spanOf(weightsOf(weights)), optionsOf(directed, selfLoops, duplicates));
}

Graph ofLinks(nb::handle offsets, nb::handle targets, nb::handle weights,
              const std::string& selfLoops, const std::string& duplicates) {
  return Graph::ofLinks(spanOf(arrayOf<std::int64_t>(offsets, "offsets", "int64")),
                        spanOf(arrayOf<std::int32_t>(targets, "targets", "int32")),
                        spanOf(weightsOf(weights)), optionsOf(true, selfLoops, duplicates));
}

Graph ofMatrix(nb::handle matrix, const std::string& selfLoops, const std::string& duplicates) {
  const nb::object rows = matrix.attr("tocsr")();
  const auto shape = nb::cast<std::pair<std::int64_t, std::int64_t>>(rows.attr("shape"));
  if (shape.first != shape.second)
    throw UsageError("{} rows and {} columns: the matrix of a network is square", shape.first,
                     shape.second);
  return ofLinks(rows.attr("indptr"), rows.attr("indices"), rows.attr("data"), selfLoops,
                 duplicates);
}

/// Returns a view of numbers of a network, which lives as long as the view.
template <class T>
nb::ndarray<nb::numpy, const T> viewOf(nb::handle graph, std::span<const T> numbers) {
  return {numbers.data(), {numbers.size()}, graph};
}

void bindGenerators(nb::module_& module) {
  const auto release = nb::call_guard<nb::gil_scoped_release>();
  module.def("erdosRenyiGraph", &erdosRenyiGraph, "nodes"_a, "probability"_a, "seed"_a = 1, release,
             "Returns G(n, p): each pair of nodes has an edge with a probability.");
  module.def("wattsStrogatzGraph", &wattsStrogatzGraph, "nodes"_a, "neighbors"_a, "rewiring"_a,
             "seed"_a = 1, release,
             "Returns a small world: a ring, part of whose edges are moved.");
  module.def("barabasiAlbertGraph", &barabasiAlbertGraph, "nodes"_a, "edgesOfNode"_a, "seed"_a = 1,
             release,
             "Returns a scale-free network: nodes are added with edges to nodes of many edges.");
  module.def("randomGeometricGraph", &randomGeometricGraph, "nodes"_a, "radius"_a, "seed"_a = 1,
             "dimensions"_a = 2, release,
             "Returns points in a unit square or cube, with edges up to a radius.");
  using Shape = std::vector<std::int64_t>;
  module.def(
      "latticeGraph", [](const Shape& shape) { return latticeGraph(shape); }, "shape"_a, release,
      "Returns a grid of 1 to 3 axes.");
  module.def(
      "torusGraph", [](const Shape& shape) { return torusGraph(shape); }, "shape"_a, release,
      "Returns a periodic grid of 1 to 3 axes.");
}

}  // namespace

void bindGraph(nb::module_& module) {
  nb::class_<Graph>(module, "Graph", "Network of nodes 0 .. nodes - 1 and their links.")
      .def(
          "__init__",
          [](Graph* graph, std::int64_t nodes, nb::handle edges, nb::handle weights, bool directed,
             const std::string& selfLoops, const std::string& duplicates) {
            new (graph) Graph(ofEdges(nodes, edges, weights, directed, selfLoops, duplicates));
          },
          "nodes"_a, "edges"_a, "weights"_a = nb::none(), nb::kw_only(), "directed"_a = false,
          "self_loops"_a = "refuse", "duplicates"_a = "refuse",
          "Makes a network of edges, an array with a row of two nodes for each.")
      .def_static(
          "from_arrays", &ofLinks, "offsets"_a, "targets"_a, "weights"_a = nb::none(),
          nb::kw_only(), "self_loops"_a = "refuse", "duplicates"_a = "refuse",
          "Returns the network of compressed sparse rows; undirected edges are in both rows.")
      .def_static("from_scipy", &ofMatrix, "matrix"_a, nb::kw_only(), "self_loops"_a = "refuse",
                  "duplicates"_a = "refuse",
                  "Returns the network of a square sparse matrix: an element in row i and column j "
                  "is a link of node i to j, its value the weight.")
      .def_prop_ro("nodes", &Graph::nodes)
      .def_prop_ro("links", &Graph::links)
      .def_prop_ro("hash", &Graph::hash)
      .def_prop_ro(
          "offsets",
          [](nb::handle self) { return viewOf(self, nb::cast<const Graph&>(self).offsets()); })
      .def_prop_ro(
          "targets",
          [](nb::handle self) { return viewOf(self, nb::cast<const Graph&>(self).targets()); })
      .def_prop_ro("weights",
                   [](nb::handle self) -> nb::object {
                     const auto& graph = nb::cast<const Graph&>(self);
                     if (!graph.isWeighted()) return nb::none();
                     return nb::cast(viewOf(self, graph.weights()));
                   })
      .def("reversed", &Graph::reversed, "Returns the network whose links point the other way.")
      .def(
          "__eq__",
          [](const Graph& graph, nb::handle other) {
            return nb::isinstance<Graph>(other) && graph == nb::cast<const Graph&>(other);
          },
          nb::arg("other"), nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__repr__", [](const Graph& graph) {
        return fmt::format("<Graph: {} nodes, {} links>", graph.nodes(), graph.links());
      });
  module.def(
      "readGraph",
      [](const std::filesystem::path& file, bool directed, const std::string& selfLoops,
         const std::string& duplicates) {
        return readGraph(file, optionsOf(directed, selfLoops, duplicates));
      },
      "file"_a, nb::kw_only(), "directed"_a = false, "self_loops"_a = "refuse",
      "duplicates"_a = "refuse", nb::call_guard<nb::gil_scoped_release>(),
      "Reads a network from a .csv, .tsv, .txt, .mtx or .graphml file.");
  bindGenerators(module);
}

}  // namespace mass::python
