#pragma once

#include <mass/support/export.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mass {

/// Reads one number from 0 to 255 for each place: from a raw file of one byte per place, or from a
/// dataset of integers in an HDF5 file.
/// @param dataset path of the dataset in the file; empty for a raw file
/// @param shape number of places along each axis, the last axis contiguous; a dataset has this
/// shape, or is one-dimensional with the same number of elements
/// @return the numbers in the order of the file
/// @throws InputError if the file cannot be read, has another size, or holds other numbers
MASS_EXPORT std::vector<std::uint8_t> readByteArray(const std::filesystem::path& file,
                                                    const std::string& dataset,
                                                    std::span<const std::int64_t> shape);

/// Reads one float for each place: from a raw file of four bytes per place in the order of this
/// processor, or from a dataset of numbers in an HDF5 file, which are converted.
/// @param dataset path of the dataset in the file; empty for a raw file
/// @param shape number of places along each axis, see readByteArray
/// @return the numbers in the order of the file
/// @throws InputError if the file cannot be read or has another size
MASS_EXPORT std::vector<float> readFloatArray(const std::filesystem::path& file,
                                              const std::string& dataset,
                                              std::span<const std::int64_t> shape);

}  // namespace mass
