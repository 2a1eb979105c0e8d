#include <mass/program/output_paths.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/io/checkpoint_file.hpp>
#include <mass/io/file_lock.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

/// True if `path` is `other` or inside the folder `other`. @pre Links are resolved.
bool isOrIsBelow(const fs::path& path, const fs::path& other) {
  return std::mismatch(other.begin(), other.end(), path.begin(), path.end()).first == other.end();
}

/// Returns the absolute path with links resolved, as far as it exists.
fs::path resolvedPath(const fs::path& path) {
  std::error_code error;
  auto real = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : real;
}

/// Returns the absolute path of a file that is created anew, which replaces a link of its name.
fs::path resolvedNewFile(const fs::path& path) {
  std::error_code error;
  const auto whole = fs::absolute(path, error);
  return resolvedPath(whole.parent_path()) / whole.filename();
}

}  // namespace

void requireNoFolders(std::span<const UsedPath> files) {
  for (const auto& [use, file] : files) {
    for (const auto& path : {file, partialName(file)}) {
      std::error_code unknown;
      if (fs::is_directory(fs::symlink_status(path, unknown))) throw cannotWrite(path, EISDIR);
    }
  }
}

CheckpointPath::CheckpointPath(const Settings& settings, fs::path file, fs::path results,
                               bool isContinued)
    : settings_(settings),
      file_(std::move(file)),
      results_(std::move(results)),
      isContinued_(isContinued) {}

fs::path CheckpointPath::previous() const {
  return file_.parent_path() / (file_.stem().string() + ".previous.h5");
}

void CheckpointPath::reject(const fs::path& path, std::string_view reason) const {
  settings_.reject("checkpoint.file",
                   fmt::format("'{}' {}: name another file", path.string(), reason));
}

fs::path CheckpointPath::inResults() const {
  const fs::path file = resolvedPath(file_);
  const fs::path results = resolvedPath(results_);
  return isOrIsBelow(file, results) ? file.lexically_relative(results) : fs::path();
}

void CheckpointPath::requireName() const {
  const fs::path name = file_.filename();
  if (name.empty() || name == "." || name == "..") reject(file_, "names a folder");
  if (isOrIsBelow(resolvedPath(results_), resolvedPath(file_)))
    reject(file_, "is a folder of the results");
  std::vector<fs::path> replaced{file_};
  std::error_code unknown;
  if (!isContinued_ && fs::exists(file_, unknown)) replaced.push_back(previous());
  for (const fs::path& path : replaced) {
    const auto status = fs::status(path, unknown);
    if (fs::is_directory(status)) reject(path, "is a folder");
    if (fs::is_other(status)) reject(path, "exists and is no file");  // a device
    if (fs::exists(status) && !beginsAsCheckpoint(path))
      reject(path, "exists and is no checkpoint");
  }
}

void CheckpointPath::requireUnused(std::span<const UsedPath> taken) const {
  const fs::path itself = resolvedPath(file_);
  for (const auto& [use, path] : taken) {
    for (const auto& own :
         {itself, resolvedNewFile(partialName(file_)), resolvedNewFile(lockName(file_))}) {
      if (isOrIsBelow(own, resolvedPath(path)) || own == resolvedNewFile(partialName(path)))
        reject(own == itself ? file_ : path, fmt::format("is used for {}", use));
    }
  }
}

void CheckpointPath::makeFolder() const {
  const fs::path parent = file_.parent_path();
  if (parent.empty() || isOrIsBelow(resolvedPath(parent), resolvedPath(results_))) return;
  try {
    detail::makeFolder(parent);
  } catch (const OutputError& error) {
    settings_.reject("checkpoint.file", error.what());
  }
}

std::string CheckpointPath::keepPrevious() const {
  std::error_code error;
  if (isContinued_ || !fs::exists(file_, error)) return {};
  fs::rename(file_, previous(), error);
  if (error) throw cannotWrite(previous(), error.value());
  const fs::path parent = file_.parent_path();
  return fmt::format("in '{}': renamed its checkpoint to {}",
                     parent.empty() ? "." : parent.string(), previous().filename().string());
}

}  // namespace mass::detail
