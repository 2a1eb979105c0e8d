#pragma once

// Interface between the package of Python and a model that mass.load compiles: a description of
// its classes of places and agents, with functions that call their rules. It needs no header of
// Python, so that a compiled model fits every version.

#include <mass/model/mass.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mass::python {

struct MemberInfo;

/// Type of a value: a number, an array of numbers, or a structure.
struct ValueInfo {
  std::string_view name;  ///< C++ type
  /// Type of the number or of the elements; opaque for a structure.
  detail::ElementType type = detail::ElementType::opaque;
  std::int64_t count = 0;         ///< number of elements of an array; 0 for another type
  std::size_t bytes = 0;          ///< size of a value
  const void* initial = nullptr;  ///< value that a new object has
  std::span<const MemberInfo> members;
};

/// Member of a structure.
struct MemberInfo {
  std::string_view name;
  std::size_t offset = 0;  ///< bytes from the start of the structure
  const ValueInfo* type = nullptr;
};

/// Attribute of a class.
struct AttributeType {
  std::string_view name;
  const ValueInfo* structure = nullptr;  ///< type of its elements; null for numbers
};

/// Argument of a rule: a value of the type that the rule takes, an array, agents, or places.
struct Value {
  const void* data = nullptr;  ///< the value or the first element; of a population a shared_ptr
  std::int64_t size = 1;       ///< number of elements of an array
};

/// Parameter of a rule that its caller gives.
struct ParameterInfo {
  /// Kinds of parameters.
  enum class Kind {
    value,       ///< number, array of a fixed number of numbers, or structure
    array,       ///< mass::Shared of such numbers, without bool
    agents,      ///< Neighbors, NeighborSums, (Finer, Coarser) Residents, Prey, Births, ById, Give
    places,      ///< Field, FieldResource, and those with Finer or Coarser
    unsupported  ///< any other type
  };
  Kind kind = Kind::unsupported;
  std::string_view name;            ///< C++ type, or class of the agents or places
  const ValueInfo* type = nullptr;  ///< type of the value or of the elements
  std::string_view member;          ///< first member that Python cannot give, if any
};

/// Operation of a reduction.
enum class Operation { sum, minimum, maximum };
/// Result of a reduction.
using Number = std::variant<std::int64_t, std::uint64_t, double>;

/// Call of a rule of places with its arguments.
struct RuleCall {
  detail::Kernel kernel;
  RuleCall() = default;
  RuleCall(const RuleCall&) = delete;
  RuleCall& operator=(const RuleCall&) = delete;
  virtual ~RuleCall() = default;
};

/// Member function of a class of places or agents.
/// @tparam Population detail::PlacesState or detail::AgentsState
template <class Population>
struct Rule {
  using Handle = std::shared_ptr<Population>;

  std::string_view name;
  std::span<const ParameterInfo> parameters;
  /// Type of the value that a const function returns.
  detail::ElementType result = detail::ElementType::opaque;

  /// Applies the rule to all; null for a function that returns a value.
  void (*callAll)(const Handle&, std::int64_t steps, const Value* arguments) = nullptr;
  /// Writes the values for all to memory for them, in their order; null for other rules.
  void (*map)(const Handle&, const Value* arguments, void* results) = nullptr;
  /// Reduces the values of all; null for other rules, and if the values are no numbers.
  Number (*reduce)(const Handle&, Operation, const Value* arguments) = nullptr;
  /// Makes a call of a rule of places that may be one of several in turn; null for other rules.
  std::unique_ptr<RuleCall> (*prepare)(const Handle&, const Value* arguments) = nullptr;
};

/// Rule that schedules events, or that a program schedules (mass::scheduled).
struct ScheduledRuleInfo {
  std::string_view name;
  std::span<const ParameterInfo> parameters;  ///< values of its events
  /// Schedules an event; null if Python cannot give a value.
  EventHandle (*schedule)(const std::shared_ptr<detail::PlacesState>&, double delay,
                          std::int64_t place, const Value* values) = nullptr;
};

