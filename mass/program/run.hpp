#pragma once

#include <mass/io/picture.hpp>
#include <mass/io/settings.hpp>
#include <mass/model/mass.hpp>
#include <mass/program/data_frame.hpp>
#include <mass/program/program.hpp>
#include <mass/program/setting_change.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mass {
namespace detail {
class Steering;
}

/// Run of a program that the caller advances. Has no output folder and reads no signals; prints
/// nothing. Several may exist in a process, each used by one thread at a time.
class MASS_EXPORT Run {
 public:
  /// Values of the columns of a model's table at one step.
  struct Row {
    std::vector<std::string> names;  ///< columns, without the step
    std::vector<double> values;      ///< one for each name
  };

  /// Change of a setting: `step`, `key` and `value`.
  using Change = detail::SettingChange;

  /// Opens the devices of the settings and sets the model up, at step 0.
  /// @throws SettingsError if the settings do not fit the program or this machine; DeviceError if
  /// the machine lacks devices or memory; InputError if an input file of the model is unusable
  /// @throws UsageError if the program declares no steps (Simulation::advance)
  Run(const Program& program, Settings settings);
  /// Sets the model up in a Mass that the caller has opened, and that must outlive this. Its
  /// settings get the keys of the program's schema that they lack.
  /// @throws SettingsError, InputError or UsageError as above
  Run(const Program& program, Mass& mass);
  ~Run();
  /// The moved Run may only be destroyed or assigned to.
  Run(Run&&) noexcept;
  /// Ends the present run. The moved Run may only be destroyed or assigned to.
  Run& operator=(Run&&) noexcept;

  /// Name of the program.
  const std::string& name() const;
  /// Devices, places and agents of the model.
  Mass& mass();
  /// Devices, places and agents of the model.
  const Mass& mass() const;
  /// Lines on the model (Simulation::describe).
  const std::string& description() const;

  /// Makes `count` steps, also beyond lastStep(); fewer if a Steering ends them.
  /// @throws UsageError if `count` is negative; errors of the model's rules. At lastStep() the
  /// state is checked (Simulation::check): ModelError if it is invalid
  void step(std::int64_t count);
  /// Number of steps done, those before a checkpoint included.
  std::int64_t step() const;
  /// Step at which the program would end, from the settings or Simulation::duration.
  std::int64_t lastStep() const;
  /// True if step() has reached lastStep().
  bool finished() const { return step() >= lastStep(); }
  /// Condition that ended the run at step(), see Simulation::until; empty if none has.
  const std::string& endedBy() const;
  /// Physical time of step() in seconds; the number of steps if a step has no length.
  double time() const;

  /// Changes a setting before the next step. Keys that may change are those that the program's
  /// schema declares live.
  /// @param assignment "key=value", as for Settings::set
  /// @throws SettingsError if the key is unknown or may not change, or the value is malformed, out
  /// of range or not accepted by the model; the run is then as before
  void set(std::string_view assignment);
  /// Changes several settings together: the model checks only all of the new values.
  /// @throws SettingsError if set() of one of them does; then none has changed
  void setAll(const std::vector<std::string>& assignments);
  /// Returns all changes since step 0 in their order, those before a checkpoint included. A call of
  /// set() with the present value is no change.
  const std::vector<Change>& changes() const;

  /// Returns the present row of the table (Simulation::observe); empty if the model has no columns.
  Row row() const;
  /// Returns the present pictures of the model (Simulation::picture): none or one.
  std::vector<Picture> pictures() const;
  /// Returns the present arrays of places and agents that the model declares for data files
  /// (Simulation::data), by name of the Places or Agents. Arrays of agents begin with `points`: x,
  /// y and z of each agent.
  std::map<std::string, DataFrame> data() const;
  /// Returns the texts of Simulation::warn since the last call.
  std::vector<std::string> takeWarnings();

  /// Writes a checkpoint, with which the program can also continue (`--restart`).
  /// @throws OutputError if the file exists and is no checkpoint, or cannot be written
  /// @throws ModelError if the state is invalid (Simulation::check); otherwise as
  /// Mass::saveCheckpoint
  void save(const std::filesystem::path& checkpoint) const;
  /// Replaces state and step by those of a checkpoint of this program. Settings that had changed
  /// when it was written have their values of then; all others those given to the constructor.
  /// @throws CheckpointError as Mass::restoreCheckpoint
  void restore(const std::filesystem::path& checkpoint);
  /// Hash of the state; see Mass::hash.
  std::uint64_t hash() const;

  /// Adds a user who pauses, ends or changes the run between two steps of step(), and gets the
  /// rows of the table from now on, every `output.table_every` steps.
  void steer(std::shared_ptr<detail::Steering> steering);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mass
