#include <mass/model/streaming.hpp>

#include "make_mass.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using mass::Border;
using mass::testing::haveDevices;
using mass::testing::makeMass;

/// Rest, and both ways along every axis and along both of the last two together.
template <int D>
struct Ways {
  static constexpr int size = D == 1 ? 3 : 2 * D + 3;
  MASS_FN static constexpr mass::Offset<D> velocity(int k) {
    mass::Offset<D> way{};
    const int sign = k % 2 == 1 ? 1 : -1;
    if (k > 2 * D) {
      way[D - 1] = way[D - 2] = sign;
    } else if (k > 0) {
      way[(k - 1) / 2] = sign;
    }
    return way;
  }
};

/// A place to which numbers travel, of types that take turns in a list of components.
template <int D>
class Post : public mass::Place<D> {
 public:
  static constexpr int size = Ways<D>::size;

  std::uint8_t mark = 0;
  std::uint32_t letters[static_cast<std::size_t>(size)] = {};
  std::uint64_t last = 0;
  std::uint16_t notes[static_cast<std::size_t>(size)] = {};
  using Attributes = mass::Attributes<&Post::mark, mass::streamed<&Post::letters, Ways<D>>,
                                      &Post::last, mass::streamed<&Post::notes, Ways<D>>>;

  MASS_FN void begin(const mass::Here<D>& here) { write(static_cast<std::uint32_t>(here.index())); }
  MASS_FN void write(std::uint32_t number) {
    mark = static_cast<std::uint8_t>(number);
    for (int k = 0; k < size; ++k) {
      letters[k] = (number + 1) * 2654435761U + static_cast<std::uint32_t>(k) * 40503U;
      notes[k] = static_cast<std::uint16_t>(letters[k] >> 7);
    }
  }
  /// What has come, and what was there.
  MASS_FN void carry(const mass::Streaming<Post>& near) {
    for (int k = 0; k < size; ++k) {
      const std::uint32_t before = near.template get<&Post::letters>(mass::Offset<D>{}, k);
      answer(k, before);
    }
  }
  MASS_FN void answer(int k, std::uint32_t before) {
    letters[k] = letters[k] * 31U + before + notes[k];
    notes[k] = static_cast<std::uint16_t>(notes[k] * 5 + k);
    last = last * 3 + letters[k];
    mark = static_cast<std::uint8_t>(mark + notes[k]);
  }
  MASS_FN std::uint64_t letter(int k) const { return letters[k]; }
  MASS_FN std::uint64_t note(int k) const { return notes[k]; }
  MASS_FN std::uint64_t total() const { return last * 256 + mark; }
  /// What comes to the place, without changing anything.
  MASS_FN std::uint64_t coming(const mass::Streaming<Post>&) const { return all(); }
  MASS_FN std::uint64_t all() const {
    std::uint64_t sum = 0;
    for (int k = 0; k < size; ++k) sum = sum * 7 + letters[k];
    return sum;
  }
};

/// The same by plain loops, with nothing of the library but sourceOf.
template <int D>
struct Plain {
  mass::Shape<D> shape;
  std::vector<Border> borders;
  Post<D> outside;
  std::vector<Post<D>> places;

  Plain(const mass::Shape<D>& size, const std::vector<Border>& edges)
      : shape(size), borders(edges), places(static_cast<std::size_t>(mass::count(size))) {
    outside.write(4711);
    for (std::size_t i = 0; i < places.size(); ++i) places[i].write(static_cast<std::uint32_t>(i));
  }
  const Post<D>& source(std::size_t index, int k) const {
    auto at = mass::coordinatesOf<D>(static_cast<std::int64_t>(index), shape);
    for (int axis = 0; axis < D; ++axis) {
      const std::int64_t from = mass::sourceOf(at[axis] - Ways<D>::velocity(k)[axis], shape[axis],
                                               borders[static_cast<std::size_t>(axis)]);
      if (from < 0) return outside;
      at[axis] = from;
    }
    return places[static_cast<std::size_t>(mass::indexOf<D>(at, shape))];
  }
  std::vector<Post<D>> arrived() const {
    std::vector<Post<D>> next = places;
    for (std::size_t i = 0; i < next.size(); ++i) {
      for (int k = 0; k < Post<D>::size; ++k) {
        next[i].letters[k] = source(i, k).letters[k];
        next[i].notes[k] = source(i, k).notes[k];
      }
    }
    return next;
  }
  void step() {
    std::vector<Post<D>> next = arrived();
    for (std::size_t i = 0; i < next.size(); ++i) {
      for (int k = 0; k < Post<D>::size; ++k) next[i].answer(k, places[i].letters[k]);
    }
    places = next;
  }
};

