// Passes arbitrary bytes to readByteArray(), which reads HDF5 in a child process: it must return
// all values, or throw InputError.
#include "fuzz.hpp"

#include <mass/io/byte_array.hpp>
#include <mass/support/error.hpp>

#include <span>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(fuzz::textOf(data, size));
  const std::vector<std::int64_t> whole{static_cast<std::int64_t>(size)}, shape{13, 37};
  if (size > 0) fuzz::require(mass::readByteArray(file.path(), "", whole).size() == size);
  try {
    const auto bytes = mass::readByteArray(file.path(), "VTKHDF/CellData/alive", shape);
    fuzz::require(bytes.size() == 13 * 37);
  } catch (const mass::InputError&) {
  }
  return 0;
}
