#include <apps/rdme/lattice/hop_rates.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace rdme {
namespace {

/// Returns the site types in which some species may be, and that some site has.
std::vector<int> usedTypes(const Model& model) {
  std::vector<int> types;
  for (int type = 1; type < static_cast<int>(model.siteTypes.size()); ++type) {
    bool isUsed = model.siteCounts[static_cast<std::size_t>(type)] > 0;
    bool isAllowed = false;
    for (int species = 0; species < static_cast<int>(model.species.size()); ++species)
      isAllowed = isAllowed || model.isAllowed(species, type);
    isUsed = isUsed && isAllowed;
    if (isUsed) types.push_back(type);
  }
  return types;
}

}  // namespace

HopRates::HopRates(const Model& model)
    : model_(&model), offsets_(neighborOffsets(Connectivity::faces)), types_(usedTypes(model)) {}

std::optional<double> HopRates::uniform(int species) const {
  const double rate = model_->hopProbability(types_.front(), types_.front(), species);
  for (const int from : types_)
    for (const int to : types_)
      if (model_->hopProbability(from, to, species) != rate) return {};
  return rate;
}

double HopRates::between(int species, const mass::Coordinates<3>& from,
                         const mass::Coordinates<3>& to) const {
  return model_->hopProbability(typeAt(from), typeAt(to), species);
}

double HopRates::from(int species, std::int64_t index) const {
  const mass::Shape<3> shape{model_->sites[0], model_->sites[1], model_->sites[2]};
  const auto here = mass::coordinatesOf(index, shape);
  const SiteIndex site{here[0], here[1], here[2]};
  double sum = 0;
  for (const SiteIndex& offset : offsets_) {
    const auto to = neighborOf(site, offset, model_->sites, model_->periodic);
    if (to && *to != site) sum += between(species, here, {(*to)[0], (*to)[1], (*to)[2]});
  }
  return sum;
}

double HopRates::largest() const {
  double most = 0;
  for (const std::int64_t index : usedSites(*model_))
    for (int species = 0; species < static_cast<int>(model_->species.size()); ++species)
      most = std::max(most, from(species, index));
  return most;
}

int HopRates::typeAt(const mass::Coordinates<3>& site) const {
  if (model_->types.empty()) return 1;
  const mass::Shape<3> shape{model_->sites[0], model_->sites[1], model_->sites[2]};
  return model_->types[static_cast<std::size_t>(mass::indexOf(site, shape))];
}

std::vector<std::int64_t> usedSites(const Model& model) {
  std::array<bool, 256> isUsed{};
  for (const int type : usedTypes(model)) isUsed[static_cast<std::size_t>(type)] = true;
  std::vector<std::int64_t> sites;
  for (std::int64_t i = 0; i < model.siteCount(); ++i)
    if (model.types.empty() || isUsed[model.types[static_cast<std::size_t>(i)]]) sites.push_back(i);
  return sites;
}

}  // namespace rdme
