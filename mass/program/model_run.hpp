#pragma once

#include <mass/io/field_series.hpp>
#include <mass/io/picture.hpp>
#include <mass/model/agent_output.hpp>
#include <mass/model/mass.hpp>
#include <mass/program/data_frame.hpp>
#include <mass/program/host_state.hpp>
#include <mass/program/picture_field.hpp>
#include <mass/program/setting_change.hpp>
#include <mass/program/steering.hpp>
#include <mass/support/export.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {

/// Counter of a checkpoint: its step.
inline constexpr const char* stepCounter = "simulation.step";
/// Text of a checkpoint: the changes of settings before it.
inline constexpr const char* changesText = "simulation.changes";
inline constexpr const char* metText = "simulation.met";  ///< see ModelRun::met

/// Columns of the table of a run whose values one function returns.
struct ColumnGroup {
  std::vector<std::string> names;
  std::function<std::vector<double>()> values;
};

/// Planes of 3-D places, across any axis, that a live view shows on demand.
struct SliceDeclaration {
  std::array<std::int64_t, 3> shape;    ///< places along each axis
  std::shared_ptr<PictureField> field;  ///< attribute that they show; null: `plane` makes them
  std::function<Picture(int axis, std::int64_t at)> plane;

  /// Returns a plane with its values.
  Picture picture(int axis, std::int64_t at) const {
    return field ? field->picture(axis, at) : plane(axis, at);
  }
};

/// Agents that a live view shows as points while few of them are in view.
struct PointDeclaration {
  std::string name;  ///< name of their class
  Rgb color;
  std::function<std::int64_t()> count;
  /// Returns for each agent its row and column in the picture, as shares of its height and width;
  /// those outside of [0, 1] are not shown.
  std::function<std::vector<std::array<float, 2>>()> positions;
  bool isLayer = false;  ///< pictures show them, too
};

/// Data of a model for ParaView: arrays of all places, or points of agents.
struct DataDeclaration {
  std::string name;
  std::optional<FieldGeometry> grid;   ///< grid of the places; none for agents
  std::function<DataFrame()> arrays;   ///< called for places
  std::function<AgentFrame()> points;  ///< called for agents
};

/// Table of agents of a model.
struct AgentTableDeclaration {
  std::string name;  ///< name of the agents
  std::vector<FieldArray> columns;
  std::function<AgentFrame()> rows;
};

/// Contents of a checkpoint besides the state of places and agents.
struct RestoredCheckpoint {
  std::filesystem::path file;
  std::string writer;    ///< the name of the program, or a former one
  std::string settings;  ///< in YAML
  std::map<std::string, std::uint64_t> counters;
  std::map<std::string, std::string> texts;
};

struct CheckpointHeader;

/// Returns the values of agents as the arrays of a DataFrame.
DataFrame dataOf(AgentFrame frame);

/// Model of a run as its program declares it, and the steps that it has made. All ranks call its
/// functions together.
struct MASS_EXPORT ModelRun {
  Mass& mass;
  std::string name;     ///< name of the program
  std::int64_t steps;   ///< last step, from the settings or Simulation::duration
  double timeStep = 1;  ///< seconds

  std::function<void(Steps)> advance;
  /// Set instead of `advance` if a step only executes events of these places.
  std::function<void()> runEvents;
  std::shared_ptr<PlacesState> eventPlaces;
  /// True once a run of events within a step is to be interrupted; empty: never.
  std::function<bool()> isEndWanted;
  std::function<void()> onChange;
  std::function<void()> check;
  std::function<std::string(const std::filesystem::path&)> evaluate;
  std::vector<ColumnGroup> columns;
  HostState state;
  std::function<Picture()> picture;
  std::shared_ptr<PictureField> pictureField;  ///< shown by `picture`; null: any function
  std::optional<SliceDeclaration> slices;
  std::vector<PointDeclaration> points;
  std::string palette;  ///< default of pictures, unless the settings name one
  std::vector<DataDeclaration> data;
  std::vector<AgentTableDeclaration> agentTables;
  std::vector<std::string> formerNames;          ///< names of this program in earlier versions
  std::string description;                       ///< lines on the model
  std::function<void(const std::string&)> warn;  ///< called with each warning, a sentence

  std::int64_t firstStep = 0;  ///< step at which this run starts
  std::int64_t step = 0;
  bool isWithinStep = false;           ///< the events of the step after `step` were interrupted
  std::vector<SettingChange> changes;  ///< since step 0, those before a checkpoint included
  std::vector<std::shared_ptr<Steering>> steerings;
  std::string met;      ///< condition `until` that the last row of the table meets, or empty
  std::string endedBy;  ///< condition that made the present step the last one; see Ending
  double computeSeconds = 0;
  double agentSteps = 0;  ///< sum of agents times steps

  /// Reads `steps` from the settings of `owner`, which must outlive this.
  ModelRun(Mass& owner, std::string program);

  /// Adds the keys of a schema that the settings lack, with their defaults, also if an earlier run
  /// of the same Mass has added keys of these names.
  void addSettings(const Schema& schema);
  /// @throws UsageError if the program declares no steps
  void requireSteps() const;
  /// Advances the model to step `stop`, or less if `isEndWanted`.
  void advanceTo(std::int64_t stop);
  /// Changes settings before the next step; see Run::setAll.
  /// @param assignments "key=value" each
  /// @throws SettingsError if one cannot change so, or the model refuses the new values; then none
  /// has changed
  void change(const std::vector<std::string>& assignments);
  /// Changes settings to values, as above.
  void change(const std::vector<std::pair<std::string, SettingValue>>& values);
  /// Hash of places, agents and `state`.
  std::uint64_t hash() const { return state.addTo(mass.hash()); }
  /// Returns the counters of a checkpoint: the step and `state`.
  std::map<std::string, std::uint64_t> checkpointCounters() const;
  /// Returns the texts of a checkpoint on the changes of settings.
  std::map<std::string, std::string> checkpointTexts() const;
  /// Calls `check`, if there is one.
  void runCheck() const;
  /// Returns the present picture, with the agents over it. @pre there is one
  Picture pictureWithLayers() const;
  /// Returns the names of all columns of the table.
  std::vector<std::string> columnNames() const;
  /// Returns the values of all columns.
  std::vector<double> row() const;
  /// Restores the state and the step of a checkpoint, and the values of the settings that had
  /// changed before it. Other settings have their values before change().
  /// @throws CheckpointError if the file has no step, or changes that this program does not accept;
  /// otherwise see Mass::restoreCheckpoint
  RestoredCheckpoint restore(const std::filesystem::path& file);

 private:
  std::int64_t advanceBy(std::int64_t count);
  void restoreChanges(const CheckpointHeader& header, const std::filesystem::path& file);
  void notifyOfChange() const;
};

}  // namespace mass::detail
