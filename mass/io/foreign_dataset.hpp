#pragma once

// Private to mass/io, since it includes HDF5: include it from .cpp files only.

#include <mass/io/hdf5.hpp>

#include <cstdint>
#include <filesystem>
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

/// Opens a file of another program.
/// @throws Failure if it cannot be read, is no HDF5 file, or HDF5 cannot open it
Id openForeignFile(const std::filesystem::path& path);

/// Opens a member of a group.
/// @throws Failure if there is none of that name, or it is a soft or external link
Id openForeignMember(hid_t group, const std::string& name);

/// Opens a dataset whose values are in the file itself: reached by hard links only, contiguous or
/// chunked, and with no more values, nor larger chunks, than a file of that size can hold.
/// @param path names of its groups and its name, separated by '/'
/// @param fileBytes size of the file
/// @throws Failure if there is no such dataset, or it has no numbers or no axes
ForeignDataset openForeignDataset(hid_t file, const std::string& path, std::uint64_t fileBytes);

/// Throws the failure of a file that HDF5 cannot read.
[[noreturn]] void failAsDamaged();

/// Returns the result of `read`, which reads a file of another program.
/// @throws Failure that calls the file damaged in place of a CallFailure
template <class F>
auto readForeign(const F& read) {
  try {
    return read();
  } catch (const CallFailure&) {
    failAsDamaged();
  }
}

}  // namespace mass::detail::hdf5
