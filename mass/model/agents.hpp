#pragma once

#include <mass/kernels/agent_kernels.hpp>
#include <mass/kernels/launchers.hpp>
#include <mass/kernels/member_rules.hpp>
#include <mass/kernels/rule_check.hpp>
#include <mass/memory/agent_io.hpp>
#include <mass/model/engine.hpp>
#include <mass/model/places.hpp>
#include <mass/model/rule_arguments.hpp>
#include <mass/support/error.hpp>
#include <mass/support/export.hpp>
#include <mass/support/space.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mass {
namespace detail {

/// Creates agents with initial attributes, agent i on place `places[i]` with identity i.
/// @param places row-major indices of places, which may repeat
/// @throws UsageError if a place would exceed its capacity
MASS_EXPORT void populate(AgentsState& population, const std::vector<std::int64_t>& places);
/// Appends the index `place` to `places` `agents` times.
/// @throws UsageError if `agents` is negative
MASS_EXPORT void addPlace(std::vector<std::int64_t>& places, std::int64_t place,
                          std::int64_t agents, const Domain& domain);
/// Returns the sorted indices of `count` places drawn at random. A place with a limited capacity is
/// drawn at most that often.
/// @throws UsageError if `count` is negative or exceeds the capacity of all places
/// @throws DeviceError if the devices cannot hold so many agents
MASS_EXPORT std::vector<std::int64_t> drawPlaces(const AgentsState& population, std::int64_t count);
/// Puts the places of new agents into an order drawn at random.
MASS_EXPORT void shuffle(const AgentsState& population, std::vector<std::int64_t>& places);

/// Adds an amount to a value. @param value, amount addresses of a T
template <class T>
void addAmount(void* value, const void* amount) {
  T sum, added;
  std::memcpy(&sum, value, sizeof(T));
  std::memcpy(&added, amount, sizeof(T));
  sum = static_cast<T>(sum + added);
  std::memcpy(value, &sum, sizeof(T));
}
/// Returns the row-major indices of places.
/// @param call function that the message names
/// @throws UsageError if a place is outside the world
template <int D>
std::vector<std::int64_t> indicesOf(std::string_view call, const std::vector<Coordinates<D>>& where,
                                    const Shape<D>& shape) {
  std::vector<std::int64_t> indices;
  for (const Coordinates<D>& place : where) {
    for (int axis = 0; axis < D; ++axis) {
      if (place[axis] < 0 || place[axis] >= shape[axis]) {
        throw UsageError(
            "{}: agent {} has coordinate {} along axis {}; coordinates there are 0 to {}", call,
            indices.size(), place[axis], axis, shape[axis] - 1);
      }
    }
    indices.push_back(indexOf<D>(place, shape));
  }
  return indices;
}

}  // namespace detail

/// Agents of class A, which live on one Places. A handle: copies refer to the same agents.
///
/// Order of agents: by the row-major index of their place, then by identity. Every function that
/// returns or takes a value for each agent uses this order, on any number of devices. Every member
/// that reads agents waits for a manageAll that a GPU still executes, and throws its errors.
template <class A>
class Agents {
 public:
  /// Class of the places on which the agents live.
  using Home = typename A::Home;
  /// Number of axes of the world: 1, 2 or 3.
  static constexpr int dimensions = Home::dimensions;

  /// Wraps agents that Mass::createAgents or Mass::loadAgents made.
  explicit Agents(std::shared_ptr<detail::AgentsState> population)
      : population_(std::move(population)) {}

  /// Name of these agents in messages, files and checkpoints.
  const std::string& name() const { return population_->name; }
  /// Number of agents that are alive.
  std::int64_t size() const { return fields().alive(); }
  /// Number of calls of callAll and manageAll since the start of the run. A restart continues the
  /// count of its checkpoint.
  std::uint64_t step() const { return population_->fields->step; }
  /// Hash of identities, places and attributes. It does not depend on devices or threads.
  std::uint64_t hash() const { return hashOf(fields()); }
  /// Bytes allocated on all devices of all ranks.
  std::size_t bytes() const {
    return static_cast<std::size_t>(fields().places().devices().ranks().sum(fields().bytes()));
  }

  /// Applies a rule that writes only the attributes of `mass::writes<&A::a, ...>` to every agent.
  template <auto Rule, auto... Members, class... Args>
  void callAll(detail::Writes<Members...>, Args&&... args) const {
    change<Rule, detail::Writes<Members...>>(std::forward<Args>(args)...);
  }
  /// Applies a rule to every agent.
  /// @tparam Rule member function `void f(...)` of A
  /// @param args arguments of the rule. For a parameter `Neighbors<B>` or `Residents<B>` pass an
  /// `Agents<B>`, also if B is A; for `Field<P>` or `FieldResource<&P::member>` a `Places<P>`.
  /// @throws UsageError if populations among `args` have other shapes, or the model was compiled
  /// without CUDA and the devices are GPUs; on CPUs also if an Intent is invalid
  template <auto Rule, class... Args>
  void callAll(Args&&... args) const {
    change<Rule, detail::WritesAll>(std::forward<Args>(args)...);
  }

