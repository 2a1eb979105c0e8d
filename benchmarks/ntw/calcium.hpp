#pragma once

#include <apps/calcium/dendrite.hpp>
#include <apps/calcium/neuron_parameters.hpp>
#include <apps/calcium/threshold_dendrite.hpp>
#include <benchmarks/ntw/trajectory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ntw {

/// Model of the app calcium in the sites of a neuron, by the functions of its class of places.
/// @tparam P calcium::ThresholdDendrite<3> or calcium::Dendrite<3>
template <class P>
class Calcium {
 public:
  using State = P;

  explicit Calcium(const calcium::NeuronParameters& parameters)
      : kinetics_(parameters.kinetics),
        ofCalcium_(parameters.clock.hopRate(parameters.calciumDiffusion)),
        ofIp3_(parameters.clock.hopRate(parameters.ip3Diffusion)) {}

  double rate(const State& site, int degree) const {
    const double hops = ofIp3_ * site.ip3 + ofCalcium_ * site.calcium + ofCalcium_ * site.stored;
    return degree * hops + receptorRate(site) + site.release(kinetics_) + site.uptake(kinetics_);
  }
  Departure fire(State& site, int degree, double drawn) const {
    Departure departure;
    if (departs(site.ip3, ip3, ofIp3_, degree, drawn, departure) ||
        departs(site.calcium, cytosol, ofCalcium_, degree, drawn, departure) ||
        departs(site.stored, reticulum, ofCalcium_, degree, drawn, departure)) {
      open(site);
      return departure;
    }
    react(site, drawn);
    open(site);
    return departure;
  }
  void arrive(State& site, int kind) const {
    ++(kind == ip3 ? site.ip3 : kind == cytosol ? site.calcium : site.stored);
    open(site);
  }
  std::uint64_t fingerprint(const State& site) const {
    std::uint64_t hash = 0;
    const auto add = [&](auto... counts) {
      ((hash = mixed(hash ^ static_cast<std::uint64_t>(counts))), ...);
    };
    add(site.calcium, site.stored, site.ip3);
    if constexpr (hasThresholds) {
      add(site.isOpen);
    } else {
      add(site.s000, site.s001, site.s010, site.s011, site.s100, site.s101, site.s110, site.s111);
    }
    return hash;
  }

 private:
  enum Kind : int { ip3, cytosol, reticulum };
  static constexpr bool hasThresholds = requires(P site) { site.isOpen; };

  /// Lets a molecule depart if `drawn` is below the rate of this, else subtracts the rate.
  static bool departs(std::int32_t& count, Kind kind, double ofOne, int degree, double& drawn,
                      Departure& departure) {
    const double ofNeighbour = ofOne * count;
    if (drawn < degree * ofNeighbour) {
      --count;
      departure = {kind, std::min(static_cast<int>(drawn / ofNeighbour), degree - 1)};
      return true;
    }
    drawn -= degree * ofNeighbour;
    return false;
  }
  /// Returns the rate of the changes of receptors.
  double receptorRate(const State& site) const {
    if constexpr (hasThresholds)
      return site.closing(kinetics_);
    else
      return site.inhibition(kinetics_);
  }
  void react(State& site, double drawn) const {
    if (const double ofReceptors = receptorRate(site); drawn < ofReceptors) {
      if constexpr (hasThresholds)
        site.closeReceptor();
      else
        site.changeReceptor(drawn, kinetics_);
      return;
    } else {
      drawn -= ofReceptors;
    }
    if (drawn < site.release(kinetics_)) return site.toCytosol();
    if (site.calcium > 0) site.toReticulum();  // none by rounding only
  }
  /// Opens a receptor whose thresholds are exceeded.
  void open(State& site) const {
    if constexpr (hasThresholds) {
      if (site.exceedsThresholds(kinetics_)) site.openReceptor();
    }
  }

  calcium::Kinetics kinetics_;
  double ofCalcium_, ofIp3_;
};

/// Returns the sites of a neuron with their neighbours.
inline Network networkOf(const mass::Morphology::Cubes& cubes) {
  Network network;
  const auto numberOf = [&](const mass::Coordinates<3>& at) {
    for (int axis = 0; axis < 3; ++axis)
      if (at[axis] < 0 || at[axis] >= cubes.shape[axis]) return Network::none;
    const std::int64_t index = mass::indexOf<3>(at, cubes.shape);
    const auto found = std::ranges::lower_bound(cubes.indices, index);
    return found != cubes.indices.end() && *found == index
               ? static_cast<std::int32_t>(found - cubes.indices.begin())
               : Network::none;
  };
  for (const std::int64_t index : cubes.indices) {
    auto& neighbours = network.neighbours.emplace_back();
    neighbours.fill(Network::none);
    std::size_t count = 0;
    for (int axis = 0; axis < 3; ++axis) {
      for (const int step : {-1, 1}) {
        mass::Coordinates<3> at = mass::coordinatesOf<3>(index, cubes.shape);
        at[axis] += step;
        if (const std::int32_t neighbour = numberOf(at); neighbour != Network::none)
          neighbours[count++] = neighbour;
      }
    }
  }
  return network;
}

/// Returns the initial states of the app after the injection of IP3, with random numbers of its
/// own.
template <class P>
std::vector<P> initialOf(const calcium::NeuronParameters& parameters, std::uint64_t seed) {
  const calcium::Kinetics& k = parameters.kinetics;
  const calcium::Initial& initial = parameters.initial;
  std::uint64_t draws = mixed(seed);
  const auto uniform = [&] { return static_cast<double>(mixed(++draws) >> 11) * 0x1p-53; };
  const auto whole = [&](double mean) { return static_cast<std::int32_t>(mean + uniform()); };
  std::vector<P> sites;
  for (const std::int64_t index : parameters.cubes.indices) {
    P& site = sites.emplace_back();
    site.calcium = whole(initial.calcium / k.cytosolic);
    site.stored = whole(initial.stored / k.reticular);
    const bool isStimulated =
        parameters.isStimulated(mass::coordinatesOf<3>(index, parameters.cubes.shape));
    site.ip3 = whole((isStimulated ? parameters.stimulus.applied(initial.ip3) : initial.ip3) /
                     k.cytosolic);
    if constexpr (requires { site.s000; }) {
      std::int32_t* const states[] = {&site.s000, &site.s001, &site.s010, &site.s011,
                                      &site.s100, &site.s101, &site.s110, &site.s111};
      for (int receptor = 0; receptor < initial.receptors; ++receptor) {
        int state = 0;
        for (int at = 0; at < 3; ++at)
          state |= static_cast<int>(uniform() >= initial.freeShare) << at;
        ++*states[state];
      }
    }
  }
  return sites;
}

}  // namespace ntw
