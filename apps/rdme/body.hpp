#pragma once

#include <apps/rdme/shape.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rdme {

/// Which neighbours count: those that share a face, or all around.
enum class Neighbors { faces = 6, all = 26 };

/// Sites of an axis from `first` on, `count` of them, that a body may hold; `endless`: they are all
/// of a periodic axis.
struct Span {
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool endless = false;
};

/// The sites of a body: 0 = not of it, 1 = of its inside, 2 and more = of its shell, from the outer
/// layer on.
struct Body {
  std::array<Span, 3> spans;
  std::vector<std::uint8_t> layers;  ///< z slowest, x fastest

  std::size_t at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>((z * spans[1].count + y) * spans[2].count + x);
  }
};

/// The sites of `lattice` whose middles `shape` holds; the `thickness` outermost layers of them are
/// its shell. A site is in the outer layer where one of its neighbours is not of the body, or lies
/// beyond the border of the lattice.
Body bodyOf(const Shape& shape, const Lattice& lattice, int thickness = 0,
            Neighbors neighbors = Neighbors::all);

/// Into how many pieces the sites of a type fall, from neighbour to neighbour.
std::int64_t pieces(const std::vector<std::uint8_t>& types, const Lattice& lattice, int type,
                    Neighbors neighbors);

}  // namespace rdme
