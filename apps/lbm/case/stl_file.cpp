#include <apps/lbm/case/stl_file.hpp>

#include <mass/mass.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

namespace lbm {
namespace {

// Binary STL: a header of 80 arbitrary bytes, the number of triangles, and for each triangle its
// normal, three vertices and two arbitrary bytes.
constexpr std::uintmax_t headerBytes = 84, triangleBytes = 50, maxTriangles = 100'000'000;
constexpr std::uintmax_t maxBytes = headerBytes + maxTriangles * triangleBytes;
constexpr std::string_view blanks = " \t\r\n\v\f";
constexpr double maxCoordinate = std::numeric_limits<float>::max();

template <class... Args>
[[noreturn]] void refuse(const std::filesystem::path& file, fmt::format_string<Args...> format,
                         Args&&... args) {
  refuseStl(file, fmt::format(format, std::forward<Args>(args)...));
}

std::string ignoredBytes(std::size_t count, std::string_view where) {
  return fmt::format("{} bytes behind {} are ignored", count, where);
}

std::string bytesOf(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::is_directory(status)) refuse(file, "it is a folder; name an STL file");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    refuse(file, "it is no file; name an STL file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, "{}; name an STL file", std::generic_category().message(errno));
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) refuse(file, "{}", error.message());
  if (size == 0) refuse(file, "it is empty");
  if (size > maxBytes)
    refuse(file, "it has {} bytes, and at most {}, of {} triangles, are read; make it coarser",
           size, maxBytes, maxTriangles);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size)))
    refuse(file, "not all of its {} bytes can be read", size);
  return bytes;
}

std::uint32_t littleEndian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Returns the size that a binary file has with the number of triangles in its header.
std::uintmax_t claimedBytes(std::string_view bytes) {
  return bytes.size() < headerBytes ? headerBytes
                                    : headerBytes + triangleBytes * littleEndian(bytes, 80);
}

/// Reads the triangles that the header counts. @pre there are as many bytes
StlFile readBinary(std::string_view bytes, const std::filesystem::path& file) {
  MeshBuilder mesh;
  const std::uint32_t count = littleEndian(bytes, 80);
  std::size_t at = headerBytes;
  for (std::uint32_t number = 1; number <= count; ++number, at += triangleBytes) {
    std::array<Point, 3> triangle{};
    for (std::size_t i = 0; i < 9; ++i) {
      const double value = std::bit_cast<float>(littleEndian(bytes, at + 12 + 4 * i));
      if (!std::isfinite(value))
        refuse(file, "triangle {} of {} has a coordinate that is not finite", number, count);
      triangle[i / 3][i % 3] = value;
    }
    mesh.add(triangle);
  }
  StlFile read{mesh.build(), 0, {}};
  if (at < bytes.size())
    read.notes.push_back(
        ignoredBytes(bytes.size() - at, fmt::format("the {} triangles of its header", count)));
  return read;
}

/// True if `text` equals `word`, which is in lower case, ignoring the case of ASCII letters.
bool isWord(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// Finds a word, in lower case, ignoring the case of ASCII letters.
bool containsWord(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; at + word.size() <= text.size(); ++at)
    if (isWord(text.substr(at, word.size()), word)) return true;
  return false;
}

/// Digits with which the numbers of a text are written.
class WrittenDigits {
 public:
  void add(std::string_view number) {
    const std::string_view mantissa = number.substr(0, number.find_first_of("eE"));
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size() - 1);
    const std::size_t decimals = mantissa.size() - 1 - point;
    fewestDecimals_ = std::min(fewestDecimals_, decimals);
    mostDecimals_ = std::max(mostDecimals_, decimals);
    const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
    const auto digits = std::count_if(mantissa.begin() + static_cast<std::ptrdiff_t>(first),
                                      mantissa.end(), [](char c) { return c != '.'; });
    mostDigits_ = std::max(mostDigits_, static_cast<int>(digits));
  }

  /// Returns the unit in the last place of numbers of the magnitude of `largest`. Returns 0 if the
  /// digits do not show it: numbers without trailing zeros are exact if they are short.
  double unitOf(double largest) const {
    constexpr int fewest = 6;  // digits that programs write by default
    const bool isPadded = mostDecimals_ > 0 && fewestDecimals_ == mostDecimals_;
    if (!isPadded && mostDigits_ < fewest) return 0;
    return std::pow(10, std::floor(std::log10(largest)) + 1 - mostDigits_);
  }

 private:
  std::size_t fewestDecimals_ = std::numeric_limits<std::size_t>::max(), mostDecimals_ = 0;
  int mostDigits_ = 0;
};

/// Reader of ASCII STL as words separated by any white space, like most programs read it.
class TextReader {
 public:
  TextReader(std::string_view text, const std::filesystem::path& file) : rest_(text), file_(file) {}

  StlFile read() {
    std::vector<std::string> notes;
    expect("solid");
    for (bool isLast = false; !isLast;) {
      skipLine();  // its name
      for (next("'facet' or 'endsolid'"); !isWord(word_, "endsolid");
           next("'facet' or 'endsolid'")) {
        require("facet");
        readFacet();
      }
      skipLine();
      isLast = !take() || isEnd(notes);
      if (!isLast) require("solid");
    }
    return {mesh_.build(), 0, notes};
  }

  const WrittenDigits& digits() const { return digits_; }

 private:
  /// True, with a note, if the present word and all that follow describe no triangle.
  bool isEnd(std::vector<std::string>& notes) const {
    const std::size_t count = word_.size() + rest_.size();
    const std::string_view left(word_.data(), count);
    if (isWord(word_, "solid") || containsWord(left, "facet") || containsWord(left, "vertex"))
      return false;
    notes.push_back(ignoredBytes(count, "the last 'endsolid'"));
    return true;
  }

