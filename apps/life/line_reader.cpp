#include <apps/life/line_reader.hpp>

#include <cctype>

namespace life {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string shown(char c) {
  if (c >= ' ' && c <= '~') return fmt::format("'{}'", c);
  return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
}

LineReader::LineReader(std::string_view text, const std::string& source)
    : rest_(text), source_(source) {
  constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";
  if (rest_.starts_with(byteOrderMark)) rest_.remove_prefix(byteOrderMark.size());
  if (rest_.find_first_not_of(" \t\r\n") == std::string_view::npos)
    fail(0, "the file is empty; a pattern is expected");
}

bool LineReader::next() {
  if (rest_.empty()) return false;
  const auto end = std::min(rest_.find_first_of("\r\n"), rest_.size());
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end);
  rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, rest_.size()));
  ++number_;
  return true;
}

std::string LineReader::where(std::size_t column) const {
  return fmt::format("{}:{}:{}", source_, std::max<std::size_t>(number_, 1), column + 1);
}

}  // namespace life
