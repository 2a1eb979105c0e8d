#pragma once

#include <mass/dispatch/reading.hpp>
#include <mass/kernels/bool_rule.hpp>
#include <mass/kernels/components.hpp>
#include <mass/kernels/launchers.hpp>
#include <mass/kernels/rule_check.hpp>
#include <mass/kernels/scatter/scatter_kernels.hpp>
#include <mass/kernels/scheduled_rates.hpp>
#include <mass/kernels/stencil_kernels.hpp>
#include <mass/launch/field_launch.hpp>
#include <mass/memory/block_io.hpp>
#include <mass/memory/field_io.hpp>
#include <mass/memory/node_io.hpp>
#include <mass/model/engine.hpp>
#include <mass/model/rank_reduction.hpp>
#include <mass/model/rule_arguments.hpp>
#include <mass/model/turn_rules.hpp>
#include <mass/rules/reduction.hpp>
#include <mass/support/error.hpp>
#include <mass/support/space.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mass {

/// Number of times that callAll applies its rule.
struct Steps {
  std::int64_t count = 1;  ///< at least 0
};
/// Returns the argument of callAll for `count` steps.
constexpr Steps steps(std::int64_t count) {
  return {count};
}

/// Grid of places of class P, distributed over the devices of a Mass. A handle: copies refer to the
/// same places. Members that call a rule or transfer values may throw DeviceError if a GPU fails or
/// the memory is too small.
template <class P>
class Places {
 public:
  /// Number of axes: 1, 2 or 3.
  static constexpr int dimensions = P::dimensions;

  /// Wraps places that Mass::createPlaces made.
  explicit Places(std::shared_ptr<detail::PlacesState> population)
      : population_(std::move(population)) {
    if (population_ == nullptr) return;
    if constexpr (detail::Scheduling<P>) {
      (void)scheduleClock();
    } else if constexpr (requires { typename P::Events; }) {
      (void)eventClock();
    }
  }

  /// Name of these places in messages, files and checkpoints.
  const std::string& name() const { return population_->name; }
  /// Number of places along each axis; of places that were created by their indices, those of the
  /// box around them.
  Shape<dimensions> shape() const {
    const auto& mask = population_->mask;
    const auto& lengths = mask ? mask->shape : fields().domain().shape;
    Shape<dimensions> shape{};
    for (int axis = 0; axis < dimensions; ++axis)
      shape[axis] = lengths[static_cast<std::size_t>(axis)];
    return shape;
  }
  /// Number of places.
  std::int64_t size() const {
    const auto& lengths = fields().domain().shape;
    return lengths[0] * lengths[1] * lengths[2];
  }
  /// Returns the coordinates of a place. @param number its number in row-major order, below size()
  Coordinates<dimensions> coordinates(std::int64_t number) const {
    const auto& mask = population_->mask;
    return coordinatesOf(mask ? mask->indices[static_cast<std::size_t>(number)] : number, shape());
  }
  /// Number of steps: applications of a rule by callAll since the start of the run. A restart
  /// continues the count of its checkpoint. A rule that can write no attribute does not count: its
  /// class has none that is not constant, or `mass::writes` names none.
  std::uint64_t step() const { return fields().step; }
  /// Sets the number of steps, for a model that counts them in another way. Random numbers depend
  /// on it. Checkpoints contain it, and hash() depends on it.
  /// @param step below 2^40
  void setStep(std::uint64_t step) const { fields().step = step; }
  /// Hash of all attributes and of step(). It does not depend on devices or threads.
  std::uint64_t hash() const { return hashOf(fields()); }
  /// Number of elements (not of words), since the places were created, that Scatter delivered to a
  /// Multiset whose first word was full. A restart continues the count of its checkpoint. The
  /// elements are kept in further words; a large number costs time.
  std::uint64_t overflowedWords() const { return fields().overflowedWords; }
  /// Former name of overflowedWords().
  [[deprecated("use overflowedWords()")]] std::uint64_t spilled() const {
    return overflowedWords();
  }
  /// Bytes allocated on all devices of all ranks. The first call of a rule that needs back buffers
  /// allocates them; see reserve().
  std::size_t bytes() const {
    return static_cast<std::size_t>(fields().devices().ranks().sum(fields().bytes()));
  }
  /// Allocates now the back buffers that the first call of `Rule` would allocate.
  /// @tparam Rule rule `void f(...)`, without Scatter
  /// @throws DeviceError if the memory is too small
  template <auto Rule>
  void reserve() const;
  /// Former name of reserve().
  template <auto Rule>
  [[deprecated("use reserve()")]] void makeRoom() const {
    reserve<Rule>();
  }

