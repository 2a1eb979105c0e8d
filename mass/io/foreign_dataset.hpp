#pragma once

// Private to mass/io, since it includes HDF5: include it from .cpp files only.

#include <mass/io/hdf5.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mass::detail::hdf5 {

/// Dataset of numbers in a file of another program. HDF5 may crash on such a file, so it is read in
/// a child process (readInChild).
struct ForeignDataset {
  Id id;
  Id type;
  std::vector<hsize_t> shape;
};

/// Opens a dataset whose values are in the file itself: reached by hard links only, contiguous or
/// chunked, and with no more values, nor larger chunks, than a file of that size can hold.
/// @param path names of its groups and its name, separated by '/'
/// @param fileBytes size of the file
/// @throws Failure if there is no such dataset
ForeignDataset openForeignDataset(hid_t file, const std::string& path, std::uint64_t fileBytes);

}  // namespace mass::detail::hdf5
