#pragma once

#include <apps/rdme/lattice/initial_placement.hpp>
#include <apps/rdme/lattice/lattice.hpp>
#include <apps/rdme/lattice/rate_tables.hpp>
#include <apps/rdme/lattice/site.hpp>
#include <apps/rdme/lattice/site_formats.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rdme {

/// Lattice of sites of class S, an instance of Site.
template <class S>
class LatticeImpl final : public Lattice {
 public:
  LatticeImpl(mass::Mass& mass, const Model& model) : LatticeImpl(mass, model, RateTables(model)) {}

  void advance(std::int64_t done, mass::Steps steps) override {
    if (steps.count <= 0) return;
    const auto first = static_cast<std::uint64_t>(done) + 1;
    const std::uint64_t last = first + static_cast<std::uint64_t>(steps.count) - 1;
    sites_.setStep(first);
    sites_.template callAll<&S::hop>(index_, hops_, maxHops_);
    if (steps.count > 1) {
      const mass::Steps between{steps.count - 1};
      sites_.setStep(first);
      if (index_.hasSources) {
        sites_.template callAll<&S::reacted, &S::hopFromAllSites>(between, index_, hops_, maxHops_,
                                                                  bounds_, groups_, outcomes_);
      } else {
        sites_.template callAll<&S::reacted, &S::hopAfter>(between, index_, hops_, maxHops_,
                                                           bounds_, groups_, outcomes_);
      }
    }
    sites_.setStep(last);
    sites_.template callAll<&S::react>(index_, groups_, outcomes_);
    sites_.setStep(last);
  }
  void add(const std::vector<std::uint64_t>& particles) override {
    if (const auto site = siteWithoutRoom(particles); site >= 0)
      throw mass::ModelError("site {} cannot store all of {} further particles: its capacity is {}",
                             site, particles.size(), capacity());
    place(particles);
  }
  std::int64_t count(int species) const override {
    return sites_.template reduce<&S::count>(mass::sum, codeOf(species));
  }
  std::int64_t countIn(int species, int siteType) const override {
    return sites_.template reduce<&S::countIn>(mass::sum, codeOf(species), siteType);
  }
  std::vector<std::int64_t> profile(int species) const override {
    return sites_.template reduceRows<&S::count>(mass::sum, codeOf(species));
  }
  std::vector<std::uint8_t> field(int species) const override {
    return sites_.template map<&S::density>(codeOf(species));
  }
  std::int64_t sitesWithoutRoom(int siteType, int more) const override {
    return sites_.template reduce<&S::lacksRoom>(mass::sum, siteType, more);
  }
  std::uint64_t hash() const override { return sites_.hash(); }
  std::uint64_t overflowedWords() const override { return sites_.overflowedWords(); }
  int capacity() const override { return S::Particles::capacity; }
  void writeData(mass::Simulation& run, const Model& model) const override {
    run.data(sites_, model.spacing, [this, names = model.species] {
      mass::DataFrame frame;
      for (std::size_t i = 0; i < names.size(); ++i) {
        frame.add(names[i], 1, field(static_cast<int>(i)));
      }
      return frame;
    });
  }

 private:
  LatticeImpl(mass::Mass& mass, const Model& model, const RateTables& tables)
      : mass_(&mass),
        sites_(mass.createPlaces<S>({model.sites[0], model.sites[1], model.sites[2]},
                                    optionsOf(model))),
        index_(tables.index),
        hops_(mass.share(tables.hops)),
        maxHops_(mass.share(tables.maxHops)),
        bounds_(mass.share(tables.bounds)),
        groups_(mass.share(tables.groups)),
        outcomes_(mass.share(tables.outcomes)) {
    if (model.types.empty()) {
      sites_.template initialise<&S::type>([](const auto&) { return std::uint8_t{1}; });
    } else {
      sites_.template upload<&S::type>(model.types);
    }
    place(initialPlacement(model, mass.settings().get<std::uint64_t>("seed"), capacity()));
  }

  void place(const std::vector<std::uint64_t>& list) {
    const auto shape = sites_.shape();
    std::vector<std::int64_t> rows;
    for (std::int64_t z = 0; z <= shape[0]; ++z) {
      const std::uint64_t first = static_cast<std::uint64_t>(z * shape[1] * shape[2]) << 8;
      rows.push_back(std::lower_bound(list.begin(), list.end(), first) - list.begin());
    }
    sites_.template callAll<&S::place>(mass_->share(list), mass_->share(rows));
  }
  /// Returns the first site that cannot store the particles of a list besides its own; -1: none.
  std::int64_t siteWithoutRoom(const std::vector<std::uint64_t>& list) const {
    const auto present = sites_.template map<&S::size>();
    for (std::size_t i = 0; i < list.size();) {
      const auto site = list[i] >> 8;
      int more = 0;
      for (; i < list.size() && list[i] >> 8 == site; ++i) ++more;
      if (present[site] + more > capacity()) return static_cast<std::int64_t>(site);
    }
    return -1;
  }

  static mass::PlacesOptions<S> optionsOf(const Model& model) {
    mass::PlacesOptions<S> options;  // places beyond a fixed border have type 0
    for (std::size_t axis = 0; axis < model.periodic.size(); ++axis) {
      options.borders[axis] = model.periodic[axis] ? mass::Border::periodic : mass::Border::fixed;
    }
    options.name = "sites";
    return options;
  }
  /// Returns the code of a species in its sites.
  static std::uint32_t codeOf(int species) { return static_cast<std::uint32_t>(species) + 1; }
  mass::Mass* mass_;
  mass::Places<S> sites_;
  NetworkIndex index_;
  mass::SharedSource<std::uint32_t> hops_, maxHops_;
  mass::SharedSource<float> bounds_;
  mass::SharedSource<ReactionGroup> groups_;
  mass::SharedSource<Outcome> outcomes_;
};

template <int Bits, int Words>
std::unique_ptr<Lattice> createSites(mass::Mass& mass, const Model& model) {
  return std::make_unique<LatticeImpl<Site<Bits, Words>>>(mass, model);
}

}  // namespace rdme
