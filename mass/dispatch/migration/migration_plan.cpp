#include <mass/dispatch/migration/migration_plan.hpp>

namespace mass::detail::migration {
namespace {

/// Returns the sum of term(d) for begin <= d < end.
template <class Term>
auto sum(int begin, int end, const Term& term) {
  decltype(term(0)) total = 0;
  for (int d = begin; d < end; ++d) total += term(d);
  return total;
}

}  // namespace

MigrationPlan::MigrationPlan(int devices, std::size_t components)
    : counters_(static_cast<std::size_t>(devices)), components_(static_cast<int>(components)) {}

std::int64_t MigrationPlan::moves(int from, int to) const {
  return static_cast<std::int64_t>(at(from).moves[static_cast<std::size_t>(to)]);
}
std::int64_t MigrationPlan::childrenOf(int from, int to) const {
  return static_cast<std::int64_t>(at(from).children[static_cast<std::size_t>(to)]);
}

std::uint64_t MigrationPlan::seekersBefore(int device) const {
  return sum(0, device, [&](int d) { return at(d).totals.seekers; });
}
std::uint64_t MigrationPlan::freePlacesBefore(int device) const {
  return sum(0, device, [&](int d) { return at(d).totals.freePlaces; });
}
std::uint64_t MigrationPlan::childrenBefore(int device) const {
  return sum(0, device, [&](int d) { return at(d).totals.of[children]; });
}

auto MigrationPlan::sentMoves(int from, int to) const -> Segment {
  return {sum(0, to, [&](int d) { return moves(from, d); }), moves(from, to)};
}
auto MigrationPlan::sentChildren(int from, int to) const -> Segment {
  return {emigrants(from) + sum(0, to, [&](int d) { return childrenOf(from, d); }),
          childrenOf(from, to)};
}
std::int64_t MigrationPlan::emigrants(int device) const {
  return sentMoves(device, devices() - 1).end();
}
std::int64_t MigrationPlan::sent(int device) const {
  return sentChildren(device, devices() - 1).end();
}

std::int64_t MigrationPlan::immigrants(int device) const {
  return sum(0, devices(), [&](int d) { return moves(d, device); });
}
std::int64_t MigrationPlan::newborns(int device) const {
  return static_cast<std::int64_t>(at(device).totals.localChildren) +
         sum(0, devices(), [&](int d) { return childrenOf(d, device); });
}
std::int64_t MigrationPlan::firstImmigrant(int from, int to) const {
  return static_cast<std::int64_t>(at(to).totals.own) +
         sum(0, from, [&](int d) { return moves(d, to); });
}

std::vector<Fetch> MigrationPlan::freePlaceFetches(int device) const {
  std::vector<Fetch> fetches;
  fetches.reserve(counters_.size());
  std::int64_t to = 0;
  for (int from = 0; from < devices(); ++from) {
    const auto count = static_cast<std::int64_t>(at(from).totals.freePlaces);
    append(fetches, {.fromDevice = from,
                     .toDevice = device,
                     .from = {AgentArray::freePlaceList, 0},
                     .to = {AgentArray::allFreePlaceList, to},
                     .count = count});
    to += count;
  }
  return fetches;
}

std::vector<Fetch> MigrationPlan::agentFetches(int device) const {
  std::vector<Fetch> fetches;
  std::int64_t to = firstImmigrant(0, device);
  for (int from = 0; from < devices(); ++from) {
    if (moves(from, device) == 0) continue;
    appendAgents(fetches, from, sentMoves(from, device), device, to);
    to += moves(from, device);
  }
  to += static_cast<std::int64_t>(at(device).totals.localChildren);
  for (int from = 0; from < devices(); ++from) {
    if (childrenOf(from, device) == 0) continue;
    appendAgents(fetches, from, sentChildren(from, device), device, to);
    to += childrenOf(from, device);
  }
  return fetches;
}

void MigrationPlan::appendAgents(std::vector<Fetch>& fetches, int from, Segment segment, int to,
                                 std::int64_t first) const {
  const auto fetchOf = [&](AgentArray source, AgentArray target) {
    return Fetch{.fromDevice = from,
                 .toDevice = to,
                 .from = {source, segment.begin},
                 .to = {target, first},
                 .count = segment.count};
  };
  append(fetches, fetchOf(AgentArray::nextIds, AgentArray::ids));
  append(fetches, fetchOf(AgentArray::sentPlaces, AgentArray::targets));
  appendComponents(fetches, fetchOf(AgentArray::back, AgentArray::front), components_);
}

std::vector<Fetch> MigrationPlan::decisionFetches(int device) const {
  std::vector<Fetch> fetches;
  fetches.reserve(counters_.size());
  for (int other = 0; other < devices(); ++other) {
    if (moves(device, other) == 0) continue;
    const Segment segment = sentMoves(device, other);
    append(fetches, {.fromDevice = other,
                     .toDevice = device,
                     .from = {AgentArray::moveStates, firstImmigrant(device, other)},
                     .to = {AgentArray::decisions, segment.begin},
                     .count = segment.count});
  }
  return fetches;
}

}  // namespace mass::detail::migration
