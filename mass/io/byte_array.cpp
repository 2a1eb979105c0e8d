#include <mass/io/byte_array.hpp>
#include <mass/io/child_process.hpp>
#include <mass/io/foreign_dataset.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace mass {
namespace {

std::int64_t countOf(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

/// Reads a raw file. @param width bytes for each place
std::vector<std::uint8_t> readRaw(const std::filesystem::path& file,
                                  std::span<const std::int64_t> shape, std::int64_t width) {
  const auto refuse = [&](const std::string& reason) {
    throw InputError("cannot read '{}': {}", file.string(), reason);
  };
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) refuse("it is a folder");
  const auto size = std::filesystem::file_size(file, error);
  if (error) refuse(error.message());
  const std::int64_t count = countOf(shape) * width;
  if (size != static_cast<std::uintmax_t>(count))
    refuse(fmt::format("it has {} bytes, not {}, {} for each place", size, fmt::join(shape, " x "),
                       width == 1 ? "one" : "four"));
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(bytes.data()), count);
  if (!stream) refuse(std::generic_category().message(errno));
  return bytes;
}

/// @throws InputError if a number is not 0 to 255; HDF5 would clamp it
void requireBytes(const std::vector<std::int64_t>& numbers) {
  const auto wrong = std::find_if(numbers.begin(), numbers.end(),
                                  [](std::int64_t number) { return number < 0 || number > 255; });
  if (wrong != numbers.end()) throw InputError("it holds {}, which is not 0 to 255", *wrong);
}

/// Reads all values of a dataset as the type of `into`'s elements. @param type HDF5 type of these
template <class T>
void readAll(const detail::hdf5::ForeignDataset& set, hid_t type, std::vector<T>& into) {
  detail::hdf5::checked(H5Dread(set.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, into.data()),
                        "H5Dread");
}

/// Opens a dataset with a number for each place, and passes it to `read`.
template <class Read>
std::vector<std::uint8_t> readDataset(const std::filesystem::path& file, const std::string& name,
                                      std::uintmax_t fileBytes, std::span<const std::int64_t> shape,
                                      Read&& read) {
  const detail::hdf5::Quiet quiet;
  const detail::hdf5::Id open = detail::hdf5::openForeignFile(file);
  const auto set = detail::hdf5::openForeignDataset(open, name, fileBytes);
  const auto count = static_cast<std::size_t>(countOf(shape));
  const bool isList = set.shape.size() == 1 && set.shape[0] == count;
  if (!isList &&
      !std::equal(set.shape.begin(), set.shape.end(), shape.begin(), shape.end(),
                  [](hsize_t a, std::int64_t b) { return a == static_cast<hsize_t>(b); }))
    throw InputError("its shape is {}, not {}", fmt::join(set.shape, " x "),
                     fmt::join(shape, " x "));
  return read(set, count);
}

std::vector<std::uint8_t> readBytes(const detail::hdf5::ForeignDataset& set, std::size_t count) {
  if (H5Tget_class(set.type) != H5T_INTEGER) throw InputError("it does not hold integers");
  std::vector<std::uint8_t> bytes(count);
  if (H5Tget_size(set.type) == 1 && H5Tget_sign(set.type) == H5T_SGN_NONE) {
    readAll(set, H5T_NATIVE_UINT8, bytes);
    return bytes;
  }
  std::vector<std::int64_t> numbers(count);
  readAll(set, H5T_NATIVE_INT64, numbers);
  requireBytes(numbers);
  std::transform(numbers.begin(), numbers.end(), bytes.begin(),
                 [](std::int64_t number) { return static_cast<std::uint8_t>(number); });
  return bytes;
}

/// Returns the bytes of floats.
std::vector<std::uint8_t> readFloats(const detail::hdf5::ForeignDataset& set, std::size_t count) {
  const auto kind = H5Tget_class(set.type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw InputError("it does not hold numbers");
  std::vector<float> numbers(count);
  readAll(set, H5T_NATIVE_FLOAT, numbers);
  std::vector<std::uint8_t> bytes(count * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

/// Returns the limits of the process that reads `count` numbers from a file.
/// @param width bytes of a number in the result
detail::ChildLimits limitsFor(std::size_t count, std::size_t width, std::uintmax_t fileBytes) {
  constexpr std::size_t overhead = std::size_t{256} << 20;
  constexpr std::size_t bytesPerSecond = 20'000'000;  // far less than a disk delivers
  return {count * width, overhead + 16 * count + fileBytes,
          static_cast<unsigned>(10 + (count * width + fileBytes) / bytesPerSecond)};
}

/// Reads a number of `width` bytes for each place. @param read reads those of a dataset
template <class Read>
std::vector<std::uint8_t> readArray(const std::filesystem::path& file, const std::string& dataset,
                                    std::span<const std::int64_t> shape, std::size_t width,
                                    Read&& read) {
  if (dataset.empty()) return readRaw(file, shape, static_cast<std::int64_t>(width));
  try {
    // HDF5 may crash on a file that another program wrote, or that is damaged.
    const std::uintmax_t fileBytes = detail::hdf5::requireFile(file);
    const auto count = static_cast<std::size_t>(countOf(shape));
    const detail::hdf5::Lock lock;
    return detail::readInChild(limitsFor(count, width, fileBytes), [&] {
      return detail::hdf5::readForeign(
          [&] { return readDataset(file, dataset, fileBytes, shape, read); });
    });
  } catch (const Error& error) {
    throw InputError("cannot read the dataset '{}' of '{}': {}", dataset, file.string(),
                     error.what());
  }
}

}  // namespace

std::vector<std::uint8_t> readByteArray(const std::filesystem::path& file,
                                        const std::string& dataset,
                                        std::span<const std::int64_t> shape) {
  return readArray(file, dataset, shape, 1, readBytes);
}

std::vector<float> readFloatArray(const std::filesystem::path& file, const std::string& dataset,
                                  std::span<const std::int64_t> shape) {
  const auto bytes = readArray(file, dataset, shape, sizeof(float), readFloats);
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

}  // namespace mass
