#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mass/io/atomic_file.hpp>
#include <mass/io/file_descriptor.hpp>
#include <mass/support/new_file.hpp>
#include <string>
#include <system_error>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

std::string_view remedy(int errorNumber) {
  switch (errorNumber) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another folder";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f) or choose another folder";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder that you may write to";
    case ENOTDIR:
    case EEXIST:
      return "a file is where a folder is needed: remove it or choose another folder";
    case EISDIR:
      return "a folder is where the file should go: remove it or choose another name";
    case ENOENT:
      return "create the folder first";
    case EINTR:
      return "a signal has ended the wait for the disk";
    case ELOOP:
      return "a symbolic link is where the file should go: remove it or choose another name";
    case EMFILE:
      return "raise the limit on open files (ulimit -n)";
    case ENFILE:
      return "the system has too many open files: end other programs";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case EBUSY:
      return "another program uses it: end that or choose another name";
    case EIO:
      return "the disk may be faulty: choose another folder";
    default:
      return "choose another folder";
  }
}

void synchronizePath(const fs::path& path, int flags) {
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)};
  if (!file.isOpen()) throw cannotWrite(path, errno);
  if (const int error = file.synchronize()) throw cannotWrite(path, error);
}

}  // namespace

fs::path partialName(const fs::path& path) {
  fs::path name = path;
  return name += ".partial";
}

OutputError cannotWrite(const fs::path& path, int errorNumber) {
  return OutputError("cannot write '{}': {} ({})", path.string(),
                     std::generic_category().message(errorNumber), remedy(errorNumber));
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), temporary_(partialName(path_)) {}

AtomicFile::~AtomicFile() {
  std::error_code ignored;  // there may be no temporary file
  if (!committed_) fs::remove(temporary_, ignored);
}

void AtomicFile::commit() {
  renameDurably(temporary_, path_);
  committed_ = true;
}

void AtomicFile::publish() {
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) throw cannotWrite(path_, error.value());
  committed_ = true;
}

void renameDurably(const fs::path& from, const fs::path& to) {
  synchronizePath(from, 0);
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw cannotWrite(to, error.value());
  const fs::path folder = to.parent_path();
  synchronizePath(folder.empty() ? fs::path(".") : folder, O_DIRECTORY);
}

namespace {

/// Writes `bytes` to the temporary file.
void writeTo(const AtomicFile& atomic, std::string_view bytes) {
  const fs::path& path = atomic.path();
  FileDescriptor file{openNewFile(atomic.temporary())};
  if (!file.isOpen()) throw cannotWrite(path, errno);
  if (const int error = file.write(bytes)) throw cannotWrite(path, error);
  if (const int error = file.close()) throw cannotWrite(path, error);
}

}  // namespace

void writeAtomically(const fs::path& path, std::string_view bytes) {
  AtomicFile atomic(path);
  writeTo(atomic, bytes);
  atomic.commit();
}

void publishAtomically(const fs::path& path, std::string_view bytes) {
  AtomicFile atomic(path);
  writeTo(atomic, bytes);
  atomic.publish();
}

void synchronizeFolder(const fs::path& folder) {
  const FileDescriptor file{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!file.isOpen() || ::syncfs(file.number()) != 0) throw cannotWrite(folder, errno);
}

void makeFolder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw cannotWrite(path, error.value());
  // An existing folder may be read-only or on a full disk.
  std::string name = (path / ".writable-XXXXXX").string();
  FileDescriptor file{::mkostemp(name.data(), O_CLOEXEC)};
  if (!file.isOpen()) throw cannotWrite(path, errno);
  int failure = file.write("x");
  if (const int closing = file.close(); failure == 0) failure = closing;
  if (::unlink(name.c_str()) != 0 && failure == 0) failure = errno;
  if (failure != 0) throw cannotWrite(path, failure);
}

}  // namespace mass::detail
