#include <mass/io/csv_line.hpp>
#include <mass/io/csv_reader.hpp>
#include <mass/io/graph_file.hpp>
#include <mass/io/parse_value.hpp>
#include <mass/io/text_lines.hpp>
#include <mass/support/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Reads the lines of a Matrix Market file (Boisvert, Pozo & Remington, "The Matrix Market exchange
/// formats", NISTIR 5935, 1996).
class MatrixReader {
 public:
  explicit MatrixReader(const std::filesystem::path& file)
      : file_(file), lines_(file, "a Matrix Market file") {}

  EdgeList read() {
    readBanner();
    readSize();
    while (nextLine()) readEntry();
    if (static_cast<std::int64_t>(list_.edges.size()) < entries_)
      throw InputError("'{}' ends after {} of {} entries", file_.string(), list_.edges.size(),
                       entries_);
    return std::move(list_);
  }

 private:
  /// Reads the first line: %%MatrixMarket matrix coordinate FIELD SYMMETRY.
  void readBanner() {
    constexpr std::string_view wanted =
        "it must be '%%MatrixMarket matrix coordinate FIELD SYMMETRY', with real, integer or "
        "pattern, then general or symmetric";
    if (!lines_.next()) throw InputError("'{}' is empty; {}", file_.string(), wanted);
    std::string banner(lines_.text());
    std::transform(banner.begin(), banner.end(), banner.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto words = cellsOf(withoutBlanks(banner), ' ');
    const auto isOneOf = [&](std::size_t word, std::initializer_list<std::string_view> all) {
      return word < words.size() && std::find(all.begin(), all.end(), words[word]) != all.end();
    };
    if (words.size() != 5 || !isOneOf(0, {"%%matrixmarket"}) || !isOneOf(1, {"matrix"}) ||
        !isOneOf(2, {"coordinate"}) || !isOneOf(3, {"real", "integer", "pattern"}) ||
        !isOneOf(4, {"general", "symmetric"}))
      fail(fmt::format("'{}' is the first line; {}", CsvReader::shown(lines_.text()), wanted));
    isPattern_ = words[3] == "pattern";
    list_.direction =
        words[4] == "symmetric" ? Graph::Direction::undirected : Graph::Direction::directed;
  }

  /// Reads the line "rows columns entries".
  void readSize() {
    if (!nextLine())
      throw InputError("'{}' ends before the line 'rows columns entries'", file_.string());
    requireCells(3, "rows columns entries");
    list_.nodes = number<std::int64_t>(0, "rows");
    const auto columns = number<std::int64_t>(1, "columns");
    entries_ = number<std::int64_t>(2, "entries");
    if (list_.nodes != columns)
      fail(fmt::format("{} rows and {} columns: the matrix of a network is square", list_.nodes,
                       columns));
    if (entries_ < 0) fail(fmt::format("'entries' = {} is negative", entries_));
  }

  void readEntry() {
    if (static_cast<std::int64_t>(list_.edges.size()) == entries_)
      fail(fmt::format("entry {}, but the size announces {}", entries_ + 1, entries_));
    if (isPattern_) {
      requireCells(2, "row column");
    } else {
      requireCells(3, "row column value");
      list_.weights.push_back(number<double>(2, "value"));
    }
    const std::int64_t row = nodeIn(0, "row");
    list_.edges.push_back({row, nodeIn(1, "column")});
    list_.lines.push_back(lines_.number());
  }

  std::int64_t nodeIn(std::size_t cell, std::string_view name) const {
    const auto value = number<std::int64_t>(cell, name);
    if (value < 1 || value > list_.nodes)
      fail(fmt::format("'{}' = {} does not exist: they are numbered from 1 to {}", name, value,
                       list_.nodes));
    return value - 1;
  }

  /// Splits the next line that is neither empty nor a comment.
  bool nextLine() {
    while (lines_.next()) {
      const std::string_view text = withoutBlanks(lines_.text());
      if (text.empty() || text.starts_with('%')) continue;
      cells_ = cellsOf(text, ' ');
      return true;
    }
    return false;
  }

  void requireCells(std::size_t count, std::string_view names) const {
    if (cells_.size() == count) return;
    fail(fmt::format("'{}' has {} numbers; '{}' are {}", CsvReader::shown(lines_.text()),
                     cells_.size(), names, count));
  }

  template <class T>
  T number(std::size_t cell, std::string_view name) const {
    T value{};
    const std::string fault = parseValue(cells_[cell], value);
    if (!fault.empty())
      fail(fmt::format("'{}' = '{}' {}", name, CsvReader::shown(cells_[cell]), fault));
    return value;
  }

  [[noreturn]] void fail(std::string_view message) const { lines_.fail(message); }

  const std::filesystem::path& file_;
  TextLines lines_;
  std::vector<std::string_view> cells_;  ///< cells of the current line
  bool isPattern_ = false;
  std::int64_t entries_ = 0;
  EdgeList list_;
};

}  // namespace

EdgeList readMatrixMarket(const std::filesystem::path& file) {
  return MatrixReader(file).read();
}

}  // namespace mass::detail
