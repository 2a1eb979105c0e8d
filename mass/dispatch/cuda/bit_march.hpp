#pragma once

#include <mass/launch/bool_table.hpp>
#include <mass/launch/gpu_launch.hpp>
#include <mass/memory/layout.hpp>

namespace mass::detail {

/// Launch::arguments of a march on bits.
struct BitMarchArguments {
  LifeCounts counts;
  bool outside = false;  ///< state beyond fixed borders
};

/// Numbers of steps of the compiled marches on bits.
inline constexpr int bitMarchSteps[2] = {8, 16};
/// Numbers of steps of those on places that are stored as bits.
inline constexpr int storedBitSteps[] = {1, 4, 8, 16};

/// Returns the kernel of a rule that counts living neighbours, with a march on words that have a
/// bit for each place, whose Launch::arguments are BitMarchArguments.
/// @param areStored true for places that are stored as bits
GpuKernel withMarchOnBits(GpuKernel kernel, bool areStored);

/// True if bands of this layout may march on bits: whole words of columns, and packs of bytes that
/// threads load and store.
bool mayMarchOnBits(const Layout& layout);
/// True if bands of this layout may march on bits if they are stored as bits: whole words of
/// columns.
bool mayMarchOnStoredBits(const Layout& layout);

}  // namespace mass::detail
