#pragma once

#include <mass/program/live/answer.hpp>
#include <mass/program/live/curves.hpp>
#include <mass/program/live/request.hpp>
#include <mass/program/live/server.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mass::detail::live {

/// Picture of a run that viewers may see.
struct NumberedPicture {
  std::shared_ptr<const Picture> picture;
  std::int64_t number = 0;  ///< counts the pictures made
  std::int64_t step = 0;
};

/// Request of the viewer who steers, for the thread of the steps.
struct Command {
  ViewerId viewer;
  Request request;
};

/// Request for a frame that waits for an answer.
struct WaitingFrame {
  ViewerId viewer;
  FrameRequest request;
};

/// Request for the value of a place that waits for an answer.
struct WaitingValue {
  ViewerId viewer;
  ValueRequest request;
};

/// State that the thread of a run shares with that of its server: viewers and their requests,
/// the last picture, curves and status. All functions may be called by any thread.
class Board : public ServerListener {
 public:
  /// Sends an answer to a viewer.
  using Sender = std::function<void(ViewerId, Message)>;

  /// Sets the way to the viewers; an empty one sends nothing, as before the first call.
  void connect(Sender send);

  // Thread of the server
  void opened(ViewerId viewer) override;
  bool received(ViewerId viewer, std::string_view text) override;
  void closed(ViewerId viewer) override;

  // Thread of the steps
  /// Number of viewers; costs no more than a load.
  int viewers() const { return viewerCount_.load(std::memory_order_relaxed); }
  /// True if a viewer has ever connected.
  bool wasSeen() const { return wasSeen_.load(std::memory_order_relaxed); }
  /// Time since which nobody looks.
  std::chrono::steady_clock::time_point lonelySince() const;
  /// Begins another run: removes picture and curves. @param description see describe()
  void begin(std::string description);
  /// Returns and removes the commands in their order.
  std::vector<Command> takeCommands();
  /// Waits for a command or a frame to make, at most until `end`.
  void wait(std::chrono::steady_clock::time_point end);
  /// Returns and removes the requests for frames that a picture of this number answers.
  std::vector<WaitingFrame> takeFrames(std::int64_t number);
  /// Returns and removes the requests for values that the last picture does not have.
  std::vector<WaitingValue> takeValues();
  /// True if a viewer waits for a later picture than that of this number.
  bool isFrameWanted(std::int64_t number) const;
  /// Sets the picture whose values viewers may ask for. If it has none, takeValues() has the
  /// requests.
  void show(std::shared_ptr<const NumberedPicture> picture);
  /// Sends a frame, and its legend if that has changed. @param picture its picture
  /// @param number, step those of the picture of the run
  void send(const WaitingFrame& to, const Picture& picture, const Frame& frame, std::int64_t number,
            std::int64_t step);
  /// Sends the status to all viewers, if it has changed.
  void publish(const Status& status);
  /// Adds a row of the table.
  void addRow(std::int64_t step, std::span<const double> values);
  /// Sends a text to a viewer. @param viewer 0: all viewers
  void tell(ViewerId viewer, const std::string& text);

 private:
  struct Viewer {
    std::optional<FrameRequest> wanted;
    std::optional<ValueRequest> value;  ///< wanted from the thread of the steps
    std::string legend;                 ///< last one sent
  };

  std::string statusFor(ViewerId viewer) const;
  void sendText(ViewerId viewer, std::string text, bool replacesLast = false) const;
  void sendStatus() const;
  void answer(ViewerId viewer, const Request& request);
  bool lead(ViewerId viewer, const Request& request);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Sender send_;
  std::map<ViewerId, Viewer> viewers_;
  ViewerId leader_ = 0;  ///< viewer who steers; 0: nobody
  std::vector<Command> commands_;
  std::shared_ptr<const NumberedPicture> picture_;
  std::int64_t answered_ = 0;  ///< number of the picture that takeFrames() was called with last
  Curves curves_;
  std::string description_;  ///< empty before begin()
  Status status_;
  std::chrono::steady_clock::time_point lonelySince_{};
  std::atomic<int> viewerCount_ = 0;
  std::atomic<bool> wasSeen_ = false;
};

}  // namespace mass::detail::live