  /// Applies a rule to every place, `steps.count` times. All places of a step read the state before
  /// it. In checked builds, an exception of the rule leaves the state before the failing step,
  /// except attributes that the rule changes in place.
  ///
  /// `mass::inTurn<&P::a, &P::b, ...>` applies rules one after the other, `steps.count` times. Each
  /// sees what the one before has written; step() counts the rules. Faster than a call for each. An
  /// exception in checked builds leaves the state before the failing rule.
  /// @tparam Rule member function of P, `void f(...)` or one that takes a `const Scatter<P>&`; or
  /// mass::inTurn of rules without Scatter
  /// @param args arguments of the rule after those that the library provides; of rules in turn,
  /// those of the first rule, then those of the second, and so on, or, if all rules take the same,
  /// these once
  /// @throws UsageError if `steps.count` is negative, populations among `args` have other shapes,
  /// or the model was compiled without CUDA and the devices are GPUs
  /// @throws OverflowError if Scatter sent more elements than a Multiset holds; the state is lost
  template <auto Rule, class... Args>
  void callAll(Steps steps, Args&&... args) const {
    if constexpr (detail::TurnOfRules<decltype(Rule)>) {
      changeInTurn(Rule, steps, std::forward<Args>(args)...);
    } else {
      change<Rule, detail::WritesAll>(steps, std::forward<Args>(args)...);
    }
  }
  /// Applies two rules as one, `steps.count` times, in one pass over the places.
  /// @tparam Before `Multiset f(args...) const`: returns the new elements of its place; may be
  /// called more than once for a place
  /// @tparam Rule `void f(const Scatter<P>&, Element, args...) const`: called for each of these
  /// elements
  /// @throws UsageError and OverflowError as the overload above
  template <auto Before, auto Rule, class... Args>
  requires(detail::ScatterRule<Rule>) void callAll(Steps steps, Args&&... args) const {
    static_assert(
        detail::isPreparing<Before, Rule>,
        "of two rules as one, the first is `Multiset f(args...) const` and the second `void "
        "f(const Scatter<P>&, Element, args...) const`, with the same arguments");
    send<Before, Rule>(steps, std::forward<Args>(args)...);
  }
  /// Applies a rule that writes only the attributes of `mass::writes<&P::a, ...>`, `steps.count`
  /// times.
  template <auto Rule, auto... Members, class... Args>
  void callAll(Steps steps, detail::Writes<Members...>, Args&&... args) const {
    change<Rule, detail::Writes<Members...>>(steps, std::forward<Args>(args)...);
  }
  /// Applies a rule that writes only the attributes of `mass::writes<&P::a, ...>` once.
  template <auto Rule, auto... Members, class... Args>
  void callAll(detail::Writes<Members...>, Args&&... args) const {
    change<Rule, detail::Writes<Members...>>(Steps{1}, std::forward<Args>(args)...);
  }
  /// Applies a rule to every place once, or rules in turn.
  template <auto Rule, class... Args>
  void callAll(Args&&... args) const {
    callAll<Rule>(Steps{1}, std::forward<Args>(args)...);
  }

