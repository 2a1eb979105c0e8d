#pragma once

#include <mass/io/interrupt.hpp>
#include <mass/program/again.hpp>
#include <mass/program/live/view.hpp>
#include <mass/program/program.hpp>
#include <mass/program/step_loop.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mass::detail {

/// Player of a recorded run in the live view, for the option `--show`. Makes the steps of the run
/// anew, and goes to any of them from the nearest earlier checkpoint. Writes no files.
class Player : private StepOwner {
 public:
  /// @param settings settings of the recorded run
  /// @param view view with ViewHost::recording
  Player(const Program& program, const Compilation& compilation, Again record, Settings settings,
         std::shared_ptr<live::View> view);
  ~Player() override;

  /// Plays until the user or a signal ends it.
  /// @return exit code: 0; 2 if the final state is another than that of the run; 128 + the signal
  /// @throws InputError if an input of the model has changed since
  int play();

 private:
  /// State from which steps can be made.
  struct Start {
    std::int64_t step = 0;
    std::filesystem::path checkpoint{};  ///< empty for the beginning of the run
  };
  struct Scene;

  bool goesOn(std::int64_t&) override { return interrupts_.signal() == 0; }
  std::int64_t nextStop(std::int64_t chunk, std::int64_t limit) const override;
  void chunkMade() override;
  void checkpointWanted() override {}

  ModelRun& model() const;
  void findStarts();
  void addCheckpoint();
  const Start& startBefore(std::int64_t step) const;
  void open(const Start& start);
  void goTo(std::int64_t step);
  void showTable();
  void note(const std::string& text) const;

  const Program& program_;
  const Compilation& compilation_;
  Again record_;
  Settings settings_;
  std::shared_ptr<live::View> view_;
  InterruptGuard interrupts_;
  std::vector<Start> starts_;  ///< in the order of their steps
  std::unique_ptr<Scene> scene_;
  std::optional<bool> isSame_;  ///< the final state is that of the run; none before it is reached
};

}  // namespace mass::detail
