#include <mass/rules/streaming.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/backend/gpus.hpp>
#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using mass::Border;
using mass::testing::haveDevices;
using mass::testing::makeMass;
using mass::testing::messageOf;

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

/// A place to which numbers travel, of types that take turns in a list of components. It says what
/// it is to them, or does not.
template <int D, bool says>
class Post : public mass::Place<D> {
 public:
  static constexpr int size = Ways<D>::size;
  using Letter = std::conditional_t<says, std::uint64_t, std::uint32_t>;
  using Note = std::conditional_t<says, std::uint8_t, std::uint16_t>;

  mass::FlowCell kind = mass::FlowCell::interior;
  std::uint8_t mark = 0;
  Letter letters[static_cast<std::size_t>(size)] = {};
  std::uint64_t last = 0;
  Note notes[static_cast<std::size_t>(size)] = {};
  using Attributes =
      mass::Attributes<std::conditional_t<says, mass::detail::MostlyDefault<&Post::kind>,
                                          mass::detail::Constant<&Post::kind>>{},
                       &Post::mark, mass::streamed<&Post::letters, Ways<D>>, &Post::last,
                       mass::streamed<&Post::notes, Ways<D>>>;

  MASS_FN mass::FlowCell flowCell() const requires says { return kind; }

  MASS_FN void begin(const mass::Here<D>& here) { write(static_cast<std::uint32_t>(here.index())); }
  MASS_FN void write(std::uint32_t number) {
    mark = static_cast<std::uint8_t>(number);
    for (int k = 0; k < size; ++k) {
      letters[k] = (Letter{number} + 1) * 2654435761U + static_cast<Letter>(k) * 40503U;
      notes[k] = static_cast<Note>(letters[k] >> 7);
    }
  }
  MASS_FN void carry(const mass::Streaming<Post>& near) {
    for (int k = 0; k < size; ++k) answer(k, 0);
    last += static_cast<std::uint64_t>(near.template get<&Post::kind>({}));
  }
  /// What has come, and what was there.
  MASS_FN void carryOn(const mass::Streaming<Post>&, const mass::Neighborhood<Post>& near) {
    for (int k = 0; k < size; ++k)
      answer(k, near.template get<&Post::letters>(mass::Offset<D>{}, k));
  }
  MASS_FN void answer(int k, Letter before) {
    letters[k] = letters[k] * 31U + before + notes[k];
    notes[k] = static_cast<Note>(notes[k] * 5 + k);
    last = last * 3 + letters[k];
    mark = static_cast<std::uint8_t>(mark + notes[k]);
  }
  /// What comes to the place, without changing anything.
  MASS_FN std::uint64_t coming(const mass::Streaming<Post>&) const { return all(); }
  MASS_FN std::uint64_t all() const {
    std::uint64_t sum = 0;
    for (int k = 0; k < size; ++k) sum = sum * 7 + letters[k];
    return sum;
  }
};

/// The same by plain loops, with nothing of the library but sourceOf.
template <int D, bool says>
struct Plain {
  using Place = Post<D, says>;
  mass::Shape<D> shape;
  std::vector<Border> borders;
  std::vector<Place> places;