  /// Sets the rate of the hops of a kind of particle, a mass::hop of the class, for the following
  /// calls of runEvents. Rates are 0 before. There are no hops beyond a border that is not
  /// periodic.
  /// @tparam Count count of the particles
  /// @tparam Index element, if that is an array
  /// @param rate rate in 1/s of one particle to each adjacent place; or a function of the
  /// coordinates of the place and of the adjacent place, which returns this rate. 0: a wall
  /// @throws UsageError if a rate is negative or not finite
  template <auto Count, int Index = 0, class Rate>
  void hopRate(const Rate& rate) const;
  /// Executes the events of the class (`P::Events`) during a stretch of time, each at its own time:
  /// the state follows the master equation of the events without error of discretisation. Results
  /// do not depend on devices, threads or ranks. step() counts windows of time; see `events.window`
  /// in docs/settings.md. Changes the attributes of places on CPUs. All ranks call it together.
  /// @param time a whole number of windows
  /// @param args arguments of the rates and changes
  /// @throws UsageError if the time is negative or no whole number of windows, the devices are
  /// GPUs, a rate is negative or not finite, or a change makes the number of particles negative;
  /// the state is that before the call then
  ///
  /// If the events of the class are scheduled, executes those before the end of the time, in the
  /// order of schedule(). The time is any; step() does not count. The first Error of a rule, in the
  /// order of events, ends the call and leaves the state before it; no further events can run then.
  template <class... Args>
  void runEvents(std::chrono::duration<double> time, const Args&... args) const;
  /// Schedules an event, for classes whose Events are mass::scheduled. runEvents executes the
  /// events before its end, in the order of their times (see Schedule); the others wait for the
  /// next call, so several short calls make the same events as a long one. All ranks call it
  /// together with the same values.
  /// @tparam Rule rule in the Events of the class
  /// @param delay time from now: since the end of the last runEvents; at least 0
  /// @param place number of the place, as that of coordinates(); of a network, of the node
  /// @param values arguments of the rule before its Schedule<P>&
  /// @return the handle of the event, for cancel()
  /// @throws UsageError if the delay is negative or not finite, or there is no such place
  template <auto Rule, class... Args>
  EventHandle schedule(std::chrono::duration<double> delay, std::int64_t place,
                       const Args&... values) const;
  /// Schedules an event at each place, in the order of their numbers; otherwise as schedule().
  template <auto Rule, class... Args>
  void scheduleAll(std::chrono::duration<double> delay, const Args&... values) const;
  /// Cancels a scheduled event of any place: it does not happen. Nothing changes for one that has
  /// happened or was cancelled. All ranks call it together with the same value. Rules cancel by
  /// Schedule::cancel.
  void cancel(const EventHandle& event) const;
  /// Declares the least delay of events that rules schedule for other places than their own.
  /// `events.engine: conservative` needs one above 0. A rule that schedules an earlier one fails,
  /// with every engine. All ranks call it together.
  /// @param time 0, as at the begin of a run: no limit
  /// @throws UsageError if it is negative or not finite
  void lookahead(std::chrono::duration<double> time) const;
  /// Returns the number of scheduled events that have not happened, on all ranks, which call it
  /// together.
  std::int64_t pendingEvents() const;
  /// Returns the number of windows into which runEvents divides a stretch of time that begins now:
  /// by `events.window`, or by the rates of hops that are set and the numbers of particles. All
  /// ranks call it together. @throws UsageError as runEvents
  std::int64_t eventWindows(std::chrono::duration<double> time) const;
  /// Returns the counts of the work of runEvents since the start of the run, of all ranks, which
  /// call it together.
  EventCounts eventCounts() const;

  /// Reduces the values that a const member function returns (or an attribute) within each row, for
  /// a profile along axis 0. For 2-D and 3-D places.
  /// @param op mass::sum, mass::minimum, mass::maximum or an operation of the same form
  /// @return std::vector with one value for each row, of type `Op::Result`
  template <auto Rule, class Op, class... Args>
  auto reduceRows(Op op, Args&&... args) const;

