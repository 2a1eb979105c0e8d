#pragma once

#include <cstdint>
#include <filesystem>

namespace mass::detail {

/// Size and checksum of a file. The checksum covers every byte of a file of at most 512 KiB. Of a
/// larger one it covers 64 KiB at each end, where the metadata of a frame are, and 4 KiB in each
/// 128 KiB: reading all bytes back takes as long as writing them, these 4 % do not.
struct FileSum {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;

  bool operator==(const FileSum&) const = default;
};

/// Reads the size and the checksum of a file that openRegularFile() opens.
/// @throws Error without the path if it is no regular file or cannot be read
FileSum sumOf(const std::filesystem::path& file);

}  // namespace mass::detail
