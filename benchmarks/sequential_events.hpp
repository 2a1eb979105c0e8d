#pragma once

// Sequential exact methods for A + B <-> C on a cube, beside which benchmarks/events.cpp measures
// the clock of events. They share no code with the library.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace benchmarks {

/// Random numbers by xoshiro256++ (Blackman & Vigna 2019).
class SequentialRandom {
 public:
  explicit SequentialRandom(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {  // splitmix64
      seed += 0x9e3779b97f4a7c15;
      std::uint64_t bits = seed;
      bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
      bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
      word = bits ^ bits >> 31;
    }
  }
  /// Returns 64 random bits.
  std::uint64_t bits() {
    const auto rotate = [](std::uint64_t x, int k) { return x << k | x >> (64 - k); };
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0], state_[3] ^= state_[1];
    state_[1] ^= state_[2], state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }
  /// Returns a uniform number in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Returns an exponentially distributed number with mean 1.
  double exponential() { return -std::log(1 - uniform()); }

 private:
  std::array<std::uint64_t, 4> state_{};
};

/// Site with its entry in the schedule of a method.
struct SequentialSite {
  std::array<std::int32_t, 3> counts{};  ///< A, B, C
  std::uint8_t walls = 0;                ///< bit mask of the directions without a site
  std::int8_t group = -1;                ///< group of its rate; for composition and rejection
  std::int32_t position = 0;             ///< index in the schedule
  double rate = 0;                       ///< events per second
};

/// A + B <-> C on a cube with walls: C decays at 1/s, a pair binds at `binding`/s, each molecule
/// hops at 1/s in each direction.
struct SequentialCube {
  static constexpr int directions = 6;

  std::vector<SequentialSite> sites;
  std::array<std::int32_t, directions> offsets;
  double binding;

  /// @param side sites along an axis @param each molecules of each kind in a site
  SequentialCube(std::int32_t side, std::int32_t each)
      : sites(static_cast<std::size_t>(side) * static_cast<std::size_t>(side * side)),
        offsets{-side * side, side * side, -side, side, -1, 1},
        binding(1.0 / each) {
    for (std::int32_t site = 0; site < size(); ++site) {
      const std::array at{site / side / side, site / side % side, site % side};
      (*this)[site].counts = {each, each, each};
      for (unsigned axis = 0; axis < 3; ++axis) {
        const unsigned ends = (at[axis] == 0 ? 1U : 0U) | (at[axis] == side - 1 ? 2U : 0U);
        (*this)[site].walls = static_cast<std::uint8_t>((*this)[site].walls | ends << 2 * axis);
      }
      (*this)[site].rate = rateOf((*this)[site]);
    }
  }

  std::int32_t size() const { return static_cast<std::int32_t>(sites.size()); }
  SequentialSite& operator[](std::int32_t site) { return sites[static_cast<std::size_t>(site)]; }

  double rateOf(const SequentialSite& site) const {
    const auto [a, b, c] = site.counts;
    return openOf(site) * static_cast<double>(a + b + c) + c + binding * a * b;
  }
  /// Lets an event of a site happen. @param fraction uniform in [0, 1)
  /// @return the site to which a molecule hopped, or -1
  std::int32_t happen(std::int32_t number, double fraction) {
    SequentialSite& site = sites[static_cast<std::size_t>(number)];
    auto& [a, b, c] = site.counts;
    const int open = openOf(site);
    const double at = fraction * site.rate / open;
    const auto molecule = static_cast<std::int32_t>(at);
    if (molecule < a + b + c) {
      const std::size_t kind = (molecule >= a ? 1U : 0U) + (molecule >= a + b ? 1U : 0U);
      const int direction = directionOf(site, static_cast<int>((at - molecule) * open));
      const std::int32_t target = number + offsets[static_cast<std::size_t>(direction)];
      --site.counts[kind];
      ++sites[static_cast<std::size_t>(target)].counts[kind];
      return target;
    }
    const bool binds = (at - (a + b + c)) * open >= c && a > 0 && b > 0;
    const int change = binds ? -1 : 1;
    a += change, b += change, c -= change;
    return -1;
  }

 private:
  static int openOf(const SequentialSite& site) { return directions - std::popcount(site.walls); }
  /// Returns the number-th direction without a wall.
  static int directionOf(const SequentialSite& site, int number) {
    if (site.walls == 0) return number;
    for (int direction = 0;; ++direction) {
      if ((site.walls >> direction & 1) == 0 && number-- == 0) return direction;
    }
  }
};

/// Next subvolume method (Elf & Ehrenberg 2004) with a heap of four children.
class NextSubvolume {
 public:
  explicit NextSubvolume(SequentialCube& cube) : cube_(&cube), random_(7) {
    heap_.resize(static_cast<std::size_t>(cube.size()));
    for (std::int32_t site = 0; site < cube.size(); ++site) {
      heap_[static_cast<std::size_t>(site)] = {timeAfter(0, random_.exponential(), cube[site].rate),
                                               site};
      cube[site].position = site;
    }
    for (std::int32_t at = (cube.size() - 2) / children; at >= 0; --at) sink(at, entry(at));
  }
  /// Executes the events until a time in s. @return their number
  std::int64_t run(double until) {
    std::int64_t events = 0;
    for (; heap_[0].time < until; ++events) {
      const auto [time, number] = heap_[0];
      const std::int32_t target = cube_->happen(number, random_.uniform());
      if (target >= 0) rescale(target, time);
      SequentialSite& site = (*cube_)[number];
      site.rate = cube_->rateOf(site);
      move(site.position, {timeAfter(time, random_.exponential(), site.rate), number});
    }
    return events;
  }

