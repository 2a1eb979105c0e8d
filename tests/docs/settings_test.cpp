// Compares docs/settings.md and docs/determinism.md with the schemas.

#include <apps/boids/setup.hpp>
#include <apps/calcium/setup.hpp>
#include <apps/circles/setup.hpp>
#include <apps/forest_fire/setup.hpp>
#include <apps/heat2d/setup.hpp>
#include <apps/heat3d/setup.hpp>
#include <apps/lbm/setup.hpp>
#include <apps/life/setup.hpp>
#include <apps/life3d/setup.hpp>
#include <apps/phold/setup.hpp>
#include <apps/predation/setup.hpp>
#include <apps/rdme/setup.hpp>
#include <apps/schelling/setup.hpp>
#include <apps/seismic/setup.hpp>
#include <apps/sugarscape/setup.hpp>
#include <apps/traffic/setup.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

/// The table below the heading `## <title>` of docs/settings.md.
std::string tableBelow(const std::string& title) {
  std::ifstream document(MASS_SOURCE_DIR "/docs/settings.md");
  std::string table;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("## ")) inside = line == "## " + title;
    if (inside && line.starts_with('|')) table += line + '\n';
  }
  return table;
}

/// Returns the keys without effect on results; "output.*" stands for the section `output`.
std::vector<std::string> keysWithoutEffect(const mass::Schema& schema) {
  std::vector<std::string> names;
  for (const mass::detail::KeyInfo& key : schema.keys()) {
    const auto name = key.section().empty() ? key.name : std::string(key.section()) + ".*";
    const bool isListed = std::find(names.begin(), names.end(), name) != names.end();
    if (!key.affectsResults && !isListed) names.push_back(name);
    EXPECT_FALSE(key.affectsResults && isListed) << key.name << " contradicts " << name;
  }
  return names;
}

/// Returns the names in backquotes between "Only" and "may differ" in docs/determinism.md.
std::vector<std::string> documentedKeysWithoutEffect() {
  std::ifstream document(MASS_SOURCE_DIR "/docs/determinism.md");
  const std::string text{std::istreambuf_iterator<char>(document), {}};
  const auto begin = text.find("Only `"), end = text.find("may differ");
  std::vector<std::string> names;
  for (auto open = text.find('`', begin); open < end;) {
    const auto close = text.find('`', open + 1);
    names.push_back(text.substr(open + 1, close - open - 1));
    open = text.find('`', close + 1);
  }
  return names;
}

/// The keys that an app adds to the library's, or gives another default.
mass::Schema ownKeys(const mass::Schema& app) {
  const auto library = mass::Schema::library();
  mass::Schema own;
  for (const mass::detail::KeyInfo& key : app.keys()) {
    const mass::detail::KeyInfo* const same = library.find(key.name);
    if (same == nullptr || same->defaultValue != key.defaultValue) own.add(key);
  }
  for (const mass::detail::TreeInfo& tree : app.trees()) own.addTree(tree.name, tree.about);
  return own;
}

void expectTable(const std::string& title, const mass::Schema& schema) {
  EXPECT_EQ(tableBelow(title), schema.markdownTable())
      << "Put this below '## " << title << "' in docs/settings.md:\n\n"
      << schema.markdownTable();
}

TEST(SettingsPage, ListsTheKeysOfTheLibrary) {
  expectTable("Every program", mass::Schema::library());
}

TEST(DeterminismPage, ListsTheKeysWithoutEffectOnResults) {
  const auto documented = documentedKeysWithoutEffect();
  EXPECT_EQ(documented, keysWithoutEffect(mass::Schema::library()));
  for (const mass::Schema& app :
       {boids::schema(), calcium::schema(), lbm::schema(), circles::schema(), forest_fire::schema(),
        heat2d::schema(), heat3d::schema(), life::schema(), life3d::schema(), phold::schema(),
        predation::schema(), rdme::schema(), schelling::schema(), seismic::schema(),
        sugarscape::schema(), traffic::schema()}) {
    EXPECT_EQ(documented, keysWithoutEffect(app));
  }
}

TEST(SettingsPage, ListsTheKeysOfEveryApp) {
  expectTable("boids", ownKeys(boids::schema()));
  expectTable("calcium", ownKeys(calcium::schema()));
  expectTable("circles", ownKeys(circles::schema()));
  expectTable("forest_fire", ownKeys(forest_fire::schema()));
  expectTable("heat2d", ownKeys(heat2d::schema()));
  expectTable("heat3d", ownKeys(heat3d::schema()));
  expectTable("lbm", ownKeys(lbm::schema()));
  expectTable("life", ownKeys(life::schema()));
  expectTable("life3d", ownKeys(life3d::schema()));
  expectTable("phold", ownKeys(phold::schema()));
  expectTable("predation", ownKeys(predation::schema()));
  expectTable("rdme", ownKeys(rdme::schema()));
  expectTable("schelling", ownKeys(schelling::schema()));
  expectTable("seismic", ownKeys(seismic::schema()));
  expectTable("sugarscape", ownKeys(sugarscape::schema()));
  expectTable("traffic", ownKeys(traffic::schema()));
}

TEST(SettingsPage, KnowsEveryApp) {
  const std::string known =
      "boids calcium circles forest_fire heat2d heat3d lbm life life3d phold predation rdme "
      "schelling seismic sugarscape traffic";
  for (const auto& folder : std::filesystem::directory_iterator(MASS_SOURCE_DIR "/apps")) {
    const std::string name = folder.path().filename().string();
    if (!std::filesystem::exists(folder.path() / "main.cpp")) continue;
    EXPECT_NE(known.find(name), std::string::npos)
        << "Add " << name << " to ListsTheKeysOfEveryApp and to this list.";
  }
}

}  // namespace
