#pragma once

#include <mass/program/live/board.hpp>
#include <mass/program/live/pace.hpp>
#include <mass/program/live/painter.hpp>
#include <mass/program/live/server.hpp>
#include <mass/program/steering.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mass::detail::live {

/// Options of a view.
struct ViewOptions {
  int port = 0;  ///< 0: a free one
  ViewHost host = ViewHost::program;
  bool waitsForPage = true;  ///< the run begins when a page is open, or after firstPage
  /// Time that a run waits for the first page.
  std::chrono::milliseconds firstPage{60000};
  /// Time that a finished run waits for a page that is being reloaded.
  std::chrono::milliseconds reload{3000};
};

/// View of a run in browsers, which show and, unless it is a recording, steer it. Rank 0 has the
/// server; the other ranks follow its orders. A page sees pictures and rows between two steps; it
/// changes the run by ModelRun::change only.
class MASS_EXPORT View : public Steering {
 public:
  /// Starts the server on rank 0. @param isFirst true on rank 0
  /// @throws SettingsError, see Server::start
  View(const ViewOptions& options, bool isFirst);
  ~View() override;

  /// Returns lines with the address of the page and the command to reach it from another machine;
  /// empty on other ranks. @param program name of the program
  std::string greeting(const std::string& program) const;

  /// Address of the page. @pre the view is that of rank 0
  std::string address() const;
  /// Address of the page for a frame of a local page. @pre the view is that of rank 0
  std::string frameAddress() const;
  /// Number of pages that look; costs no more than a load.
  int viewers() const { return board_.viewers(); }

  void begin(ModelRun& model) override;
  SteeringPlan plan(ModelRun& model) override;
  void tableRow(std::int64_t step, std::span<const double> values) override;

  /// Shows the state of a run of a caller that is making no steps. Changes of settings that affect
  /// results wait for the next plan(). @param isChanged the state may have changed since the last
  /// call
  void rest(ModelRun& model, bool isChanged);
  /// Step of the recording that a viewer wants to see; none if no viewer does. Forgets it.
  std::optional<std::int64_t> takeGoal();
  /// Continues with another state of the recording, and without pause up to `goal`.
  void jump(const ModelRun& model, std::int64_t goal);
  /// Seed with which a viewer wants to start the run anew; none if no viewer does. Forgets it.
  std::optional<std::int64_t> takeSeed();

 private:
  /// Orders of rank 0 to all ranks, for one call of plan().
  struct Orders {
    SteeringPlan plan;
    bool wantsPicture = false, wantsHash = false;
    std::int64_t seed = -1;  ///< -1: the run is not started anew
  };

  Orders decide(const ModelRun& model, std::vector<SetCommand>& changes);
  void obey(const ModelRun& model, const Command& command, Orders& orders,
            std::vector<SetCommand>& changes);
  bool refuses(const Request& request);
  bool isAtEnd(const ModelRun& model) const;
  bool waitsForViewers(const ModelRun& model) const;
  void waitForEvents(const ModelRun& model);
  void change(ModelRun& model, const std::vector<SetCommand>& changes);
  void answer(const ModelRun& model, bool wantsPicture);
  void makePicture(const ModelRun& model);
  void sendFrames(const ModelRun& model, const std::vector<WaitingFrame>& frames);
  void sendValues(const ModelRun& model, const std::vector<WaitingValue>& values);
  void sendHash(const ModelRun& model);
  bool wantsPicture(bool isTime) const;
  void publish(const ModelRun& model, const std::string& state);
  std::string stateOf(const ModelRun& model) const;
  void tell(const std::string& text, bool isError);

  ViewOptions options_;
  Board board_;
  std::unique_ptr<Server> server_;  ///< null on other ranks than the first
  Pace pace_;
  std::shared_ptr<const NumberedPicture> picture_;
  std::int64_t pictures_ = 0;    ///< number of pictures made
  bool isCurrent_ = false;       ///< picture_ shows the present state
  bool canDraw_ = true;          ///< no picture has failed in this run
  std::int64_t knownStep_ = -1;  ///< step of the last call of plan()
  Clock::time_point nextPicture_{}, nextStatus_{}, born_ = Clock::now();
  std::string lastState_;
  std::vector<Command> kept_;  ///< commands to a resting run
  std::optional<std::int64_t> seed_, goal_;
  bool hasEnded_ = false;  ///< a viewer has ended the program
  Painter painter_;
};

}  // namespace mass::detail::live
