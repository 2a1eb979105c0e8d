#pragma once

#include <mass/dispatch/executor.hpp>

// Cycles: several steps between two exchanges of ghosts. In the steps of a cycle but the last,
// devices also compute places of their neighbours.

namespace mass::detail {

/// True if the rules, of which one or more read neighbours, yield the same for a place whichever
/// device computes it, and change nothing but places.
bool mayComputeGhosts(const PlaceFields& fields, Turn turn);

/// Returns the largest number of turns of a cycle for which there are ghost rows, lines and columns
/// and the neighbours have these places. May be 0.
int mostTurnsOfCycle(const PlaceFields& fields, Turn turn);

}  // namespace mass::detail
