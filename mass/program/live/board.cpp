#include <mass/program/live/board.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <utility>

namespace mass::detail::live {
namespace {

using std::chrono::steady_clock;

Message messageOf(std::string bytes, bool isBinary, bool replacesLast) {
  return {std::make_shared<const std::string>(std::move(bytes)), isBinary, replacesLast};
}

}  // namespace

void Board::connect(Sender send) {
  const std::scoped_lock lock(mutex_);
  send_ = std::move(send);
}

void Board::opened(ViewerId viewer) {
  const std::scoped_lock lock(mutex_);
  viewers_[viewer];
  viewerCount_ = static_cast<int>(viewers_.size());
  wasSeen_ = true;
  if (leader_ == 0) leader_ = viewer;
  if (!description_.empty()) sendText(viewer, description_);
  sendStatus();
  changed_.notify_all();
}

void Board::closed(ViewerId viewer) {
  const std::scoped_lock lock(mutex_);
  viewers_.erase(viewer);
  viewerCount_ = static_cast<int>(viewers_.size());
  if (leader_ == viewer) leader_ = 0;
  if (viewers_.empty()) lonelySince_ = steady_clock::now();
  sendStatus();
  changed_.notify_all();
}

bool Board::received(ViewerId viewer, std::string_view text) {
  try {
    const Request request = parseRequest(text);
    const std::scoped_lock lock(mutex_);
    answer(viewer, request);
    return true;
  } catch (const InputError&) {  // no page of this server sends it
    return false;
  }
}

/// Answers a request, or keeps it for the thread of the steps.
void Board::answer(ViewerId viewer, const Request& request) {
  if (const auto* const frame = std::get_if<FrameRequest>(&request)) {
    viewers_[viewer].wanted = *frame;
    if (frame->after < answered_) changed_.notify_all();
  } else if (const auto* const value = std::get_if<ValueRequest>(&request)) {
    if (!picture_) return;
    if (!picture_->picture->values.empty() && value->slice.axis < 0)
      return sendText(viewer, valueText(*picture_->picture, *value, picture_->step));
    viewers_[viewer].value = *value;
    changed_.notify_all();
  } else if (const auto* const curves = std::get_if<CurvesRequest>(&request)) {
    sendText(viewer, rowsText(curves_, *curves));
  } else if (!lead(viewer, request)) {
    if (viewer != leader_) {
      sendText(viewer, noteText("another page steers the run", true));
      return;
    }
    commands_.push_back({viewer, request});
    changed_.notify_all();
  }
}

/// Changes the viewer who steers, if that is the request. @return true if it is
bool Board::lead(ViewerId viewer, const Request& request) {
  if (std::holds_alternative<SteerRequest>(request)) {
    if (leader_ == 0) leader_ = viewer;
    if (leader_ != viewer) sendText(viewer, noteText("another page steers the run", true));
  } else if (std::holds_alternative<ReleaseRequest>(request)) {
    if (leader_ == viewer) leader_ = 0;
  } else {
    return false;
  }
  sendStatus();
  return true;
}

steady_clock::time_point Board::lonelySince() const {
  const std::scoped_lock lock(mutex_);
  return lonelySince_;
}

void Board::begin(std::string description) {
  const std::scoped_lock lock(mutex_);
  description_ = std::move(description);
  picture_.reset();
  curves_.clear();
  for (const auto& [viewer, state] : viewers_) sendText(viewer, description_);
}

std::vector<Command> Board::takeCommands() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(commands_, {});
}

void Board::wait(steady_clock::time_point end) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, end, [&] {
    return !commands_.empty() || std::ranges::any_of(viewers_, [&](const auto& entry) {
      const Viewer& viewer = entry.second;
      return viewer.value || (viewer.wanted && viewer.wanted->after < answered_);
    });
  });
}

std::vector<WaitingFrame> Board::takeFrames(std::int64_t number) {
  const std::scoped_lock lock(mutex_);
  answered_ = number;
  std::vector<WaitingFrame> frames;
  for (auto& [viewer, state] : viewers_) {
    if (!state.wanted || state.wanted->after >= number) continue;
    frames.push_back({viewer, *state.wanted});
    state.wanted.reset();
  }
  return frames;
}

std::vector<WaitingValue> Board::takeValues() {
  const std::scoped_lock lock(mutex_);
  std::vector<WaitingValue> values;
  for (auto& [viewer, state] : viewers_)
    if (state.value) values.push_back({viewer, *std::exchange(state.value, {})});
  return values;
}

bool Board::isFrameWanted(std::int64_t number) const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(viewers_, [&](const auto& entry) {
    return entry.second.wanted && entry.second.wanted->after <= number;
  });
}

void Board::show(std::shared_ptr<const NumberedPicture> picture) {
  const std::scoped_lock lock(mutex_);
  picture_ = std::move(picture);
}

void Board::send(const WaitingFrame& to, const Picture& picture, const Frame& frame,
                 std::int64_t number, std::int64_t step) {
  std::string legend = legendOf(picture, frame);
  Message message = messageOf(toBytes(picture, frame, number, step, to.request.id), true, true);
  const std::scoped_lock lock(mutex_);
  const auto viewer = viewers_.find(to.viewer);
  if (viewer == viewers_.end()) return;
  if (legend != viewer->second.legend) {
    sendText(to.viewer, legend);
    viewer->second.legend = std::move(legend);
  }
  if (send_) send_(to.viewer, std::move(message));
}

void Board::publish(const Status& status) {
  const std::scoped_lock lock(mutex_);
  if (status == status_) return;
  status_ = status;
  sendStatus();
}

void Board::addRow(std::int64_t step, std::span<const double> values) {
  const std::scoped_lock lock(mutex_);
  curves_.add(step, values);
}

void Board::tell(ViewerId viewer, const std::string& text) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [other, state] : viewers_)
    if (viewer == 0 || viewer == other) sendText(other, text);
}

/// Returns the status as a viewer gets it. @pre mutex_ is locked
std::string Board::statusFor(ViewerId viewer) const {
  Status status = status_;
  status.viewers = static_cast<std::int64_t>(viewers_.size());
  status.isLed = leader_ != 0;
  status.isOwn = leader_ == viewer;
  return toJson(status);
}

void Board::sendText(ViewerId viewer, std::string text, bool replacesLast) const {
  if (send_) send_(viewer, messageOf(std::move(text), false, replacesLast));
}

/// Sends the status to all viewers. @pre mutex_ is locked
void Board::sendStatus() const {
  for (const auto& [viewer, state] : viewers_) sendText(viewer, statusFor(viewer), true);
}

}  // namespace mass::detail::live
