#include <mass/io/resumable_csv.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/io/regular_file.hpp>
#include <mass/support/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

std::string headerLine(const std::vector<std::string>& columns) {
  std::string line = "step";
  for (const std::string& column : columns) {
    if (column.empty() || column.find_first_of(",\"\r\n") != std::string::npos) {
      throw UsageError(
          "'{}' cannot name a column of a table: leave out commas, quotes and line breaks", column);
    }
    line += ',' + column;
  }
  return line + '\n';
}

/// Returns the contents of a file; empty if there is none.
std::optional<std::string> readFile(const fs::path& path) {
  std::error_code error;
  if (fs::symlink_status(path, error).type() == fs::file_type::not_found) return std::nullopt;
  try {
    return readRegularFile(path, std::numeric_limits<std::uintmax_t>::max());
  } catch (const InputError& failure) {
    throw OutputError("cannot continue the table '{}': {}; check that it is a readable file",
                      path.string(), failure.what());
  }
}

/// Returns the step of a row; empty if the line is no complete row.
/// @param line without its line break
/// @param columns number of columns except the step
std::optional<std::int64_t> stepOfRow(std::string_view line, std::size_t columns) {
  std::int64_t step = 0;
  const char* end = line.data() + line.size();
  const auto [after, error] = std::from_chars(line.data(), end, step);
  const auto commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
  if (error != std::errc{} || (after != end && *after != ',') || commas != columns) return {};
  return step;
}

struct KeptRows {
  std::string_view contents;  ///< header and rows
  std::int64_t lastStep = -1;
};

/// Refuses the table of another run: the new rows would follow a gap.
/// @throws OutputError if there is no row of `lastRow` or a later step
void requireRowsUpTo(std::int64_t lastRow, const KeptRows& kept, const fs::path& path) {
  if (lastRow < 0 || kept.lastStep >= lastRow) return;
  throw OutputError(
      "cannot continue the table '{}': it has no row of step {}, so another run wrote it; move it "
      "away, or run without --restart",
      path.string(), lastRow);
}

/// Returns the rows of an earlier run up to `lastStep`, inclusive.
KeptRows keptRows(const fs::path& path, std::string_view contents, const std::string& header,
                  std::size_t columns, RowsPerStep rows, std::int64_t lastStep) {
  // The earlier run was killed before it had written its header.
  if (contents.size() < header.size() && header.starts_with(contents)) return {header};
  if (!contents.starts_with(header)) {
    throw OutputError(
        "cannot continue the table '{}': its columns are '{}', this run's are '{}'; restart the "
        "model that wrote it, or move it away",
        path.string(), contents.substr(0, contents.find('\n')),
        header.substr(0, header.size() - 1));
  }
  KeptRows kept{contents.substr(0, header.size())};
  for (std::size_t line = 2;; ++line) {
    const std::size_t begin = kept.contents.size();
    const std::size_t end = contents.find('\n', begin);
    if (end == std::string_view::npos) return kept;  // the end, or an incomplete line
    const auto step = stepOfRow(contents.substr(begin, end - begin), columns);
    const std::int64_t least = kept.lastStep + (rows == RowsPerStep::one ? 1 : 0);
    if (!step || *step < least) {
      throw OutputError("cannot continue the table '{}': line {} is not a row of it; move it away",
                        path.string(), line);
    }
    if (*step > lastStep) return kept;
    kept = {contents.substr(0, end + 1), *step};
  }
}

}  // namespace

ResumableCsv::ResumableCsv(fs::path path, const std::vector<std::string>& columns)
    : ResumableCsv(std::move(path), headerLine(columns), -1) {}

ResumableCsv::ResumableCsv(fs::path path, std::string_view contents, std::int64_t lastRow)
    : path_(std::move(path)), partial_(partialName(path_)), lastStep_(lastRow), lastRow_(lastRow) {
  // By rename, so that the kept rows are not lost if the program is killed here.
  writeAtomically(partial_, contents);
  file_ = FileDescriptor(::open(partial_.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (!file_.isOpen()) throw cannotWrite(partial_, errno);
}

ResumableCsv ResumableCsv::resume(fs::path path, const std::vector<std::string>& columns,
                                  RowsPerStep rows, std::int64_t lastStep, std::int64_t lastRow) {
  const std::string header = headerLine(columns);
  for (const fs::path& source : {partialName(path), path}) {
    if (const auto contents = readFile(source)) {
      const KeptRows kept = keptRows(source, *contents, header, columns.size(), rows, lastStep);
      requireRowsUpTo(lastRow, kept, source);
      return ResumableCsv(std::move(path), kept.contents, kept.lastStep);
    }
  }
  return ResumableCsv(std::move(path), columns);
}

void ResumableCsv::add(std::int64_t step, std::string_view rows) {
  if (!file_.isOpen()) throw UsageError("the table '{}' is finished", path_.string());
  if (step <= lastStep_) {
    throw UsageError("the table '{}' has a row of step {}: one of step {} cannot follow",
                     path_.string(), lastStep_, step);
  }
  const off_t before = ::lseek(file_.number(), 0, SEEK_END);
  if (const int error = file_.write(rows)) {
    // If this fails too, `resume` removes the incomplete line.
    if (before >= 0) static_cast<void>(::ftruncate(file_.number(), before) == 0);
    throw cannotWrite(partial_, error);
  }
  lastStep_ = step;
  if (!rows.empty()) lastRow_ = step;
}

void ResumableCsv::flush() {
  if (!file_.isOpen()) return;
  if (const int error = file_.synchronize()) throw cannotWrite(partial_, error);
}

void ResumableCsv::finish() {
  if (!file_.isOpen()) return;
  if (const int error = file_.close()) throw cannotWrite(partial_, error);
  renameDurably(partial_, path_);
}

}  // namespace mass::detail
