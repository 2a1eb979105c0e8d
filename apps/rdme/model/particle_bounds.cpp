#include <apps/rdme/model/particle_bounds.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

namespace rdme {
namespace {

/// Species consumed and species produced by a reaction, without those that are on both sides.
using Change = std::pair<std::vector<int>, std::vector<int>>;

Change changeOf(const Channel& channel) {
  auto consumed = channel.reactants, produced = channel.products;
  std::sort(consumed.begin(), consumed.end());
  std::sort(produced.begin(), produced.end());
  Change change;
  std::set_difference(consumed.begin(), consumed.end(), produced.begin(), produced.end(),
                      std::back_inserter(change.first));
  std::set_difference(produced.begin(), produced.end(), consumed.begin(), consumed.end(),
                      std::back_inserter(change.second));
  return change;
}

double sumOf(const std::vector<int>& species, const std::vector<double>& bounds) {
  double sum = 0;
  for (const int number : species) sum += bounds[static_cast<std::size_t>(number)];
  return sum;
}

}  // namespace

std::optional<std::vector<double>> particleBounds(const Model& model) {
  std::set<Change> changes;
  for (const Channel& channel : model.channels)
    if (channel.propensity > 0) changes.insert(changeOf(channel));
  std::vector<double> bounds(model.species.size(), 1);
  // A chain of reactions converges after one round for each of its species. In a cycle through a
  // reaction of two reactants, which share an increase, the excess halves each round.
  constexpr double limit = 1e9, tolerance = 1e-3;
  const std::size_t rounds = bounds.size() + 50;
  for (std::size_t round = 0; round < rounds; ++round) {
    bool isConverged = true;
    for (const auto& [consumed, produced] : changes) {
      const double excess = sumOf(produced, bounds) - sumOf(consumed, bounds);
      if (excess <= tolerance) continue;
      if (consumed.empty() || excess > limit) return std::nullopt;
      const std::set<int> each(consumed.begin(), consumed.end());
      for (const int species : each)
        bounds[static_cast<std::size_t>(species)] += excess / static_cast<double>(consumed.size());
      isConverged = false;
    }
    if (isConverged) return bounds;
  }
  return std::nullopt;
}

}  // namespace rdme
