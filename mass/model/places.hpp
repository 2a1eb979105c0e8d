#pragma once

#include <mass/kernels/components.hpp>
#include <mass/kernels/launchers.hpp>
#include <mass/kernels/scatter/scatter_kernels.hpp>
#include <mass/kernels/stencil_kernels.hpp>
#include <mass/memory/field_io.hpp>
#include <mass/model/engine.hpp>
#include <mass/rules/reduction.hpp>
#include <mass/support/error.hpp>
#include <mass/support/space.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mass {

/// How often callAll runs its rule.
struct Steps {
  std::int64_t count = 1;
};
constexpr Steps steps(std::int64_t count) {
  return {count};
}

/// A grid of places of class P, spread over the devices of a Mass. A handle: copies mean the same
/// places.
template <class P>
class Places {
 public:
  static constexpr int dimensions = P::dimensions;

  explicit Places(std::shared_ptr<detail::PlacesState> population)
      : population_(std::move(population)) {}

  const std::string& name() const { return population_->name; }
  /// Places along every axis.
  Shape<dimensions> shape() const {
    Shape<dimensions> shape{};
    for (int axis = 0; axis < dimensions; ++axis) {
      shape[axis] = fields().domain().shape[static_cast<std::size_t>(axis)];
    }
    return shape;
  }
  /// Places in all.
  std::int64_t size() const { return count(shape()); }
  /// How many rules have been applied since the start. A rule of a class with nothing to write (no
  /// attributes, or only constant ones) does not count.
  std::uint64_t step() const { return fields().step; }
  /// Says how many there have been, for a model that counts its steps otherwise. Random numbers
  /// depend on it, and so it is part of the state.
  void setStep(std::uint64_t step) const { fields().step = step; }
  /// A hash of all attributes, the same for every number of devices and threads.
  std::uint64_t hash() const { return hashOf(population_->settled()); }
  /// How often, since these places were made, a code that was sent found the first word of a bag
  /// full; in a run that goes on from a checkpoint, in those before it, too. It was kept; many of
  /// them cost time.
  std::uint64_t overflowedWords() const { return fields().overflowedWords; }
  [[deprecated("use overflowedWords()")]] std::uint64_t spilled() const {
    return overflowedWords();
  }
  /// Bytes these places take on all devices together: the second buffers of what a rule writes come
  /// when it is first applied.
  std::size_t bytes() const { return fields().bytes(); }
  /// Takes now the memory that a rule takes when it is first applied.
  /// @throws DeviceError when there is not enough.
  template <auto Rule>
  void reserve() const;
  template <auto Rule>
  [[deprecated("use reserve()")]] void makeRoom() const {
    reserve<Rule>();
  }

  /// Applies a rule to every place, `steps.count` times; the other arguments go to the rule. With
  /// `mass::writes<&P::a, ...>` the rule writes these attributes only.
  template <auto Rule, class... Args>
  void callAll(Steps steps, Args&&... args) const {
    change<Rule, detail::WritesAll>(steps, std::forward<Args>(args)...);
  }
  /// Applies two rules as one, `steps.count` times: `Before`, `Multiset f(args...) const`, returns
  /// what is in the bag of its place, and `Rule`, with the same arguments, is called for each code
  /// of it and sends them (Scatter). One pass over the places instead of two. `Before` may be
  /// called more than once for a place.
  template <auto Before, auto Rule, class... Args>
  requires(detail::SendingRule<Rule>) void callAll(Steps steps, Args&&... args) const {
    static_assert(
        detail::isPreparing<Before, Rule>,
        "of two rules as one, the first is `Multiset f(args...) const` and the second `void "
        "f(const Outbox<P>&, Code, args...) const`, with the same arguments");
    send<Before, Rule>(steps, std::forward<Args>(args)...);
  }
  template <auto Rule, auto... Members, class... Args>
  void callAll(Steps steps, detail::Writes<Members...>, Args&&... args) const {
    change<Rule, detail::Writes<Members...>>(steps, std::forward<Args>(args)...);
  }
  template <auto Rule, auto... Members, class... Args>
  void callAll(detail::Writes<Members...>, Args&&... args) const {
    change<Rule, detail::Writes<Members...>>(Steps{1}, std::forward<Args>(args)...);
  }
  template <auto Rule, class... Args>
  void callAll(Args&&... args) const {
    change<Rule, detail::WritesAll>(Steps{1}, std::forward<Args>(args)...);
  }

