#pragma once

// Private to mass/io, since it includes HDF5: include it from .cpp files only.

#include <hdf5.h>

#include <mass/support/element_type.hpp>
#include <mass/support/error.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Ownership and error handling for the C API of HDF5. Debian's build of HDF5 is not thread-safe: a
/// thread holds a Lock while it calls HDF5, also for different files. Unless stated otherwise, all
/// functions throw Failure if a call of HDF5 fails.
namespace mass::detail::hdf5 {

/// Name of the attribute with the description of the run, of the root group of each file.
inline const std::string runAttribute = "run";

/// Contents of a file that are not as expected, or a call of HDF5 that failed.
class Failure : public Error {
 public:
  using Error::Error;
};

/// Failure of a call of HDF5. The message has the call and the innermost text of HDF5's error
/// stack.
class CallFailure : public Failure {
 public:
  using Failure::Failure;
};

/// Prevents HDF5 from printing errors to stderr; the destructor restores the previous setting. For
/// child processes, in which no other thread is.
class Quiet {
 public:
  /// @throws Failure if HDF5 cannot be initialised
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t printer_ = nullptr;
  void* printerData_ = nullptr;
};

/// Right of a thread to call HDF5, which is then quiet. A thread may hold several. A thread that
/// starts a child process holds one meanwhile, so that HDF5 is at rest in the child.
class Lock {
 public:
  /// Waits until no other thread holds one.
  /// @throws Failure if HDF5 cannot be initialised
  Lock();
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  Quiet quiet_;
};

/// Returns `result`.
/// @param call name of the HDF5 function that returned it
/// @throws CallFailure if the result is negative
std::int64_t checked(std::int64_t result, const char* call);

/// Owns an HDF5 identifier and closes it with the function given.
class Id {
 public:
  using Close = herr_t (*)(hid_t);

  Id() = default;
  /// Owns the result of an HDF5 function.
  /// @param call name of the function
  /// @throws Failure if the result is negative
  Id(hid_t id, Close close, const char* call) : id_(checked(id, call)), close_(close) {}
  ~Id() { reset(); }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Id& operator=(Id&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
      close_ = other.close_;
    }
    return *this;
  }

  operator hid_t() const { return id_; }
  /// Closes the identifier.
  void reset() {
    if (id_ >= 0) close_(id_);
    id_ = H5I_INVALID_HID;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// New HDF5 file, written through a file driver that hides errors of the disk from HDF5: after a
/// failed close, HDF5 would keep dangling identifiers and crash at exit. The file stores its first
/// error, and the functions below throw it.
class NewFile {
 public:
  /// Creates the file; removes an older one.
  /// @param shown path in messages
  /// @param userBlock bytes of zeros before the contents of HDF5: 0, or a power of two from 512 on
  /// @throws OutputError if the file cannot be created
  NewFile(const std::filesystem::path& path, const std::filesystem::path& shown,
          hsize_t userBlock = 0);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  operator hid_t() const { return file_; }
  /// @throws OutputError if any bytes could not be written so far
  void requireWritten() const;
  /// Completes the HDF5 contents of the file.
  /// @throws OutputError if they could not be written
  void finish();
  /// Calls finish() and closes the file. No other call may follow.
  /// @throws OutputError if the contents could not be written
  void close();
  /// Returns the size of a finished file in bytes.
  /// @throws OutputError if it cannot be determined
  std::uint64_t size() const;
  /// Reads bytes of a finished file.
  /// @throws OutputError if that fails
  void read(std::uint64_t offset, std::span<std::byte> into) const;
  /// Writes bytes of a finished file.
  /// @throws OutputError if that fails
  void write(std::uint64_t offset, std::span<const std::byte> from);

 private:
  struct Disk;
  std::filesystem::path shown_;
  std::unique_ptr<Disk> disk_;
  Id driver_;
  Id file_;
};

/// Returns the size of an existing file in bytes.
/// @throws Failure if there is none of that name, or it is a folder, a FIFO or a device
std::uintmax_t requireFile(const std::filesystem::path& path);

/// Opens an existing file for reading. HDF5 may crash on a damaged one: its bytes have been
/// compared with a checksum, or the caller is a child process (readInChild).
Id openFile(const std::filesystem::path& path);

/// Returns the little-endian HDF5 type of an element, in files and in memory.
/// @param elementSize bytes of an opaque element
Id dataType(ElementType type, std::size_t elementSize);

/// Returns a dataspace of that shape.
Id dataSpace(std::span<const hsize_t> shape);

/// Returns a dataspace of `shape` in which rows [first, first + count) of axis 0 are selected.
Id rowsOf(std::span<const hsize_t> shape, hsize_t first, hsize_t count);

/// Creates a group that keeps its members in the order of creation.
Id createGroup(hid_t parent, const std::string& name);

/// Returns creation properties of a dataset without times. All datasets have them, so that equal
/// runs write equal bytes.
Id datasetProperties();

/// Creates a dataset.
Id createDataset(hid_t parent, const std::string& name, hid_t type, hid_t space);
/// Creates a dataset. @param properties datasetProperties() with changes
Id createDataset(hid_t parent, const std::string& name, hid_t type, hid_t space, hid_t properties);

/// Creates and writes a whole dataset.
void writeDataset(hid_t parent, const std::string& name, std::span<const double> values);
void writeDataset(hid_t parent, const std::string& name, std::span<const std::int64_t> values);
void writeDataset(hid_t parent, const std::string& name, const std::string& text);

/// Creates and writes an attribute of one value or a list of values.
void writeAttribute(hid_t object, const std::string& name, const std::string& text);
void writeAttribute(hid_t object, const std::string& name, std::uint64_t value);
void writeAttribute(hid_t object, const std::string& name, std::int64_t value);
void writeAttribute(hid_t object, const std::string& name, double value);
void writeAttribute(hid_t object, const std::string& name, std::span<const std::int64_t> values);
void writeAttribute(hid_t object, const std::string& name, std::span<const double> values);

/// Reads a fixed-length text.
/// @throws Failure if there is none of that name
std::string readTextAttribute(hid_t object, const std::string& name);
/// @param mostBytes size of the file: a longer text is refused before memory is allocated
std::string readTextDataset(hid_t parent, const std::string& name,
                            std::uint64_t mostBytes = std::uint64_t{1} << 32);
/// Reads `count` numbers.
/// @param memoryType HDF5 type of the elements of `into`
/// @throws Failure if there is no attribute or dataset of that name and number of elements
void readAttribute(hid_t object, const std::string& name, hid_t memoryType, std::size_t count,
                   void* into);
void readDataset(hid_t parent, const std::string& name, hid_t memoryType, std::size_t count,
                 void* into);

/// Returns the names of an object's attributes in alphabetical order.
std::vector<std::string> attributeNames(hid_t object);
/// Returns the names of a group's members in the order of creation; in alphabetical order if the
/// group does not record that.
std::vector<std::string> memberNames(hid_t group);

/// Returns the shape of an open dataset.
std::vector<hsize_t> shapeOf(hid_t dataset);

}  // namespace mass::detail::hdf5
