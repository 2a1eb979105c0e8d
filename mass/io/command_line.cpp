#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <mass/io/command_line.hpp>
#include <mass/io/parse_value.hpp>
#include <mass/support/error.hpp>
#include <ostream>

namespace mass::detail {
namespace {

/// Returns a line per key with its meaning, unit, range and default, and an example call.
std::string keysHelp(std::string_view name, const Schema& schema) {
  std::string help =
      "Keys of SETTINGS.yaml and --set (output.folder is the key 'folder' of the section "
      "'output'):\n";
  for (const auto& key : schema.keys()) {
    help +=
        fmt::format("  {:<26} {}; default {}\n", key.name, key.meaning(), toYaml(key.defaultValue));
  }
  for (const auto& tree : schema.trees())
    help += fmt::format("  {:<26} {}; a section of SETTINGS.yaml\n", tree.name, tree.about);
  return help +
         fmt::format("\nExample: {0} {0}.yaml --set steps=500 --set output.folder=out/short\n",
                     name);
}

/// Returns the message for an argument that is neither an option nor the settings file.
std::string unknownArgumentMessage(const std::string& argument, const Schema& schema) {
  if (!argument.starts_with('-'))
    return fmt::format("unexpected argument '{}'; give one settings file", argument);
  const auto option = argument.substr(0, argument.find('='));
  const auto key = option.substr(option.find_first_not_of('-'));
  if (schema.find(key) != nullptr)
    return fmt::format("unknown option '{}'; did you mean '--set {}=VALUE'?", option, key);
  const auto near =
      nearestName(option, {"--set", "--restart", "--again", "--show", "--live", "--live-now",
                           "--predict", "--print-settings", "--help", "--version"});
  return fmt::format("unknown option '{}'; {}", option,
                     near.empty() ? "--help lists the options" : "did you mean '" + near + "'?");
}

/// Returns the port of the option --live. @param text its value; "true" if it has none
/// @throws SettingsError if the text is no port
int portOf(const std::string& text) {
  if (text == "true") return 0;
  int port = 0;
  if (!parseValue(text, port).empty() || port < 0 || port > 65535)
    throw SettingsError("--live={}: give a port from 1024 to 65535, or none for a free one", text);
  return port;
}

/// Returns the numbers of devices of the option --predict.
/// @throws SettingsError if the text is no list of such numbers
std::vector<int> deviceCountsOf(const std::string& text) {
  std::vector<int> counts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    int& count = counts.emplace_back();
    if (!parseValue(text.substr(begin, end - begin), count).empty() || count < 1)
      throw SettingsError(
          "--predict {}: give numbers of devices, each at least 1, such as 8,64,512", text);
    begin = end + 1;
  }
  return counts;
}

/// Paths and options as they are given.
struct GivenOptions {
  std::optional<std::string> settings, restart, again, show, predict;
  bool isLive = false, beginsAtOnce = false;
};

/// @throws SettingsError if a path is empty, probably an unset variable in a script: a run from the
/// start would replace the earlier results
void requirePaths(const GivenOptions& given) {
  if (given.settings == "")
    throw SettingsError("'' names no settings file; leave it out to run with the defaults");
  if (given.restart == "")
    throw SettingsError(
        "--restart '' names no checkpoint; leave out --restart to run from the start");
  if (given.again == "") throw SettingsError("--again '' names no run.json of a run to repeat");
  if (given.show == "") throw SettingsError("--show '' names no output folder of a run to show");
}

/// @throws SettingsError if options exclude each other
void requireFittingOptions(const GivenOptions& given) {
  if (given.show && (given.settings || given.restart || given.again))
    throw SettingsError("--show takes all settings from the run in '{}': leave out the {}",
                        *given.show,
                        given.settings  ? "settings file"
                        : given.restart ? "option --restart"
                                        : "option --again");
  if (given.again && (given.settings || given.restart))
    throw SettingsError("--again takes the settings and the checkpoint from '{}': leave out the {}",
                        *given.again, given.settings ? "settings file" : "option --restart");
  if (given.predict && (given.restart || given.again || given.show || given.isLive))
    throw SettingsError("--predict measures a few steps and writes no results: leave out --{}",
                        given.restart ? "restart"
                        : given.again ? "again"
                        : given.show  ? "show"
                                      : "live");
  if (given.beginsAtOnce && !given.isLive && !given.show)
    throw SettingsError("--live-now is for a run with --live or --show; leave it out");
}

}  // namespace

std::optional<CommandLine> parseCommandLine(int argc, const char* const* argv,
                                            std::string_view name, std::string_view about,
                                            const Schema& schema, std::ostream& out) {
  CommandLine line;
  GivenOptions given;
  CLI::App app{std::string{about}, std::string{name}};
  app.allow_extras();  // refused below, with the most similar option
  app.add_option("SETTINGS.yaml", given.settings, "settings of the run; without it, the defaults")
      ->type_name("TEXT");
  app.add_option("--set", line.assignments, "change one key; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--restart", given.restart, "continue from this checkpoint")->type_name("FILE");
  app.add_option("--again", given.again,
                 "repeat the run of this run.json and compare the state hash")
      ->type_name("FILE");
  app.add_option("--show", given.show,
                 "show the run of this output folder on a page as --live does, at any step")
      ->type_name("FOLDER");
  std::string port;
  const CLI::Option* const lives = app.add_flag(
      "--live", port,
      "serve a page on 127.0.0.1 that shows and steers the run, at a free port or with "
      "--live=PORT; the run begins when the page is open, or after a minute");
  app.add_flag("--live-now", given.beginsAtOnce,
               "with --live or --show: begin at once, without a page");
  app.add_option(
         "--predict", given.predict,
         "measure some seconds, print the predicted time of a step on so many devices, such "
         "as 8,64,512, and stop")
      ->type_name("DEVICES,...");
  app.add_flag("--print-settings", line.printSettings, "print all settings as YAML and stop");
  app.set_help_flag("-h,--help", "print this and stop");
  app.set_version_flag("--version", fmt::format("{} (MASS {})", name, MASS_VERSION),
                       "print the version and stop");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    out << version.what() << '\n';
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    out << app.help() << '\n' << keysHelp(name, schema);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw SettingsError("{}; --help lists the options", error.what());
  }
  if (const auto unknown = app.remaining(); !unknown.empty())
    throw SettingsError("{}", unknownArgumentMessage(unknown.front(), schema));
  given.isLive = lives->count() > 0;
  requirePaths(given);
  requireFittingOptions(given);
  if (given.predict) line.predict = deviceCountsOf(*given.predict);
  if (given.isLive) line.live = portOf(port);
  if (given.show && !line.live) line.live = 0;
  line.waitsForPage = !given.beginsAtOnce;
  line.settings = given.settings.value_or("");
  line.again = given.again.value_or("");
  line.show = given.show.value_or("");
  line.restart = given.restart.value_or("");
  return line;
}

}  // namespace mass::detail
