#pragma once

#include <filesystem>
#include <iosfwd>
#include <mass/io/schema.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Parsed command line of a program.
struct CommandLine {
  std::filesystem::path settings;        ///< settings file; may be empty if printSettings
  std::vector<std::string> assignments;  ///< "key=value" of each --set, in order; see Settings::set
  std::filesystem::path restart;         ///< checkpoint to continue from; empty if none
  std::filesystem::path again;           ///< record of a run to repeat; empty if none
  std::filesystem::path show;            ///< folder of a run to show; empty if none
  std::optional<int> live;               ///< port of the live view, 0 for a free one; none without
  bool waitsForPage = true;    ///< the live view's page must be open before the first step
  std::vector<int> predict;    ///< numbers of devices to predict a step for; empty if none
  bool printSettings = false;  ///< print all settings as YAML and stop
};

/// Parses the command line of a program. Assignments are not checked; see Settings::set.
/// @param name name of the program
/// @param about description of the program, in one line
/// @param schema keys to list in the help
/// @param out receives the text of --help or --version
/// @return empty after --help or --version
/// @throws SettingsError if the command line is malformed
std::optional<CommandLine> parseCommandLine(int argc, const char* const* argv,
                                            std::string_view name, std::string_view about,
                                            const Schema& schema, std::ostream& out);

}  // namespace mass::detail
