#pragma once

#include <apps/rdme/model/model.hpp>

#include <cstdint>
#include <vector>

namespace rdme {

/// Places the initial particles of a model. Particles of a species are drawn at random over the
/// sites of their types, or dealt out evenly. The result depends on model, seed and capacity alone.
/// @param seed seed of the random numbers
/// @param capacity particles that a site stores; above 65535: any number
/// @return site index * 256 + species code (species index + 1) of each particle, in ascending order
/// @throws mass::InputError if the particles do not fit into their sites
std::vector<std::uint64_t> initialPlacement(const Model& model, std::uint64_t seed, int capacity);
/// Places the particles of a stimulus at its sites, drawn at random.
/// @param number number of the stimulus in the model @param seed seed of the random numbers
/// @return as initialPlacement()
std::vector<std::uint64_t> stimulusPlacement(const Stimulus& stimulus, std::uint32_t number,
                                             std::uint64_t seed);

}  // namespace rdme
