#include <mass/io/file_sum.hpp>

#include <mass/io/checksum.hpp>
#include <mass/io/file_descriptor.hpp>
#include <mass/io/interrupt.hpp>
#include <mass/io/regular_file.hpp>
#include <mass/support/error.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

namespace mass::detail {
namespace {

constexpr std::uint64_t wholeBytes = std::uint64_t{512} << 10;  ///< largest file read as a whole
constexpr std::uint64_t edgeBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t sampleBytes = std::uint64_t{4} << 10;
constexpr std::uint64_t sampleDistance = std::uint64_t{128} << 10;

[[noreturn]] void failToRead(int error) {
  throw Error("it cannot be read: {}", std::generic_category().message(error));
}

/// Adds pieces of a file to its checksum.
class Summation {
 public:
  Summation(const FileDescriptor& file, std::uint64_t size) : file_(file), sum_{size, 0} {}

  /// Adds the bytes [first, first + count).
  void add(std::uint64_t first, std::uint64_t count) {
    piece_.resize(count);
    for (std::uint64_t done = 0; done < count;) {
      const ssize_t read = ::pread(file_.number(), piece_.data() + done, count - done,
                                   static_cast<off_t>(first + done));
      if (read < 0 && errno == EINTR && !isInterrupted()) continue;
      if (read <= 0) failToRead(read < 0 ? errno : EIO);
      done += static_cast<std::uint64_t>(read);
    }
    sum_.checksum = checksum(piece_.data(), piece_.size(), sum_.checksum);
  }
  const FileSum& sum() const { return sum_; }

 private:
  const FileDescriptor& file_;
  FileSum sum_;
  std::vector<char> piece_;
};

}  // namespace

FileSum sumOf(const std::filesystem::path& path) {
  const FileDescriptor file = openRegularFile(path);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) failToRead(errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  Summation summation(file, size);
  if (size <= wholeBytes) {
    summation.add(0, size);
    return summation.sum();
  }
  summation.add(0, edgeBytes);
  for (std::uint64_t at = sampleDistance; at + sampleBytes <= size - edgeBytes;
       at += sampleDistance)
    summation.add(at, sampleBytes);
  summation.add(size - edgeBytes, edgeBytes);
  return summation.sum();
}

}  // namespace mass::detail
