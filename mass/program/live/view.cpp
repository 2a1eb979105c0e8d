#include <mass/program/live/view.hpp>

#include <mass/program/model_run.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace mass::detail::live {
namespace {

using std::chrono::milliseconds;

/// Longest wait of one call of plan(): signals are seen after it.
constexpr milliseconds longestWait{100};
/// Time between two messages on the step of a run that goes on.
constexpr milliseconds statusInterval{100};
/// Shortest time between two pictures of a run that goes on.
constexpr milliseconds pictureInterval{15};
/// Time between two pictures as a multiple of the time to make one, so that a run with viewers has
/// at least three quarters of its rate.
constexpr int pictureShare = 4;
/// The multiple up to smoothInterval: pictures that are made quickly cost less of the rate.
constexpr int smoothShare = 50;
/// Time between two pictures of a smooth animation. With the chunks of steps between two looks
/// there are about 30 pictures a second of CPUs, and 20 of GPUs, of whose rate a picture costs
/// more.
constexpr milliseconds smoothInterval{25}, smoothIntervalOfGpus{42};
/// Limit of the rate of a run that a page has seen begin, in steps per second: it is slow enough to
/// be watched. The page changes it.
constexpr double firstRate = 60;
/// Changes of settings that a resting run keeps; more are ignored.
constexpr std::size_t mostKept = 1000;

std::string hostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "HOST";
  return name.data();
}

/// Returns settings that are changed on all ranks. @param changes settings that rank 0 changes
std::vector<SetCommand> commonChanges(Ranks& ranks, const std::vector<SetCommand>& changes) {
  if (ranks.count() == 1) return changes;
  std::string text;  // key and value have no control characters
  for (const SetCommand& change : changes) text += change.key + '\n' + change.value + '\n';
  text = ranks.broadcast(std::move(text));
  std::vector<SetCommand> common;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t middle = text.find('\n', at), end = text.find('\n', middle + 1);
    common.push_back({text.substr(at, middle - at), text.substr(middle + 1, end - middle - 1)});
    at = end + 1;
  }
  return common;
}

/// True if a state may depend on a setting.
bool affectsResults(const ModelRun& model, const std::string& key) {
  const KeyInfo* const info = model.mass.settings().schema().find(key);
  return info == nullptr || info->affectsResults;
}

/// Returns a list of rank 0 on all ranks.
template <Sendable T>
std::vector<T> commonList(Ranks& ranks, const std::vector<T>& list) {
  if (ranks.count() == 1) return list;
  const auto* const first = reinterpret_cast<const char*>(list.data());
  const std::string bytes = ranks.broadcast(std::string(first, list.size() * sizeof(T)));
  std::vector<T> common(bytes.size() / sizeof(T));
  std::memcpy(common.data(), bytes.data(), bytes.size());
  return common;
}

/// Returns the time from the beginning of a picture to that of the next. @param cost time to make
/// it
Clock::duration intervalAfter(Clock::duration cost, const DeviceConfig& devices) {
  const Clock::duration smooth = std::min<Clock::duration>(
      smoothShare * cost, devices.areGpus() ? smoothIntervalOfGpus : smoothInterval);
  return std::max({Clock::duration(pictureInterval), smooth, pictureShare * cost});
}

}  // namespace

View::View(const ViewOptions& options, bool isFirst) : options_(options) {
  if (!isFirst) return;
  server_ = Server::start(options.port, board_);
  board_.connect(
      [this](ViewerId viewer, Message message) { server_->send(viewer, std::move(message)); });
}

View::~View() {
  board_.connect({});  // the server is about to end, and reports viewers that it disconnects
}

std::string View::greeting(const std::string& program) const {
  if (!server_) return {};
  return fmt::format(
      "{0}: live view at {1}\n{0}: from another machine, first: ssh -L {2}:127.0.0.1:{2} {3}\n",
      program, server_->address(), server_->port(), hostName());
}

