#pragma once

#include <mass/mass.hpp>

#include <apps/rdme/lattice/rate_tables.hpp>
#include <apps/rdme/lattice/reactions.hpp>

#include <cstdint>

namespace rdme {

/// Site of the lattice: a small volume in which particles are well mixed. A particle is a species
/// code, the species index plus 1, of `Bits` bits in a multiset of `Words` words of 32 bits.
///
/// A step of the model is diffusion, hop(), then reactions, react(). For speed, the reactions of a
/// step and the diffusion of the next one are a single call of two rules, reacted() and hopAfter(),
/// so that n steps are hop, (reacted, hopAfter) n - 1 times, react. The step of the places is the
/// step of the model, from 1; in the combined call it is that of the reactions.
template <int Bits, int Words>
class Site : public mass::Place<3> {
 public:
  using Particles = mass::Multiset<Bits, Words>;

  Particles particles;
  std::uint8_t type = 0;  ///< index of the site type
  using Attributes = mass::Attributes<&Site::particles, mass::constant<&Site::type>>;

  /// Moves a particle along x, then y, then z, by -1, 0 or 1 site each.
  MASS_FN void hop(const mass::Neighborhood<Site>& near, const mass::Scatter<Site>& out,
                   mass::Element particle, const NetworkIndex& index,
                   const mass::Shared<std::uint32_t>& hops,
                   const mass::Shared<std::uint32_t>& maxHops) const {
    out.send(displacement(near, near.step(), particle, index, hops, maxHops), particle.value);
  }

  /// Returns the particles of this site after the reactions of a step.
  MASS_FN Particles reacted(const mass::Neighborhood<Site>& near, const NetworkIndex& index,
                            const mass::Shared<std::uint32_t>&, const mass::Shared<std::uint32_t>&,
                            const mass::Shared<float>& bounds,
                            const mass::Shared<ReactionGroup>& groups,
                            const mass::Shared<Outcome>& outcomes) const {
    const std::uint64_t step = near.step();
    const std::uint32_t drawn = Draws(near.random(step + 1, 0)).last;
    // Fast path: usually there are few particles, in the first word, and none reacts.
    if (!Particles::Word::isFull(particles[0]) &&
        Reactions::noneHappens(index, type, mass::MultisetView<Bits>(particles[0]), drawn,
                               bounds)) {
      return particles;
    }
    Particles all = particles;
    Reactions(index, type, groups, outcomes).run(all, drawn, near.random(step, reactionStream));
    return all;
  }
  /// Moves a particle after reacted(), as hop() of the next step.
  MASS_FN void hopAfter(const mass::Neighborhood<Site>& near, const mass::Scatter<Site>& out,
                        mass::Element particle, const NetworkIndex& index,
                        const mass::Shared<std::uint32_t>& hops,
                        const mass::Shared<std::uint32_t>& maxHops, const mass::Shared<float>&,
                        const mass::Shared<ReactionGroup>&, const mass::Shared<Outcome>&) const {
    out.send(displacement(near, near.step() + 1, particle, index, hops, maxHops), particle.value);
  }
  /// Moves a particle as hopAfter(). Visits empty sites, too, for models with reactions without
  /// reactants.
  MASS_FN void hopFromAllSites(const mass::Neighborhood<Site>& near,
                               const mass::Scatter<Site, mass::Visits::all>& out,
                               mass::Element particle, const NetworkIndex& index,
                               const mass::Shared<std::uint32_t>& hops,
                               const mass::Shared<std::uint32_t>& maxHops,
                               const mass::Shared<float>&, const mass::Shared<ReactionGroup>&,
                               const mass::Shared<Outcome>&) const {
    out.send(displacement(near, near.step() + 1, particle, index, hops, maxHops), particle.value);
  }

  /// Lets the particles of this site react for the length of a step.
  MASS_FN void react(const mass::Here<3>& here, const NetworkIndex& index,
                     const mass::Shared<ReactionGroup>& groups,
                     const mass::Shared<Outcome>& outcomes) {
    const Reactions reactions(index, type, groups, outcomes);
    const std::uint64_t step = here.step();
    reactions.run(particles, Draws(here.random(step + 1, 0)).last,
                  here.random(step, reactionStream));
  }

  /// Adds the initial particles of this site.
  /// @param list site index * 256 + species code of all particles, in ascending order
  /// @param rows index in `list` of the first particle of each layer along z, and the length of
  /// `list`
  MASS_FN void place(const mass::Here<3>& here, const mass::Shared<std::uint64_t>& list,
                     const mass::Shared<std::int64_t>& rows) {
    const std::uint64_t wanted = static_cast<std::uint64_t>(here.index()) << 8;
    const std::int64_t end = rows[here.coordinates()[0] + 1];
    std::int64_t at = rows[here.coordinates()[0]];
    for (std::int64_t length = end - at; length > 0;) {  // binary search: lower bound of `wanted`
      const std::int64_t half = length / 2;
      const bool after = list[at + half] < wanted;
      at += after ? half + 1 : 0;
      length = after ? length - half - 1 : half;
    }
    for (; at < end && list[at] >> 8 == wanted >> 8; ++at) {
      particles.add(static_cast<std::uint32_t>(list[at] & 0xffU));
    }
  }

  /// Returns the number of particles.
  MASS_FN int size() const { return particles.size(); }
  /// Returns the number of particles of a species, given by its code.
  MASS_FN std::int64_t count(std::uint32_t element) const { return particles.count(element); }
  /// Returns the number of particles of a species, at most 255.
  MASS_FN std::uint8_t density(std::uint32_t element) const {
    const int here = particles.count(element);
    return static_cast<std::uint8_t>(here < 255 ? here : 255);
  }
  /// Returns the number of particles of a species if this site is of a type, 0 otherwise.
  MASS_FN std::int64_t countIn(std::uint32_t element, int siteType) const {
    return type == siteType ? particles.count(element) : 0;
  }
  /// Returns 1 if this site is of a type and cannot store `more` further particles, 0 otherwise.
  MASS_FN std::int64_t lacksRoom(int siteType, int more) const {
    return type == siteType && particles.size() + more > Particles::capacity ? 1 : 0;
  }

 private:
  /// Stream of the random numbers of reactions. Those of the diffusion of particle i have stream i,
  /// which is below 2^14.
  static constexpr std::uint32_t reactionStream = 1U << 14;

  /// Random numbers of the diffusion of a particle. The last one is used for particle 0 alone: it
  /// is the first random number of the reactions of the step before.
  struct Draws {
    MASS_FN explicit Draws(mass::Random random)
        : along{random(), random(), random()}, last(random()) {}

    std::uint32_t along[3];  ///< for the steps along x, y, z
    std::uint32_t last;
  };

  /// Returns the displacement of a particle in a step, by its random numbers.
  /// @param step step of the model
  MASS_FN mass::Offset<3> displacement(const mass::Neighborhood<Site>& near, std::uint64_t step,
                                       mass::Element particle, const NetworkIndex& index,
                                       const mass::Shared<std::uint32_t>& hops,
                                       const mass::Shared<std::uint32_t>& maxHops) const {
    const Draws draws(near.random(step, particle.number));
    mass::Offset<3> offset{};
    int here = type;
    for (int axis = 2; axis >= 0; --axis) {
      // The lowest q·2^32 numbers are steps down, the highest q·2^32 are steps up.
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
