#include <apps/rdme/model/name_parsing.hpp>
#include <apps/rdme/model/quantity.hpp>
#include <apps/rdme/model/species.hpp>
#include <apps/rdme/model/typography.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace rdme {
namespace {

/// Reads the settings of one species after the other into `diffusion` and `allowed` of a model.
class SpeciesReader {
 public:
  explicit SpeciesReader(Model& model) : model_(model) {}

  void read(int species, const mass::ConfigNode& setting) {
    species_ = species;
    if (setting.isText()) {
      for (int type = 1; type < typeCount(); ++type) setWithin(type, setting);
    } else {
      if (setting.entries().empty())
        setting.reject(
            "expected its diffusion coefficient in each site type where it may be, such as "
            "{cytoplasm: 2.5 um2/s}");
      for (const mass::ConfigNode& entry : setting.entries()) {
        if (entry.key() != "between") setWithin(typeOf(entry, entry.key()), entry);
      }
    }
    setSmallerOfTwo();
    if (setting.isMap()) {
      if (const mass::ConfigNode* const between = setting.find("between")) readBetween(*between);
    }
  }

  /// Returns the setting that gave largest(); null if no coefficient is above 0.
  const mass::ConfigNode* fastest() const { return fastest_; }
  /// Returns the largest diffusion coefficient read, m²/s.
  double largest() const { return largest_; }

 private:
  int typeCount() const { return static_cast<int>(model_.siteTypes.size()); }

  int typeOf(const mass::ConfigNode& at, std::string_view name) const {
    const int type = numberOf(at, name, model_.siteTypes, "site type");
    if (type == 0) at.reject("no particle enters the type 'outside'");
    return type;
  }

  double coefficient(const mass::ConfigNode& setting) {
    const double value = readNotNegative(setting, kinds::diffusion);
    if (value > largest_) {
      largest_ = value;
      fastest_ = &setting;
    }
    return value;
  }

  double& diffusion(int from, int to) {
    return model_.diffusion[model_.transitionIndex(from, to, species_)];
  }

  void setWithin(int type, const mass::ConfigNode& setting) {
    diffusion(type, type) = coefficient(setting);
    model_.allowed[static_cast<std::size_t>(type) * model_.species.size() +
                   static_cast<std::size_t>(species_)] = 1;
  }

  /// Sets the coefficients between types to the smaller of those within them; 0 if the species may
  /// not be in one of them.
  void setSmallerOfTwo() {
    for (int from = 1; from < typeCount(); ++from)
      for (int to = 1; to < typeCount(); ++to)
        if (from != to) diffusion(from, to) = std::min(diffusion(from, from), diffusion(to, to));
  }

  void readBetween(const mass::ConfigNode& between) {
    for (const mass::ConfigNode& entry : between.entries()) {
      const std::string text = plainText(entry.key());
      const std::string_view key = text;
      const bool isBoth = key.find("<->") != std::string_view::npos;
      const std::string_view arrow = isBoth ? "<->" : "->";
      const auto at = key.find(arrow);
      if (at == std::string_view::npos)
        entry.reject(
            "expected two site types, such as 'cytoplasm -> membrane', or '<->' for both ways");
      const int from = typeOf(entry, trimmed(key.substr(0, at)));
      const int to = typeOf(entry, trimmed(key.substr(at + arrow.size())));
      if (from == to) entry.reject("expected two different site types");
      const double value = coefficient(entry);
      for (const int type : {from, to}) {
        if (value > 0 && !model_.isAllowed(species_, type))
          entry.reject(fmt::format("{} may not be in '{}': give it a coefficient there first",
                                   model_.species[static_cast<std::size_t>(species_)],
                                   model_.siteTypes[static_cast<std::size_t>(type)]));
      }
      diffusion(from, to) = value;
      if (isBoth) diffusion(to, from) = value;
    }
  }

  Model& model_;
  int species_ = 0;
  double largest_ = 0;
  const mass::ConfigNode* fastest_ = nullptr;
};

/// True if `name` is a column of the table that counts species `other` in a site type, or in a
/// layer along z.
bool isColumnOf(std::string_view name, const std::string& other, const Model& model) {
  if (!name.starts_with(other + '.')) return false;
  name.remove_prefix(other.size() + 1);
  const auto& types = model.siteTypes;
  const bool isLayer = name.size() > 1 && name[0] == 'z' &&
                       name.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return isLayer || std::find(types.begin(), types.end(), name) != types.end();
}

/// Rejects a species whose name is that of another column of the table.
void requireOwnColumns(const mass::ConfigNode& entry, std::string_view name, const Model& model) {
  for (const auto* const taken : {"step", "time", "overflows", "full_sites"})
    if (name == taken)
      entry.reject("the table has another column of this name: rename the species");
  for (const std::string& other : model.species)
    if (isColumnOf(name, other, model))
      entry.reject(fmt::format(
          "the table has another column of this name, for {}: rename the species", other));
}

/// Rejects a species whose name, in a reaction, would be a number of particles of another one.
void requireNoMultiple(const mass::ConfigNode& entry, std::string_view name, const Model& model) {
  const auto digits = std::min(name.find_first_not_of("0123456789"), name.size());
  if (digits == 0 || !findName(name.substr(digits), model.species)) return;
  entry.reject(fmt::format("in a reaction, '{}' would also be {} of '{}': rename one of them", name,
                           name.substr(0, digits), name.substr(digits)));
}

}  // namespace

void readSpecies(const mass::ConfigNode& species, Model& model) {
  constexpr std::size_t maxSpecies = 255;
  const auto& all = species.entries();
  if (all.empty()) species.reject("expected at least one species");
  if (all.size() > maxSpecies)
    species.reject(fmt::format("{} species exceed the limit of {}", all.size(), maxSpecies));
  for (const mass::ConfigNode& entry : all) {
    std::string name = requireName(entry, entry.key(), "species");
    if (name == "nothing" || name == "∅")
      entry.reject("this word stands for no particles in reactions: rename the species");
    if (findName(name, model.species)) entry.reject("this species is listed twice");
    model.species.push_back(std::move(name));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    requireOwnColumns(all[i], model.species[i], model);
    requireNoMultiple(all[i], model.species[i], model);
  }
  const std::size_t types = model.siteTypes.size();
  model.diffusion.assign(types * types * all.size(), 0);
  model.allowed.assign(types * all.size(), 0);
  SpeciesReader reader(model);
  for (std::size_t i = 0; i < all.size(); ++i) reader.read(static_cast<int>(i), all[i]);

  const double perCoefficient = model.rateTime() / (model.spacing * model.spacing);
  const double largest = model.clock == Clock::events ? std::numeric_limits<double>::max() : 0.5;
  constexpr double rounding = 1e-9;
  if (const double q = reader.largest() * perCoefficient; q > largest * (1 + rounding))
    reader.fastest()->reject(fmt::format(
        "q = D timestep / spacing^2 = {:.4g} is above 1/2, the largest probability of a step to "
        "one side: the largest timestep of this model is {:.6g} us",
        q, 0.5 / (reader.largest() / (model.spacing * model.spacing)) * 1e6));
  model.hop.resize(model.diffusion.size());
  std::transform(
      model.diffusion.begin(), model.diffusion.end(), model.hop.begin(),
      [&](double coefficient) { return std::min(largest, coefficient * perCoefficient); });
}

}  // namespace rdme
