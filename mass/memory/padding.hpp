#pragma once

#include <mass/memory/layout.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Fills the padding before and after a line by the border of the last axis, periodic or mirrored.
/// `row` may be a ghost row.
template <class T>
MASS_FN inline void fillColumnPadding(T* data, const Layout& layout, Border border,
                                      std::int64_t row, std::int64_t line) {
  T* const first = data + layout.at(row, line, 0);
  for (std::int64_t k = 1; k <= layout.padding; ++k) {
    first[-k] = first[sourceOf(-k, layout.columns, border)];
    first[layout.columns - 1 + k] = first[sourceOf(layout.columns - 1 + k, layout.columns, border)];
  }
}

/// Copies a line of a 3-D row, with its padding, to the padding lines of the row that the border of
/// axis 1 maps to it.
template <class T>
MASS_FN inline void copyToLinePadding(T* data, const Layout& layout, Border border,
                                      std::int64_t row, std::int64_t line) {
  const T* const from = data + layout.at(row, line, -layout.padding);
  for (std::int64_t k = 1; k <= layout.padding; ++k) {
    for (const std::int64_t beside : {-k, layout.lines - 1 + k}) {
      if (sourceOf(beside, layout.lines, border) != line) continue;
      T* const to = data + layout.at(row, beside, -layout.padding);
      for (std::int64_t x = 0; x < layout.columns + 2 * layout.padding; ++x) to[x] = from[x];
    }
  }
}

/// Updates the padding that depends on one line, after its places changed.
template <class T>
MASS_FN inline void fillPadding(T* data, const Layout& layout, const Domain& domain,
                                std::int64_t row, std::int64_t line) {
  if (layout.padding == 0) return;
  const Border across = domain.borders[static_cast<std::size_t>(domain.dimensions - 1)];
  if (across != Border::fixed) fillColumnPadding(data, layout, across, row, line);
  const bool outer = line < layout.padding || line >= layout.lines - layout.padding;
  if (domain.dimensions == 3 && domain.borders[1] != Border::fixed && outer) {
    copyToLinePadding(data, layout, domain.borders[1], row, line);
  }
}

}  // namespace mass::detail