  /// What a reading rule returns, reduced by `op` within every row (along axis 0): a profile of the
  /// world. Sums, smallest and largest values as in reduce.
  template <auto Rule, class Op, class... Args>
  auto reduceRows(Op op, Args&&... args) const;

  /// Chooses the neighbours that `near[i]` gives, as offsets along every axis.
  /// @throws UsageError when an offset is beyond the reach of P.
  void setNeighbors(std::vector<Offset<dimensions>> offsets) const;
  /// Sets the neighbours, then applies the rule once.
  template <auto Rule, class... Args>
  void exchangeAll(std::vector<Offset<dimensions>> destinations, Args&&... args) const {
    setNeighbors(std::move(destinations));
    callAll<Rule>(std::forward<Args>(args)...);
  }

  /// What a const member function (or an attribute) gives for all places, brought together by an
  /// operation such as mass::sum. The order of operations is fixed by the shape of the world. Each
  /// line is reduced where it is; of 1-D places, every value comes to the host first.
  template <auto Rule, class Op, class... Args>
  auto reduce(Op op, Args&&... args) const;
  /// What a const member function gives for every place, in row-major order.
  template <auto Rule, class... Args>
  auto map(Args&&... args) const;

  /// The values of an attribute, in row-major order (std::array for an array attribute).
  template <auto Member>
  auto download() const;
  /// The places of a box with all that they have, in row-major order: those from `low` on and
  /// before `high` along every axis. Nothing else comes to the host.
  /// @throws UsageError when the box is not within the world.
  std::vector<P> download(const Coordinates<dimensions>& low,
                          const Coordinates<dimensions>& high) const;
  /// Sets an attribute of every place, in row-major order.
  /// @throws UsageError when there are not size() values.
  template <auto Member, class Values>
  void upload(const Values& values) const;
  /// Sets an attribute of every place to what a function of its coordinates gives; runs on the
  /// host, one place after the other: a large world on GPUs begins faster with a rule.
  template <auto Member, class F>
  void initialise(F&& function) const;

  /// These places without their C++ type, for checkpoints and output.
  detail::PlacesState& population() const { return *population_; }
  const std::shared_ptr<detail::PlacesState>& sharedPopulation() const { return population_; }

 private:
  detail::PlaceFields& fields() const { return *population_->fields; }

  template <auto Rule, class W, class... Args>
  void change(Steps steps, Args&&... args) const;
  template <auto Before, auto Rule, class... Args>
  void send(Steps steps, Args&&... args) const;
  template <auto Rule, class... Args>
  auto argumentsFor(Args&&... args) const;
  /// What a reading rule returns, reduced to one value a line.
  template <auto Rule, class Op, class... Args>
  auto reduceLines(Op op, Args&&... args) const;
  template <class T>
  std::vector<T> read(detail::Kernel& kernel, std::int64_t resultsPerRow) const;
  void run(detail::Kernel& kernel, std::int64_t steps) const;

  std::shared_ptr<detail::PlacesState> population_;
};

/// The continuous space of which these places are the bins, cubes of that edge. A checkpoint with
/// another edge is refused, in which agents would be in other bins than their positions say.
/// @throws UsageError when the edge is not a number above 0.
template <class P>
Space<P::dimensions> spaceOf(const Places<P>& places, float edge) {
  if (!(edge > 0) || !std::isfinite(edge)) {
    throw UsageError("the edge of a bin is to be {}; it must be a number above 0", edge);
  }
  places.population().engine->sameOnRestart["edge of the bins of '" + places.name() + "'"] =
      fmt::format("{}", edge);
  Space<P::dimensions> space{edge, places.shape(), {}};
  for (int axis = 0; axis < P::dimensions; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    space.periodic[a] = places.population().fields->domain().borders[a] == Border::periodic;
  }
  return space;
}

}  // namespace mass

#include <mass/model/places_impl.hpp>
#include <mass/model/places_values.hpp>
