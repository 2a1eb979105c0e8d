// Passes arbitrary bytes as a checkpoint: all of its arrays are read, or CheckpointError is thrown.
// HDF5 is no part of this test: it opens files with the right checksums only.
#include "fuzz.hpp"

#include <mass/io/checkpoint_file.hpp>
#include <mass/io/checksum.hpp>
#include <mass/support/error.hpp>

#include <cstring>
#include <vector>

namespace {

void readCheckpoint(std::string_view bytes) {
  const fuzz::MemoryFile file(bytes);
  try {
    const mass::detail::CheckpointReader reader(file.path());
    for (const auto& array : reader.arrays()) {
      const std::uint64_t rows = array.shape.front();
      std::vector<char> values(rows * array.rowBytes());
      reader.rows(array.name, 0, rows, values.data());
    }
  } catch (const mass::CheckpointError&) {
  }
}

/// Returns the bytes with the right checksum of their first 512 bytes, the seal, and a wrong one of
/// the description of the arrays.
std::string resealed(std::string_view bytes) {
  constexpr std::size_t ofMetadata = 72, ofSeal = 504;
  constexpr std::uint64_t wrong = 0x0123456789ABCDEFU;
  std::string result(bytes);
  std::memcpy(result.data() + ofMetadata, &wrong, sizeof wrong);
  const std::uint64_t sum = mass::detail::checksum(result.data(), ofSeal);
  std::memcpy(result.data() + ofSeal, &sum, sizeof sum);
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::textOf(data, size);
  readCheckpoint(bytes);
  if (size >= 512) readCheckpoint(resealed(bytes));
  return 0;
}
