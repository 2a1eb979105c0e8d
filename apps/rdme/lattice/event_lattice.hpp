#pragma once

#include <apps/rdme/lattice/event_site.hpp>
#include <apps/rdme/lattice/event_sites.hpp>
#include <apps/rdme/lattice/event_tables.hpp>
#include <apps/rdme/lattice/hop_rates.hpp>
#include <apps/rdme/lattice/initial_placement.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rdme {

/// Lattice under the clock of events. Sites in which no species may be do not exist.
/// @tparam S class of its sites, an instance of EventSite
template <class S>
class EventLattice final : public Lattice {
 public:
  EventLattice(mass::Mass& mass, const Model& model)
      : indices_(usedSites(model)),
        isBox_(static_cast<std::int64_t>(indices_.size()) == model.siteCount()),
        sites_(createSites(mass, model)),
        tables_(model),
        step_(mass::seconds(model.timeStep)) {
    setTypes(model);
    add(initialPlacement(model, mass.settings().get<std::uint64_t>("seed"), capacity()));
    const HopRates rates(model);
    setHopRates(rates, model, std::make_integer_sequence<int, S::species>{});
    window_ = model.timeStep / static_cast<double>(sites_.eventWindows(step_));
    eventRate_ = eventRate(rates, static_cast<int>(model.species.size()));
    hopsInWindow_ = rates.largest() * window_;
    mass.requireOnRestart("length of a window", fmt::format("{:.9g} us", window_ * 1e6));
  }

  void advance(std::int64_t /*done*/, mass::Steps steps) override {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < steps.count; ++i) sites_.runEvents(step_, tables_.network());
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  void add(const std::vector<std::uint64_t>& particles) override {
    auto counts = sites_.template download<&S::counts>();
    for (const std::uint64_t particle : particles) {
      auto& here = counts[numberOf(static_cast<std::int64_t>(particle >> 8))];
      auto& count = here[(particle & 0xffU) - 1];
      if (count == capacity())
        throw mass::ModelError("site {} receives more than {} particles of a species",
                               particle >> 8, capacity());
      ++count;
    }
    sites_.template upload<&S::counts>(counts);
  }
  std::int64_t count(int species) const override {
    return sites_.template reduce<&S::count>(mass::sum, species);
  }
  std::int64_t countIn(int species, int siteType) const override {
    return sites_.template reduce<&S::countIn>(mass::sum, species, siteType);
  }
  std::vector<std::int64_t> profile(int species) const override {
    const auto counts = sites_.template map<&S::count>(species);
    std::vector<std::int64_t> layers(static_cast<std::size_t>(sites_.shape()[0]));
    const std::int64_t perLayer = sites_.shape()[1] * sites_.shape()[2];
    for (std::size_t i = 0; i < counts.size(); ++i)
      layers[static_cast<std::size_t>(indices_[i] / perLayer)] += counts[i];
    return layers;
  }
  std::vector<std::uint8_t> field(int species) const override {
    const auto counts = countsInBox(species);
    std::vector<std::uint8_t> field;
    field.reserve(counts.size());
    for (const auto count : counts)
      field.push_back(static_cast<std::uint8_t>(std::min<std::int64_t>(count, 255)));
    return field;
  }
  std::uint64_t hash() const override { return sites_.hash(); }
  std::int64_t sitesWithoutRoom(int /*siteType*/, int /*more*/) const override { return 0; }
  std::uint64_t overflowedWords() const override { return 0; }
  int capacity() const override { return std::numeric_limits<std::int32_t>::max() - 1; }
  void writeData(mass::Simulation& run, const Model& model) const override {
    run.data(sites_, model.spacing, [this, names = model.species] {
      mass::DataFrame frame;
      for (std::size_t i = 0; i < names.size(); ++i)
        frame.add(names[i], 1, countsInBox(static_cast<int>(i)));
      return frame;
    });
  }
  std::string clockText() const override {
    return fmt::format(
               "  events      windows of {:.6g} us, with {:.3g} hops of the fastest particle; "
               "{:.4g} events "
               "a second of the cell with the initial particles; {} sites\n",
               window_ * 1e6, hopsInWindow_, eventRate_, indices_.size()) +
           warning();
  }
  std::string workText() const override {
    const mass::EventCounts counts = sites_.eventCounts();
    const auto events = static_cast<double>(counts.events);
    return fmt::format(
        "  events      {:.4g} million, {:.3g} million/s, {:.3g} executions of a site in a window\n",
        events * 1e-6, seconds_ > 0 ? events * 1e-6 / seconds_ : 0,
        counts.placeWindows > 0
            ? static_cast<double>(counts.executions) / static_cast<double>(counts.placeWindows)
            : 0);
  }

