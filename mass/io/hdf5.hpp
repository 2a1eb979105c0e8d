#pragma once

// Private to mass/io: the only header that shows HDF5. Include it from .cpp files only.

#include <hdf5.h>

#include <mass/support/element_type.hpp>
#include <mass/support/error.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// A thin ownership and error layer over the HDF5 C API.
/// HDF5 as Debian builds it is not thread-safe: no two threads may be in it at once, whatever the
/// files.
namespace mass::detail::hdf5 {

/// A call of HDF5 failed. what(): the call and the innermost text of HDF5's error stack.
class Failure : public Error {
 public:
  using Error::Error;
};

/// While it lives HDF5 prints nothing on stderr. Restores what was set before.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t printer_ = nullptr;
  void* printerData_ = nullptr;
};

/// `result` of the HDF5 function `call`, if it is not negative; throws Failure otherwise.
std::int64_t checked(std::int64_t result, const char* call);

/// Owns an HDF5 identifier and closes it with the function given.
class Id {
 public:
  using Close = herr_t (*)(hid_t);

  Id() = default;
  /// Takes the result of `call`; throws Failure if it is negative.
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
  void reset() {
    if (id_ >= 0) close_(id_);
    id_ = H5I_INVALID_HID;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// A new HDF5 file that is being written. HDF5 never sees the disk fail: after a failed close it
/// would keep dangling identifiers and crash at exit. So the file remembers its first error instead
/// and throws it here.
class NewFile {
 public:
  /// Creates or empties the file at `path`; `shown` is what messages call it. `userBlock`: bytes
  /// before HDF5's own (0, or a power of two from 512 on), left as zeros. Throws OutputError.
  NewFile(const std::filesystem::path& path, const std::filesystem::path& shown,
          hsize_t userBlock = 0);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  operator hid_t() const { return file_; }
  /// Throws OutputError with the path and the reason if anything could not be written so far.
  void requireWritten() const;
  /// Ends HDF5's work; everything is then in the file. Throws OutputError.
  void finish();
  /// finish(), and closes the file itself: nothing may follow. Throws OutputError.
  void close();
  /// Plain access to the bytes of a finished file. Throw OutputError.
  std::uint64_t size() const;
  void read(std::uint64_t offset, std::span<std::byte> into) const;
  void write(std::uint64_t offset, std::span<const std::byte> from);

 private:
  struct Disk;
  std::filesystem::path shown_;
  std::unique_ptr<Disk> disk_;
  Id driver_;
  Id file_;
};

/// Opens an existing file for reading. Throws Failure.
Id openFile(const std::filesystem::path& path);

/// The type of an element in files (little-endian) or, for reading and writing, in memory. Throws
/// Failure.
Id dataType(ElementType type, std::size_t elementSize);

/// A dataspace of that shape. Throws Failure.
Id dataSpace(std::span<const hsize_t> shape);

/// The dataspace of `shape` with rows first .. first + count - 1 of axis 0 selected. Throws
/// Failure.
Id rowsOf(std::span<const hsize_t> shape, hsize_t first, hsize_t count);

/// Creates a group that keeps its members in the order of creation. Throws Failure.
Id createGroup(hid_t parent, const std::string& name);

/// Creates a dataset with the creation properties given. Throws Failure.
Id createDataset(hid_t parent, const std::string& name, hid_t type, hid_t space,
                 hid_t properties = H5P_DEFAULT);

/// Writes a whole small dataset. Throw Failure.
void writeDataset(hid_t parent, const std::string& name, std::span<const double> values);
void writeDataset(hid_t parent, const std::string& name, std::span<const std::int64_t> values);
void writeDataset(hid_t parent, const std::string& name, const std::string& text);

/// Writes an attribute: one value, or a list of them. Throw Failure.
void writeAttribute(hid_t object, const std::string& name, const std::string& text);
void writeAttribute(hid_t object, const std::string& name, std::uint64_t value);
void writeAttribute(hid_t object, const std::string& name, std::int64_t value);
void writeAttribute(hid_t object, const std::string& name, double value);
void writeAttribute(hid_t object, const std::string& name, std::span<const std::int64_t> values);
void writeAttribute(hid_t object, const std::string& name, std::span<const double> values);

/// Read the attribute or dataset of that name. Throw Failure, also where it is absent or of another
/// class or size.
std::string readTextAttribute(hid_t object, const std::string& name);
std::string readTextDataset(hid_t parent, const std::string& name);
void readAttribute(hid_t object, const std::string& name, hid_t memoryType, std::size_t count,
                   void* into);
void readDataset(hid_t parent, const std::string& name, hid_t memoryType, std::size_t count,
                 void* into);

/// Names of an object's attributes, and of a group's members in their order of creation. Throw
/// Failure.
std::vector<std::string> attributeNames(hid_t object);
std::vector<std::string> memberNames(hid_t group);

/// The shape of an open dataset. Throws Failure.
std::vector<hsize_t> shapeOf(hid_t dataset);

}  // namespace mass::detail::hdf5
