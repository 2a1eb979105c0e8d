// Neurons of SWC files as site types of a model.
#include <tests/apps/rdme/small_models.hpp>

#include <apps/rdme/model/model.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace rdme {
namespace {

using mass::testing::contains;

/// Returns a model of a box with the neuron of settings/.
/// @param more further keys of the item `swc`
std::string yamlOf(const std::string& sites, const std::string& more,
                   const std::string& path = MASS_SOURCE_DIR "/settings/small_neuron.swc") {
  return "model:\n  lattice: {sites: " + sites +
         ", spacing: 0.5 um, timestep: 1 us}\n  site types: [c, d]\n  geometry:\n    - swc: "
         "{path: " +
         path + ", type: d" + more + "}\n  species: {A: 1 um2/s}\n";
}
Model modelOf(const std::string& sites, const std::string& more) {
  return Model::parse(yamlOf(sites, more), "cell.yaml");
}
std::string errorOf(const std::string& yaml) {
  return mass::testing::messageOf<mass::SettingsError>([&] { Model::parse(yaml, "cell.yaml"); });
}

/// Returns the cubes that the library finds.
mass::Morphology::Cubes cubesOf(const mass::Morphology::Grid& grid) {
  return mass::Morphology(MASS_SOURCE_DIR "/settings/small_neuron.swc").cubes(grid);
}

TEST(Neuron, HasTheCubesOfTheLibraryInTheMiddleOfTheLattice) {
  const auto cubes = cubesOf({.edge = 0.5,
                              .types = {3, 4},
                              .within = {{.radius = 20}},
                              .rule = mass::Morphology::Rule::middle});
  const Model model = modelOf(
      "[100, 120, 90]", ", types: [3, 4], within: {center: soma, radius: 20 um}, rule: middle");
  EXPECT_EQ(model.siteCounts[2], static_cast<std::int64_t>(cubes.indices.size()));
  EXPECT_EQ(model.siteCounts[1], 0);
  const auto first = mass::coordinatesOf(cubes.indices.front(), cubes.shape);
  std::size_t at = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto sites = model.sites[static_cast<std::size_t>(axis)];
    at = at * static_cast<std::size_t>(sites) +
         static_cast<std::size_t>((sites - cubes.shape[axis]) / 2 + first[axis]);
  }
  EXPECT_EQ(model.types[at], 2);
  EXPECT_EQ(
      std::count(model.types.begin(), model.types.begin() + static_cast<std::ptrdiff_t>(at), 2), 0);
  EXPECT_TRUE(contains(model.report(), fmt::format("{} sites in a box of", cubes.indices.size())));
  ASSERT_FALSE(cubes.notes.empty()) << "the axon is left out";
  for (const std::string& note : cubes.notes) EXPECT_TRUE(contains(model.report(), note)) << note;
}

TEST(Neuron, TakesEveryTouchedSiteUnlessTold) {
  const auto touched = modelOf("[100, 140, 90]", "").siteCounts[2];
  EXPECT_EQ(touched, static_cast<std::int64_t>(cubesOf({.edge = 0.5}).indices.size()));
  EXPECT_GT(touched, modelOf("[100, 140, 90]", ", rule: middle").siteCounts[2]);
  EXPECT_EQ(modelOf("[100, 140, 90]", ", scale: 1 um").siteCounts[2], touched);
  EXPECT_LT(modelOf("[100, 140, 90]", ", scale: 500 nm").siteCounts[2], touched);
}

TEST(Neuron, RefusesBadInput) {
  const std::string where = "cell.yaml:5: 'model.geometry[1].swc";
  EXPECT_TRUE(
      contains(errorOf(yamlOf("[10, 10, 10]", "")), where + "': the box around the neuron has "));
  EXPECT_TRUE(
      contains(errorOf(yamlOf("[100, 140, 90]", ", rule: near")), where + ".rule' = near: "));
  EXPECT_TRUE(contains(errorOf(yamlOf("[100, 140, 90]", ", types: [256]")), ".types[1]' = 256: "));
  EXPECT_TRUE(contains(errorOf(yamlOf("[100, 140, 90]", ", types: 3.5")), ".types' = 3.5: "));
  EXPECT_TRUE(contains(errorOf(yamlOf("[100, 140, 90]", ", scale: 2")), where + ".scale' = 2: "));
  EXPECT_TRUE(contains(errorOf(yamlOf("[100, 140, 90]", ", within: {center: axon, radius: 1 um}")),
                       ".within.center' = axon: expected soma"));
  EXPECT_TRUE(contains(errorOf(yamlOf("[100, 140, 90]", ", within: {radius: 0 um}")),
                       ".within.radius' = 0 um: "));
  EXPECT_TRUE(contains(
      errorOf(yamlOf("[100, 140, 90]", ", within: {center: [900 um, 0 um, 0 um], radius: 1 um}")),
      where));
  EXPECT_TRUE(contains(errorOf(yamlOf("[100, 140, 90]", "", "none.swc")), "none.swc"));
  const mass::testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "bad.swc") << "1 1 0 0 0 1 -1\n2 3 0 5 0 -1 1\n";
  EXPECT_TRUE(
      contains(errorOf(yamlOf("[100, 140, 90]", "", folder.path() / "bad.swc")), "bad.swc:2"));
}

}  // namespace
}  // namespace rdme