std::string View::address() const {
  return server_->address();
}

std::string View::frameAddress() const {
  return server_->frameAddress();
}

void View::begin(ModelRun& model) {
  pace_.restart(model.step);
  // The end of a chunk costs a GPU more: one chunk for each picture.
  if (model.mass.devices().areGpus()) pace_.setFreeChunk(smoothIntervalOfGpus);
  picture_.reset();
  isCurrent_ = false;
  canDraw_ = model.picture != nullptr;
  knownStep_ = -1;
  painter_.begin(model);
  if (server_) board_.begin(describe(model, options_.host));
}

void View::tableRow(std::int64_t step, std::span<const double> values) {
  if (server_) board_.addRow(step, values);
}

std::optional<std::int64_t> View::takeSeed() {
  return std::exchange(seed_, {});
}

SteeringPlan View::plan(ModelRun& model) {
  if (model.step != knownStep_) isCurrent_ = false;
  knownStep_ = model.step;
  Ranks& ranks = model.mass.devices().ranks();
  if (server_) pace_.reached(model.step, Clock::now());
  std::vector<SetCommand> changes;
  Orders orders;
  if (server_) {
    waitForEvents(model);
    orders = decide(model, changes);
  }
  if (ranks.count() > 1) orders = ranks.broadcast(orders);
  change(model, commonChanges(ranks, changes));
  if (orders.wantsHash) sendHash(model);
  if (orders.seed >= 0) seed_ = orders.seed;
  if (server_) publish(model, stateOf(model));
  answer(model, orders.wantsPicture);
  return orders.plan;
}

/// Makes a picture if that is wanted, and answers the viewers that wait for frames and values.
void View::answer(const ModelRun& model, bool wantsPicture) {
  if (wantsPicture) makePicture(model);
  std::vector<WaitingFrame> frames;
  std::vector<WaitingValue> values;
  if (server_) {
    if (!canDraw_) (void)board_.takeFrames(pictures_ + 1);
    if (canDraw_ && isCurrent_) frames = board_.takeFrames(pictures_);
    values = board_.takeValues();
  }
  Ranks& ranks = model.mass.devices().ranks();
  frames = commonList(ranks, frames);
  values = commonList(ranks, values);
  try {
    sendFrames(model, frames);
    sendValues(model, values);
  } catch (const RankError&) {
    throw;
  } catch (const Error& error) {
    canDraw_ = false;
    tell(fmt::format("the picture cannot be drawn: {}", error.what()), true);
  }
}

void View::rest(ModelRun& model, bool isChanged) {
  if (isChanged || model.step != knownStep_) isCurrent_ = false;
  knownStep_ = model.step;
  Orders orders;
  std::vector<SetCommand> changes;
  for (Command& command : board_.takeCommands()) {
    const auto* const setting = std::get_if<SetCommand>(&command.request);
    if (setting == nullptr || !affectsResults(model, setting->key)) {
      obey(model, command, orders, changes);
    } else if (kept_.size() < mostKept) {
      kept_.push_back(std::move(command));
      tell("the setting changes before the next step", false);
    }
  }
  change(model, changes);
  if (orders.wantsHash) sendHash(model);
  publish(model, "idle");
  answer(model, wantsPicture(true));
}

std::optional<std::int64_t> View::takeGoal() {
  return std::exchange(goal_, {});
}

void View::jump(const ModelRun& model, std::int64_t goal) {
  isCurrent_ = false;
  pace_.restart(model.step);
  pace_.goTo(goal);
}

/// Waits while the run makes no steps, until a viewer wants something.
void View::waitForEvents(const ModelRun& model) {
  const auto now = Clock::now();
  const bool isPaused = pace_.isPaused(model.step) || waitsForViewers(model);
  if (isPaused || now < pace_.due())
    board_.wait(isPaused ? now + longestWait : std::min(now + longestWait, pace_.due()));
}

