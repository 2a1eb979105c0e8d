#include <mass/program/rank_output.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace mass::detail {
namespace {

/// Makes a copy of a stream's descriptor and connects the stream with /dev/null.
FileDescriptor silenced(int stream) {
  FileDescriptor copy(fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  const FileDescriptor null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (null.isOpen()) (void)dup2(null.number(), stream);
  return copy;
}

}  // namespace

SilentOutput::SilentOutput() : output_(silenced(STDOUT_FILENO)), error_(silenced(STDERR_FILENO)) {}

SilentOutput::~SilentOutput() {
  (void)std::fflush(stdout);
  if (output_.isOpen()) (void)dup2(output_.number(), STDOUT_FILENO);
  if (error_.isOpen()) (void)dup2(error_.number(), STDERR_FILENO);
}

}  // namespace mass::detail
