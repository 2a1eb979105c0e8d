#pragma once

#include <mass/mass.hpp>

#include <apps/rdme/lattice/rate_tables.hpp>
#include <apps/rdme/lattice/reactions.hpp>

#include <cstdint>

namespace rdme {

/// A small volume of a reaction-diffusion model, in which particles are well mixed: species numbers
/// plus 1, with `Bits` bits each, in a bag of `Words` words.
///
/// A step is diffusion, then reactions. hop() and react() are these; diffusing after reacting is
/// one rule for speed, `reacted` and `hopAfter`, so that a run is hop, (reacted, hopAfter)...,
/// react. The places' step is the number of the model's step, from 1, and for the rule of both that
/// of its reactions.
template <int Bits, int Words>
class Site : public mass::Place<3> {
 public:
  using Particles = mass::Multiset<Bits, Words>;

  Particles particles;
  std::uint8_t type = 0;
  using Attributes = mass::Attributes<&Site::particles, mass::constant<&Site::type>>;

  /// A particle steps along x, y and z: to one side, to the other, or not at all.
  MASS_FN void hop(const mass::Neighborhood<Site>& near, const mass::Scatter<Site>& out,
                   mass::Element particle, const NetworkIndex& index,
                   const mass::Shared<std::uint32_t>& hops,
                   const mass::Shared<std::uint32_t>& maxHops) const {
    out.send(displacement(near, near.step(), particle, index, hops, maxHops), particle.value);
  }

  /// What reactions leave of the particles here.
  MASS_FN Particles reacted(const mass::Neighborhood<Site>& near, const NetworkIndex& index,
                            const mass::Shared<std::uint32_t>&, const mass::Shared<std::uint32_t>&,
                            const mass::Shared<float>& bounds,
                            const mass::Shared<ReactionGroup>& groups,
                            const mass::Shared<Outcome>& outcomes) const {
    const std::uint64_t step = near.step();
    const std::uint32_t drawn = Draws(near.random(step + 1, 0)).last;
    // Nearly always there are few particles, in one word, of which none reacts.
    if (!Particles::Word::isFull(particles[0]) &&
        Reactions::noneHappens(index, type, mass::MultisetView<Bits>(particles[0]), drawn,
                               bounds)) {
      return particles;
    }
    Particles all = particles;
    Reactions(index, type, groups, outcomes).run(all, drawn, near.random(step, reactionStream));
    return all;
  }
  MASS_FN void hopAfter(const mass::Neighborhood<Site>& near, const mass::Scatter<Site>& out,
                        mass::Element particle, const NetworkIndex& index,
                        const mass::Shared<std::uint32_t>& hops,
                        const mass::Shared<std::uint32_t>& maxHops, const mass::Shared<float>&,
                        const mass::Shared<ReactionGroup>&, const mass::Shared<Outcome>&) const {
    out.send(displacement(near, near.step() + 1, particle, index, hops, maxHops), particle.value);
  }
  /// The same where particles come from nothing, in empty sites, too.
  MASS_FN void hopFromAllSites(const mass::Neighborhood<Site>& near,
                               const mass::Scatter<Site, mass::Visits::all>& out,
                               mass::Element particle, const NetworkIndex& index,
                               const mass::Shared<std::uint32_t>& hops,
                               const mass::Shared<std::uint32_t>& maxHops,
                               const mass::Shared<float>&, const mass::Shared<ReactionGroup>&,
                               const mass::Shared<Outcome>&) const {
    out.send(displacement(near, near.step() + 1, particle, index, hops, maxHops), particle.value);
  }

  MASS_FN void react(const mass::Here<3>& here, const NetworkIndex& index,
                     const mass::Shared<ReactionGroup>& groups,
                     const mass::Shared<Outcome>& outcomes) {
    const Reactions reactions(index, type, groups, outcomes);
    const std::uint64_t step = here.step();
    reactions.run(particles, Draws(here.random(step + 1, 0)).last,
                  here.random(step, reactionStream));
  }

  /// Puts the particles here that are to be here at first: of a sorted list of sites' numbers times
  /// 256 and codes, of which row z begins at `rows[z]`.
  MASS_FN void place(const mass::Here<3>& here, const mass::Shared<std::uint64_t>& list,
                     const mass::Shared<std::int64_t>& rows) {
    const std::uint64_t wanted = static_cast<std::uint64_t>(here.index()) << 8;
    const std::int64_t end = rows[here.coordinates()[0] + 1];
    std::int64_t at = rows[here.coordinates()[0]];
    for (std::int64_t length = end - at; length > 0;) {  // the first that is not less than `wanted`
      const std::int64_t half = length / 2;
      const bool after = list[at + half] < wanted;
      at += after ? half + 1 : 0;
      length = after ? length - half - 1 : half;
    }
    for (; at < end && list[at] >> 8 == wanted >> 8; ++at) {
      particles.add(static_cast<std::uint32_t>(list[at] & 0xffU));
    }
  }

  MASS_FN std::int64_t count(std::uint32_t element) const { return particles.count(element); }
  MASS_FN std::uint8_t density(std::uint32_t element) const {
    const int here = particles.count(element);
    return static_cast<std::uint8_t>(here < 255 ? here : 255);
  }
  MASS_FN std::int64_t countIn(std::uint32_t element, int siteType) const {
    return type == siteType ? particles.count(element) : 0;
  }
  MASS_FN std::int64_t lacksRoom(int siteType, int more) const {
    return type == siteType && particles.size() + more > Particles::capacity ? 1 : 0;
  }

 private:
  /// The random numbers of particle i are those of stream i.
  static constexpr std::uint32_t reactionStream = 1U << 14;

  /// A particle's steps along x, y and z, and a number more: of the first one, the first for the
  /// reactions before.
  struct Draws {
    MASS_FN explicit Draws(mass::Random random)
        : along{random(), random(), random()}, last(random()) {}

    std::uint32_t along[3];
    std::uint32_t last;
  };

  /// How far a particle goes in a step.
  MASS_FN mass::Offset<3> displacement(const mass::Neighborhood<Site>& near, std::uint64_t step,
                                       mass::Element particle, const NetworkIndex& index,
                                       const mass::Shared<std::uint32_t>& hops,
                                       const mass::Shared<std::uint32_t>& maxHops) const {
    const Draws draws(near.random(step, particle.number));
    mass::Offset<3> offset{};
    int here = type;
    for (int axis = 2; axis >= 0; --axis) {
      // A step down for numbers below q·2^32, up for as many from the other end.
      std::uint32_t drawn = draws.along[2 - axis];
      const int direction = drawn < 0x80000000U ? -1 : 1;
      if (direction > 0) drawn = ~drawn;
      if (index.isUniform) {
        if (drawn < hops[index.hop(here, here, particle.value)]) offset[axis] = direction;
        continue;
      }
      if (drawn >= maxHops[index.maxHop(here, particle.value)]) continue;
      offset[axis] = direction;
      const int there = near(offset).type;
      if (drawn < hops[index.hop(here, there, particle.value)]) {
        here = there;
      } else {
        offset[axis] = 0;
      }
    }
    return offset;
  }
};

}  // namespace rdme
