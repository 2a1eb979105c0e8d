#pragma once

#include <mass/io/color_map.hpp>

#include <array>

namespace mass::detail {

/// Colours of a map, from the lowest value to the highest.
using MapEntries = std::array<Rgb, ColorMap::size>;

/// Returns the map "viridis" of matplotlib (N. Smith and S. van der Walt, 2015; CC0).
MapEntries viridis();

/// Returns the map "cividis" (J. Nuñez, C. Anderton and R. Renslow, PLoS ONE 13(7), 2018; CC0),
/// which looks nearly the same to people with a deficiency of red or green.
MapEntries cividis();

/// Returns the diverging map of K. Moreland, "Diverging Color Maps for Scientific Visualization",
/// 2009: blue, light gray, red. It is computed in his space Msh.
MapEntries coolwarm();

}  // namespace mass::detail
