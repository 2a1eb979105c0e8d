#include <mass/io/config_node.hpp>
#include <mass/io/settings.hpp>
#include <mass/support/error.hpp>

#include <gtest/gtest.h>
#include <tests/support/temporary_folder.hpp>

#include <string>

namespace mass {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;

Schema withTree() {
  auto schema = Schema::library();
  schema.addTree("model", "what is simulated");
  return schema;
}

Settings parse(std::string_view yaml) {
  return Settings::parse(yaml, "min.yaml", withTree());
}

constexpr const char* example = R"(seed: 3
model:
  lattice: {sites: [64, 32], spacing: 16 nm}
  species:
    A: {cytoplasm: 2.5}
    B: yes
  steps: 12
)";

std::string errorIn(std::string_view yaml) {
  return messageOf<SettingsError>([&] { parse(yaml); });
}

TEST(ConfigNode, holdsTextsListsAndMaps) {
  const Settings settings = parse(example);
  const ConfigNode& model = settings.tree("model");
  EXPECT_EQ(model.at("lattice").at("spacing").text(), "16 nm");
  EXPECT_EQ(model.at("lattice").at("sites").items().size(), 2U);
  EXPECT_EQ(model.at("lattice").at("sites").items()[1].integer(), 32);
  EXPECT_EQ(model.at("species").entries()[1].key(), "B");
  EXPECT_TRUE(model.at("species").at("B").truth());
  EXPECT_DOUBLE_EQ(model.at("species").at("A").at("cytoplasm").number(), 2.5);
  EXPECT_EQ(model.at("steps").integer(), 12);
  EXPECT_EQ(model.find("nothing"), nullptr);
  EXPECT_EQ(model.at("steps").itemOrItems().size(), 1U);
  EXPECT_EQ(settings.get<int>("seed"), 3);
}

TEST(ConfigNode, isAnEmptyMapWhereTheFileHasNone) {
  for (const auto* yaml : {"seed: 3", "model:", "model: {}"}) {
    const Settings settings = parse(yaml);
    EXPECT_TRUE(settings.tree("model").entries().empty()) << yaml;
    EXPECT_TRUE(contains(messageOf<SettingsError>([&] { settings.tree("model").at("lattice"); }),
                         "'lattice' is missing"));
  }
  EXPECT_EQ(messageOf<SettingsError>([&] { parse("seed: 3").tree("model").at("lattice"); }),
            "min.yaml: 'model': the key 'lattice' is missing");
}

TEST(ConfigNode, numbersAreFinite) {
  for (const std::string text : {".inf", "-.inf", ".nan", "inf", "nan"}) {
    const Settings settings = parse("model: {rate: " + text + "}");
    EXPECT_EQ(messageOf<SettingsError>([&] { settings.tree("model").at("rate").number(); }),
              "min.yaml:1: 'model.rate': expected a number, got " + text);
  }
}

TEST(ConfigNode, readsValuesInTheirUsualForms) {
  const Settings settings = parse("model: {a: True, b: OFF, c: 1.0, d: 2e3, e: 1e-999, f: 0}");
  const ConfigNode& model = settings.tree("model");
  EXPECT_TRUE(model.at("a").truth());
  EXPECT_FALSE(model.at("b").truth());
  EXPECT_FALSE(model.at("f").truth());
  EXPECT_EQ(model.at("c").integer(), 1);
  EXPECT_EQ(model.at("d").integer(), 2000);
  EXPECT_EQ(model.at("d").number(), 2000);
  EXPECT_EQ(model.at("e").number(), 0);
}

TEST(ConfigNode, refusesNumbersThatAreTooLarge) {
  const Settings settings = parse("model: {a: 1e999, b: 1e19}");
  const ConfigNode& model = settings.tree("model");
  EXPECT_EQ(messageOf<SettingsError>([&] { model.at("a").number(); }),
            "min.yaml:1: 'model.a': expected a number, got 1e999, which is too large for a double "
            "(at most 1.8e308)");
  EXPECT_EQ(
      messageOf<SettingsError>([&] { model.at("b").integer(); }),
      "min.yaml:1: 'model.b': expected an integer, got 1e19, which does not fit into 64 bits");
}

TEST(ConfigNode, messagesNameFileLineAndKey) {
  const Settings settings = parse(example);
  const ConfigNode& model = settings.tree("model");
  EXPECT_EQ(messageOf<SettingsError>(
                [&] { model.at("species").at("A").at("cytoplasm").reject("too fast"); }),
            "min.yaml:5: 'model.species.A.cytoplasm' = 2.5: too fast");
  EXPECT_EQ(
      messageOf<SettingsError>([&] { model.at("lattice").at("sites").items()[1].reject("odd"); }),
      "min.yaml:3: 'model.lattice.sites[2]' = 32: odd");
  EXPECT_EQ(messageOf<SettingsError>([&] { model.at("species").number(); }),
            "min.yaml:4: 'model.species': expected a number, got a section");
  EXPECT_EQ(messageOf<SettingsError>([&] { model.at("lattice").at("spacing").integer(); }),
            "min.yaml:3: 'model.lattice.spacing': expected an integer, got 16 nm");
  EXPECT_EQ(messageOf<SettingsError>([&] { model.at("steps").items(); }),
            "min.yaml:7: 'model.steps': expected a list, got 12");
  EXPECT_EQ(messageOf<SettingsError>([&] { model.at("lattice").at("sites").text(); }),
            "min.yaml:3: 'model.lattice.sites': expected a single value, got a list");
  EXPECT_EQ(messageOf<SettingsError>([&] { model.at("steps").truth(); }),
            "min.yaml:7: 'model.steps': expected true or false, got 12");
  EXPECT_EQ(messageOf<SettingsError>([&] { model.at("steps").find("x"); }),
            "min.yaml:7: 'model.steps': expected 'key: value' pairs, got 12");
}