  void readFacet() {
    expect("normal");
    for (int i = 0; i < 3; ++i) next("a normal");  // ignored, may be nan
    expect("outer");
    expect("loop");
    std::array<Point, 3> triangle{};
    for (Point& corner : triangle) {
      expect("vertex");
      for (double& value : corner) value = coordinate();
    }
    expect("endloop");
    expect("endfacet");
    mesh_.add(triangle);
  }

  double coordinate() {
    next("a coordinate");
    double value = 0;
    const bool isNumber = mass::parseValue(word_, value).empty();
    if (!isNumber || !(std::abs(value) <= maxCoordinate)) refuseCoordinate();
    digits_.add(word_);
    return value;
  }

  [[noreturn]] void refuseCoordinate() const {
    float single = 0;
    const std::string fault = mass::parseValue(word_, single);
    fail(fmt::format("a coordinate was expected, as 1.5 or -2e-3, not '{}'{}", shown(),
                     fault.empty() ? "" : ", which " + fault));
  }

  void expect(std::string_view keyword) {
    next(keyword);
    require(keyword);
  }

  void require(std::string_view keyword) const {
    if (!isWord(word_, keyword)) fail(fmt::format("'{}' was expected, not '{}'", keyword, shown()));
  }

  void next(std::string_view what) {
    if (!take()) fail(fmt::format("the text ends where {} was expected; is it cut off?", what));
  }

  /// Sets word_ to the next word; false at the end of the text.
  bool take() {
    const std::size_t begin = std::min(rest_.find_first_not_of(blanks), rest_.size());
    line_ += linesIn(rest_.substr(0, begin));
    rest_.remove_prefix(begin);
    word_ = rest_.substr(0, rest_.find_first_of(blanks));
    rest_.remove_prefix(word_.size());
    return !word_.empty();
  }

  void skipLine() { rest_.remove_prefix(std::min(rest_.find_first_of("\r\n"), rest_.size())); }

  /// Returns the number of line ends: LF, CR or CR LF.
  static std::ptrdiff_t linesIn(std::string_view text) {
    std::ptrdiff_t lines = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool isPair = text[i] == '\n' && i > 0 && text[i - 1] == '\r';
      if ((text[i] == '\n' || text[i] == '\r') && !isPair) ++lines;
    }
    return lines;
  }

  /// Returns word_ for a message: at most 40 characters, unprintable ones replaced.
  std::string shown() const {
    std::string text(word_.substr(0, 40));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
  }

  [[noreturn]] void fail(std::string_view message) const {
    throw mass::InputError("{}:{}: {}", file_.string(), line_, message);
  }

  MeshBuilder mesh_;
  WrittenDigits digits_;
  std::string_view rest_;
  std::string_view word_;
  std::ptrdiff_t line_ = 1;
  const std::filesystem::path& file_;
};

double largestOf(const Bounds& bounds) {
  double largest = 0;
  for (const Point& point : {bounds.low, bounds.high})
    for (const double value : point) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Returns the distance of neighbouring floats of the magnitude of `value`.
double floatSpacing(double value) {
  return std::ldexp(1.0, std::max(std::ilogb(value), -126) - 23);
}

/// Returns `text` without a byte order mark and without the zero bytes and the Ctrl-Z that fill up
/// its last block.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF", filling("\0\x1A", 2);
  if (text.starts_with(byteOrderMark)) text.remove_prefix(byteOrderMark.size());
  return text.substr(0, text.find_last_not_of(filling) + 1);
}

StlFile readText(std::string_view text, const std::filesystem::path& file) {
  TextReader reader(text, file);
  StlFile read = reader.read();
  if (read.mesh.triangles().empty()) return read;
  // The digits of a text may be few because its numbers are exact: at most a thousandth of the
  // size is within StlSurface's limit.
  const Bounds bounds = read.mesh.bounds();
  read.precision = std::min(reader.digits().unitOf(largestOf(bounds)), bounds.diagonal() / 4096);
  return read;
}

/// Tells binary from ASCII by the size that the header gives, since a binary file may begin with
/// "solid" too. An ASCII file of that size would have gigabytes: four letters make a large number
/// of triangles.
StlFile readBytes(std::string_view bytes, const std::filesystem::path& file) {
  const std::uintmax_t claimed = claimedBytes(bytes);
  if (bytes.size() >= claimed) return readBinary(bytes, file);
  const std::string_view text = trimmed(bytes);
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  if (isWord(text.substr(begin, 5), "solid") && text.find('\0') == std::string_view::npos)
    return readText(text, file);
  constexpr std::string_view noText = "it is no text that begins with 'solid'";
  if (bytes.size() < headerBytes)
    refuse(file, "it is no STL file: {}, and with {} bytes too short for a binary one", noText,
           bytes.size());
  refuse(file,
         "it is no STL file, or not all of one: {}, and a binary one with the {} triangles that it "
         "claims has {} bytes, not {}",
         noText, littleEndian(bytes, 80), claimed, bytes.size());
}

}  // namespace

void refuseStl(const std::filesystem::path& file, std::string_view message) {
  throw mass::InputError("cannot read '{}': {}", file.string(), message);
}

StlFile readStl(const std::filesystem::path& file) {
  StlFile read = readBytes(bytesOf(file), file);
  if (!read.mesh.triangles().empty())
    read.precision = std::max(read.precision, floatSpacing(largestOf(read.mesh.bounds())));
  return read;
}

}  // namespace lbm
