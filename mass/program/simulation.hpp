#pragma once

#include <mass/io/field_series.hpp>
#include <mass/model/agent_output.hpp>
#include <mass/model/mass.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mass {

/// A picture of a 2-D field: rows x columns values, row by row from the top.
struct Picture {
  std::vector<float> values;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  float low = 0;   ///< the value of the first colour
  float high = 1;  ///< the value of the last one
};

/// Arrays of one data file, with what keeps their values alive.
struct DataFrame {
  std::vector<detail::FieldArray> arrays;
  std::vector<std::shared_ptr<void>> owners;

  /// Adds an array of all places and keeps its values.
  /// @param name not empty, without '/'
  /// @param components values for each place; they are adjacent
  /// @param values places x components numbers
  template <class T>
  void add(std::string name, std::size_t components, std::vector<T> values) {
    const auto kept = std::make_shared<std::vector<T>>(std::move(values));
    arrays.push_back({std::move(name), detail::elementTypeOf<T>(), components, kept->data()});
    owners.push_back(kept);
  }
};

namespace detail {
FieldGeometry geometryOf(const PlacesState& population, double spacing);
}

/// Runs a model for the `steps` of its settings: advances it, and writes the table, pictures, data
/// and checkpoints that `output.*` and `checkpoint.*` ask for. On Ctrl-C or SIGTERM it ends in good
/// order.
class Simulation {
 public:
  /// `name` is the program's. @throws OutputError when the output folder cannot be written.
  Simulation(Mass& mass, std::string name);
  ~Simulation();

  /// How the model goes on by some steps.
  void advance(std::function<void(Steps)> advance);
  /// What throws where the model cannot go on. It is called before pictures, data, agents or a
  /// checkpoint are written, one that a signal asks for too, and at the end: these stay as they
  /// were at the last step that was good.
  void check(std::function<void()> check);
  /// Adds a column to the table.
  void observe(std::string column, std::function<double()> value);
  /// Adds several columns, whose values come together: as many as there are names.
  void observe(std::vector<std::string> columns, std::function<std::vector<double>()> values);
  /// What is to be found out from the whole table when the run has ended: lines, each indented by
  /// two blanks and ended, that follow what a run says of its results.
  void evaluate(std::function<std::string(const std::filesystem::path& table)> evaluate);
  /// What the pictures show; `palette` is what `output.palette: automatic` means.
  void picture(std::function<Picture()> picture, const std::string& palette = "heat");
  /// The picture of an attribute of 2-D places.
  template <auto Member, class P>
  void picture(const Places<P>& places, float low, float high, const std::string& palette = "heat");
  /// Attributes that go into the data files; `spacing` is the size of a place along every axis.
  template <auto... Members, class P>
  void data(const Places<P>& places, double spacing = 1);
  /// Arrays for every place that a function makes, in the order of places; of `spacing` the same.
  template <class P>
  void data(const Places<P>& places, double spacing, const std::function<DataFrame()>& arrays) {
    addData(places.name(), detail::geometryOf(places.population(), spacing), arrays);
  }
  /// The same for agents, as points in the middle of their places.
  template <auto... Members, class A>
  void data(const Agents<A>& agents, double spacing = 1);
  /// The same where an attribute, 2 or 3 float or double, says where they are, along each axis:
  /// `run.data<&A::speed>(agents, mass::positions<&A::position>)`.
  template <auto... Members, class A, auto Position>
  void data(const Agents<A>& agents, detail::Positions<Position> positions);
  /// A table of agents, a file of their name, which does not begin with `balance-`: at every
  /// `output.agents_every` steps a row for each, with its step, identity, place and these
  /// attributes (an array in a column a component).
  template <auto... Members, class A>
  void agentTable(const Agents<A>& agents);
  /// The same for some: `run.agentTable<&A::wealth>(agents, mass::only<&A::isRich>)`.
  template <auto... Members, class A, auto Filter>
  void agentTable(const Agents<A>& agents, detail::Only<Filter> filter);
  /// The physical time of a step, in seconds; a step is 1 s unless said otherwise.
  void timeStep(double seconds);
  /// How long to run, in seconds of that time, to the next whole step: unless the settings give
  /// `steps`, or for 0. @throws UsageError for what cannot be counted in steps.
  void duration(double seconds);
  /// Declares a name that this program had in earlier versions: restart() accepts checkpoints
  /// written under that name, and run() continues the table of that name under the present one.
  void formerName(std::string name);
  /// How many steps the model has gone so far, those before a checkpoint among them.
  std::int64_t step() const;

