#include <apps/life/pattern.hpp>

#include <apps/life/line_reader.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <system_error>
#include <utility>

namespace life {
namespace {

/// Format that is not read.
struct OtherFormat {
  std::string_view beginning;  ///< first bytes of a file
  std::string_view message;
};

constexpr std::array<OtherFormat, 6> otherFormats{{
    {"[M2]", "a macrocell file, which is not read; open it in Golly and save it as RLE (.rle)"},
    {"[M1]", "a macrocell file, which is not read; open it in Golly and save it as RLE (.rle)"},
    {"#MCell", "a file of MCell, which is not read; open it in Golly and save it as RLE (.rle)"},
    {"@RULE", "a rule of Golly, not a pattern; give a file of cells"},
    {"\x1f\x8b", "compressed by gzip; decompress it with gunzip"},
    {"PK\x03\x04", "a zip archive; extract the pattern"},
}};

/// Throws if the text is of a format that is not read.
void refuseOtherFormats(std::string_view text, const std::string& source) {
  for (const OtherFormat& format : otherFormats) {
    if (text.starts_with(format.beginning))
      throw mass::InputError("{}: {}", source, format.message);
  }
}

/// Returns the contents of a text file.
/// @throws mass::InputError if it is not a readable text file.
std::string fileText(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw mass::InputError("{}: the pattern file does not exist", path.string());
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw mass::InputError("{}: not a file; a pattern is a file in .rle, .cells or .lif format",
                           path.string());
  }
  std::string text(static_cast<std::size_t>(std::filesystem::file_size(path, error)), '\0');
  std::ifstream file(path, std::ios::binary);
  if (error || !file.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    throw mass::InputError("{}: the pattern file cannot be read; check its permissions",
                           path.string());
  }
  refuseOtherFormats(text, path.string());
  if (text.find('\0') != std::string::npos) {
    throw mass::InputError("{}: a binary file; a pattern is text in .rle, .cells or .lif format",
                           path.string());
  }
  return text;
}

bool startsIgnoringCase(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

/// Beginning of a text, by which its format is recognised.
struct Beginning {
  std::string_view version;     ///< after `#Life`; empty without such a line
  std::string_view line;        ///< first line that is neither blank nor begins with `#`
  bool hasLife105Line = false;  ///< true if a line before it is `#P`, `#R`, `#N` or `#D`
};

Beginning beginningOf(std::string_view text, const std::string& source) {
  constexpr std::string_view life = "#Life";
  Beginning beginning;
  LineReader lines(text, source);
  while (beginning.line.empty() && lines.next()) {
    const std::string_view line = trimmed(lines.line());
    if (!line.starts_with('#')) {
      beginning.line = line;
    } else if (startsIgnoringCase(line, life) && beginning.version.empty()) {
      beginning.version = trimmed(line.substr(life.size()));
    } else {
      beginning.hasLife105Line =
          beginning.hasLife105Line ||
          (line.size() > 1 && std::string_view("PRND").find(line[1]) != std::string_view::npos);
    }
  }
  return beginning;
}

/// True if a line consists of runs of RLE, and is no row of plaintext or pair of integers.
bool hasRuns(std::string_view line) {
  constexpr std::string_view tags = "bo$!.ABCDEFGHIJKLMNOPQRSTUVWXpqrstuvwxy";
  constexpr std::string_view counts = "0123456789 \t";
  const auto isPart = [&](char c) {
    return tags.find(c) != std::string_view::npos || counts.find(c) != std::string_view::npos;
  };
  return line[0] != '!' && std::all_of(line.begin(), line.end(), isPart) &&
         line.find_first_not_of(counts) != std::string_view::npos &&
         line.find_first_not_of(".O*") != std::string_view::npos;
}

std::string extensionOf(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), lower);
  return extension;
}

}  // namespace

NamedRule FileRule::parse() const {
  try {
    return parseRule(text);
  } catch (const mass::InputError& error) {
    throw mass::InputError("{}: {}; the setting rule replaces the file's", where, error.what());
  }
}

Pattern Pattern::load(const std::filesystem::path& path) {
  const std::string text = fileText(path);
  const std::string source = path.string();
  const std::string extension = extensionOf(path);
  const auto [version, line, hasLife105Line] = beginningOf(text, source);
  if (version.starts_with("1.06")) return parseLife106(text, source);
  if (version.starts_with("1.0")) return parseLife105(text, source);
  if (!version.empty()) {
    throw mass::InputError("{}: a file of Life {}; versions 1.05 and 1.06 are read", source,
                           printable(version));
  }
  if (extension == ".rle") return parseRle(text, source);
  if (extension == ".cells") return parseCells(text, source);
  if (line.empty() || line[0] == 'x' || line[0] == 'X' || hasRuns(line))
    return parseRle(text, source);
  const bool isPlain = std::string_view("!.O*").find(line[0]) != std::string_view::npos;
  if (isPlain && hasLife105Line) return parseLife105(text, source);
  if (isPlain) return parseCells(text, source);
  throw mass::InputError(
      "{}: begins neither like an RLE file (x = 3, y = 3, rule = B3/S23) nor like a plaintext file "
      "(\"!Name: ...\") nor like Life 1.05 or 1.06 (\"#Life 1.06\")",
      source);
}

bool Pattern::removeMarks() {
  constexpr int boundary = 6;
  if (states > boundary) {
    throw mass::InputError(
        "{}: a cell of state {}; of a History rule the states 0 to 5 are read{}", statesWhere,
        states - 1,
        states - 1 == boundary
            ? ", since cells of state 6, a boundary, are not supported; remove them"
            : "");
  }
  const bool hasMarks = states > 2;
  runs.erase(
      std::remove_if(runs.begin(), runs.end(), [](const Run& run) { return run.state % 2 == 0; }),
      runs.end());
  for (Run& run : runs) run.state = 1;
  states = 2;
  statesWhere.clear();
  return hasMarks;
}

std::vector<std::uint8_t> centred(const Pattern& pattern, std::int64_t rows, std::int64_t columns) {
  if (pattern.rows > rows || pattern.columns > columns) {
    throw mass::InputError(
        "the pattern {} of {} rows and {} columns does not fit into the world of {} rows and {} "
        "columns; make the world larger",
        pattern.name, pattern.rows, pattern.columns, rows, columns);
  }
  const std::int64_t top = (rows - pattern.rows) / 2, left = (columns - pattern.columns) / 2;
  std::vector<std::uint8_t> states(static_cast<std::size_t>(rows * columns));
  for (const Run& run : pattern.runs) {
    std::fill_n(states.begin() + (top + run.row) * columns + left + run.column, run.length,
                run.state);
  }
  return states;
}

}  // namespace life
