#pragma once

#include <mass/io/field_series.hpp>
#include <mass/io/picture.hpp>
#include <mass/model/agent_output.hpp>
#include <mass/model/mass.hpp>
#include <mass/program/compilation.hpp>
#include <mass/program/data_frame.hpp>
#include <mass/program/host_state.hpp>
#include <mass/program/observations.hpp>
#include <mass/program/places_array.hpp>
#include <mass/support/export.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mass {

namespace detail {
/// Returns the grid of a data file of these places.
/// @param spacing extent of a place along each axis, in the model's unit of length
MASS_EXPORT FieldGeometry geometryOf(const PlacesState& population, double spacing);
/// Returns a picture of a quantity, without values.
MASS_EXPORT Picture styleOf(float low, float high, const std::string& unit);
/// Returns a picture of categories, without values.
MASS_EXPORT Picture styleOf(std::vector<std::string> categories, std::vector<Rgb> colors);
/// Returns the centres of the 2-D places of agents, as shares of the shape.
MASS_EXPORT std::vector<std::array<float, 2>> centresOf(
    const std::shared_ptr<AgentsState>& population);

/// Returns those of the agents of a category. @param categories number of that of each agent
template <class Category>
std::vector<std::array<float, 2>> centresOf(const std::shared_ptr<AgentsState>& population,
                                            const std::vector<Category>& categories,
                                            std::size_t category) {
  std::vector<std::array<float, 2>> chosen;
  const auto all = centresOf(population);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<std::size_t>(categories[i]) == category) chosen.push_back(all[i]);
  return chosen;
}
/// Largest number of kinds of agents over a picture.
inline constexpr std::size_t mostLayers = 32;
/// Checks the kinds of agents over a picture.
/// @throws UsageError if there are too many, or the numbers of names and colours differ
MASS_EXPORT void requireLayer(std::size_t names, std::size_t colors);

struct ModelRun;
struct SimulationState;
class Player;
class Steering;

/// Declares the settings keys that Simulation reads: steps, output and checkpoint.
void addSimulationKeys(Schema& schema);
}  // namespace detail

/// Run of a model for the `steps` of its settings. Writes the table, pictures, data files, tables
/// of agents and checkpoints that the settings `output.*` and `checkpoint.*` ask for. After Ctrl-C,
/// SIGTERM, SIGHUP (unless ignored, as by nohup), SIGUSR1, SIGUSR2 or SIGXCPU it completes the
/// steps in progress (but see events()), writes a checkpoint if the settings ask for any, and
/// finishes its files. The record `run.json` in the output folder has the settings, the state hash
/// and the files of the run. A run that continues no checkpoint removes the files of an earlier run
/// in the folder, as the record of that lists them.
class MASS_EXPORT Simulation {
 public:
  /// Reads the settings of `mass`, which must outlive this.
  /// @param name name of the program, for messages, output files and checkpoints
  /// @throws SettingsError if `output.folder` is empty
  Simulation(Mass& mass, std::string name);
  /// Does so, with the compiler options of the program for its record.
  Simulation(Mass& mass, std::string name, const detail::Compilation& compilation);
  ~Simulation();