template <int D>
void expectSame(const mass::Places<Post<D>>& places, const Plain<D>& plain) {
  for (int k = 0; k < Post<D>::size; ++k) {
    std::vector<std::uint64_t> letters, notes;
    for (const Post<D>& one : plain.places) {
      letters.push_back(one.letter(k));
      notes.push_back(one.note(k));
    }
    ASSERT_EQ(places.template map<&Post<D>::letter>(k), letters) << "letter " << k;
    ASSERT_EQ(places.template map<&Post<D>::note>(k), notes) << "note " << k;
  }
  std::vector<std::uint64_t> totals;
  for (const Post<D>& one : plain.places) totals.push_back(one.total());
  ASSERT_EQ(places.template map<&Post<D>::total>(), totals);
}

template <int D>
mass::PlacesOptions<Post<D>> optionsWith(const std::vector<Border>& borders) {
  mass::PlacesOptions<Post<D>> options;
  for (std::size_t axis = 0; axis < D; ++axis) options.borders[axis] = borders[axis];
  options.outside.write(4711);
  return options;
}

template <int D>
void expectSameAsPlainLoops(const std::vector<mass::Shape<D>>& shapes) {
  for (const auto& shape : shapes) {
    for (const Border outer : {Border::periodic, Border::fixed, Border::mirrored}) {
      for (const Border inner : {Border::periodic, Border::fixed, Border::mirrored}) {
        std::vector<Border> borders(D, inner);
        borders[0] = outer;
        Plain<D> plain(shape, borders);
        for (int i = 0; i < 4; ++i) plain.step();
        for (const int devices : {1, 2, 3, 5}) {
          if (devices > shape[0] || !haveDevices(devices)) continue;
          SCOPED_TRACE(fmt::format("{} on {} devices, borders {} and {}",
                                   fmt::join(shape.values, " x "), devices, static_cast<int>(outer),
                                   static_cast<int>(inner)));
          mass::Mass mass = makeMass(devices);
          auto places = mass.createPlaces<Post<D>>(shape, optionsWith<D>(borders));
          places.template callAll<&Post<D>::begin>();
          places.template callAll<&Post<D>::carry>(mass::steps(3));
          places.template callAll<&Post<D>::carry>();
          expectSame<D>(places, plain);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Streaming, IsTheSameAsPlainLoopsIn1D) {
  expectSameAsPlainLoops<1>({{1}, {7}, {64}});
}
TEST(Streaming, IsTheSameAsPlainLoopsIn2D) {
  expectSameAsPlainLoops<2>({{1, 1}, {3, 1}, {5, 4}, {7, 33}});
}
TEST(Streaming, IsTheSameAsPlainLoopsIn3D) {
  expectSameAsPlainLoops<3>({{1, 1, 1}, {2, 1, 3}, {5, 3, 2}, {6, 5, 34}, {3, 17, 67}});
}

TEST(Streaming, ReadingRulesSeeWhatComesToo) {
  Plain<3> plain({4, 3, 5}, {Border::periodic, Border::periodic, Border::periodic});
  std::vector<std::uint64_t> coming;
  for (const Post<3>& one : plain.arrived()) coming.push_back(one.all());
  mass::Mass mass = makeMass(2);
  auto places = mass.createPlaces<Post<3>>(plain.shape, optionsWith<3>(plain.borders));
  places.callAll<&Post<3>::begin>();
  EXPECT_EQ(places.map<&Post<3>::coming>(), coming);
}

TEST(Streaming, GoesOnWhenRowsChangeDevices) {
  if (!haveDevices(3)) GTEST_SKIP() << "needs 3 devices";
  Plain<3> plain({9, 4, 6}, {Border::periodic, Border::mirrored, Border::periodic});
  mass::Mass mass = makeMass(3);
  auto places = mass.createPlaces<Post<3>>(plain.shape, optionsWith<3>(plain.borders));
  places.callAll<&Post<3>::begin>();
  for (const auto& rows : {std::vector<std::int64_t>{1, 7, 1}, {5, 1, 3}, {2, 2, 5}}) {
    mass.repartition(places, rows);
    places.callAll<&Post<3>::carry>(mass::steps(2));
    for (int i = 0; i < 2; ++i) plain.step();
    expectSame<3>(places, plain);
  }
}

}  // namespace
