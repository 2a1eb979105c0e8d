#include <mass/io/text_lines.hpp>

#include <mass/support/error.hpp>

#include <cerrno>
#include <system_error>

namespace mass::detail {

std::ifstream openTextFile(const std::filesystem::path& file, std::string_view kind) {
  const auto refuse = [&](std::string_view reason) {
    throw InputError("cannot read '{}': {}; name {}", file.string(), reason, kind);
  };
  std::error_code ignored;
  const auto status = std::filesystem::status(file, ignored);
  if (std::filesystem::is_directory(status)) refuse("it is a folder");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    refuse("it is no regular file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(std::generic_category().message(errno));
  return stream;
}

bool TextLines::next() {
  if (!std::getline(stream_, text_)) {
    if (stream_.bad()) throw InputError("'{}' cannot be read to its end", file_.string());
    return false;
  }
  if (++number_ == 1) checkEncoding();
  if (text_.find('\r') < text_.size() - 1)
    fail("the lines end with a carriage return only; save the file with line feeds");
  return true;
}

void TextLines::checkEncoding() {
  constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(byteOrderMark)) text_.erase(0, byteOrderMark.size());
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
    fail("the text is UTF-16; save it as UTF-8");
}

void TextLines::fail(std::string_view message) const {
  throw InputError("{}:{}: {}", file_.string(), number_, message);
}

}  // namespace mass::detail