  Plain(const mass::Shape<D>& size, const std::vector<Border>& edges)
      : shape(size), borders(edges), places(static_cast<std::size_t>(mass::count(size))) {
    begin();
    if (says) block();
  }
  void begin() {
    for (std::size_t i = 0; i < places.size(); ++i) places[i].write(static_cast<std::uint32_t>(i));
  }
  /// A place in five, or few where lines are long; and around them what is beside them.
  void block() {
    const std::size_t every = shape[D - 1] > 40 ? 97 : 5;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i * 7 % every == 1) places[i].kind = mass::FlowCell::solid;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].kind == mass::FlowCell::solid) continue;
      for (int k = 1; k < Place::size; ++k) {
        const Place* const from = source(i, k);
        if (from == nullptr && places[i].kind == mass::FlowCell::interior)
          places[i].kind = mass::FlowCell::nearBoundary;
        if (from != nullptr && from->kind == mass::FlowCell::solid)
          places[i].kind = mass::FlowCell::nearSolid;
      }
    }
  }
  std::vector<mass::FlowCell> kinds() const {
    std::vector<mass::FlowCell> kinds;
    for (const Place& one : places) kinds.push_back(one.kind);
    return kinds;
  }
  /// Null beyond fixed borders.
  const Place* source(std::size_t index, int k) const {
    auto at = mass::coordinatesOf<D>(static_cast<std::int64_t>(index), shape);
    for (int axis = 0; axis < D; ++axis) {
      const std::int64_t from = mass::sourceOf(at[axis] - Ways<D>::velocity(k)[axis], shape[axis],
                                               borders[static_cast<std::size_t>(axis)]);
      if (from < 0) return nullptr;
      at[axis] = from;
    }
    return &places[static_cast<std::size_t>(mass::indexOf<D>(at, shape))];
  }
  static int opposite(int k) { return k == 0 ? 0 : k % 2 == 1 ? k + 1 : k - 1; }
  std::vector<Place> arrived() const {
    std::vector<Place> next = places;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (next[i].kind == mass::FlowCell::solid) {
        for (int k = 0; k < Place::size; ++k) next[i].letters[k] = next[i].notes[k] = {};
        continue;
      }
      for (int k = 0; k < Place::size; ++k) {
        const Place* from = source(i, k);
        const bool back = from == nullptr || from->kind == mass::FlowCell::solid;
        if (back) from = &places[i];
        next[i].letters[k] = from->letters[back ? opposite(k) : k];
        next[i].notes[k] = from->notes[back ? opposite(k) : k];
      }
    }
    return next;
  }
  void step(bool on) {
    std::vector<Place> next = arrived();
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (next[i].kind == mass::FlowCell::solid) continue;
      for (int k = 0; k < Place::size; ++k) next[i].answer(k, on ? places[i].letters[k] : 0);
      if (!on) next[i].last += static_cast<std::uint64_t>(next[i].kind);
    }
    places = next;
  }
};

template <int D, bool says>
void expectSame(const mass::Places<Post<D, says>>& places, const Plain<D, says>& plain) {
  using P = Post<D, says>;
  std::vector<std::array<typename P::Letter, P::size>> letters;
  std::vector<std::array<typename P::Note, P::size>> notes;
  std::vector<std::uint64_t> last, coming;
  std::vector<std::uint8_t> marks;
  for (const P& one : plain.places) {
    std::copy_n(one.letters, P::size, letters.emplace_back().begin());
    std::copy_n(one.notes, P::size, notes.emplace_back().begin());
    last.push_back(one.last);
    marks.push_back(one.mark);
  }
  ASSERT_EQ(places.template download<&P::letters>(), letters);
  ASSERT_EQ(places.template download<&P::notes>(), notes);
  ASSERT_EQ(places.template download<&P::last>(), last);
  ASSERT_EQ(places.template download<&P::mark>(), marks);
  for (const P& one : plain.arrived()) coming.push_back(one.all());
  ASSERT_EQ(places.template map<&P::coming>(), coming) << "a reading rule";
}

template <int D, bool says>
mass::Places<Post<D, says>> create(mass::Mass& mass, const Plain<D, says>& plain) {
  mass::PlacesOptions<Post<D, says>> options;
  for (std::size_t axis = 0; axis < D; ++axis) options.borders[axis] = plain.borders[axis];
  auto places = mass.createPlaces<Post<D, says>>(plain.shape, options);
  places.template callAll<&Post<D, says>::begin>();
  places.template upload<&Post<D, says>::kind>(plain.kinds());
  return places;
}

/// Settings by which it is done in different ways.
std::vector<std::vector<std::string>> ways() {
  if (mass::testing::testBackend() != "cuda")
    return {{"streaming=in_place"}, {"streaming=two_buffers"}};
  return {{"streaming=in_place", "tile=1x1x32x2"},
          {"streaming=in_place", "tile=1x2x32x2"},
          {"streaming=in_place", "tile=1x2x4x2x2"},
          {"streaming=two_buffers", "tile=1x2x32x2x2"},
          {"streaming=two_buffers"}};
}