  /// Sets the function that advances the model by the number of steps given. Required, or step(),
  /// or events().
  void advance(std::function<void(Steps)> advance);
  /// Sets the function that makes one step, for models that do several things in each.
  void step(const std::function<void()>& step);
  /// Sets a step to Places::runEvents, and timeStep(). A signal interrupts such a step between two
  /// scheduled events, within about 0.5 s; a checkpoint that is written then continues it. It
  /// completes a step of step() or advance(), and one of events at rates, instead.
  /// @param time length of a step @param args arguments of runEvents
  template <class P, class... Args>
  void events(const Places<P>& places, std::chrono::duration<double> time, const Args&... args);
  /// Ends the run when a condition holds; the settings can do so by a column of the table
  /// (`until`).
  /// @param reason text for the summary and the record, as "no sheep are left"
  /// @param holds returns true to end the run; called at multiples of `every` steps but step 0, on
  /// all ranks together
  /// @throws UsageError if `every` is below 1 or `reason` is empty
  void until(std::string reason, std::function<bool()> holds, std::int64_t every = 1);
  /// Sets a function that is called between two steps when settings have changed (KeyInfo::live).
  /// Not needed if the model reads these settings in each step.
  /// @param changed throws SettingsError, as Settings::reject does, to refuse the new values; the
  /// settings then have the former ones again, and it must not have changed the model
  void onChange(std::function<void()> changed);
  /// Sets a function that throws if the state is invalid. It is called before pictures, data,
  /// tables of agents and checkpoints are written, and after the last step, so files of valid steps
  /// are never replaced by invalid ones.
  void check(std::function<void()> check);
  /// Adds a column to the table `<name>.csv`, which has a row every `output.table_every` steps.
  /// @throws UsageError if the table has a column of that name, as for all functions below
  void observe(std::string column, std::function<double()> value);
  /// Adds several columns whose values one function computes.
  /// @param values returns one value for each name
  void observe(std::vector<std::string> columns, std::function<std::vector<double>()> values);
  /// Adds a column for each category, the number of places or agents whose attribute has the value
  /// 0, 1, ...; all are counted in one pass:
  /// `run.observe<&Person::health>(people, {"susceptible", "infectious", "recovered"})`.
  /// @tparam Rule attribute that is an enum or an integer, or const member function without
  /// parameters that returns one
  /// @param population Places or Agents
  /// @param columns a name for each, at most 32; other values are not counted
  template <auto Rule, class Population, std::size_t categories>
  void observe(const Population& population, const char* const (&columns)[categories]);
  /// Adds a histogram: a column for each bin [edges[i], edges[i + 1]), `NAME.from_LOWER_EDGE`, with
  /// the number of places or agents whose value lies in it: `run.observe<&Ant::wealth>(ants, {0.0,
  /// 10.0, 100.0})`. All are counted in one pass; values in no bin, and NaN, are not counted.
  /// @tparam Rule attribute that is a number, or const member function without parameters
  /// @param edges at most 33, ascending; may be infinite
  /// @throws UsageError if they do not ascend
  template <auto Rule, class Population, std::size_t count>
  void observe(const Population& population, const double (&edges)[count]);
  /// Adds a column for each attribute or const member function without parameters, reduced over all
  /// places or agents in one pass: `run.observe<&Cell::u, &Cell::v>(cells, mass::sum)`. Values are
  /// converted to double.
  /// @param op mass::sum, mass::minimum, mass::maximum, mass::mean or an operation of this form
  /// @param columns one name for each; empty: the names of the members
  /// @throws UsageError if their number is wrong
  template <auto... Rules, class Population, class Op>
  requires(sizeof...(Rules) > 0 &&
           detail::isOperation<Op>) void observe(const Population& population, Op op,
                                                 std::vector<std::string> columns = {});
  /// Adds a profile along axis 0: for each row of 2-D or 3-D places a column `NAME.ROW`, with an
  /// attribute or const member function without parameters reduced over the row; for several
  /// members, those of the second follow.
  /// @param op as above
  template <auto... Rules, class P, class Op>
  requires(sizeof...(Rules) > 0 &&
           detail::isOperation<Op>) void observeRows(const Places<P>& places, Op op);
  /// Adds a number of the host that the run keeps: `double& season = run.state<double>("season")`.
  /// It is a column of the table, in checkpoints and in hashes. The functions of steps change it;
  /// on several ranks they give it the same value on each.
  /// @tparam T bool, std::int64_t or double
  /// @return the number, which exists as long as this object. A restart changes it, so functions
  /// read it, and keep no copy
  /// @throws UsageError if the name is empty or taken
  template <class T>
  T& state(const std::string& name, T initial = {}) {
    static_assert(
        std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>,
        "run.state<T>: T is bool, std::int64_t or double; more numbers are several states");
    return std::get<T>(addState(name, initial));
  }
  /// Hash of places and agents (Mass::hash) and of the numbers of state().
  std::uint64_t hash() const;
  /// Sets a function that reads the finished table at the end of the run and returns lines for the
  /// summary on standard output, each with two leading blanks and a newline. It is called only if
  /// there is a table.
  void evaluate(std::function<std::string(const std::filesystem::path& table)> evaluate);
  /// Sets the function that makes the pictures.
  /// @param palette one of ColorMap::names(), used if `output.palette` is automatic; categories
  /// then have colours of their own
  void picture(std::function<Picture()> picture, const std::string& palette = "heat");
  /// Sets the pictures to an attribute of 2-D places, whose name is in the legend.
  /// @param low value of the first colour
  /// @param high value of the last colour, at least `low`
  /// @param unit unit of the attribute in the legend; empty if it has none
  template <auto Member, class P>
  void picture(const Places<P>& places, float low, float high, const std::string& palette = "heat",
               const std::string& unit = "");
  /// Sets the pictures to an attribute of 2-D places that holds the number of a category.
  /// @param categories names of the numbers 0, 1, ... in the legend
  /// @param colors a colour for each; empty: colours that differ clearly
  template <auto Member, class P>
  void picture(const Places<P>& places, std::vector<std::string> categories,
               std::vector<Rgb> colors = {});
  /// Lets the live view show planes of an attribute of 3-D places, besides the pictures, whose
  /// palette they have. Only the pixels of a plane leave the devices.
  /// @param low, high values of the first and of the last colour
  /// @param unit unit of the attribute in the legend; empty if it has none
  template <auto Member, class P>
  void slices(const Places<P>& places, float low, float high, const std::string& unit = "");
  /// Lets the live view show planes of an attribute that holds the number of a category.
  /// @param categories names of the numbers 0, 1, ... in the legend
  /// @param colors a colour for each; empty: colours that differ clearly
  template <auto Member, class P>
  void slices(const Places<P>& places, std::vector<std::string> categories,
              std::vector<Rgb> colors = {});
  /// Lets the live view show planes of 3-D places that a function makes.
  /// @param shape number of places along each axis
  /// @param plane returns the plane across an axis at a position; its rows and columns are the
  /// other two axes
  void slices(const Shape<3>& shape, std::function<Picture(int axis, std::int64_t at)> plane);
  /// Lets the live view show agents as points on the pictures, at the centres of their 2-D places,
  /// while few of them are in view.
  template <class A>
  void points(const Agents<A>& agents, Rgb color);
  /// Lets it show agents at positions that a function returns.
  /// @param name name of the agents in the legend
  /// @param count returns the number of the agents
  /// @param positions returns the row and the column of each agent in the pictures, as shares of
  /// their height and width; agents outside of [0, 1] are not shown. On all ranks, for all agents
  void points(std::string name, Rgb color, std::function<std::int64_t()> count,
              std::function<std::vector<std::array<float, 2>>()> positions);
  /// Shows agents over the pictures, also in the live view, at the centres of their 2-D places:
  /// `run.layer(ants, {200, 30, 30})`.
  template <class A>
  void layer(const Agents<A>& agents, Rgb color);
  /// Shows them in the colours of an attribute that holds the number of a category, or is a bool.
  /// @tparam Member attribute, or const member function without parameters
  /// @param categories names of the numbers 0, 1, ... in the legend, at most 32; agents of others
  /// are not shown
  /// @param colors a colour for each
  /// @throws UsageError if the numbers of names and colours differ
  template <auto Member, class A>
  void layer(const Agents<A>& agents, const std::vector<std::string>& categories,
             const std::vector<Rgb>& colors);
  /// Writes attributes of places to data files for ParaView, `<places>.vtkhdf`, at every
  /// `output.data_every` steps. If only some places of a box exist, the others have the values of a
  /// new P.
  /// @param spacing extent of a place along each axis, in the model's unit of length
  /// @throws UsageError if `spacing` is invalid
  template <auto... Members, class P>
  void data(const Places<P>& places, double spacing = 1);
  /// Writes arrays that a function computes for all places; otherwise as the overload above.
  template <class P>
  void data(const Places<P>& places, double spacing, const std::function<DataFrame()>& arrays) {
    addData(places.name(), detail::geometryOf(places.population(), spacing), arrays);
  }
  /// Writes attributes of agents to data files, as points at the centres of their places.
  template <auto... Members, class A>
  void data(const Agents<A>& agents, double spacing = 1);
  /// Writes attributes of agents to data files, as points at the positions that an attribute of 2
  /// or 3 float or double holds: `run.data<&A::speed>(agents, mass::positions<&A::position>)`.
  template <auto... Members, class A, auto Position>
  void data(const Agents<A>& agents, detail::Positions<Position> positions);
  /// Writes a table of agents, `<agents>.csv` or `.h5`: at every `output.agents_every` steps a row
  /// for each agent with the step, identity, coordinates and the attributes given. An array
  /// attribute has a column for each component.
  /// @throws UsageError if the name of the agents starts with "balance-", or another table of the
  /// run has this file
  template <auto... Members, class A>
  void agentTable(const Agents<A>& agents);
  /// Writes a table of the agents that a filter selects:
  /// `run.agentTable<&A::wealth>(agents, mass::only<&A::isRich>)`.
  template <auto... Members, class A, auto Filter>
  void agentTable(const Agents<A>& agents, detail::Only<Filter> filter);
  /// Sets the physical time of one step in seconds; 1 by default. Data files show it.
  void timeStep(double seconds);
  /// Sets the number of steps to `seconds` of physical time divided by timeStep(), rounded up. Has
  /// no effect if the settings give `steps`, or if `seconds` is 0.
  /// @pre timeStep() has been called if a step is not 1 s
  /// @throws UsageError if `seconds` is negative or not finite, or needs 2^62 steps or more
  void duration(double seconds);
  /// Declares a name that this program had in earlier versions: restart() accepts checkpoints
  /// written under that name, and run() continues the table of that name under the present one.
  void formerName(std::string name);
  /// Adds lines on the model, which run() prints on standard output before the first step, and
  /// Run::description() returns.
  /// @param lines each with two leading blanks and a newline
  void describe(const std::string& lines);
  /// Reports that results may not be what the user expects. Run() prints the text as a warning on
  /// standard error; Run::takeWarnings() returns it. May be called in each step.
  void warn(const std::string& text) const;
  /// Number of steps done, those before a restart included.
  std::int64_t step() const;