  /// Adds `From` of each agent to `To` of its place. Each place adds in the order of identities, so
  /// every number of devices yields the same bits. Runs as a rule of the places that writes `To`
  /// only, which counts as a step of the places.
  /// @tparam From attribute of A, or const member function of A without parameters
  /// @tparam To attribute of the places: a number, not constant; for example &P::scent
  /// @tparam More further pairs of members, added in the same pass over the agents
  template <auto From, auto To, auto... More>
  void deposit() const {
    deposit<From, To, More...>(Places<Home>(population_->home));
  }
  /// Adds `From` of each agent to `To` of the place at the position of its own among other places.
  /// @param places places of the shape of those on which the agents live
  /// @throws UsageError if they have another shape or belong to another Mass
  template <auto From, auto To, auto... More, class P>
  void deposit(const Places<P>& places) const;
  /// Adds `From` of each agent to `To` of the coarser place that covers its own. Each of these adds
  /// in the row-major order of the places below it, and on each in that of identities.
  /// @param places along each axis, the places on which the agents live are a multiple of these
  /// @throws UsageError if their shape does not fit or they belong to another Mass
  template <auto From, auto To, auto... More, class P>
  void depositOnCoarser(const Places<P>& places) const;
  /// Adds `From` of each agent to `To` of the finer place with its position; if rounding puts it
  /// outside the agent's own place, to the nearest place below that. So each agent is added once.
  /// Each place adds in the order of identities, and looks at all agents of the coarser place.
  /// @tparam Position attribute of A with the position, see Neighbors::within
  /// @param places along each axis, a multiple of the places on which the agents live
  /// @param space space of `places`, see spaceOf()
  /// @pre each agent lives on the place of its position: call manageAll after a rule that changes
  /// positions
  /// @throws UsageError if their shape does not fit, they belong to another Mass, or `space` is
  /// that of other places
  template <auto Position, auto From, auto To, auto... More, class P>
  void depositOnFiner(const Places<P>& places, const Space<dimensions>& space) const;

  /// Carries out the intents of the agents: deaths, then moves, then births. For moves, a place of
  /// limited capacity has room for `A::capacity` agents minus those on it that do not die; agents
  /// that leave in this call still count. For births, its room is `A::capacity` minus the agents on
  /// it after the moves. If more agents or children compete than there is room for, a hash of seed,
  /// step and identity decides. An agent that is not admitted stays; a child that is not admitted
  /// is not born.
  ///
  /// On a single GPU, if A::offspring is 0, the call returns before the work is done. The next
  /// member that reads these agents then throws its errors.
  /// @throws UsageError if an intent is invalid (on GPUs; on CPUs callAll throws)
  /// @throws DeviceError if the memory is too small; the agents are unchanged
  /// @throws Error if an agent was lost or duplicated, which is an error of this library
  void manageAll() const { detail::manage(*population_); }

  /// Adds agents to the run, such as immigrants. They join in the next manageAll, as children that
  /// are born then: as far as their place has room. All ranks call it with the same agents.
  /// @param where place of each agent
  /// @param agents attributes of each agent
  /// @return identity of the first; those of the others follow
  /// @throws UsageError if the numbers differ or a place is outside the world
  std::uint64_t add(const std::vector<Coordinates<dimensions>>& where,
                    const std::vector<A>& agents) const;
  /// Adds equal agents.
  std::uint64_t add(const std::vector<Coordinates<dimensions>>& where, const A& agent = {}) const {
    return add(where, std::vector<A>(where.size(), agent));
  }
  /// Makes an event of each agent, at its place, in the order of agents. The identity and the
  /// attributes of an agent are the values of its event, by which rules pass it on. The agents
  /// cannot step then, and members of this class return them as they were. All ranks call it.
  /// @tparam Rule rule in the Events of the class of the places: `void f(std::uint64_t id, const A&
  /// agent, Schedule<P>&)`, with further parameters as others; see mass::scheduled
  /// @param delay time from now: since the end of the last runEvents; at least 0
  /// @throws UsageError if the delay is negative or not finite, or the agents have stepped or are
  /// in events
  template <auto Rule>
  void schedule(std::chrono::duration<double> delay) const;

