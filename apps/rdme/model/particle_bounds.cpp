#include <apps/rdme/model/particle_bounds.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

namespace rdme {
namespace {

/// Species that a reaction takes and makes, without what is on both sides.
using Change = std::pair<std::vector<int>, std::vector<int>>;

Change changeOf(const Channel& channel) {
  auto taken = channel.reactants, made = channel.products;
  std::sort(taken.begin(), taken.end());
  std::sort(made.begin(), made.end());
  Change change;
  std::set_difference(taken.begin(), taken.end(), made.begin(), made.end(),
                      std::back_inserter(change.first));
  std::set_difference(made.begin(), made.end(), taken.begin(), taken.end(),
                      std::back_inserter(change.second));
  return change;
}

double sumOf(const std::vector<int>& species, const std::vector<double>& yields) {
  double sum = 0;
  for (const int number : species) sum += yields[static_cast<std::size_t>(number)];
  return sum;
}

}  // namespace

std::optional<std::vector<double>> particleBounds(const Model& model) {
  std::set<Change> changes;
  for (const Channel& channel : model.channels)
    if (channel.propensity > 0) changes.insert(changeOf(channel));
  std::vector<double> yields(model.species.size(), 1);
  // What a chain of reactions makes is known after as many rounds as it has species; where two
  // reactants share, it is neared by halves.
  constexpr double most = 1e9, small = 1e-3;
  const std::size_t rounds = yields.size() + 50;
  for (std::size_t round = 0; round < rounds; ++round) {
    bool isEnough = true;
    for (const auto& [taken, made] : changes) {
      const double lacking = sumOf(made, yields) - sumOf(taken, yields);
      if (lacking <= small) continue;
      if (taken.empty() || lacking > most) return std::nullopt;
      const std::set<int> each(taken.begin(), taken.end());
      for (const int species : each)
        yields[static_cast<std::size_t>(species)] += lacking / static_cast<double>(taken.size());
      isEnough = false;
    }
    if (isEnough) return yields;
  }
  return std::nullopt;
}

}  // namespace rdme
