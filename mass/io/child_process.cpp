#include <mass/io/child_process.hpp>

#include <mass/io/file_descriptor.hpp>
#include <mass/io/interrupt.hpp>
#include <mass/io/process_guard.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace mass::detail {
namespace {

/// First bytes of the answer of a child; the result or the message follows.
struct Header {
  std::uint64_t isError;
  std::uint64_t bytes;
};

constexpr std::size_t mostMessageBytes = 4096;

// The child

void limit(__rlimit_resource resource, rlim_t most) {
  struct rlimit limits {};
  if (::getrlimit(resource, &limits) != 0) return;
  limits.rlim_cur = std::min(most, limits.rlim_max);
  ::setrlimit(resource, &limits);
}

/// Limits the memory that is allocated from now on.
void limitMemory(std::size_t bytes) {
  std::ifstream file("/proc/self/statm");
  std::array<rlim_t, 6> pages{};
  for (rlim_t& number : pages) file >> number;
  if (!file) return;
  const auto present = pages[5] * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  limit(RLIMIT_DATA, present + bytes);
}

/// Separates the child from its parent's handlers and streams.
void prepareChild(const ChildLimits& limits) {
  ProcessGuard::releaseInChild();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, limits.seconds);
  limitMemory(limits.memoryBytes);
}

void send(const FileDescriptor& pipe, bool isError, const void* data, std::size_t bytes) {
  const Header header{isError, bytes};
  const auto view = [](const void* from, std::size_t count) {
    return std::string_view(static_cast<const char*>(from), count);
  };
  if (pipe.write(view(&header, sizeof header)) != 0) return;
  static_cast<void>(pipe.write(view(data, bytes)));  // the parent sees that bytes are missing
}

[[noreturn]] void runChild(const FileDescriptor& pipe, const ChildLimits& limits,
                           const std::function<std::vector<std::uint8_t>()>& read) {
  prepareChild(limits);
  try {
    const std::vector<std::uint8_t> result = read();
    send(pipe, false, result.data(), result.size());
  } catch (...) {
    const std::string_view message = currentMessage();
    send(pipe, true, message.data(), std::min(message.size(), mostMessageBytes));
  }
  ::_exit(0);
}

// The parent

/// Process that is killed and awaited by the destructor.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::kill(process_, SIGKILL);  // it has no further work
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

 private:
  pid_t process_;
};

/// Fills `into`. @return false at the end of the pipe, or if a signal asks the run to end
bool receive(const FileDescriptor& pipe, std::span<std::uint8_t> into) {
  while (!into.empty()) {
    const ssize_t count = ::read(pipe.number(), into.data(), into.size());
    if (count > 0) {
      into = into.subspan(static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR || isInterrupted()) {
      return false;
    }
  }
  return true;
}

[[noreturn]] void failToStart() {
  throw ChildError("cannot start a process that reads it: {}",
                   std::generic_category().message(errno));
}

}  // namespace

std::vector<std::uint8_t> readInChild(const ChildLimits& limits,
                                      const std::function<std::vector<std::uint8_t>()>& read) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) failToStart();
  FileDescriptor input(ends[0]);
  FileDescriptor output(ends[1]);
  const pid_t process = ::fork();
  if (process < 0) failToStart();
  if (process == 0) {
    input.close();
    runChild(output, limits, read);
  }
  const Child child(process);
  output.close();
  const auto fail = [] {
    throw ChildError(isInterrupted()
                         ? "a signal has ended the reading"
                         : "it is damaged: the library that reads it has crashed; copy or "
                           "write it again");
  };
  Header header{};
  if (!receive(input, {reinterpret_cast<std::uint8_t*>(&header), sizeof header})) fail();
  if (header.bytes > (header.isError != 0 ? mostMessageBytes : limits.resultBytes)) fail();
  std::vector<std::uint8_t> answer(header.bytes);
  if (!receive(input, answer)) fail();
  if (header.isError != 0) throw InputError(std::string(answer.begin(), answer.end()));
  return answer;
}

}  // namespace mass::detail