TEST(ConfigNode, findsKeysThatAreUnknown) {
  const Settings settings = parse(example);
  const ConfigNode& lattice = settings.tree("model").at("lattice");
  EXPECT_NO_THROW(lattice.refuseOthers({"sites", "spacing", "timestep"}));
  EXPECT_EQ(messageOf<SettingsError>([&] {
              lattice.refuseOthers({"sites", "spacings"});
            }),
            "min.yaml:3: 'model.lattice.spacing': there is no such key; did you mean 'spacings'?");
  EXPECT_EQ(
      messageOf<SettingsError>([&] {
        lattice.refuseOthers({"sites", "d"});
      }),
      "min.yaml:3: 'model.lattice.spacing': there is no such key; the keys here are sites, d");
}

TEST(ConfigNode, isRefusedWhereItIsNotWhole) {
  EXPECT_EQ(errorIn("model: 3"),
            "min.yaml:1: 'model' is a section: expected its keys indented below it, got '3'");
  EXPECT_EQ(errorIn("model:\n  a:\n"), "min.yaml:2: 'model.a' has no value");
  EXPECT_EQ(errorIn("model:\n  a: 1\n  a: 2\n"),
            "min.yaml:3: 'a' is given a second time; the first is min.yaml:2: 'model.a'");
  EXPECT_EQ(errorIn("model:\n  ? [1]\n  : 2\n"), "min.yaml:2: a key must be a word, got a list");
  EXPECT_EQ(errorIn("modle: {a: 1}"), "min.yaml:1: unknown key 'modle'; did you mean 'model'?");
  EXPECT_TRUE(contains(errorIn("model:\n  a: \"\\0\"\n"), "control character"));
  EXPECT_TRUE(contains(errorIn("model: {" + std::string(129, 'k') + ": 1}"), "128 bytes"));
}

TEST(ConfigNode, ofAliasesEndsBeforeMemoryDoes) {
  EXPECT_TRUE(contains(errorIn("model: &m\n  a: *m\n"), "nested more than 32 deep"));
  std::string bomb = "model:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const auto last = "*a" + std::to_string(i - 1);
    bomb += "  a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 9; ++k) bomb += ", " + last;
    bomb += "]\n";
  }
  EXPECT_TRUE(contains(errorIn(bomb), "more than 100000 values"));
}

TEST(ConfigNode, isGivenInAFileOnly) {
  Settings settings{withTree()};
  const auto message = "the section 'model' can be given in a settings file only";
  EXPECT_TRUE(contains(messageOf<SettingsError>([&] { settings.set("model=1"); }), message));
  EXPECT_TRUE(
      contains(messageOf<SettingsError>([&] { settings.set("model.lattice=1"); }), message));
}

TEST(ConfigNode, printsWhatReadsBackToTheSame) {
  for (const std::string& yaml :
       {std::string(example), std::string("model: {}"),
        std::string("model: {a: [], b: {}, c: '', d: [[1, [2]], {e: f}], 'g: h': '- [x]'}"),
        std::string("model: {a: ['true', '~', \"line\\nline\", '#', 'a, b', 'a: b', ' blank ']}"),
        "model: {long: [" + std::string(90, 'x') + ", [" + std::string(90, 'y') +
            ", {k: " + std::string(90, 'z') + "}], []]}"}) {
    const Settings settings = parse(yaml);
    const auto printed = settings.print();
    const Settings again = parse(printed);
    EXPECT_EQ(again.print(), printed);
    EXPECT_TRUE(again.tree("model") == settings.tree("model")) << printed;
    EXPECT_TRUE(again.differences(settings).empty());
  }
  EXPECT_TRUE(contains(parse(example).print(),
                       "\n  lattice: {sites: [64, 32], spacing: 16 nm}\n  species: {A: "
                       "{cytoplasm: 2.5}, B: yes}\n  steps: 12\n"))
      << parse(example).print();
}

TEST(ConfigNode, isAmongTheDifferences) {
  const Settings settings = parse(example);
  EXPECT_EQ(settings.differences(parse("seed: 3\nmodel: {steps: 12}")),
            std::vector<std::string>{"model"});
  EXPECT_TRUE(settings.differences(Settings::parse("seed: 3", "other.yaml")).empty());
}

TEST(ConfigNode, isDeclaredOnceAndInTheTable) {
  EXPECT_TRUE(
      contains(withTree().markdownTable(), "| `model` | section |  |  |  | what is simulated |\n"));
  auto schema = withTree();
  EXPECT_THROW(schema.addTree("model", ""), UsageError);
  EXPECT_THROW(schema.addTree("output", ""), UsageError);
  EXPECT_THROW(schema.addTree("seed", ""), UsageError);
  EXPECT_THROW(schema.addTree("a b", ""), UsageError);
  EXPECT_THROW(schema.add("model", 1, "", ""), UsageError);
  EXPECT_THROW(schema.add("model.a", 1, "", ""), UsageError);
  EXPECT_THROW(Settings{}.tree("model"), UsageError);
}

}  // namespace
}  // namespace mass
