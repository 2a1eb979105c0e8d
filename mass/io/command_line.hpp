#pragma once

#include <filesystem>
#include <iosfwd>
#include <mass/io/schema.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// What a program's user asked for.
struct CommandLine {
  std::filesystem::path settings;  ///< empty only together with printSettings: print the defaults
  std::vector<std::string>
      assignments;                ///< each "key=value", in the order given; for Settings::set
  std::filesystem::path restart;  ///< the checkpoint to go on from; empty = start afresh
  bool printSettings = false;     ///< print all settings as YAML and stop
};

/// Reads the command line of the program `name`, which `about` describes in one line. Returns
/// nullopt after it wrote --help (options and every key of `schema`) or --version to `out`. Throws
/// SettingsError when the command line is wrong; what the assignments say is for Settings to check.
std::optional<CommandLine> parseCommandLine(int argc, const char* const* argv,
                                            std::string_view name, std::string_view about,
                                            const Schema& schema, std::ostream& out);

}  // namespace mass::detail