  /// Restores the state of a checkpoint, which may have been written on other devices. Run() then
  /// lists on standard error the settings of the model that differ from those of the checkpoint.
  /// @pre the model is set up
  /// @throws CheckpointError as Mass::restoreCheckpoint
  /// @throws SettingsError if the step of the checkpoint is beyond `steps`
  void restart(const std::filesystem::path& checkpoint);
  /// Adds an object that run() asks between steps, which may change settings or end the run.
  void steer(std::shared_ptr<detail::Steering> steering);
  /// Runs to the last step or until a signal, and prints a summary on standard output.
  /// @return exit code: 0, or 128 + the signal number
  /// @throws SettingsError if the settings ask for an output that is not registered, or
  /// `checkpoint.file` is a file that the run uses for something else
  /// @throws OutputError if a result cannot be written, or another run uses the folder
  /// @throws UsageError if advance() was not called
  int run();

 private:
  friend class Run;
  friend class detail::Player;
  detail::ModelRun& model() const;
  void setEvents(std::shared_ptr<detail::PlacesState> places, std::function<void()> run);
  detail::HostState::Value& addState(const std::string& name, detail::HostState::Value initial);
  template <auto Member, class P>
  void pictureOf(const Places<P>& places, Picture style, const std::string& palette);
  template <auto Member, class P>
  void slicesOf(const Places<P>& places, Picture style);
  void slicesOf(const std::shared_ptr<detail::PlacesState>& places, std::string_view attribute,
                Picture style);
  void pictureOf(const std::shared_ptr<detail::PlacesState>& places, std::string_view attribute,
                 Picture style, const std::string& palette);
  void addLayer(std::string name, Rgb color, std::function<std::int64_t()> count,
                std::function<std::vector<std::array<float, 2>>()> positions);
  void addData(const std::string& name, const detail::FieldGeometry& geometry,
               std::function<DataFrame()> frame);
  void addPoints(const std::string& name, std::function<detail::AgentFrame()> frame);
  void addAgentTable(const std::string& name, std::vector<detail::FieldArray> columns,
                     std::function<detail::AgentFrame()> rows);

  std::unique_ptr<detail::SimulationState> state_;
};

}  // namespace mass

#include <mass/program/simulation_impl.hpp>
