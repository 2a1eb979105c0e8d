#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace mass::detail {

/// Opens a text file of a user.
/// @param kind kind of file for messages, as "an SWC file"
/// @throws InputError if it is no regular file or cannot be opened
std::ifstream openTextFile(const std::filesystem::path& file, std::string_view kind);

/// Reads the lines of a text file of a user. Lines end with a line feed; a carriage return before
/// it belongs to the line.
class TextLines {
 public:
  /// Opens the file.
  /// @param file must outlive the object
  /// @param kind see openTextFile()
  /// @throws InputError if it is no regular file or cannot be opened
  TextLines(const std::filesystem::path& file, std::string_view kind)
      : file_(file), stream_(openTextFile(file, kind)) {}

  /// Reads the next line.
  /// @return false at the end of the file
  /// @throws InputError if the text is UTF-16, has carriage returns within lines, or cannot be read
  bool next();

  /// Returns the current line, without a byte order mark.
  std::string_view text() const { return text_; }
  /// Returns the number of the current line; the first line of the file is 1.
  std::int64_t number() const { return number_; }

  /// Reports an error in the current line.
  /// @throws InputError "neuron.swc:7: <message>", always
  [[noreturn]] void fail(std::string_view message) const;

 private:
  void checkEncoding();

  const std::filesystem::path& file_;
  std::ifstream stream_;
  std::string text_;
  std::int64_t number_ = 0;
};

}  // namespace mass::detail
