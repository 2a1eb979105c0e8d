#pragma once

#include <benchmarks/ntw/trajectory.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace ntw {

/// Executes all events before `end` in their order, by a plain sorted set of the next event of each
/// site: the trajectory that the engine must have.
template <class Model>
Outcome runInOrder(const Trajectory<Model>& trajectory, double end) {
  std::vector<Site<typename Model::State>> sites;
  std::set<std::pair<double, std::size_t>> queue;
  for (std::size_t number = 0; number < trajectory.size(); ++number) {
    sites.push_back(trajectory.start(number));
    queue.emplace(sites[number].next, number);
  }
  Outcome outcome;
  while (queue.begin()->first < end) {
    const auto [time, number] = *queue.begin();
    queue.erase(queue.begin());
    const Departure departure = trajectory.fire(sites[number], number);
    queue.emplace(sites[number].next, number);
    ++outcome.events;
    if (departure.kind < 0) continue;
    const auto target = static_cast<std::size_t>(
        trajectory.network().neighbours[number][static_cast<std::size_t>(departure.neighbour)]);
    queue.erase({sites[target].next, target});
    trajectory.arrive(sites[target], target, time, departure.kind);
    queue.emplace(sites[target].next, target);
  }
  for (const auto& site : sites) outcome.hash += trajectory.fingerprint(site);
  return outcome;
}

}  // namespace ntw