/// True if the run waits for its first viewer, or at its end for those who look.
bool View::waitsForViewers(const ModelRun& model) const {
  const auto now = Clock::now();
  if (hasEnded_ || options_.host == ViewHost::caller) return false;
  if (model.step < model.steps) {
    return options_.waitsForPage && !board_.wasSeen() && now - born_ < options_.firstPage;
  }
  return board_.viewers() > 0 || (board_.wasSeen() && now - board_.lonelySince() < options_.reload);
}

/// Carries out the commands of the viewers, as far as rank 0 does.
/// @param changes receives the settings to change
View::Orders View::decide(const ModelRun& model, std::vector<SetCommand>& changes) {
  Orders orders;
  const auto now = Clock::now();
  const bool wasWaiting = lastState_ == "waiting";
  for (const Command& command : std::exchange(kept_, {})) obey(model, command, orders, changes);
  for (const Command& command : board_.takeCommands()) obey(model, command, orders, changes);
  if (!changes.empty()) isCurrent_ = false;
  if (wasWaiting && board_.wasSeen() && pace_.limit() == 0) pace_.limit(firstRate);
  orders.plan.pauses = waitsForViewers(model) && orders.seed < 0;
  if (!isAtEnd(model) && !orders.plan.pauses) {
    // Without viewers the run goes on as without this object.
    const bool isFree = board_.viewers() == 0 && pace_.isFree();
    orders.plan.stop = isFree ? orders.plan.stop : pace_.stopAfter(model.step, now);
    orders.plan.pauses = orders.plan.stop == model.step;
  }
  orders.plan.ends |= hasEnded_ || orders.seed >= 0 || goal_;
  orders.wantsPicture = wantsPicture(now >= nextPicture_ || orders.plan.pauses);
  return orders;
}

/// True if the run makes no step beyond the present one.
bool View::isAtEnd(const ModelRun& model) const {
  return options_.host != ViewHost::caller && model.step >= model.steps;
}

/// True if a viewer waits for a picture that is not made yet. @param isTime one may be made now
bool View::wantsPicture(bool isTime) const {
  return canDraw_ && !isCurrent_ && isTime && board_.viewers() > 0 &&
         board_.isFrameWanted(pictures_);
}

void View::sendHash(const ModelRun& model) {
  const std::uint64_t hash = model.hash();
  if (server_) board_.tell(0, hashText(model.step, hash));
}

/// Tells viewers if this host does not carry a command out. @return true if it does not
bool View::refuses(const Request& request) {
  const bool isAgain = std::holds_alternative<AgainCommand>(request);
  const bool isSave = std::holds_alternative<CheckpointCommand>(request);
  const bool isGoal = std::holds_alternative<GoToCommand>(request);
  switch (options_.host) {
    case ViewHost::program:
      if (!isGoal) return false;
      tell("only a recorded run goes to any step", true);
      return true;
    case ViewHost::caller:
      if (!isAgain && !isSave && !isGoal) return false;
      tell("this is done where the run was opened, not on the page", true);
      return true;
    case ViewHost::recording:
      if (!isAgain && !isSave && !std::holds_alternative<SetCommand>(request)) return false;
      tell("a recorded run is shown as it was", true);
      return true;
  }
  return false;
}

void View::obey(const ModelRun& model, const Command& command, Orders& orders,
                std::vector<SetCommand>& changes) {
  const Request& request = command.request;
  if (refuses(request)) return;
  if (std::holds_alternative<RunCommand>(request)) pace_.run();
  if (std::holds_alternative<PauseCommand>(request)) pace_.pause();
  if (const auto* const step = std::get_if<StepCommand>(&request))
    pace_.makeSteps(model.step, step->count);
  if (const auto* const limit = std::get_if<LimitCommand>(&request)) pace_.limit(limit->rate);
  if (const auto* const setting = std::get_if<SetCommand>(&request)) changes.push_back(*setting);
  if (const auto* const again = std::get_if<AgainCommand>(&request)) orders.seed = again->seed;
  if (std::holds_alternative<HashCommand>(request)) orders.wantsHash = true;
  if (std::holds_alternative<CheckpointCommand>(request)) orders.plan.wantsCheckpoint = true;
  if (const auto* const to = std::get_if<GoToCommand>(&request))
    goal_ = std::min(to->step, model.steps);
  if (!std::holds_alternative<EndCommand>(request)) return;
  // A caller may make further steps.
  if (options_.host == ViewHost::caller)
    orders.plan.ends = true;
  else
    hasEnded_ = true;
}

