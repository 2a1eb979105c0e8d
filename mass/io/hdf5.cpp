#include <mass/io/atomic_file.hpp>
#include <mass/io/hdf5.hpp>
#include <mass/io/interrupt.hpp>
#include <mass/support/new_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

namespace mass::detail::hdf5 {
namespace {

/// Returns the innermost description on HDF5's error stack.
std::string errorText() {
  std::string text = "no reason given";
  const auto take = [](unsigned, const H5E_error2_t* error, void* into) -> herr_t {
    *static_cast<std::string*>(into) = error->desc ? error->desc : "";
    return 1;  // stop at the first entry
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &text);
  return text;
}

/// Redirects the stream stderr to /dev/null; the file descriptor of standard error stays.
class MutedStream {
 public:
  MutedStream() {
    if (nothing_ != nullptr) std::swap(stderr, nothing_);
  }
  ~MutedStream() {
    if (nothing_ == nullptr) return;
    std::swap(stderr, nothing_);
    std::fclose(nothing_);
  }
  MutedStream(const MutedStream&) = delete;
  MutedStream& operator=(const MutedStream&) = delete;

 private:
  std::FILE* nothing_ = std::fopen("/dev/null", "w");
};

/// Initialises HDF5 before its first use. It will not close files at the end of the program, since
/// after an error it would print messages or crash; all files are closed before.
/// @throws Failure if HDF5 fails, which prints its errors until it is initialised
void initialize() {
  static const bool isDone = [] {
    const MutedStream muted;
    H5dont_atexit();
    if (H5open() < 0) throw Failure("HDF5 cannot start, probably since memory is exhausted");
    return true;
  }();
  static_cast<void>(isDone);
}

}  // namespace

Quiet::Quiet() {
  initialize();
  H5Eget_auto2(H5E_DEFAULT, &printer_, &printerData_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() {
  H5Eset_auto2(H5E_DEFAULT, printer_, printerData_);
}

// Global, since the state of HDF5 is.
Lock::Lock()
    : lock_([]() -> std::recursive_mutex& {
        static std::recursive_mutex mutex;
        return mutex;
      }()) {}

Lock::~Lock() = default;

std::int64_t checked(std::int64_t result, const char* call) {
  if (result < 0) throw CallFailure("{}: {}", call, errorText());
  return result;
}

// The file driver of NewFile

/// Open file and its first error.
struct NewFile::Disk {
  int descriptor = -1;
  int error = 0;

  ~Disk() {
    if (descriptor >= 0) ::close(descriptor);
  }

  void write(std::uint64_t offset, const void* data, std::size_t bytes) {
    const auto* from = static_cast<const char*>(data);
    while (bytes > 0 && error == 0) {
      const ssize_t done = ::pwrite(descriptor, from, bytes, static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR && !isInterrupted()) continue;
      if (done <= 0) {
        error = done < 0 ? errno : ENOSPC;
        return;
      }
      from += done;
      offset += static_cast<std::uint64_t>(done);
      bytes -= static_cast<std::size_t>(done);
    }
  }

  /// Reads bytes; those beyond the end of the file are zeros.
  void read(std::uint64_t offset, void* into, std::size_t bytes) {
    auto* to = static_cast<char*>(into);
    while (bytes > 0) {
      const ssize_t done = ::pread(descriptor, to, bytes, static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR && !isInterrupted()) continue;
      if (done < 0 && error == 0) error = errno;
      if (done <= 0) break;
      to += done;
      offset += static_cast<std::uint64_t>(done);
      bytes -= static_cast<std::size_t>(done);
    }
    std::memset(to, 0, bytes);
  }
};

namespace {

// Virtual file driver of HDF5: functions on a struct whose first member is an H5FD_t. They never
// fail; NewFile checks Disk::error instead.
template <class Disk>
struct Driver {
  struct Info {
    Disk* disk;
  };
  struct File {
    H5FD_t base;
    Disk* disk;
    haddr_t allocated;
    haddr_t end;
  };

  static File& of(H5FD_t* file) { return *reinterpret_cast<File*>(file); }
  static const File& of(const H5FD_t* file) { return *reinterpret_cast<const File*>(file); }

  static H5FD_t* open(const char*, unsigned, hid_t properties, haddr_t) {
    const auto* info = static_cast<const Info*>(H5Pget_driver_info(properties));
    return &(new File{{}, info->disk, 0, 0})->base;
  }
  static herr_t close(H5FD_t* file) {
    delete &of(file);
    return 0;
  }
  static herr_t query(const H5FD_t*, unsigned long* features) {
    *features = H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
  }
  static haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; }
  static herr_t allocate(H5FD_t* file, H5FD_mem_t, haddr_t end) {
    of(file).allocated = end;
    return 0;
  }
  static haddr_t end(const H5FD_t* file, H5FD_mem_t) { return of(file).end; }
  static herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t bytes, void* into) {
    of(file).disk->read(at, into, bytes);
    return 0;
  }
  static herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t bytes,
                      const void* from) {
    of(file).disk->write(at, from, bytes);
    of(file).end = std::max<haddr_t>(of(file).end, at + bytes);
    return 0;
  }
  static herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
    File& self = of(file);
    if (self.disk->error == 0 &&
        ::ftruncate(self.disk->descriptor, static_cast<off_t>(self.allocated)) != 0) {
      self.disk->error = errno;
    }
    self.end = self.allocated;
    return 0;
  }