  /// Sets the neighbours that `near[i]` of a Neighborhood returns, until setNeighbors is called
  /// again.
  /// @param offsets offset of neighbour i along each axis
  /// @throws UsageError if a component of an offset exceeds P::reach
  void setNeighbors(std::vector<Offset<dimensions>> offsets) const;
  /// Calls setNeighbors(destinations), then callAll<Rule>(args...). The rule reads the places at
  /// these offsets; nothing is sent to them.
  template <auto Rule, class... Args>
  void exchangeAll(std::vector<Offset<dimensions>> destinations, Args&&... args) const {
    setNeighbors(std::move(destinations));
    callAll<Rule>(std::forward<Args>(args)...);
  }

  /// Reduces the values that a const member function returns (or an attribute) over all places. The
  /// order of operations depends on the shape of the world only, so every number of devices and
  /// threads yields the same bits. Devices reduce each line (the last axis); values of 1-D places
  /// are copied to the host first, each rank those of its own rows.
  /// @param op mass::sum, mass::minimum, mass::maximum or an operation of the same form
  template <auto Rule, class Op, class... Args>
  auto reduce(Op op, Args&&... args) const;
  /// Returns the mean of these values.
  template <auto Rule, class... Args>
  double reduce(detail::Mean, Args&&... args) const {
    return static_cast<double>(reduce<Rule>(sum, std::forward<Args>(args)...)) /
           static_cast<double>(size());
  }
  /// Counts the places by the value, an integer or an enum, that a const member function returns
  /// (or an attribute has), in one pass.
  /// @tparam categories count by value 0, 1, ..., categories - 1, at most 32; other values are not
  /// counted
  template <auto Rule, std::size_t categories, class... Args>
  std::array<std::int64_t, categories> count(Args&&... args) const;
  /// Returns the values of a const member function (or an attribute) for all places, as a
  /// std::vector in row-major order.
  template <auto Rule, class... Args>
  auto map(Args&&... args) const;

  /// Copies an attribute of all places to the host: a std::vector in row-major order, of std::array
  /// for an array attribute. Every rank gets all places.
  /// @throws DeviceError if the memory of a host is too small
  template <auto Member>
  auto download() const;
  /// Copies an attribute of all places to rank 0, as download() does; empty on other ranks. For
  /// output that rank 0 writes.
  template <auto Member>
  auto collect() const;
  /// Copies all attributes of the places in the box [low, high) to the host, in row-major order.
  /// Other places are not copied.
  /// @param low first coordinate along each axis, at least 0
  /// @param high end along each axis, at least `low` and at most the shape
  /// @throws UsageError if the box is not inside the world
  std::vector<P> download(const Coordinates<dimensions>& low,
                          const Coordinates<dimensions>& high) const;
  /// Sets an attribute of all places.
  /// @param values size() values in row-major order, converted to the type of the attribute
  /// @throws UsageError if the number of values is not size()
  template <auto Member, class Values>
  void upload(const Values& values) const;
  /// Sets an attribute of all places to `function(coordinates)`. The function runs on the host, one
  /// place after another; a rule is faster for a large world on GPUs.
  template <auto Member, class F>
  void initialise(F&& function) const;

  /// Returns the network of these nodes as it is now; rules may change its edges. Copies all links.
  Graph graph() const {
    static_assert(detail::isNode<P>, "only nodes have a network: see Mass::createGraph");
    return fields().links()->network().byNodes();
  }
  /// Numbers of the edges that the last rule with Edges has added and removed, on all devices.
  EdgeCounts edgeCounts() const { return population_->edgeCounts; }

