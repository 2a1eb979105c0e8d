#include <mass/io/foreign_dataset.hpp>

#include <mass/io/file_descriptor.hpp>

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <limits>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace mass::detail::hdf5 {
namespace {

/// Largest ratio of zlib's compression.
constexpr std::uint64_t mostCompression = 1032;
/// Bytes of the largest number.
constexpr std::size_t mostElementBytes = 16;

}  // namespace

void failAsDamaged() {
  throw Failure(
      "it is damaged, was cut off, was not closed by the program that wrote it, or has a format "
      "newer than HDF5 {}.{}: copy or write it again",
      H5_VERS_MAJOR, H5_VERS_MINOR);
}

Id openForeignFile(const std::filesystem::path& path) {
  static_cast<void>(requireFile(path));
  {
    const FileDescriptor readable{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!readable.isOpen()) throw Failure("{}", std::generic_category().message(errno));
  }
  if (H5Fis_hdf5(path.c_str()) == 0) throw Failure("it is no HDF5 file");
  return readForeign([&] { return openFile(path); });
}

Id openForeignMember(hid_t group, const std::string& name) {
  if (checked(H5Lexists(group, name.c_str(), H5P_DEFAULT), "H5Lexists") == 0)
    throw Failure("there is no '{}' in the file", name);
  H5L_info_t link{};
  checked(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), "H5Lget_info");
  if (link.type != H5L_TYPE_HARD) {
    throw Failure("'{}' is a soft or external link: give the path of the dataset itself", name);
  }
  return Id(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose, "H5Oopen");
}

namespace {

/// Returns the bytes of an array; the largest number if they are more than that.
std::uint64_t bytesOf(std::span<const hsize_t> shape, std::uint64_t elementBytes) {
  std::uint64_t bytes = elementBytes;
  for (const hsize_t extent : shape) {
    if (extent == 0) return 0;
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::numeric_limits<std::uint64_t>::max();
  }
  return bytes;
}

/// @throws Failure if a filter of the dataset is not part of this HDF5
void requireFilters(hid_t creation, int count) {
  for (int i = 0; i < count; ++i) {
    std::size_t none = 0;
    unsigned flags = 0;
    unsigned config = 0;
    const auto filter = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &none, nullptr,
                                       0, nullptr, &config);
    checked(filter, "H5Pget_filter2");
    if (H5Zfilter_avail(filter) <= 0) {
      throw Failure("it is compressed by filter {}, which is not available here: use gzip",
                    static_cast<int>(filter));
    }
  }
}

/// @throws Failure if values of the dataset are in other files
void requireOwnValues(hid_t creation) {
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) {
    throw Failure("it is a {} dataset: store it as a contiguous or chunked one",
                  layout == H5D_VIRTUAL ? "virtual" : "compact");
  }
  if (H5Pget_external_count(creation) != 0)
    throw Failure("its values are in another file: store them in this one");
}

/// @throws Failure if the dataset has no axes
void requireAxes(hid_t set) {
  const Id space(H5Dget_space(set), H5Sclose, "H5Dget_space");
  const H5S_class_t kind = H5Sget_simple_extent_type(space);
  if (kind == H5S_NULL) throw Failure("it is empty: it has no values");
  if (kind == H5S_SCALAR) throw Failure("it is a single value, not an array");
}

/// @throws Failure if the dataset has more values than the file can hold
void requireSize(const ForeignDataset& set, hid_t creation, std::uint64_t fileBytes) {
  const auto filters = static_cast<int>(checked(H5Pget_nfilters(creation), "H5Pget_nfilters"));
  requireFilters(creation, filters);
  std::uint64_t most = fileBytes;
  if (filters > 0 && __builtin_mul_overflow(most, mostCompression, &most))
    most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t elementBytes = H5Tget_size(set.type);
  if (bytesOf(set.shape, elementBytes) > most)
    throw Failure("it has more values than a file of {} bytes can hold", fileBytes);
  if (H5Pget_layout(creation) != H5D_CHUNKED) return;
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  const auto rank =
      checked(H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data()), "H5Pget_chunk");
  if (bytesOf(std::span(chunk).first(static_cast<std::size_t>(rank)), elementBytes) > most)
    throw Failure("it has larger chunks than a file of {} bytes can hold", fileBytes);
}

}  // namespace

ForeignDataset openForeignDataset(hid_t file, const std::string& path, std::uint64_t fileBytes) {
  // Plug-ins would be loaded by the numbers of filters in the file.
  checked(H5PLset_loading_state(0), "H5PLset_loading_state");
  Id object;
  std::istringstream names(path);
  for (std::string name; std::getline(names, name, '/');) {
    if (name.empty() || name == ".") continue;
    if (object >= 0 && H5Iget_type(object) != H5I_GROUP)
      throw Failure("'{}' is in no group of the file", name);
    object = openForeignMember(object >= 0 ? static_cast<hid_t>(object) : file, name);
  }
  if (object < 0 || H5Iget_type(object) == H5I_GROUP)
    throw Failure("it is a group: give the path of a dataset in it");
  if (H5Iget_type(object) != H5I_DATASET) throw Failure("it is no dataset");
  ForeignDataset set{std::move(object), {}, {}};
  set.type = Id(H5Dget_type(set.id), H5Tclose, "H5Dget_type");
  H5T_class_t kind = H5Tget_class(set.type);
  if (kind == H5T_ENUM) {  // truth values of h5py
    set.type = Id(H5Tget_super(set.type), H5Tclose, "H5Tget_super");
    kind = H5Tget_class(set.type);
  }
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || H5Tget_size(set.type) > mostElementBytes)
    throw Failure("it does not hold numbers");
  const Id creation(H5Dget_create_plist(set.id), H5Pclose, "H5Dget_create_plist");
  requireOwnValues(creation);
  requireAxes(set.id);
  set.shape = shapeOf(set.id);
  requireSize(set, creation, fileBytes);
  return set;
}

}  // namespace mass::detail::hdf5