  /// Number of reads of these agents by identity, and of gifts to them, for which there was no such
  /// agent, since their creation. All ranks call it together.
  std::uint64_t missing() const { return detail::missingIdentities(*population_); }
  /// Counts of agents that died, moved and were born in the last manageAll. Waits for it.
  Census census() const { return fields().census; }

  /// Reduces the values that a const member function returns (or an attribute) over all agents. The
  /// values are copied to the host and reduced there, by each rank those of its own agents. The
  /// order of operations depends only on the number of agents, so every number of devices and
  /// threads yields the same bits.
  /// @param op mass::sum, mass::minimum, mass::maximum or an operation of the same form
  template <auto Rule, class Op, class... Args>
  auto reduce(Op op, Args&&... args) const;
  /// Returns the mean of these values; NaN without agents.
  template <auto Rule, class... Args>
  double reduce(detail::Mean, Args&&... args) const {
    return static_cast<double>(reduce<Rule>(sum, std::forward<Args>(args)...)) /
           static_cast<double>(size());
  }
  /// Counts the agents by the value, an integer or an enum, that a const member function returns
  /// (or an attribute has).
  /// @tparam categories count by value 0, 1, ..., categories - 1; other values are not counted
  template <auto Rule, std::size_t categories, class... Args>
  std::array<std::int64_t, categories> count(Args&&... args) const;
  /// Returns the values of a const member function (or an attribute) for all agents, as a
  /// std::vector in the order of agents.
  template <auto Rule, class... Args>
  auto map(Args&&... args) const;

  /// Copies an attribute of all agents to the host: a std::vector in the order of agents, of
  /// std::array for an array attribute.
  template <auto Member>
  auto download() const;
  /// Sets an attribute of all agents.
  /// @param values size() values in the order of agents, converted to the type of the attribute
  /// @throws UsageError if the number of values is not size()
  template <auto Member, class Values>
  void upload(const Values& values) const;
  /// Sets an attribute of all agents to `function(identity)`. The function runs on the host, one
  /// agent after another; a rule is faster for many agents on GPUs.
  template <auto Member, class F>
  void initialise(F&& function) const;

  /// Identities of all agents in the order of agents.
  std::vector<std::uint64_t> ids() const { return agentIds(fields()); }
  /// Coordinates of the places of all agents in the order of agents.
  std::vector<Coordinates<dimensions>> coordinates() const;

  /// Converts to the argument of a rule that reads these agents.
  operator detail::AgentSource<A>()
      const {  // NOLINT(google-explicit-constructor): an argument of callAll
    return {{.agents = population_.get()}};
  }
  /// Converts to the argument of a rule of finer or coarser places that reads these agents.
  template <detail::Scale scale>
  operator detail::ScaledAgentSource<A, scale>()
      const {  // NOLINT(google-explicit-constructor): an argument of callAll
    return {{.agents = population_.get(), .scale = scale}};
  }
  /// Converts to the argument of a rule that takes these agents.
  operator detail::PreySource<A>()
      const {  // NOLINT(google-explicit-constructor): an argument of callAll
    return {{.agents = population_.get(), .isPrey = true}};
  }

  /// Converts to the argument of a rule that reads these agents by identity.
  operator detail::IdentitySource<A>()
      const {  // NOLINT(google-explicit-constructor): an argument of callAll
    return {{.agents = population_.get()}};
  }
  /// Converts to the argument of a rule that gives to these agents.
  template <auto Member, int most>
  requires std::is_same_v<detail::ReceiverOf<Member>, A>
  operator detail::GiveSource<Member, most>()
      const {  // NOLINT(google-explicit-constructor): an argument of callAll
    using S = detail::AttributeSlotFor<A, Member>;
    return {{.agents = population_.get(),
             .most = most,
             .component = static_cast<int>(S::first),
             .add = &detail::addAmount<typename S::Stored>}};
  }
  /// Converts to the argument of a rule that creates these agents.
  template <int most>
  operator detail::BirthSource<A, most>()
      const {  // NOLINT(google-explicit-constructor): an argument of callAll
    return {{.agents = population_.get(), .most = most}};
  }

  /// Type-erased state, for checkpoints and output.
  detail::AgentsState& population() const { return *population_; }
  /// Shared ownership of the state that population() returns.
  const std::shared_ptr<detail::AgentsState>& sharedPopulation() const { return population_; }

 private:
  detail::AgentFields& fields() const { return population_->synchronizedFields(); }
  detail::AgentExecutor& executor() const { return *population_->engine->agentExecutor; }
  detail::AgentRun run() const { return population_->run(); }
  template <auto Rule, class W, class... Args>
  void change(Args&&... args) const;

  std::shared_ptr<detail::AgentsState> population_;
};

}  // namespace mass

#include <mass/model/agents_deposit.hpp>
#include <mass/model/agents_impl.hpp>