 private:
  mass::Places<S> createSites(mass::Mass& mass, const Model& model) const {
    mass::PlacesOptions<S> options;
    for (std::size_t axis = 0; axis < model.periodic.size(); ++axis)
      options.borders[axis] = model.periodic[axis] ? mass::Border::periodic : mass::Border::fixed;
    options.name = "sites";
    const mass::Shape<3> shape{model.sites[0], model.sites[1], model.sites[2]};
    return isBox_ ? mass.createPlaces<S>(shape, options)
                  : mass.createPlaces<S>(shape, indices_, options);
  }
  /// Returns the particles of a species in each site of the lattice; 0 in those that do not exist.
  auto countsInBox(int species) const {
    auto counts = sites_.template map<&S::count>(species);
    if (isBox_ || counts.empty()) return counts;
    const auto shape = sites_.shape();
    decltype(counts) box(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
    for (std::size_t i = 0; i < counts.size(); ++i)
      box[static_cast<std::size_t>(indices_[i])] = counts[i];
    return box;
  }
  void setTypes(const Model& model) const {
    std::vector<std::uint8_t> types;
    for (const std::int64_t index : indices_)
      types.push_back(model.types.empty() ? std::uint8_t{1}
                                          : model.types[static_cast<std::size_t>(index)]);
    sites_.template upload<&S::type>(types);
  }
  template <int... Species>
  void setHopRates(const HopRates& rates, const Model& model,
                   std::integer_sequence<int, Species...> /*all*/) const {
    const int species = static_cast<int>(model.species.size());
    ((Species < species ? setHopRate<Species>(rates) : void()), ...);
  }
  template <int Species>
  void setHopRate(const HopRates& rates) const {
    if (const auto each = rates.uniform(Species)) {
      sites_.template hopRate<&S::counts, Species>(*each);
    } else {
      sites_.template hopRate<&S::counts, Species>(
          [&](const auto& from, const auto& to) { return rates.between(Species, from, to); });
    }
  }
  /// Returns the number of a site among those that exist. @param index its row-major index
  std::size_t numberOf(std::int64_t index) const {
    if (isBox_) return static_cast<std::size_t>(index);
    const auto found = std::lower_bound(indices_.begin(), indices_.end(), index);
    return static_cast<std::size_t>(found - indices_.begin());
  }
  /// Returns the sum of the rates of all hops and reactions, 1/s.
  double eventRate(const HopRates& rates, int species) const {
    const auto counts = sites_.template download<&S::counts>();
    const auto propensities = sites_.template map<&S::propensity>(tables_.network());
    double sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      sum += propensities[i];
      for (int s = 0; s < species; ++s)
        if (const auto count = counts[i][static_cast<std::size_t>(s)]; count > 0)
          sum += count * rates.from(s, indices_[i]);
    }
    return sum;
  }
  std::string warning() const {
    if (hopsInWindow_ <= 5) return {};
    return "  WARNING: a window has more than 5 hops of the fastest particle, so sites are "
           "executed "
           "many times: set events.window smaller, or leave it out\n";
  }

  std::vector<std::int64_t> indices_;  ///< row-major indices of the sites, ascending
  bool isBox_;                         ///< all sites of the box exist
  mass::Places<S> sites_;
  EventTables tables_;
  std::chrono::duration<double> step_;
  double window_ = 0, hopsInWindow_ = 0;
  double eventRate_ = 0;  ///< expected events with the initial particles, 1/s
  double seconds_ = 0;    ///< time in advance()
};

template <int Species>
std::unique_ptr<Lattice> createEventSites(mass::Mass& mass, const Model& model) {
  return std::make_unique<EventLattice<EventSite<Species>>>(mass, model);
}

}  // namespace rdme
