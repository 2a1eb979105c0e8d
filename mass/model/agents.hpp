#pragma once

#include <mass/kernels/agent_kernels.hpp>
#include <mass/kernels/deposit.hpp>
#include <mass/kernels/launchers.hpp>
#include <mass/memory/agent_io.hpp>
#include <mass/model/engine.hpp>
#include <mass/model/places.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mass {
namespace detail {

/// Makes agents with their initial values, one on each of these places, with the identities 0, 1...
void populate(AgentsState& population, const std::vector<std::int64_t>& places);
/// Adds the number of a place as often as there are to be agents. @throws UsageError for fewer than
/// none.
void addPlace(std::vector<std::int64_t>& places, std::int64_t place, std::int64_t agents,
              const Domain& domain);
/// The numbers of `count` places drawn at random, none more often than its capacity allows, sorted.
std::vector<std::int64_t> placesAtRandom(const AgentsState& population, std::int64_t count);

}  // namespace detail

/// The agents of class A that live on some Places. A handle: copies mean the same agents. Where
/// values of all agents are asked for or given, they come in the order of the agents' places and,
/// on a place, of their identities, whatever the number of devices.
template <class A>
class Agents {
 public:
  using Home = typename A::Home;
  static constexpr int dimensions = Home::dimensions;

  explicit Agents(std::shared_ptr<detail::AgentsState> population)
      : population_(std::move(population)) {}

  const std::string& name() const { return population_->name; }
  /// How many are alive.
  std::int64_t size() const { return fields().alive(); }
  /// How many rules and managements they have seen.
  std::uint64_t step() const { return population_->fields->step; }
  /// A hash of who is where with which attributes, the same for every number of devices.
  std::uint64_t hash() const { return hashOf(fields()); }
  /// Bytes they take on all devices together.
  std::size_t bytes() const { return fields().bytes(); }

  /// Applies a rule to every agent. Agents that the rule reads (`Neighbors<B>`, `Residents<B>`, its
  /// own class too) are given as `Agents<B>`; the other arguments go to the rule. With
  /// `mass::writes<&A::a, ...>` the rule writes these attributes only.
  template <auto Rule, auto... Members, class... Args>
  void callAll(detail::Writes<Members...>, Args&&... args) const {
    change<Rule, detail::Writes<Members...>>(std::forward<Args>(args)...);
  }
  template <auto Rule, class... Args>
  void callAll(Args&&... args) const {
    change<Rule, detail::WritesAll>(std::forward<Args>(args)...);
  }

  /// Adds to a number of every place, an attribute `To` such as &P::scent, what each of its
  /// residents has in an attribute `From`, or what a const function `From` of theirs gives, which
  /// takes no parameters. One after the other in the order of identities: with the same bits for
  /// every number of devices. A rule of the places, which writes `To` only.
  template <auto From, auto To>
  void deposit() const;

  /// Does what the agents' intents say: kills, then moves, then births. A place of limited capacity
  /// lets in as many as it has room for beside those that were there before, even if these leave;
  /// who comes in is drawn by seed, step and identity. The others stay where they are; a child
  /// that does not come in is not born. One GPU goes on while it is done, unless agents may have
  /// children: what there is to throw is then thrown by whatever asks for these agents next.
  /// @throws UsageError when agents on GPUs wanted what they may not; DeviceError when there is not
  /// enough memory, and nothing has changed then; Error when agents were lost or doubled.
  void manageAll() const { executor().manage(run()); }
  /// What became of the agents in the last manageAll. Waits for it.
  Census census() const { return fields().census; }

  /// What a const member function (or an attribute) gives for all agents, brought together by an
  /// operation such as mass::sum, in a fixed order: on the host, to which every value comes.
  template <auto Rule, class Op, class... Args>
  auto reduce(Op op, Args&&... args) const;
  /// What a const member function gives for every agent.
  template <auto Rule, class... Args>
  auto map(Args&&... args) const;

  /// The values of an attribute (std::array for an array attribute).
  template <auto Member>
  auto download() const;
  /// Sets an attribute of every agent. @throws UsageError when there are not size() values.
  template <auto Member, class Values>
  void upload(const Values& values) const;
  /// Sets an attribute of every agent to what a function of its identity gives; runs on the host,
  /// one agent after the other: many agents on GPUs begin faster with a rule.
  template <auto Member, class F>
  void initialise(F&& function) const;

  std::vector<std::uint64_t> ids() const { return agentIds(fields()); }
  std::vector<Coordinates<dimensions>> coordinates() const;

  /// For a rule that reads them.
  operator detail::AgentSource<A>()
      const {  // NOLINT(google-explicit-constructor): an argument of callAll
    executor().refreshGhosts(*population_->fields);
    population_->views.update(*population_->fields);  // a rule may be given these agents twice
    return {&population_->home->settled(), population_->views.byDevice.data()};
  }

  detail::AgentsState& population() const { return *population_; }

 private:
  detail::AgentFields& fields() const { return population_->settled(); }
  detail::AgentExecutor& executor() const { return *population_->engine->agentExecutor; }
  detail::AgentRun run() const {
    return {&population_->engine->dispatcher,
            &population_->home->settled(),
            population_->fields.get(),
            population_->engine->seed,
            population_->number,
            population_->home->measured()};
  }
  template <auto Rule, class W, class... Args>
  void change(Args&&... args) const;

  std::shared_ptr<detail::AgentsState> population_;
};

}  // namespace mass

#include <mass/model/agents_impl.hpp>
