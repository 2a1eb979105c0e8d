#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mass {

/// Reads an array of small numbers, 0 to 255, one for each place: a raw file of one byte each, or,
/// where `dataset` is not empty, a dataset of integers of an HDF5 file. The last axis of `shape`
/// changes fastest; a dataset has that shape, or is a list as long. Throws InputError.
std::vector<std::uint8_t> readByteArray(const std::filesystem::path& file,
                                        const std::string& dataset,
                                        std::span<const std::int64_t> shape);

}  // namespace mass
