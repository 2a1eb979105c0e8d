#pragma once

#include <cstdint>
#include <filesystem>
#include <mass/io/file_descriptor.hpp>
#include <string>

namespace mass::detail {

/// Opens a file of earlier output for reading. Opens no FIFO or device, which could block, and does
/// not follow a symbolic link of that name.
/// @throws InputError with the reason as "it is a folder"
FileDescriptor openRegularFile(const std::filesystem::path& path);

/// Returns the contents of a file that openRegularFile() opens.
/// @param largest limit of the length in bytes
/// @throws InputError with the reason
std::string readRegularFile(const std::filesystem::path& path, std::uintmax_t largest);

}  // namespace mass::detail
