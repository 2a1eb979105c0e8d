// Hosts of one machine for tests: emulated_hosts COUNT. Each has a network namespace with one
// interface, 10.88.0.(number + 1), and a host name, host<number>. This process is the switch that
// connects them. It prints, for each host, the options with which nsenter enters it, and then
// executes the lines of its standard input:
//
//   delay MICROSECONDS   packets arrive so much later
//   cut NUMBER           packets from and to a host are lost
//   join NUMBER          they are not any more
//
// It answers "done". The namespaces end with this process and those that have entered them; it ends
// at the end of its input. Needs Linux and root.

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <deque>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t network = 10U << 24 | 88U << 16;
constexpr int largestPacket = 9000;
/// Offset of the destination's last byte in an IPv4 header, and the header's size.
constexpr std::size_t destinationByte = 19, headerBytes = 20;

/// Returns the result of a call of the system. @throws std::system_error if it has failed
int checked(int result, const char* call) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), call);
  return result;
}

void control(int file, unsigned long request, ifreq& argument, const char* call) {
  checked(::ioctl(file, request, &argument), call);
}

ifreq interfaceNamed(const char* name) {
  ifreq request{};
  std::strncpy(request.ifr_name, name, sizeof(request.ifr_name) - 1);
  return request;
}

void setAddress(int socket, unsigned long request, ifreq interface, std::uint32_t address) {
  sockaddr_in value{};
  value.sin_family = AF_INET;
  value.sin_addr.s_addr = htonl(address);
  std::memcpy(&interface.ifr_addr, &value, sizeof(value));
  control(socket, request, interface, "address of an interface");
}

void bringUp(int socket, ifreq interface) {
  control(socket, SIOCGIFFLAGS, interface, "SIOCGIFFLAGS");
  interface.ifr_flags = static_cast<short>(interface.ifr_flags | IFF_UP);
  control(socket, SIOCSIFFLAGS, interface, "SIOCSIFFLAGS");
}

struct Packet {
  Clock::time_point due;
  std::size_t from, to;
  std::vector<char> bytes;
};

/// Host whose namespaces belong to this process.
struct Host {
  int packets;         ///< file of its network interface
  int network, names;  ///< files of its namespaces
  bool isCut = false;
};

/// Creates a host, and leaves this process in its namespaces.
Host createHost(std::size_t number) {
  checked(::unshare(CLONE_NEWNET | CLONE_NEWUTS), "unshare");
  const std::string name = "host" + std::to_string(number);
  checked(::sethostname(name.data(), name.size()), "sethostname");
  const int packets = checked(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "tun");
  ifreq interface = interfaceNamed("net0");
  interface.ifr_flags = IFF_TUN | IFF_NO_PI;
  control(packets, TUNSETIFF, interface, "TUNSETIFF");
  const int socket = checked(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
  setAddress(socket, SIOCSIFADDR, interface, network + static_cast<std::uint32_t>(number) + 1);
  setAddress(socket, SIOCSIFNETMASK, interface, 0xffffff00U);
  interface.ifr_mtu = largestPacket;
  control(socket, SIOCSIFMTU, interface, "SIOCSIFMTU");
  bringUp(socket, interface);
  bringUp(socket, interfaceNamed("lo"));
  ::close(socket);
  return {packets, checked(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "net"),
          checked(::open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC), "uts")};
}

/// Switch between the hosts.
class Switch {
 public:
  explicit Switch(std::size_t count) {
    for (std::size_t number = 0; number < count; ++number) hosts_.push_back(createHost(number));
    for (const Host& host : hosts_) files_.push_back({host.packets, POLLIN, 0});
    files_.push_back({STDIN_FILENO, POLLIN, 0});
  }

  void printHosts() const {
    for (const Host& host : hosts_) {
      const std::string files = "/proc/" + std::to_string(::getpid()) + "/fd/";
      std::cout << "--net=" << files << host.network << " --uts=" << files << host.names << '\n';
    }
    std::cout << std::flush;
  }

  /// Passes packets on until the end of the input.
  void run() {
    while (true) {
      wait();
      for (std::size_t host = 0; host < hosts_.size(); ++host) {
        if ((files_[host].revents & POLLIN) != 0) receive(host);
      }
      sendDue();
      if (files_.back().revents == 0) continue;
      std::string line;
      if (!std::getline(std::cin, line)) return;
      execute(line);
    }
  }

 private:
  void wait() {
    const auto left = queue_.empty()
                          ? Clock::duration(std::chrono::seconds(1))
                          : std::max(Clock::duration(0), queue_.front().due - Clock::now());
    const auto nanoseconds = std::chrono::nanoseconds(left).count();
    const timespec time{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    for (pollfd& file : files_) file.revents = 0;
    static_cast<void>(::ppoll(files_.data(), files_.size(), &time, nullptr));
  }

  void receive(std::size_t from) {
    std::array<char, largestPacket> bytes;
    while (true) {
      const ssize_t size = ::read(hosts_[from].packets, bytes.data(), bytes.size());
      if (size < static_cast<ssize_t>(headerBytes)) return;
      constexpr int version4 = 4;
      if (bytes[0] >> 4 != version4) continue;
      const std::size_t to = static_cast<unsigned char>(bytes[destinationByte]) - std::size_t{1};
      if (to < hosts_.size())
        queue_.push_back({Clock::now() + delay_, from, to, {bytes.data(), bytes.data() + size}});
    }
  }

  // A full queue of the receiver loses the packet, as a network does.
  void sendDue() {
    const auto now = Clock::now();
    for (; !queue_.empty() && queue_.front().due <= now; queue_.pop_front()) {
      const Packet& packet = queue_.front();
      if (hosts_[packet.from].isCut || hosts_[packet.to].isCut) continue;
      static_cast<void>(
          !::write(hosts_[packet.to].packets, packet.bytes.data(), packet.bytes.size()));
    }
  }

  void execute(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    std::size_t number = 0;
    words >> command >> number;
    if (command == "delay")
      delay_ = std::chrono::microseconds(number);
    else
      hosts_.at(number).isCut = command == "cut";
    std::cout << "done" << std::endl;
  }

  std::vector<Host> hosts_;
  std::vector<pollfd> files_;  ///< interfaces of the hosts, and standard input
  Clock::duration delay_{0};
  std::deque<Packet> queue_;  ///< in the order of arrival, and nearly of `due`
};

}  // namespace

int main(int argc, char** argv) {
  try {
    Switch hosts(std::stoul(argc > 1 ? argv[1] : ""));
    hosts.printHosts();
    hosts.run();
  } catch (const std::exception& error) {
    std::cerr << "emulated_hosts: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