/// Changes settings on all ranks. Viewers get the reasons of refused changes.
void View::change(ModelRun& model, const std::vector<SetCommand>& changes) {
  if (!changes.empty()) isCurrent_ = false;
  for (const SetCommand& command : changes) {
    try {
      model.change({command.key + '=' + command.value});
    } catch (const SettingsError& error) {
      tell(error.what(), true);
    }
  }
}

/// Makes a picture of the present state; that of an attribute has no values. Without one, viewers
/// get the reason once.
void View::makePicture(const ModelRun& model) {
  const auto begin = Clock::now();
  try {
    auto picture = std::make_shared<NumberedPicture>();
    painter_.clear();
    picture->picture = painter_.outline(model);
    picture->number = ++pictures_;
    picture->step = model.step;
    picture_ = std::move(picture);
    isCurrent_ = true;
  } catch (const UsageError& error) {
    canDraw_ = false;
    tell(fmt::format("there is no picture: {}", error.what()), true);
  }
  if (server_) board_.show(picture_);
  nextPicture_ = begin + intervalAfter(Clock::now() - begin, model.mass.devices());
}

/// Sends frames of the present picture to the viewers that wait for them.
void View::sendFrames(const ModelRun& model, const std::vector<WaitingFrame>& frames) {
  if (frames.empty()) return;
  const auto begin = Clock::now();
  for (const WaitingFrame& to : frames) {
    const Painting painting = painter_.paint(model, to.request);
    if (!server_) continue;
    board_.send(to, *painting.picture, painting.frame, picture_->number, picture_->step);
  }
  const Clock::duration cost = Clock::now() - begin;
  nextPicture_ = std::max(nextPicture_ + pictureShare * cost,
                          begin + intervalAfter(cost, model.mass.devices()));
}

/// Sends values of places that the picture does not have.
void View::sendValues(const ModelRun& model, const std::vector<WaitingValue>& values) {
  if (values.empty() || !canDraw_) return;
  if (!isCurrent_) painter_.clear();
  for (const auto& [viewer, request] : values) {
    const std::optional<float> value = painter_.value(model, request);
    if (server_) board_.tell(viewer, valueText(value, request, model.step));
  }
}

/// Returns the state of the run, as Status has it.
std::string View::stateOf(const ModelRun& model) const {
  if (isAtEnd(model)) return "ended";
  if (waitsForViewers(model)) return "waiting";
  return pace_.isPaused(model.step) ? "paused" : "running";
}

/// Sends the status, at once if more than the step has changed.
void View::publish(const ModelRun& model, const std::string& state) {
  const auto now = Clock::now();
  if (state == lastState_ && state == "running" && now < nextStatus_) return;
  lastState_ = state;
  nextStatus_ = now + statusInterval;
  if (board_.viewers() == 0) return;
  Status status;
  status.step = model.step;
  status.lastStep = model.steps;
  status.time = static_cast<double>(model.step) * model.timeStep;
  status.state = state;
  status.rate = pace_.rate();
  status.limit = pace_.limit();
  status.values = liveValues(model.mass.settings());
  board_.publish(status);
}

/// Sends a message to all viewers.
void View::tell(const std::string& text, bool isError) {
  if (server_) board_.tell(0, noteText(text, isError));
}

}  // namespace mass::detail::live
