#include <mass/io/byte_array.hpp>
#include <mass/io/hdf5.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace mass {
namespace {

std::int64_t countOf(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::vector<std::uint8_t> readRaw(const std::filesystem::path& file,
                                  std::span<const std::int64_t> shape) {
  const auto refuse = [&](const std::string& reason) {
    throw InputError("cannot read '{}': {}", file.string(), reason);
  };
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) refuse("it is a folder");
  const auto size = std::filesystem::file_size(file, error);
  if (error) refuse(error.message());
  const std::int64_t count = countOf(shape);
  if (size != static_cast<std::uintmax_t>(count))
    refuse(
        fmt::format("it has {} bytes, not {}, one for each place", size, fmt::join(shape, " x ")));
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

std::vector<std::uint8_t> readDataset(const std::filesystem::path& file, const std::string& name,
                                      std::span<const std::int64_t> shape) {
  const detail::hdf5::Quiet quiet;
  const detail::hdf5::Id open = detail::hdf5::openFile(file);
  const detail::hdf5::Id dataset(H5Dopen2(open, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2");
  const detail::hdf5::Id type(H5Dget_type(dataset), H5Tclose, "H5Dget_type");
  if (H5Tget_class(type) != H5T_INTEGER) throw InputError("it does not hold integers");
  const auto found = detail::hdf5::shapeOf(dataset);
  const auto count = static_cast<std::size_t>(countOf(shape));
  const bool isList = found.size() == 1 && found[0] == count;
  if (!isList &&
      !std::equal(found.begin(), found.end(), shape.begin(), shape.end(),
                  [](hsize_t a, std::int64_t b) { return a == static_cast<hsize_t>(b); }))
    throw InputError("its shape is {}, not {}", fmt::join(found, " x "), fmt::join(shape, " x "));
  std::vector<std::uint8_t> bytes(count);
  if (H5Tget_size(type) == 1 && H5Tget_sign(type) == H5T_SGN_NONE) {
    detail::hdf5::readDataset(open, name, H5T_NATIVE_UINT8, count, bytes.data());
    return bytes;
  }
  std::vector<std::int64_t> numbers(count);
  detail::hdf5::readDataset(open, name, H5T_NATIVE_INT64, count, numbers.data());
  requireBytes(numbers);
  std::transform(numbers.begin(), numbers.end(), bytes.begin(),
                 [](std::int64_t number) { return static_cast<std::uint8_t>(number); });
  return bytes;
}

}  // namespace

std::vector<std::uint8_t> readByteArray(const std::filesystem::path& file,
                                        const std::string& dataset,
                                        std::span<const std::int64_t> shape) {
  if (dataset.empty()) return readRaw(file, shape);
  try {
    return readDataset(file, dataset, shape);
  } catch (const Error& error) {
    throw InputError("cannot read the dataset '{}' of '{}': {}", dataset, file.string(),
                     error.what());
  }
}

}  // namespace mass
