#include <mass/backend/mpi/mpi_link.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

constexpr int dataTag = 1;
constexpr int controlTag = 2;

/// Messages of up to `longestInPieces` bytes are sent in pieces. MPI libraries send short messages
/// at once (over TCP, Open MPI up to 64 KiB), but before a longer one the receiver answers, which
/// takes two more latencies of the network.
constexpr std::size_t pieceBytes = std::size_t{32} << 10, longestInPieces = std::size_t{1} << 20;

/// Returns the messages in pieces. @tparam Byte char, const for messages that are sent
template <class Byte, class Message>
std::vector<Message> inPieces(std::span<const Message> messages) {
  std::vector<Message> pieces;
  for (const Message& message : messages) {
    const bool isLong = message.bytes > longestInPieces;
    std::size_t begin = 0;
    do {
      Message& piece = pieces.emplace_back(message);
      piece.data = static_cast<Byte*>(message.data) + begin;
      if (!isLong) piece.bytes = std::min(pieceBytes, message.bytes - begin);
      begin += piece.bytes;
    } while (begin < message.bytes);
  }
  return pieces;
}

std::string errorText(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

void requireSuccess(int code, int rank) {
  if (code != MPI_SUCCESS) throw RankLinkError(rank, errorText(code));
}

/// Persistent requests of a set of messages.
class MpiTransfers : public RankTransfers {
 public:
  MpiTransfers(MPI_Comm communicator, std::span<const RankReceive> receives,
               std::span<const RankSend> sends)
      : receives_(receives.size()),
        requests_(receives.size() + sends.size(), MPI_REQUEST_NULL),
        statuses_(requests_.size()) {
    MPI_Request* request = requests_.data();
    for (const RankReceive& receive : receives) {
      ranks_.push_back(receive.rank);
      requireSuccess(MPI_Recv_init(receive.data, static_cast<int>(receive.bytes), MPI_BYTE,
                                   receive.rank, dataTag, communicator, request++),
                     receive.rank);
    }
    for (const RankSend& send : sends) {
      ranks_.push_back(send.rank);
      requireSuccess(MPI_Send_init(send.data, static_cast<int>(send.bytes), MPI_BYTE, send.rank,
                                   dataTag, communicator, request++),
                     send.rank);
    }
  }
  MpiTransfers(const MpiTransfers&) = delete;
  MpiTransfers& operator=(const MpiTransfers&) = delete;
  ~MpiTransfers() override {
    int isFinalized = 0;
    MPI_Finalized(&isFinalized);
    if (isActive_ || isFinalized != 0) return;
    for (MPI_Request& request : requests_) {
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }

  void start() override {
    isActive_ = true;
    requireSuccess(MPI_Startall(size(), requests_.data()), ranks_.front());
  }

  bool test() override {
    int isComplete = 0;
    const int code = MPI_Testall(size(), requests_.data(), &isComplete, statuses_.data());
    if (code != MPI_SUCCESS) throwError(code);
    if (isComplete != 0) isActive_ = false;
    return isComplete != 0;
  }

  std::vector<int> pending() override {
    std::vector<int> ranks;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (!isComplete(i)) ranks.push_back(ranks_[i]);
    }
    return ranks;
  }

  /// From the last receive to the first: a message that arrives meanwhile then matches its own one,
  /// not a later one that may be shorter.
  void cancelReceives() override {
    for (std::size_t i = receives_; i-- > 0;) {
      if (!isComplete(i)) MPI_Cancel(&requests_[i]);
    }
  }

 private:
  int size() const { return static_cast<int>(requests_.size()); }

  bool isComplete(std::size_t request) const {
    int isComplete = 0;
    MPI_Status status;
    const int code = MPI_Request_get_status(requests_[request], &isComplete, &status);
    return code != MPI_SUCCESS || isComplete != 0;
  }

  [[noreturn]] void throwError(int code) const {
    for (std::size_t i = 0; code == MPI_ERR_IN_STATUS && i < statuses_.size(); ++i) {
      const int error = statuses_[i].MPI_ERROR;
      if (error != MPI_SUCCESS && error != MPI_ERR_PENDING)
        throw RankLinkError(ranks_[i], errorText(error));
    }
    throw RankLinkError(ranks_.front(), errorText(code));
  }

  std::size_t receives_;  ///< number of receives, which precede the sends
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::vector<int> ranks_;  ///< the other rank of each request
  bool isActive_ = false;
};

}  // namespace

MpiLink::MpiLink() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (provided < MPI_THREAD_SERIALIZED) {
    throw RankError(
        "this program's MPI library ({}) does not support threads: build it with threads "
        "(MPI_THREAD_SERIALIZED)",
        library());
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
  MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(communicator_, &number_);
  MPI_Comm_size(communicator_, &count_);
}

MpiLink::~MpiLink() = default;

std::string MpiLink::host() const {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

std::string MpiLink::library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> name{};
  int length = 0;
  MPI_Get_library_version(name.data(), &length);
  std::string text(name.data(), static_cast<std::size_t>(length));
  text.resize(std::min(text.size(), text.find_first_of(",\n")));
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

std::unique_ptr<RankTransfers> MpiLink::prepare(std::span<const RankReceive> receives,
                                                std::span<const RankSend> sends) {
  return std::make_unique<MpiTransfers>(communicator_, inPieces<char>(receives),
                                        inPieces<const char>(sends));
}

void MpiLink::removeComplete(std::list<Pending>& messages) {
  messages.remove_if([](Pending& pending) {
    int isComplete = 0;
    return MPI_Test(&pending.request, &isComplete, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
           isComplete != 0;
  });
}

void MpiLink::sendControl(int rank, std::string_view message) {
  removeComplete(sent_);
  Pending& sent = sent_.emplace_back();
  sent.message = message;
  // An error means that the receiver cannot be reached.
  MPI_Isend(sent.message.data(), static_cast<int>(message.size()), MPI_BYTE, rank, controlTag,
            communicator_, &sent.request);
}

std::optional<RankControl> MpiLink::receiveControl() {
  int hasArrived = 0;
  MPI_Status status;
  requireSuccess(MPI_Iprobe(MPI_ANY_SOURCE, controlTag, communicator_, &hasArrived, &status), 0);
  if (hasArrived == 0) return std::nullopt;
  RankControl control{status.MPI_SOURCE, std::string(longestControl, ' ')};
  // Does not wait: the message is shorter than those for which MPI asks the receiver first.
  requireSuccess(MPI_Recv(control.message.data(), static_cast<int>(longestControl), MPI_BYTE,
                          control.rank, controlTag, communicator_, &status),
                 control.rank);
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  control.message.resize(static_cast<std::size_t>(size));
  return control;
}

void MpiLink::discardMessages() {
  removeComplete(discarded_);
  while (true) {
    int hasArrived = 0, size = 0;
    MPI_Status status;
    requireSuccess(MPI_Iprobe(MPI_ANY_SOURCE, dataTag, communicator_, &hasArrived, &status), 0);
    if (hasArrived == 0) return;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Pending& discarded = discarded_.emplace_back();
    discarded.message.resize(static_cast<std::size_t>(size));
    requireSuccess(MPI_Irecv(discarded.message.data(), size, MPI_BYTE, status.MPI_SOURCE, dataTag,
                             communicator_, &discarded.request),
                   status.MPI_SOURCE);
  }
}

void MpiLink::disconnect(int exitCode, double seconds) {
  const ExitTimer timer(seconds, exitCode);
  MPI_Finalize();
}

void MpiLink::leave(int exitCode) {
  std::fflush(nullptr);
  ::_exit(exitCode);
}

}  // namespace mass::detail
