#include <gtest/gtest.h>

#include <mass/io/command_line.hpp>
#include <mass/support/error.hpp>
#include <sstream>

namespace mass {
namespace {

Schema life() {
  auto schema = Schema::library();
  schema.add("rows", 512, "places", "height of the world").atLeast(1);
  return schema;
}

std::optional<detail::CommandLine> parse(std::vector<const char*> arguments, std::ostream& out) {
  arguments.insert(arguments.begin(), "bin/life");
  return detail::parseCommandLine(static_cast<int>(arguments.size()), arguments.data(), "life",
                                  "Conway's Game of Life", life(), out);
}

detail::CommandLine parse(std::vector<const char*> arguments) {
  std::ostringstream out;
  const auto line = parse(std::move(arguments), out);
  EXPECT_EQ(out.str(), "");
  return line.value();
}

std::string errorOf(std::vector<const char*> arguments) {
  try {
    parse(std::move(arguments));
  } catch (const SettingsError& error) {
    return error.what();
  }
  return "no SettingsError";
}

TEST(CommandLine, takesOneSettingsFile) {
  const auto line = parse({"life.yaml"});
  EXPECT_EQ(line.settings, "life.yaml");
  EXPECT_TRUE(line.assignments.empty());
  EXPECT_TRUE(line.restart.empty());
  EXPECT_FALSE(line.printSettings);
}

TEST(CommandLine, takesOptionsInAnyOrder) {
  const auto line = parse({"--set", "rows=5", "--print-settings", "--set=weights=[1,2]",
                           "life.yaml", "--restart", "out/checkpoint.h5", "--set", "steps=-3"});
  EXPECT_EQ(line.settings, "life.yaml");
  EXPECT_EQ(line.assignments, (std::vector<std::string>{"rows=5", "weights=[1,2]", "steps=-3"}));
  EXPECT_EQ(line.restart, "out/checkpoint.h5");
  EXPECT_TRUE(line.printSettings);
}

TEST(CommandLine, takesNumbersOfDevicesToPredict) {
  EXPECT_TRUE(parse({"life.yaml"}).predict.empty());
  EXPECT_EQ(parse({"--predict", "8,64,512", "life.yaml"}).predict, (std::vector<int>{8, 64, 512}));
  for (const char* text : {"", "0", "8,,9", "8,", "a", "-1", "8;9"})
    EXPECT_EQ(errorOf({"--predict", text}),
              std::string("--predict ") + text +
                  ": give numbers of devices, each at least 1, such as 8,64,512");
  EXPECT_EQ(errorOf({"--predict", "8", "--restart", "a.h5"}),
            "--predict measures a few steps and writes no results: leave out --restart");
}

TEST(CommandLine, hasALiveViewIfAskedTo) {
  EXPECT_FALSE(parse({"life.yaml"}).live.has_value());
  EXPECT_EQ(parse({"--live", "life.yaml"}).live, 0);
  EXPECT_EQ(parse({"--live", "life.yaml"}).settings, "life.yaml");
  EXPECT_EQ(parse({"life.yaml", "--live=8080"}).live, 8080);
  EXPECT_TRUE(parse({"--live"}).waitsForPage);
  EXPECT_FALSE(parse({"--live", "--live-now"}).waitsForPage);
}

TEST(CommandLine, refusesAPortThatIsNone) {
  for (const char* const option : {"--live=65536", "--live=-1", "--live=http", "--live=80.5"})
    EXPECT_NE(errorOf({option}).find("give a port"), std::string::npos) << errorOf({option});
  EXPECT_NE(errorOf({"--live-now"}).find("--live"), std::string::npos);
  EXPECT_NE(errorOf({"--liv"}).find("did you mean '--live'?"), std::string::npos);
}

TEST(CommandLine, anAssignmentReachesSettingsAsItStands) {
  for (const auto* assignment :
       {"rule=a b", "rule=[x]", "[a,b]", "rule=", "a,b", "rule=\"x\"", "="})
    EXPECT_EQ(parse({"life.yaml", "--set", assignment}).assignments,
              std::vector<std::string>{assignment});
}

TEST(CommandLine, defaultsApplyWithoutAFile) {
  EXPECT_TRUE(parse({"--print-settings"}).settings.empty());
  EXPECT_TRUE(parse({}).settings.empty());
}

TEST(CommandLine, wrongUseIsExplained) {
  EXPECT_EQ(errorOf({""}), "'' names no settings file; leave it out to run with the defaults");
  EXPECT_EQ(errorOf({"life.yaml", "--restrat", "x"}),
            "unknown option '--restrat'; did you mean '--restart'?");
  EXPECT_EQ(errorOf({"life.yaml", "--rows=5"}),
            "unknown option '--rows'; did you mean '--set rows=VALUE'?");
  EXPECT_EQ(errorOf({"life.yaml", "-q"}), "unknown option '-q'; --help lists the options");
  EXPECT_EQ(errorOf({"life.yaml", "other.yaml"}),
            "unexpected argument 'other.yaml'; give one settings file");
  EXPECT_NE(errorOf({"life.yaml", "--set"}).find("--set"), std::string::npos);
  EXPECT_NE(errorOf({"life.yaml", "--restart"}).find("--restart"), std::string::npos);
  EXPECT_EQ(errorOf({"life.yaml", "--restart", ""}),
            "--restart '' names no checkpoint; leave out --restart to run from the start");
  EXPECT_NE(errorOf({"life.yaml", "--restart", "a", "--restart", "b"}).find("--restart"),
            std::string::npos);
}

TEST(CommandLine, helpNamesOptionsAndEveryKey) {
  const auto schema = life();
  for (const auto* option : {"--help", "-h"}) {
    std::ostringstream out;
    EXPECT_FALSE(parse({option}, out).has_value());
    const auto help = out.str();
    for (const auto* text :
         {"Conway's Game of Life", "SETTINGS.yaml", "--set KEY=VALUE", "--restart FILE",
          "--print-settings", "--help", "--version",
          "height of the world [places, at least 1]; default 512", "Example: life "})
      EXPECT_NE(help.find(text), std::string::npos) << text << "\n" << help;
    for (const auto& key : schema.keys())
      EXPECT_NE(help.find("  " + key.name + " "), std::string::npos) << key.name;
  }
}

TEST(CommandLine, versionIsThePackages) {
  std::ostringstream out;
  EXPECT_FALSE(parse({"--version"}, out).has_value());
  EXPECT_EQ(out.str().find("life (MASS "), 0u) << out.str();
  EXPECT_NE(out.str().find('.'), std::string::npos);
}

}  // namespace
}  // namespace mass
