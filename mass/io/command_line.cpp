#include <fmt/format.h>

#include <CLI/CLI.hpp>
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
  const auto near = nearestName(option, {"--set", "--restart", "--again", "--show", "--live",
                                         "--live-now", "--print-settings", "--help", "--version"});
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

}  // namespace

std::optional<CommandLine> parseCommandLine(int argc, const char* const* argv,
                                            std::string_view name, std::string_view about,
                                            const Schema& schema, std::ostream& out) {
  CommandLine line;
  std::string settings;
  std::string restart;
  std::string again;
  CLI::App app{std::string{about}, std::string{name}};
  app.allow_extras();  // refused below, with the most similar option
  const CLI::Option* const files =
      app.add_option("SETTINGS.yaml", settings, "settings of the run; without it, the defaults");
  app.add_option("--set", line.assignments, "change one key; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  const CLI::Option* const restarts =
      app.add_option("--restart", restart, "continue from this checkpoint")->type_name("FILE");
  const CLI::Option* const agains =
      app.add_option("--again", again, "repeat the run of this run.json and compare the state hash")
          ->type_name("FILE");
  std::string show;
  const CLI::Option* const shows =
      app.add_option("--show", show,
                     "show the run of this output folder on a page as --live does, at any step")
          ->type_name("FOLDER");
  std::string port;
  const CLI::Option* const lives = app.add_flag(
      "--live", port,
      "serve a page on 127.0.0.1 that shows and steers the run, at a free port or with "
      "--live=PORT; the run begins when the page is open, or after a minute");
  bool beginsAtOnce = false;
  const CLI::Option* const nows = app.add_flag(
      "--live-now", beginsAtOnce, "with --live or --show: begin at once, without a page");
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
  // Probably unset variables in a script. A run from the start would replace the earlier results.
  if (files->count() > 0 && settings.empty())
    throw SettingsError("'' names no settings file; leave it out to run with the defaults");
  if (restarts->count() > 0 && restart.empty())
    throw SettingsError(
        "--restart '' names no checkpoint; leave out --restart to run from the start");
  if (agains->count() > 0 && again.empty())
    throw SettingsError("--again '' names no run.json of a run to repeat");
  if (shows->count() > 0 && show.empty())
    throw SettingsError("--show '' names no output folder of a run to show");
  if (shows->count() > 0 && files->count() + restarts->count() + agains->count() > 0)
    throw SettingsError("--show takes all settings from the run in '{}': leave out the {}", show,
                        files->count() > 0      ? "settings file"
                        : restarts->count() > 0 ? "option --restart"
                                                : "option --again");
  if (agains->count() > 0 && (files->count() > 0 || restarts->count() > 0))
    throw SettingsError("--again takes the settings and the checkpoint from '{}': leave out the {}",
                        again, files->count() > 0 ? "settings file" : "option --restart");
  if (nows->count() > 0 && lives->count() + shows->count() == 0)
    throw SettingsError("--live-now is for a run with --live or --show; leave it out");
  if (lives->count() > 0) line.live = portOf(port);
  if (shows->count() > 0 && !line.live) line.live = 0;
  line.waitsForPage = !beginsAtOnce;
  line.settings = settings;
  line.again = again;
  line.show = show;
  line.restart = restart;
  return line;
}

}  // namespace mass::detail