  static Id registered() {
    H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 2)
    driver.version = H5FD_CLASS_VERSION;
    driver.value =
        static_cast<H5FD_class_value_t>(300);  // from the range kept free for private drivers
#endif
    driver.name = "mass";
    driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
    driver.fc_degree = H5F_CLOSE_STRONG;
    driver.fapl_size = sizeof(Info);
    driver.open = open;
    driver.close = close;
    driver.query = query;
    driver.get_eoa = allocated;
    driver.set_eoa = allocate;
    driver.get_eof = end;
    driver.read = read;
    driver.write = write;
    driver.truncate = truncate;
    return Id(H5FDregister(&driver), H5FDunregister, "H5FDregister");
  }
};

/// Keeps all metadata in memory until the file is closed: after a disk error none can be read back.
void keepMetadata(hid_t properties) {
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  checked(H5Pget_mdc_config(properties, &cache), "H5Pget_mdc_config");
  cache.evictions_enabled = false;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  checked(H5Pset_mdc_config(properties, &cache), "H5Pset_mdc_config");
}

/// Returns new properties for creating objects of a class, without times of creation: equal runs
/// write equal bytes.
Id creationProperties(hid_t objectClass) {
  Id properties(H5Pcreate(objectClass), H5Pclose, "H5Pcreate");
  checked(H5Pset_obj_track_times(properties, false), "H5Pset_obj_track_times");
  return properties;
}

/// Makes groups created with these properties keep their members in the order of creation.
void keepOrder(hid_t creation) {
  checked(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
          "H5Pset_link_creation_order");
}

}  // namespace

NewFile::NewFile(const std::filesystem::path& path, const std::filesystem::path& shown,
                 hsize_t userBlock)
    : shown_(shown), disk_(std::make_unique<Disk>()) {
  initialize();
  disk_->descriptor = openNewFile(path);
  if (disk_->descriptor < 0) disk_->error = errno;
  requireWritten();

  driver_ = Driver<Disk>::registered();
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate");
  const typename Driver<Disk>::Info info{disk_.get()};
  checked(H5Pset_driver(access, driver_, &info), "H5Pset_driver");
  checked(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "H5Pset_fclose_degree");
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110), "H5Pset_libver_bounds");
  keepMetadata(access);
  const Id creation = creationProperties(H5P_FILE_CREATE);
  checked(H5Pset_userblock(creation, userBlock), "H5Pset_userblock");
  keepOrder(creation);
  file_ = Id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose, "H5Fcreate");
}

NewFile::~NewFile() {
  const Lock lock;
  file_.reset();
}

void NewFile::requireWritten() const {
  if (disk_->error != 0) throw cannotWrite(shown_, disk_->error);
}

void NewFile::finish() {
  file_.reset();
  requireWritten();
}

void NewFile::close() {
  finish();
  // Some file systems report a failed write only when the file is closed.
  if (::close(std::exchange(disk_->descriptor, -1)) != 0) disk_->error = errno;
  requireWritten();
}

std::uint64_t NewFile::size() const {
  struct stat status {};
  if (::fstat(disk_->descriptor, &status) != 0) disk_->error = errno;
  requireWritten();
  return static_cast<std::uint64_t>(status.st_size);
}

void NewFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  disk_->read(offset, into.data(), into.size());
  requireWritten();
}

void NewFile::write(std::uint64_t offset, std::span<const std::byte> from) {
  disk_->write(offset, from.data(), from.size());
  requireWritten();
}

std::uintmax_t requireFile(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Failure("this is not a file");  // opening a pipe blocks
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw Failure("{}", error.message());
  return bytes;
}