template <int D, bool says>
void expectSameAsPlainLoops(const mass::Shape<D>& shape, const std::vector<Border>& borders) {
  using P = Post<D, says>;
  for (const int devices : {1, 2, 5}) {
    for (const auto& settings : ways()) {
      if (devices > shape[0] || !haveDevices(devices)) continue;
      SCOPED_TRACE(fmt::format("{} on {} devices, borders {} and {}, {}",
                               fmt::join(shape.values, " x "), devices,
                               static_cast<int>(borders[0]), static_cast<int>(borders.back()),
                               fmt::join(settings, ", ")));
      Plain<D, says> plain(shape, borders);
      mass::Mass mass = makeMass(devices, 0, {}, settings);
      auto places = create<D, says>(mass, plain);
      for (const int steps : {1, 2, 3, 4}) {
        places.template callAll<&P::carry>(mass::steps(steps));
        for (int i = 0; i < steps; ++i) plain.step(false);
        expectSame<D, says>(places, plain);
        if (testing::Test::HasFatalFailure()) return;
      }
      places.template callAll<&P::carryOn>(mass::steps(3));
      places.template callAll<&P::carry>(mass::steps(5));
      for (int i = 0; i < 8; ++i) plain.step(i < 3);
      expectSame<D, says>(places, plain);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}
template <int D, bool says>
void expectSameAsPlainLoops(const std::vector<mass::Shape<D>>& shapes) {
  for (const auto& shape : shapes) {
    for (const Border outer : {Border::periodic, Border::fixed, Border::mirrored}) {
      for (const Border inner : {Border::periodic, Border::fixed, Border::mirrored}) {
        std::vector<Border> borders(D, inner);
        borders[0] = outer;
        expectSameAsPlainLoops<D, says>(shape, borders);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Streaming, IsTheSameAsPlainLoopsIn1D) {
  expectSameAsPlainLoops<1, false>({{1}, {7}, {64}});
}
TEST(Streaming, IsTheSameAsPlainLoopsIn2D) {
  expectSameAsPlainLoops<2, false>({{1, 1}, {3, 1}, {3, 2}, {5, 4}, {7, 33}, {2, 128}, {3, 200}});
}
TEST(Streaming, IsTheSameAsPlainLoopsIn3D) {
  expectSameAsPlainLoops<3, false>(
      {{1, 1, 1}, {2, 1, 3}, {5, 3, 2}, {6, 5, 34}, {3, 4, 67}, {2, 2, 128}, {2, 3, 200}});
}
TEST(Streaming, ComesBackFromWhatIsBlockedIn1D) {
  expectSameAsPlainLoops<1, true>({{1}, {7}, {64}, {200}});
}
TEST(Streaming, ComesBackFromWhatIsBlockedIn2D) {
  expectSameAsPlainLoops<2, true>({{1, 1}, {4, 7}, {3, 83}, {2, 128}, {3, 200}});
}
TEST(Streaming, ComesBackFromWhatIsBlockedIn3D) {
  expectSameAsPlainLoops<3, true>({{1, 1, 1}, {2, 1, 3}, {5, 3, 18}, {3, 2, 83}});
}

/// Without a look at them in between, after which an odd step would be the first of two again.
TEST(Streaming, GoesOnFromAnOddStep) {
  using P = Post<3, true>;
  for (const int devices : {1, 2}) {
    for (const auto& settings : ways()) {
      if (!haveDevices(devices)) continue;
      SCOPED_TRACE(fmt::format("{} devices, {}", devices, fmt::join(settings, ", ")));
      Plain<3, true> plain({5, 4, 41}, {Border::periodic, Border::fixed, Border::fixed});
      mass::Mass mass = makeMass(devices, 0, {}, settings);
      auto places = create<3, true>(mass, plain);
      const auto begin = [&] {  // again, in what is blocked, too
        places.callAll<&P::begin>();
        plain.begin();
      };
      for (const int steps : {1, 2, 3, 1, 150, 2}) {  // 150 are one graph of GPUs
        places.callAll<&P::carry>(mass::steps(steps));
        for (int i = 0; i < steps; ++i) plain.step(false);
        if (steps == 1) begin();
      }
      expectSame<3, true>(places, plain);
    }
  }
}

struct Wide {
  double numbers[9] = {};
};
struct ThereAndBack {
  MASS_FN static constexpr mass::Offset<2> velocity(int k) { return {0, k == 0 ? 1 : -1}; }
};
class Freight : public mass::Place<2> {
 public:
  Wide load[2] = {};
  using Attributes = mass::Attributes<mass::streamed<&Freight::load, ThereAndBack>>;
  MASS_FN void set(const mass::Here<2>& here) {
    load[0].numbers[8] = static_cast<double>(here.index());
  }
  MASS_FN void go(const mass::Streaming<Freight>&) {}
};
TEST(Streaming, TakesElementsLargerThanACacheLine) {
  mass::Mass mass = makeMass(1, 0, {}, {"streaming=in_place"});
  auto places = mass.createPlaces<Freight>({2, 3});
  places.callAll<&Freight::set>();
  places.callAll<&Freight::go>(mass::steps(4));
  std::vector<double> there;
  for (const auto& load : places.download<&Freight::load>()) there.push_back(load[0].numbers[8]);
  EXPECT_EQ(there, (std::vector<double>{2, 0, 1, 5, 3, 4}));
}

/// Elements without opposites, or that go two places.
struct OneWay {
  MASS_FN static constexpr mass::Offset<2> velocity(int k) {
    return {k == 1 ? 1 : 0, k == 0 ? 1 : k == 2 ? 2 : k == 3 ? -2 : 0};
  }
};
class Leak : public mass::Place<2> {
 public:
  static constexpr int reach = 2;
  std::int32_t f[4] = {0, 0, 0, 0};
  using Attributes = mass::Attributes<mass::streamed<&Leak::f, OneWay>>;
  MASS_FN void set(const mass::Here<2>& here) {
    for (int k = 0; k < 4; ++k) f[k] = static_cast<std::int32_t>(10 * here.index()) + k;
  }
  MASS_FN void go(const mass::Streaming<Leak>&) {}
};
TEST(Streaming, ComesFromOutsideWhereItHasNoOppositeWay) {
  Leak outside;
  for (int k = 0; k < 4; ++k) outside.f[k] = 1000 + k;
  mass::Mass mass = makeMass(2);
  auto places = mass.createPlaces<Leak>({2, 3}, mass::borders<Leak>(Border::fixed, outside));
  places.callAll<&Leak::set>();
  places.callAll<&Leak::go>();
  using Four = std::array<std::int32_t, 4>;
  const std::vector<Four> expected{{1000, 1001, 1002, 23}, {0, 1001, 1002, 1003},
                                   {10, 1001, 2, 1003},    {1000, 1, 1002, 53},
                                   {30, 11, 1002, 1003},   {40, 21, 32, 1003}};
  EXPECT_EQ(places.download<&Leak::f>(), expected);
}

/// A passage that no mostly initial attribute says, of places that GPUs take by several rows or
/// columns.
class Tinted : public mass::Place<2> {
 public:
  static constexpr std::size_t size = Ways<2>::size;
  std::uint8_t tint = 0;
  mass::FlowCell kind = mass::FlowCell::interior;
  std::uint32_t f[size] = {};
  using Attributes =
      mass::Attributes<mass::mostlyDefault<&Tinted::tint>, mass::constant<&Tinted::kind>,
                       mass::streamed<&Tinted::f, Ways<2>>>;
  MASS_FN mass::FlowCell flowCell() const { return kind; }
  MASS_FN void set(const mass::Here<2>& here) { write(static_cast<std::uint32_t>(here.index())); }
  MASS_FN void write(std::uint32_t number) {
    for (std::uint32_t k = 0; k < Ways<2>::size; ++k) f[k] = number * 100U + k;
  }
  MASS_FN void go(const mass::Streaming<Tinted>&) { answer(); }
  MASS_FN void answer() {
    for (std::uint32_t k = 0; k < Ways<2>::size; ++k) f[k] = f[k] * 3U + k;
  }
};
TEST(Streaming, ComesBackWhateverAttributeSaysSo) {
  const Plain<2, true> plain({6, 21}, {Border::periodic, Border::periodic});
  std::vector<Tinted> expected(plain.places.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i].write(static_cast<std::uint32_t>(i));
  for (int step = 0; step < 3; ++step) {
    const std::vector<Tinted> before = expected;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (int k = 0; k < Ways<2>::size; ++k) {
        const auto* const from = plain.source(i, k);
        const bool isBack = from->kind == mass::FlowCell::solid;
        const auto source = static_cast<std::size_t>(from - plain.places.data());
        expected[i].f[k] = before[isBack ? i : source].f[isBack ? plain.opposite(k) : k];
      }
      expected[i].answer();
      if (plain.places[i].kind == mass::FlowCell::solid) expected[i] = {};
    }
  }
  std::vector<std::array<std::uint32_t, Ways<2>::size>> values;
  for (const Tinted& one : expected) std::copy_n(one.f, one.size, values.emplace_back().begin());
  auto settings = ways();
  if (mass::testing::testBackend() == "cuda") {
    for (const char* const tile : {"tile=1x4x32x2", "tile=4x1x32x2"})
      settings.push_back({"streaming=two_buffers", tile});
  }
  for (const auto& way : settings) {
    mass::Mass mass = makeMass(2, 0, {}, way);
    auto places = mass.createPlaces<Tinted>({6, 21});
    places.upload<&Tinted::kind>(plain.kinds());
    places.callAll<&Tinted::set>();
    places.callAll<&Tinted::go>(mass::steps(3));
    EXPECT_EQ(places.download<&Tinted::f>(), values) << fmt::format("{}", fmt::join(way, ", "));
  }
}

TEST(Streaming, TakesOneBufferWhereItMovesInPlace) {
  const auto bytesWith = [](const char* streaming) {
    const Plain<3, false> plain({64, 9, 32}, std::vector<Border>(3, Border::periodic));
    mass::Mass mass = makeMass(2, 0, {}, {fmt::format("streaming={}", streaming)});
    auto places = create<3, false>(mass, plain);
    places.callAll<&Post<3, false>::carry>(mass::steps(3));
    return places.bytes();
  };
  // Of a place, 54 bytes are streamed and 9 written otherwise.
  EXPECT_LT(static_cast<double>(bytesWith("in_place")),
            0.6 * static_cast<double>(bytesWith("two_buffers")));
}

TEST(Streaming, TakesOneBufferWhereTwoDoNotFit) {
  if (mass::testing::testBackend() != "cuda") GTEST_SKIP() << "CPUs take one buffer anyway";
  using P = Post<3, false>;
  // Of a place, 54 bytes are streamed and 8 + 1 have a next state beside them: two buffers would
  // take 1.2 times what is free, one takes 0.7 of it.
  const auto free = static_cast<double>(mass::detail::openGpus(1).front()->freeBytes());
  const auto rows = static_cast<std::int64_t>(free * 1.2 / (127 * 1024 * 1024));
  mass::Mass mass = makeMass(1);
  auto places = mass.createPlaces<P>({rows, 1022, 1022});
  places.callAll<&P::carry>(mass::steps(2));
  EXPECT_LT(static_cast<double>(places.bytes()), free);
  EXPECT_NE(messageOf<mass::DeviceError>([&] { places.callAll<&P::carryOn>(); }).find("a second"),
            std::string::npos);
}

TEST(Streaming, GoesOnWhenRowsChangeDevices) {
  if (!haveDevices(3)) GTEST_SKIP() << "needs 3 devices";
  const std::vector<Border> borders{Border::periodic, Border::fixed, Border::periodic};
  Plain<3, true> plain({9, 4, 6}, borders);
  mass::Mass mass = makeMass(3);
  auto places = create<3, true>(mass, plain);
  for (const auto& rows : {std::vector<std::int64_t>{1, 7, 1}, {5, 1, 3}, {2, 2, 5}}) {
    mass.repartition(places, rows);
    places.callAll<&Post<3, true>::carry>(mass::steps(3));
    for (int i = 0; i < 3; ++i) plain.step(false);
    expectSame<3, true>(places, plain);
  }
}

}  // namespace