  /// Goes on from a checkpoint, on any number of devices. Called when the model is set up. `run`
  /// says on standard error which of the model's settings are not those of the checkpoint.
  /// @throws CheckpointError, OutputError.
  void restart(const std::filesystem::path& checkpoint);
  /// Runs to the end, or until a signal comes; says on standard output where the results are.
  /// Returns the program's exit code. @throws SettingsError when the settings ask for an output of
  /// which this has none, or `checkpoint.file` names a file that the run needs for something else;
  /// OutputError.
  int run();

 private:
  struct State;
  void addData(const std::string& name, const detail::FieldGeometry& geometry,
               std::function<DataFrame()> frame);
  void addPoints(const std::string& name, std::function<detail::AgentFrame()> frame);
  void addAgentTable(const std::string& name, std::vector<detail::FieldArray> columns,
                     std::function<detail::AgentFrame()> rows);

  std::unique_ptr<State> state_;
};

namespace detail {

template <auto Member, class P>
void addArray(const Places<P>& places, DataFrame& frame) {
  using S = AttributeSlotFor<P, Member>;
  auto values = std::make_shared<std::vector<Packed<typename S::Element>>>();
  const auto downloaded = places.template download<Member>();
  for (const auto& value : downloaded) {
    if constexpr (S::isArray) {
      values->insert(values->end(), value.begin(), value.end());
    } else {
      values->push_back(value);
    }
  }
  frame.arrays.push_back({std::string(memberName<Member>()), elementTypeOf<typename S::Element>(),
                          S::count, values->data()});
  frame.owners.push_back(std::move(values));
}

}  // namespace detail

template <auto Member, class P>
void Simulation::picture(const Places<P>& places, float low, float high,
                         const std::string& palette) {
  static_assert(P::dimensions == 2,
                "a picture of an attribute needs 2-D places; give a function for others");
  picture(
      [places, low, high] {
        const auto values = places.template download<Member>();
        Picture picture{{}, places.shape()[0], places.shape()[1], low, high};
        picture.values.reserve(values.size());
        for (const auto value : values) picture.values.push_back(static_cast<float>(value));
        return picture;
      },
      palette);
}

template <auto... Members, class P>
void Simulation::data(const Places<P>& places, double spacing) {
  addData(places.name(), detail::geometryOf(places.population(), spacing), [places] {
    DataFrame frame;
    (detail::addArray<Members>(places, frame), ...);
    return frame;
  });
}

template <auto... Members, class A>
void Simulation::data(const Agents<A>& agents, double spacing) {
  const auto attributes = detail::attributeNumbers<A, Members...>();
  addPoints(agents.name(), [agents, attributes, spacing] {
    return detail::agentPoints(agents.population(), attributes, spacing);
  });
}

template <auto... Members, class A, auto Position>
void Simulation::data(const Agents<A>& agents, detail::Positions<Position>) {
  using S = detail::AttributeSlotFor<A, Position>;
  static_assert(std::is_floating_point_v<typename S::Element> && (S::count == 2 || S::count == 3),
                "a position is an array of 2 or 3 float or double");
  const auto attributes = detail::attributeNumbers<A, Members...>();
  addPoints(agents.name(), [agents, attributes] {
    return detail::agentPointsAt(agents.population(), attributes, detail::findSlot<A, Position>());
  });
}

template <auto... Members, class A>
void Simulation::agentTable(const Agents<A>& agents) {
  const auto attributes = detail::attributeNumbers<A, Members...>();
  addAgentTable(
      agents.name(), detail::agentColumns(agents.population(), attributes),
      [agents, attributes] { return detail::agentRows(agents.population(), attributes, {}); });
}

template <auto... Members, class A, auto Filter>
void Simulation::agentTable(const Agents<A>& agents, detail::Only<Filter>) {
  const auto attributes = detail::attributeNumbers<A, Members...>();
  addAgentTable(agents.name(), detail::agentColumns(agents.population(), attributes),
                [agents, attributes] {
                  const std::vector<bool> accepted = agents.template map<Filter>();
                  return detail::agentRows(agents.population(), attributes, accepted);
                });
}

}  // namespace mass