 private:
  static constexpr std::int32_t children = 4;

  struct Entry {
    double time = 0;
    std::int32_t site = 0;
  };

  static double timeAfter(double time, double exponential, double rate) {
    return rate > 0 ? time + exponential / rate : std::numeric_limits<double>::infinity();
  }
  Entry& entry(std::int32_t at) { return heap_[static_cast<std::size_t>(at)]; }
  void put(std::int32_t at, const Entry& moved) {
    entry(at) = moved;
    (*cube_)[moved.site].position = at;
  }
  /// Gives a site whose rate changed the same part of its waiting time.
  void rescale(std::int32_t number, double now) {
    SequentialSite& site = (*cube_)[number];
    const double former = site.rate;
    site.rate = cube_->rateOf(site);
    const double left = (entry(site.position).time - now) * former;
    move(site.position,
         {timeAfter(now, former > 0 ? left : random_.exponential(), site.rate), number});
  }
  /// Replaces an entry and restores the order of the heap.
  void move(std::int32_t at, const Entry& moved) {
    if (at > 0 && moved.time < entry((at - 1) / children).time) {
      for (; at > 0 && moved.time < entry((at - 1) / children).time; at = (at - 1) / children)
        put(at, entry((at - 1) / children));
      put(at, moved);
    } else {
      sink(at, moved);
    }
  }
  void sink(std::int32_t at, const Entry moved) {
    for (;;) {
      const std::int32_t first = children * at + 1;
      if (first >= cube_->size()) break;
      std::int32_t least = first;
      for (std::int32_t child = first + 1; child < std::min(first + children, cube_->size());
           ++child)
        least = entry(child).time < entry(least).time ? child : least;
      if (!(entry(least).time < moved.time)) break;
      put(at, entry(least));
      at = least;
    }
    put(at, moved);
  }

  SequentialCube* cube_;
  SequentialRandom random_;
  std::vector<Entry> heap_;
};

/// Composition and rejection (Slepoy, Thompson & Plimpton 2008): sites in groups of equal powers of
/// two of their rates.
class CompositionRejection {
 public:
  explicit CompositionRejection(SequentialCube& cube) : cube_(&cube), random_(7) {
    for (std::int32_t site = 0; site < cube.size(); ++site) insert(site);
    sumUp();
  }
  /// Executes the events until a time in s. @return their number
  std::int64_t run(double until) {
    std::int64_t events = 0;
    for (;; ++events) {
      if (events % (1 << 20) == 0) sumUp();  // removes errors of rounding
      const double wait = random_.exponential() / total_;
      if (!(now_ + wait < until)) break;  // the process has no memory
      now_ += wait;
      const std::int32_t site = choose();
      const std::int32_t target = cube_->happen(site, random_.uniform());
      if (target >= 0) update(target);
      update(site);
    }
    now_ = until;
    return events;
  }

 private:
  static constexpr int groups = 64, groupOfOne = 32;

  struct Group {
    std::vector<std::int32_t> sites;
    double sum = 0;
  };

  static std::int8_t groupOf(double rate) {
    return static_cast<std::int8_t>(rate > 0 ? std::ilogb(rate) + groupOfOne : -1);
  }
  Group& group(int number) { return groups_[static_cast<std::size_t>(number)]; }
  void sumUp() {
    total_ = 0;
    for (Group& group : groups_) {
      group.sum = 0;
      for (const std::int32_t site : group.sites) group.sum += (*cube_)[site].rate;
      total_ += group.sum;
    }
  }
  void insert(std::int32_t number) {
    SequentialSite& site = (*cube_)[number];
    site.group = groupOf(site.rate);
    if (site.group < 0) return;
    site.position = static_cast<std::int32_t>(group(site.group).sites.size());
    group(site.group).sites.push_back(number);
    highest_ = std::max<int>(highest_, site.group);
  }
  void remove(const SequentialSite& site) {
    if (site.group < 0) return;
    auto& members = group(site.group).sites;
    const std::int32_t last = members.back();
    members[static_cast<std::size_t>(site.position)] = last;
    (*cube_)[last].position = site.position;
    members.pop_back();
  }
  /// Computes the rate of a site anew.
  void update(std::int32_t number) {
    SequentialSite& site = (*cube_)[number];
    const double former = site.rate;
    const double rate = cube_->rateOf(site);
    const std::int8_t groupNow = groupOf(rate);
    total_ += rate - former;
    if (site.group >= 0) group(site.group).sum -= former;
    site.rate = rate;
    if (groupNow != site.group) {
      remove(site);
      insert(number);
    }
    if (groupNow >= 0) group(groupNow).sum += rate;
  }
  std::int32_t choose() {
    for (;;) {
      double rest = random_.uniform() * total_;
      int number = highest_;
      for (; number > 0 && rest >= group(number).sum; --number) rest -= group(number).sum;
      const auto& members = group(number).sites;
      if (members.empty()) continue;
      const double largest = std::ldexp(1.0, number - groupOfOne + 1);
      for (;;) {
        const std::uint64_t bits = random_.bits();
        const std::int32_t site = members[(bits & 0xffffffff) * members.size() >> 32];
        if (static_cast<double>(bits >> 32) * 0x1p-32 * largest < (*cube_)[site].rate) return site;
      }
    }
  }

  SequentialCube* cube_;
  SequentialRandom random_;
  std::array<Group, groups> groups_;
  double total_ = 0, now_ = 0;
  int highest_ = 0;
};

}  // namespace benchmarks
