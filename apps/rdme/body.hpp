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
Body bodyOf(const Shape& shape, const Grid& lattice, int thickness = 0,
            Neighbors neighbors = Neighbors::all);

/// Between which site types something goes, either way, and within which.
class Links {
 public:
  explicit Links(std::size_t types) : types_(types), linked_(types * types) {}

  void add(std::size_t a, std::size_t b) {
    linked_[a * types_ + b] = linked_[b * types_ + a] = true;
  }
  bool holds(std::size_t a, std::size_t b) const { return linked_[a * types_ + b]; }
  /// Whether anything goes within that type, or from it and to it.
  bool reach(std::size_t type) const;
  std::size_t types() const { return types_; }
  bool operator<(const Links& other) const { return linked_ < other.linked_; }

 private:
  std::size_t types_;
  std::vector<bool> linked_;
};

/// Into how many pieces the sites of the types that `links` reach fall, from neighbour to neighbour
/// of linked types.
std::int64_t pieces(const std::vector<std::uint8_t>& types, const Grid& lattice, const Links& links,
                    Neighbors neighbors);

}  // namespace rdme