  /// Converts to the argument of a rule that changes edges.
  template <int most>
  operator detail::EdgeSource<P, most>()
      const {  // NOLINT(google-explicit-constructor): an argument of callAll
    return {{.places = population_.get(), .most = most}};
  }
  /// Converts to the argument of a rule that reads these places as a field.
  template <detail::Scale scale>
  operator detail::FieldOf<P, scale>()
      const {  // NOLINT(google-explicit-constructor): an argument of callAll
    return detail::FieldOf<P, scale>(population_);
  }

  /// Converts to the argument of a rule of agents on other places that takes from these.
  template <auto Member, detail::Scale scale>
  requires std::is_same_v<detail::HolderOf<Member>, P>
  operator detail::ResourceSource<Member, scale>()
      const {  // NOLINT(google-explicit-constructor): an argument of callAll
    using S = detail::AttributeSlotFor<P, Member>;
    return {{.places = population_, .scale = scale, .component = static_cast<int>(S::first)}};
  }

  /// Type-erased state, for checkpoints and output.
  detail::PlacesState& population() const { return *population_; }
  /// Shared ownership of the state that population() returns.
  const std::shared_ptr<detail::PlacesState>& sharedPopulation() const { return population_; }

 private:
  detail::PlaceFields& fields() const { return *population_->fields; }

  template <auto Rule, class W, class... Args>
  void change(Steps steps, Args&&... args) const;
  template <auto... Elements, class... Args>
  void changeInTurn(detail::InTurn<Elements...> rules, Steps turns, Args&&... args) const;
  detail::EventClock& eventClock() const;
  detail::ScheduleClock& scheduleClock() const;
  template <auto Before, auto Rule, class... Args>
  void send(Steps steps, Args&&... args) const;
  template <auto Rule, class... Args>
  auto argumentsFor(Args&&... args) const;
  template <auto Member, class F>
  void setLocal(F&& valueAt) const;
  template <auto Member, class Copy>
  auto copyAll(std::int64_t count, const Copy& copy) const;
  /// Returns the number of lines of a row, the units of reductions.
  std::int64_t linesPerRow() const { return dimensions == 3 ? fields().domain().shape[1] : 1; }
  /// Returns the number of rows in memory.
  std::int64_t rows() const { return fields().domain().shape[0]; }
  /// Runs a reading rule and returns its results for all rows.
  template <class T>
  std::vector<T> read(detail::Kernel& kernel, std::int64_t resultsPerRow) const;
  /// Runs a reading rule and returns its results for the rows of this rank.
  template <class T>
  std::vector<T> readLocal(detail::Kernel& kernel, std::int64_t resultsPerRow) const;
  template <class T>
  void readInto(detail::Kernel& kernel, T* results) const;
  void requireResultMemory(double bytesPerRow, std::int64_t rows) const;
  void run(detail::Kernel& kernel, std::int64_t steps) const {
    detail::runKernels(*population_, std::span(&kernel, 1), steps);
  }

  std::shared_ptr<detail::PlacesState> population_;
};

/// Returns the continuous space whose bins are these places. Checkpoints record `edge`, and
/// restoreCheckpoint rejects a file with another one: its agents would not be in the bins of their
/// positions.
/// @param edge extent of a bin along each axis, above 0, in the model's unit of length
/// @throws UsageError if `edge` is not a finite number above 0
template <class P>
Space<P::dimensions> spaceOf(const Places<P>& places, float edge) {
  detail::recordEdge(places.population(), edge);
  Space<P::dimensions> space{edge, places.shape(), {}};
  for (int axis = 0; axis < P::dimensions; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    space.periodic[a] = places.population().fields->domain().borders[a] == Border::periodic;
  }
  return space;
}

}  // namespace mass

#include <mass/model/places_events.hpp>
#include <mass/model/places_impl.hpp>
#include <mass/model/places_reading.hpp>
#include <mass/model/places_schedule.hpp>
#include <mass/model/places_turns.hpp>
#include <mass/model/places_values.hpp>