Id openFile(const std::filesystem::path& path) {
  initialize();
  std::error_code error;
  if (std::filesystem::exists(path, error)) (void)requireFile(path);
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate");
  checked(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "H5Pset_fclose_degree");
#if H5_VERSION_GE(1, 10, 7)
  // Files do not change after their rename, and some file systems cannot lock.
  checked(H5Pset_file_locking(access, false, true), "H5Pset_file_locking");
#endif
  return Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "H5Fopen");
}

// Types and spaces

Id dataType(ElementType type, std::size_t elementSize) {
  const auto copy = [](hid_t of) { return Id(H5Tcopy(of), H5Tclose, "H5Tcopy"); };
  switch (type) {
    case ElementType::boolean:
    case ElementType::uint8:
      return copy(H5T_STD_U8LE);
    case ElementType::int8:
      return copy(H5T_STD_I8LE);
    case ElementType::int16:
      return copy(H5T_STD_I16LE);
    case ElementType::uint16:
      return copy(H5T_STD_U16LE);
    case ElementType::int32:
      return copy(H5T_STD_I32LE);
    case ElementType::uint32:
      return copy(H5T_STD_U32LE);
    case ElementType::int64:
      return copy(H5T_STD_I64LE);
    case ElementType::uint64:
      return copy(H5T_STD_U64LE);
    case ElementType::float32:
      return copy(H5T_IEEE_F32LE);
    case ElementType::float64:
      return copy(H5T_IEEE_F64LE);
    case ElementType::opaque:
      break;
  }
  Id opaque(H5Tcreate(H5T_OPAQUE, elementSize), H5Tclose, "H5Tcreate");
  checked(H5Tset_tag(opaque, "bytes of a C++ object"), "H5Tset_tag");
  return opaque;
}

Id dataSpace(std::span<const hsize_t> shape) {
  return Id(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose,
            "H5Screate_simple");
}

Id rowsOf(std::span<const hsize_t> shape, hsize_t first, hsize_t count) {
  Id space = dataSpace(shape);
  std::vector<hsize_t> start(shape.size(), 0);
  std::vector<hsize_t> extent(shape.begin(), shape.end());
  start.front() = first;
  extent.front() = count;
  checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
          "H5Sselect_hyperslab");
  return space;
}

std::vector<hsize_t> shapeOf(hid_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose, "H5Dget_space");
  const auto rank = checked(H5Sget_simple_extent_ndims(space), "H5Sget_simple_extent_ndims");
  std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
  checked(H5Sget_simple_extent_dims(space, shape.data(), nullptr), "H5Sget_simple_extent_dims");
  return shape;
}

// Groups, datasets, attributes

Id createGroup(hid_t parent, const std::string& name) {
  const Id creation = creationProperties(H5P_GROUP_CREATE);
  keepOrder(creation);
  return Id(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose,
            "H5Gcreate2");
}

Id datasetProperties() {
  return creationProperties(H5P_DATASET_CREATE);
}

Id createDataset(hid_t parent, const std::string& name, hid_t type, hid_t space) {
  return createDataset(parent, name, type, space, datasetProperties());
}

Id createDataset(hid_t parent, const std::string& name, hid_t type, hid_t space, hid_t properties) {
  return Id(H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
            H5Dclose, "H5Dcreate2");
}