/// Events of a class of places (mass::Events): at rates, or scheduled.
struct EventFunctions {
  std::vector<std::string> (*hops)() = nullptr;  ///< returns the names of the counts that hop
  std::span<const ParameterInfo> parameters;     ///< parameters of the rates and changes, or those
                                                 ///< of scheduled rules behind their Schedule
  std::span<const ScheduledRuleInfo> scheduled;  ///< empty: events at rates
  /// Executes the events of a stretch of time; null if Python cannot give an argument.
  void (*run)(const std::shared_ptr<detail::PlacesState>&, double seconds,
              const Value* arguments) = nullptr;
  /// Returns the clock of events at rates, which the first call makes; null for scheduled ones.
  detail::EventClock& (*clock)(const std::shared_ptr<detail::PlacesState>&) = nullptr;
  /// Returns the clock of scheduled events, which the first call makes; null for others.
  detail::ScheduleClock& (*schedule)(const std::shared_ptr<detail::PlacesState>&) = nullptr;
};

/// Class of places.
struct PlacesClass {
  std::string_view name;
  int dimensions = 0;
  std::span<const AttributeType> attributes;
  std::span<const Rule<detail::PlacesState>> rules;
  const EventFunctions* events = nullptr;  ///< null if the class has none
  /// Creates places. @param shape `dimensions` numbers @param borders one for each axis
  std::shared_ptr<detail::PlacesState> (*create)(Mass&, const std::vector<std::int64_t>& shape,
                                                 const std::vector<Border>& borders,
                                                 const std::string& name) = nullptr;
  /// Creates the nodes of a network; null for other classes, as `create` is for nodes.
  std::shared_ptr<detail::PlacesState> (*createGraph)(Mass&, const Graph&,
                                                      const std::string& name) = nullptr;
};

/// Class of agents.
struct AgentsClass {
  std::string_view name;
  std::string_view home;  ///< class of their places
  int dimensions = 0;
  std::span<const AttributeType> attributes;
  std::span<const Rule<detail::AgentsState>> rules;
  /// Creates agents on places drawn at random. @param home null for agents without space
  std::shared_ptr<detail::AgentsState> (*create)(Mass&, const std::shared_ptr<detail::PlacesState>&,
                                                 std::int64_t count, Mass::IdentityOrder order,
                                                 const std::string& name) = nullptr;
  /// Creates an agent at each of these places. @param places row-major indices
  std::shared_ptr<detail::AgentsState> (*createAt)(Mass&,
                                                   const std::shared_ptr<detail::PlacesState>&,
                                                   const std::vector<std::int64_t>& places,
                                                   const std::string& name) = nullptr;
  /// Adds an agent at each of these places, see Agents::add. @return its first identity
  std::uint64_t (*add)(const std::shared_ptr<detail::AgentsState>&,
                       const std::vector<std::int64_t>& places) = nullptr;
};

/// Classes and structures of a header. All descriptions are constants, which need no code.
struct Model {
  std::span<const PlacesClass> places;
  std::span<const AgentsClass> agents;
  std::span<const ValueInfo* const> structures;
};

/// Name of the function `const Model* ()` that a compiled model exports. It changes with this
/// interface.
inline constexpr const char* modelFunction = "mass_python_model_3";

/// Deposit of agents on places. @param edge edge of the bins of a space of the places, if the
/// deposit needs one
using DepositFunction = void(const std::shared_ptr<detail::AgentsState>& agents,
                             const std::shared_ptr<detail::PlacesState>& places, float edge);
/// Name of the DepositFunction that a compiled deposit exports.
inline constexpr const char* depositFunction = "mass_python_deposit_1";

/// Reduction of several values in one pass. @param population std::shared_ptr of the state of
/// places or agents @param results receives the values, as many as were compiled
using ReductionFunction = void(const void* population, const double* edges, double* results);
/// Name of the ReductionFunction that a compiled reduction exports.
inline constexpr const char* reductionFunction = "mass_python_reduction_1";

}  // namespace mass::python
