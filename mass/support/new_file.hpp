#pragma once

#include <filesystem>

namespace mass::detail {

/// Creates a file and opens it for reading and writing. Removes an older file, symbolic link or
/// FIFO of that name, and never opens it or its target.
/// @return file descriptor, which the caller owns; -1 and errno if the file cannot be created
int openNewFile(const std::filesystem::path& path);

}  // namespace mass::detail