namespace {

Id scalarSpace() {
  return Id(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate");
}

Id textType(std::size_t length) {
  Id type(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy");
  // HDF5 has no empty string type: an empty text is one byte of padding.
  checked(H5Tset_size(type, std::max<std::size_t>(length, 1)), "H5Tset_size");
  checked(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad");
  return type;
}

void write(hid_t parent, const std::string& name, hid_t type, hid_t space, const void* from) {
  const Id set = createDataset(parent, name, type, space);
  checked(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, from), "H5Dwrite");
}

void attribute(hid_t object, const std::string& name, hid_t type, hid_t space, const void* from) {
  const Id created(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose, "H5Acreate2");
  checked(H5Awrite(created, type, from), "H5Awrite");
}

template <class T>
Id listSpace(std::span<const T> values) {
  const std::array<hsize_t, 1> shape{values.size()};
  return dataSpace(shape);
}

/// Returns the length of a fixed-length string type.
/// @throws Failure if the type is another one
std::size_t textLength(hid_t type, const std::string& name) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) {
    throw Failure("'{}' is not a fixed-length text", name);
  }
  return H5Tget_size(type);
}

std::string withoutPadding(std::string text) {
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

void requireCount(hid_t space, std::size_t count, const std::string& name) {
  const auto present = checked(H5Sget_simple_extent_npoints(space), "H5Sget_simple_extent_npoints");
  if (static_cast<std::uint64_t>(present) != count) {
    throw Failure("'{}' holds {} values, not {}", name, present, count);
  }
}

}  // namespace

void writeDataset(hid_t parent, const std::string& name, std::span<const double> values) {
  write(parent, name, H5T_IEEE_F64LE, listSpace(values), values.data());
}

void writeDataset(hid_t parent, const std::string& name, std::span<const std::int64_t> values) {
  write(parent, name, H5T_STD_I64LE, listSpace(values), values.data());
}

void writeDataset(hid_t parent, const std::string& name, const std::string& text) {
  write(parent, name, textType(text.size()), scalarSpace(), text.c_str());
}

void writeAttribute(hid_t object, const std::string& name, const std::string& text) {
  attribute(object, name, textType(text.size()), scalarSpace(), text.c_str());
}

void writeAttribute(hid_t object, const std::string& name, std::uint64_t value) {
  attribute(object, name, H5T_STD_U64LE, scalarSpace(), &value);
}

void writeAttribute(hid_t object, const std::string& name, std::int64_t value) {
  attribute(object, name, H5T_STD_I64LE, scalarSpace(), &value);
}

void writeAttribute(hid_t object, const std::string& name, double value) {
  attribute(object, name, H5T_IEEE_F64LE, scalarSpace(), &value);
}

void writeAttribute(hid_t object, const std::string& name, std::span<const std::int64_t> values) {
  attribute(object, name, H5T_STD_I64LE, listSpace(values), values.data());
}

void writeAttribute(hid_t object, const std::string& name, std::span<const double> values) {
  attribute(object, name, H5T_IEEE_F64LE, listSpace(values), values.data());
}

std::string readTextAttribute(hid_t object, const std::string& name) {
  const Id found(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "H5Aopen");
  const Id type(H5Aget_type(found), H5Tclose, "H5Aget_type");
  std::string text(textLength(type, name), '\0');
  checked(H5Aread(found, type, text.data()), "H5Aread");
  return withoutPadding(std::move(text));
}

std::string readTextDataset(hid_t parent, const std::string& name, std::uint64_t mostBytes) {
  const Id found(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2");
  const Id type(H5Dget_type(found), H5Tclose, "H5Dget_type");
  const std::size_t length = textLength(type, name);
  if (length > mostBytes) throw Failure("the text '{}' is larger than the file", name);
  std::string text(length, '\0');
  checked(H5Dread(found, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "H5Dread");
  return withoutPadding(std::move(text));
}

void readAttribute(hid_t object, const std::string& name, hid_t memoryType, std::size_t count,
                   void* into) {
  const Id found(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "H5Aopen");
  const Id space(H5Aget_space(found), H5Sclose, "H5Aget_space");
  requireCount(space, count, name);
  checked(H5Aread(found, memoryType, into), "H5Aread");
}

void readDataset(hid_t parent, const std::string& name, hid_t memoryType, std::size_t count,
                 void* into) {
  const Id found(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2");
  const Id space(H5Dget_space(found), H5Sclose, "H5Dget_space");
  requireCount(space, count, name);
  checked(H5Dread(found, memoryType, H5S_ALL, H5S_ALL, H5P_DEFAULT, into), "H5Dread");
}

std::vector<std::string> attributeNames(hid_t object) {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5A_info_t*, void* into) -> herr_t {
    static_cast<std::vector<std::string>*>(into)->emplace_back(name);
    return 0;
  };
  checked(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, take, &names), "H5Aiterate2");
  return names;
}

std::vector<std::string> memberNames(hid_t group) {
  const Id itself(H5Gopen2(group, ".", H5P_DEFAULT), H5Gclose, "H5Gopen2");
  const Id creation(H5Gget_create_plist(itself), H5Pclose, "H5Gget_create_plist");
  unsigned order = 0;
  checked(H5Pget_link_creation_order(creation, &order), "H5Pget_link_creation_order");
  const H5_index_t index =
      (order & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* into) -> herr_t {
    static_cast<std::vector<std::string>*>(into)->emplace_back(name);
    return 0;
  };
  checked(H5Literate(itself, index, H5_ITER_INC, nullptr, take, &names), "H5Literate");
  return names;
}

}  // namespace mass::detail::hdf5
