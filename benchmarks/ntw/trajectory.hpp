#pragma once

#include <benchmarks/ntw/process.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ntw {

/// Adjacent sites of each site, `none` beyond the last one.
struct Network {
  static constexpr std::int32_t none = -1;
  std::vector<std::array<std::int32_t, mostNeighbours>> neighbours;

  std::size_t size() const { return neighbours.size(); }
  int degree(std::size_t site) const {
    int count = 0;
    while (count < mostNeighbours && neighbours[site][static_cast<std::size_t>(count)] != none)
      ++count;
    return count;
  }
};

/// Departure of a molecule.
struct Departure {
  int kind = -1;  ///< species; -1: a reaction took place instead
  int neighbour = 0;
};

/// Returns 64 bits that depend on all bits of `x` (splitmix64).
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// State of a site in the next subvolume method (Elf & Ehrenberg 2004).
template <class State>
struct Site {
  State state;
  double rate = 0;            ///< events per second
  double next = never;        ///< time of its next reaction or departure
  std::uint64_t history = 0;  ///< hash of all that happened here
  std::uint32_t draws = 0;    ///< number of random numbers so far
  std::uint32_t events = 0;   ///< reactions and departures so far
};

/// Next subvolume method for the sites of a network. Random numbers depend on the site and the
/// number of draws there, so any engine that keeps the order of events has the same trajectory.
/// @tparam Model has State, rate(state, degree), fire(state, degree, drawn in [0, rate)),
/// arrive(state, kind) and fingerprint(state)
template <class Model>
class Trajectory {
 public:
  using State = typename Model::State;

  Trajectory(Model model, Network network, std::vector<State> initial, std::uint64_t seed)
      : model_(std::move(model)),
        network_(std::move(network)),
        initial_(std::move(initial)),
        seed_(mixed(seed)) {
    for (std::size_t site = 0; site < network_.size(); ++site)
      degrees_.push_back(network_.degree(site));
  }

  const Network& network() const { return network_; }
  std::size_t size() const { return network_.size(); }
  int degree(std::size_t site) const { return degrees_[site]; }

  Site<State> start(std::size_t number) const {
    Site<State> site{initial_[number]};
    site.rate = model_.rate(site.state, degree(number));
    schedule(site, number, 0);
    return site;
  }
  /// Executes the next event of a site.
  [[gnu::noinline]] Departure fire(Site<State>& site, std::size_t number) const {
    const double time = site.next;
    const Departure departure =
        model_.fire(site.state, degree(number), uniform(site, number) * site.rate);
    site.rate = model_.rate(site.state, degree(number));
    schedule(site, number, time);
    ++site.events;
    note(site, time, departure.kind);
    return departure;
  }
  /// Executes the arrival of a molecule. The rest of the waiting time is scaled by the rates.
  [[gnu::noinline]] void arrive(Site<State>& site, std::size_t number, double time,
                                int kind) const {
    const double former = site.rate;
    model_.arrive(site.state, kind);
    site.rate = model_.rate(site.state, degree(number));
    if (former > 0 && site.rate > 0) {
      site.next = later(time, time + (site.next - time) * (former / site.rate));
    } else {
      schedule(site, number, time);
    }
    note(site, time, kind + 8);
  }
  /// Returns a hash of the state and the history of a site.
  std::uint64_t fingerprint(const Site<State>& site) const {
    return mixed(site.history ^ mixed(model_.fingerprint(site.state) ^ site.events));
  }

 private:
  static double later(double time, double next) {
    return next > time ? next : std::nextafter(time, never);
  }
  double uniform(Site<State>& site, std::size_t number) const {
    const std::uint64_t at = static_cast<std::uint64_t>(number) << 32 | site.draws++;
    return static_cast<double>(mixed(seed_ ^ mixed(at)) >> 11) * 0x1p-53;
  }
  void schedule(Site<State>& site, std::size_t number, double time) const {
    site.next =
        site.rate > 0 ? later(time, time - std::log(1 - uniform(site, number)) / site.rate) : never;
  }
  static void note(Site<State>& site, double time, int what) {
    site.history = (site.history ^ std::bit_cast<std::uint64_t>(time)) * 0x9e3779b97f4a7c15 +
                   static_cast<std::uint64_t>(what);
  }

  Model model_;
  Network network_;
  std::vector<State> initial_;
  std::uint64_t seed_;
  std::vector<int> degrees_;
};

/// Result of a run.
struct Outcome {
  std::int64_t events = 0;  ///< committed reactions and departures
  std::uint64_t hash = 0;   ///< hash of the states and histories of all sites
  double seconds = 0;       ///< wall time
  double processor = 0;     ///< processor time of all threads in s
  Counters counters;
};

}  // namespace ntw
