#include <mass/rules/streaming.hpp>

#include "../../support/mass_on_ranks.hpp"
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

/// Velocities: rest, both directions along each axis, and both along the diagonal of the last two.
template <int D>
struct Velocities {
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

/// A place with two streamed attributes of different size, separated by another attribute; with or
/// without flowCell().
template <int D, bool hasFlowCell>
class StreamingPlace : public mass::Place<D> {
 public:
  static constexpr int size = Velocities<D>::size;
  using Large = std::conditional_t<hasFlowCell, std::uint64_t, std::uint32_t>;
  using Small = std::conditional_t<hasFlowCell, std::uint8_t, std::uint16_t>;

  mass::FlowCell kind = mass::FlowCell::interior;
  std::uint8_t mark = 0;
  Large large[static_cast<std::size_t>(size)] = {};
  std::uint64_t last = 0;
  Small small[static_cast<std::size_t>(size)] = {};
  using Attributes = mass::Attributes<
      std::conditional_t<hasFlowCell, mass::detail::MostlyDefault<&StreamingPlace::kind>,
                         mass::detail::Constant<&StreamingPlace::kind>>{},
      &StreamingPlace::mark, mass::streamed<&StreamingPlace::large, Velocities<D>>,
      &StreamingPlace::last, mass::streamed<&StreamingPlace::small, Velocities<D>>>;

  MASS_FN mass::FlowCell flowCell() const requires hasFlowCell { return kind; }

  MASS_FN void begin(const mass::Here<D>& here) { write(static_cast<std::uint32_t>(here.index())); }
  MASS_FN void write(std::uint32_t number) {
    mark = static_cast<std::uint8_t>(number);
    for (int k = 0; k < size; ++k) {
      large[k] = (Large{number} + 1) * 2654435761U + static_cast<Large>(k) * 40503U;
      small[k] = static_cast<Small>(large[k] >> 7);
    }
  }
  MASS_FN void advance(const mass::Streaming<StreamingPlace>& near) {
    for (int k = 0; k < size; ++k) collide(k, 0);
    last += static_cast<std::uint64_t>(near.template get<&StreamingPlace::kind>({}));
  }
  /// Combines the pulled elements with those of the place before the call.
  MASS_FN void advanceWithNeighborhood(const mass::Streaming<StreamingPlace>&,
                                       const mass::Neighborhood<StreamingPlace>& near) {
    for (int k = 0; k < size; ++k)
      collide(k, near.template get<&StreamingPlace::large>(mass::Offset<D>{}, k));
  }
  MASS_FN void collide(int k, Large before) {
    large[k] = large[k] * 31U + before + small[k];
    small[k] = static_cast<Small>(small[k] * 5 + k);
    last = last * 3 + large[k];
    mark = static_cast<std::uint8_t>(mark + small[k]);
  }
  /// Reading rule: a hash of the pulled elements.
  MASS_FN std::uint64_t pulled(const mass::Streaming<StreamingPlace>&) const { return all(); }
  MASS_FN std::uint64_t all() const {
    std::uint64_t sum = 0;
    for (int k = 0; k < size; ++k) sum = sum * 7 + large[k];
    return sum;
  }
};

/// Reference implementation by plain loops, which uses only sourceOf of the library.
template <int D, bool hasFlowCell>
struct Plain {
  using Place = StreamingPlace<D, hasFlowCell>;
  mass::Shape<D> shape;
  std::vector<Border> borders;
  std::vector<Place> places;

  Plain(const mass::Shape<D>& size, const std::vector<Border>& edges)
      : shape(size), borders(edges), places(static_cast<std::size_t>(mass::count(size))) {
    begin();
    if (hasFlowCell) placeSolids();
  }
  void begin() {
    for (std::size_t i = 0; i < places.size(); ++i) places[i].write(static_cast<std::uint32_t>(i));
  }
  /// Makes one place in five (one in 97 for long lines) solid, and sets the kind of all others.
  void placeSolids() {
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
  /// Returns the place from which element k is pulled; null beyond fixed borders.
  const Place* source(std::size_t index, int k) const {
    auto at = mass::coordinatesOf<D>(static_cast<std::int64_t>(index), shape);
    for (int axis = 0; axis < D; ++axis) {
      const std::int64_t from =
          mass::sourceOf(at[axis] - Velocities<D>::velocity(k)[axis], shape[axis],
                         borders[static_cast<std::size_t>(axis)]);
      if (from < 0) return nullptr;
      at[axis] = from;
    }
    return &places[static_cast<std::size_t>(mass::indexOf<D>(at, shape))];
  }
  static int opposite(int k) { return k == 0 ? 0 : k % 2 == 1 ? k + 1 : k - 1; }
  std::vector<Place> streamed() const {
    std::vector<Place> next = places;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (next[i].kind == mass::FlowCell::solid) {
        for (int k = 0; k < Place::size; ++k) next[i].large[k] = next[i].small[k] = {};
        continue;
      }
      for (int k = 0; k < Place::size; ++k) {
        const Place* from = source(i, k);
        const bool back = from == nullptr || from->kind == mass::FlowCell::solid;
        if (back) from = &places[i];
        next[i].large[k] = from->large[back ? opposite(k) : k];
        next[i].small[k] = from->small[back ? opposite(k) : k];
      }
    }
    return next;
  }
  void step(bool usesBefore) {
    std::vector<Place> next = streamed();
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (next[i].kind == mass::FlowCell::solid) continue;
      for (int k = 0; k < Place::size; ++k) next[i].collide(k, usesBefore ? places[i].large[k] : 0);
      if (!usesBefore) next[i].last += static_cast<std::uint64_t>(next[i].kind);
    }
    places = next;
  }
};

template <int D, bool hasFlowCell>
void expectSame(const mass::Places<StreamingPlace<D, hasFlowCell>>& places,
                const Plain<D, hasFlowCell>& plain) {
  using P = StreamingPlace<D, hasFlowCell>;
  std::vector<std::array<typename P::Large, P::size>> large;
  std::vector<std::array<typename P::Small, P::size>> small;
  std::vector<std::uint64_t> last, pulled;
  std::vector<std::uint8_t> marks;
  for (const P& one : plain.places) {
    std::copy_n(one.large, P::size, large.emplace_back().begin());
    std::copy_n(one.small, P::size, small.emplace_back().begin());
    last.push_back(one.last);
    marks.push_back(one.mark);
  }
  ASSERT_EQ(places.template download<&P::large>(), large);
  ASSERT_EQ(places.template download<&P::small>(), small);
  ASSERT_EQ(places.template download<&P::last>(), last);
  ASSERT_EQ(places.template download<&P::mark>(), marks);
  for (const P& one : plain.streamed()) pulled.push_back(one.all());
  ASSERT_EQ(places.template map<&P::pulled>(), pulled) << "a reading rule";
}

template <int D, bool hasFlowCell>
mass::Places<StreamingPlace<D, hasFlowCell>> create(mass::Mass& mass,
                                                    const Plain<D, hasFlowCell>& plain) {
  mass::PlacesOptions<StreamingPlace<D, hasFlowCell>> options;
  for (std::size_t axis = 0; axis < D; ++axis) options.borders[axis] = plain.borders[axis];
  auto places = mass.createPlaces<StreamingPlace<D, hasFlowCell>>(plain.shape, options);
  places.template callAll<&StreamingPlace<D, hasFlowCell>::begin>();
  places.template upload<&StreamingPlace<D, hasFlowCell>::kind>(plain.kinds());
  return places;
}

/// Settings that select the different implementations of streaming.
std::vector<std::vector<std::string>> streamingSettings() {
  if (mass::testing::testBackend() != "cuda")
    return {{"streaming=in_place"}, {"streaming=two_buffers"}};
  return {{"streaming=in_place", "tile=1x1x32x2"},
          {"streaming=in_place", "tile=1x2x32x2"},
          {"streaming=in_place", "tile=1x2x4x2x2"},
          {"streaming=two_buffers", "tile=1x2x32x2x2"},
          {"streaming=two_buffers"}};
}

/// Compares rules of a Mass with `plain`, which has not begun.
template <int D, bool hasFlowCell>
void expectSameAsPlainLoops(mass::Mass& mass, Plain<D, hasFlowCell> plain) {
  using P = StreamingPlace<D, hasFlowCell>;
  auto places = create<D, hasFlowCell>(mass, plain);
  for (const int steps : {1, 2, 3, 4}) {
    places.template callAll<&P::advance>(mass::steps(steps));
    for (int i = 0; i < steps; ++i) plain.step(false);
    expectSame<D, hasFlowCell>(places, plain);
    if (testing::Test::HasFatalFailure()) return;
  }
  places.template callAll<&P::advanceWithNeighborhood>(mass::steps(3));
  places.template callAll<&P::advance>(mass::steps(5));
  for (int i = 0; i < 8; ++i) plain.step(i < 3);
  expectSame<D, hasFlowCell>(places, plain);
}

template <int D, bool hasFlowCell>
void expectSameAsPlainLoops(const mass::Shape<D>& shape, const std::vector<Border>& borders) {
  const Plain<D, hasFlowCell> plain(shape, borders);
  const auto expectSameOn = [&](const mass::testing::RankSetup& setup) {
    mass::testing::onRanks(setup, [&](mass::Mass& mass) {
      SCOPED_TRACE(fmt::format("{}, borders {} and {}, {}", fmt::join(shape.values, " x "),
                               static_cast<int>(borders[0]), static_cast<int>(borders.back()),
                               fmt::join(setup.more, ", ")));
      expectSameAsPlainLoops(mass, plain);
    });
  };
  for (const int devices : {1, 2, 5}) {
    for (const auto& settings : streamingSettings()) {
      if (devices > shape[0] || !haveDevices(devices)) continue;
      expectSameOn({.devices = {devices}, .more = settings});
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  if (shape[0] >= 5)
    expectSameOn({.devices = {1, 3, 1}});
  else if (shape[0] >= 2)
    expectSameOn({.devices = {1, 1}});
}
template <int D, bool hasFlowCell>
void expectSameAsPlainLoops(const std::vector<mass::Shape<D>>& shapes) {
  for (const auto& shape : shapes) {
    for (const Border outer : {Border::periodic, Border::fixed, Border::mirrored}) {
      for (const Border inner : {Border::periodic, Border::fixed, Border::mirrored}) {
        std::vector<Border> borders(D, inner);
        borders[0] = outer;
        expectSameAsPlainLoops<D, hasFlowCell>(shape, borders);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Streaming, EqualsPlainLoopsIn1D) {
  expectSameAsPlainLoops<1, false>({{1}, {7}, {64}});
}
TEST(Streaming, EqualsPlainLoopsIn2D) {
  expectSameAsPlainLoops<2, false>({{1, 1}, {3, 1}, {3, 2}, {5, 4}, {7, 33}, {2, 128}, {3, 200}});
}
TEST(Streaming, EqualsPlainLoopsIn3D) {
  expectSameAsPlainLoops<3, false>(
      {{1, 1, 1}, {2, 1, 3}, {5, 3, 2}, {6, 5, 34}, {3, 4, 67}, {2, 2, 128}, {2, 3, 200}});
}
TEST(Streaming, BouncesBackFromSolidPlacesIn1D) {
  expectSameAsPlainLoops<1, true>({{1}, {7}, {64}, {200}});
}
TEST(Streaming, BouncesBackFromSolidPlacesIn2D) {
  expectSameAsPlainLoops<2, true>({{1, 1}, {4, 7}, {3, 83}, {2, 128}, {3, 200}});
}
TEST(Streaming, BouncesBackFromSolidPlacesIn3D) {
  expectSameAsPlainLoops<3, true>({{1, 1, 1}, {2, 1, 3}, {5, 3, 18}, {3, 2, 83}});
}

/// Calls without a read in between: a read restores the natural layout, and the next step is even.
TEST(Streaming, ContinuesAfterAnOddStep) {
  using P = StreamingPlace<3, true>;
  for (const int devices : {1, 2}) {
    for (const auto& settings : streamingSettings()) {
      if (!haveDevices(devices)) continue;
      SCOPED_TRACE(fmt::format("{} devices, {}", devices, fmt::join(settings, ", ")));
      Plain<3, true> plain({5, 4, 41}, {Border::periodic, Border::fixed, Border::fixed});
      mass::Mass mass = makeMass(devices, 0, {}, settings);
      auto places = create<3, true>(mass, plain);
      const auto begin = [&] {  // also sets the elements of solid places
        places.callAll<&P::begin>();
        plain.begin();
      };
      for (const int steps : {1, 2, 3, 1, 150, 2}) {  // GPUs run 150 steps as one graph
        places.callAll<&P::advance>(mass::steps(steps));
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
struct TwoVelocities {
  MASS_FN static constexpr mass::Offset<2> velocity(int k) { return {0, k == 0 ? 1 : -1}; }
};
class LargeElements : public mass::Place<2> {
 public:
  Wide f[2] = {};
  using Attributes = mass::Attributes<mass::streamed<&LargeElements::f, TwoVelocities>>;
  MASS_FN void set(const mass::Here<2>& here) {
    f[0].numbers[8] = static_cast<double>(here.index());
  }
  MASS_FN void go(const mass::Streaming<LargeElements>&) {}
};
TEST(Streaming, SupportsElementsLargerThanACacheLine) {
  mass::Mass mass = makeMass(1, 0, {}, {"streaming=in_place"});
  auto places = mass.createPlaces<LargeElements>({2, 3});
  places.callAll<&LargeElements::set>();
  places.callAll<&LargeElements::go>(mass::steps(4));
  std::vector<double> there;
  for (const auto& f : places.download<&LargeElements::f>()) there.push_back(f[0].numbers[8]);
  EXPECT_EQ(there, (std::vector<double>{2, 0, 1, 5, 3, 4}));
}

/// Velocities without an opposite one, or of two places.
struct NoOpposites {
  MASS_FN static constexpr mass::Offset<2> velocity(int k) {
    return {k == 1 ? 1 : 0, k == 0 ? 1 : k == 2 ? 2 : k == 3 ? -2 : 0};
  }
};
class NoBounceBack : public mass::Place<2> {
 public:
  static constexpr int reach = 2;
  std::int32_t f[4] = {0, 0, 0, 0};
  using Attributes = mass::Attributes<mass::streamed<&NoBounceBack::f, NoOpposites>>;
  MASS_FN void set(const mass::Here<2>& here) {
    for (int k = 0; k < 4; ++k) f[k] = static_cast<std::int32_t>(10 * here.index()) + k;
  }
  MASS_FN void go(const mass::Streaming<NoBounceBack>&) {}
};
TEST(Streaming, PullsFromOutsideWithoutAnOppositeVelocity) {
  NoBounceBack outside;
  for (int k = 0; k < 4; ++k) outside.f[k] = 1000 + k;
  mass::Mass mass = makeMass(2);
  auto places =
      mass.createPlaces<NoBounceBack>({2, 3}, mass::borders<NoBounceBack>(Border::fixed, outside));
  places.callAll<&NoBounceBack::set>();
  places.callAll<&NoBounceBack::go>();
  using Four = std::array<std::int32_t, 4>;
  const std::vector<Four> expected{{1000, 1001, 1002, 23}, {0, 1001, 1002, 1003},
                                   {10, 1001, 2, 1003},    {1000, 1, 1002, 53},
                                   {30, 11, 1002, 1003},   {40, 21, 32, 1003}};
  EXPECT_EQ(places.download<&NoBounceBack::f>(), expected);
}

/// flowCell() depends on a constant that is not marked mostlyDefault, beside one that is. Threads
/// of GPUs process several rows or columns of these places.
class TwoConstants : public mass::Place<2> {
 public:
  static constexpr std::size_t size = Velocities<2>::size;
  std::uint8_t unused = 0;
  mass::FlowCell kind = mass::FlowCell::interior;
  std::uint32_t f[size] = {};
  using Attributes = mass::Attributes<mass::mostlyDefault<&TwoConstants::unused>,
                                      mass::constant<&TwoConstants::kind>,
                                      mass::streamed<&TwoConstants::f, Velocities<2>>>;
  MASS_FN mass::FlowCell flowCell() const { return kind; }
  MASS_FN void set(const mass::Here<2>& here) { write(static_cast<std::uint32_t>(here.index())); }
  MASS_FN void write(std::uint32_t number) {
    for (std::uint32_t k = 0; k < Velocities<2>::size; ++k) f[k] = number * 100U + k;
  }
  MASS_FN void go(const mass::Streaming<TwoConstants>&) { collide(); }
  MASS_FN void collide() {
    for (std::uint32_t k = 0; k < Velocities<2>::size; ++k) f[k] = f[k] * 3U + k;
  }
};
TEST(Streaming, BouncesBackByAConstantThatIsNotMostlyDefault) {
  const Plain<2, true> plain({6, 21}, {Border::periodic, Border::periodic});
  std::vector<TwoConstants> expected(plain.places.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i].write(static_cast<std::uint32_t>(i));
  for (int step = 0; step < 3; ++step) {
    const std::vector<TwoConstants> before = expected;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (int k = 0; k < Velocities<2>::size; ++k) {
        const auto* const from = plain.source(i, k);
        const bool isBack = from->kind == mass::FlowCell::solid;
        const auto source = static_cast<std::size_t>(from - plain.places.data());
        expected[i].f[k] = before[isBack ? i : source].f[isBack ? plain.opposite(k) : k];
      }
      expected[i].collide();
      if (plain.places[i].kind == mass::FlowCell::solid) expected[i] = {};
    }
  }
  std::vector<std::array<std::uint32_t, Velocities<2>::size>> values;
  for (const TwoConstants& one : expected)
    std::copy_n(one.f, one.size, values.emplace_back().begin());
  auto settings = streamingSettings();
  if (mass::testing::testBackend() == "cuda") {
    for (const char* const tile : {"tile=1x4x32x2", "tile=4x1x32x2"})
      settings.push_back({"streaming=two_buffers", tile});
  }
  for (const auto& way : settings) {
    mass::Mass mass = makeMass(2, 0, {}, way);
    auto places = mass.createPlaces<TwoConstants>({6, 21});
    places.upload<&TwoConstants::kind>(plain.kinds());
    places.callAll<&TwoConstants::set>();
    places.callAll<&TwoConstants::go>(mass::steps(3));
    EXPECT_EQ(places.download<&TwoConstants::f>(), values)
        << fmt::format("{}", fmt::join(way, ", "));
  }
}

TEST(Streaming, AllocatesOneBufferForTheAaPattern) {
  const auto bytesWith = [](const char* streaming) {
    const Plain<3, false> plain({64, 9, 32}, std::vector<Border>(3, Border::periodic));
    mass::Mass mass = makeMass(2, 0, {}, {fmt::format("streaming={}", streaming)});
    auto places = create<3, false>(mass, plain);
    places.callAll<&StreamingPlace<3, false>::advance>(mass::steps(3));
    return places.bytes();
  };
  // 54 bytes of a place are streamed, 9 bytes are written without streaming.
  EXPECT_LT(static_cast<double>(bytesWith("in_place")),
            0.6 * static_cast<double>(bytesWith("two_buffers")));
}

TEST(Streaming, AllocatesOneBufferIfTwoDoNotFit) {
  if (mass::testing::testBackend() != "cuda") GTEST_SKIP() << "CPUs always use one buffer";
  using P = StreamingPlace<3, false>;
  // 54 bytes of a place are streamed, 9 bytes are double-buffered, 1 byte is constant. Two buffers
  // would need 1.2 times the free memory, one buffer needs 0.7 of it.
  const auto free = static_cast<double>(mass::detail::openGpus({0}).front()->freeBytes());
  const auto rows = static_cast<std::int64_t>(free * 1.2 / (127 * 1024 * 1024));
  mass::Mass mass = makeMass(1);
  auto places = mass.createPlaces<P>({rows, 1022, 1022});
  places.callAll<&P::advance>(mass::steps(2));
  EXPECT_LT(static_cast<double>(places.bytes()), free);
  EXPECT_NE(messageOf<mass::DeviceError>([&] {
              places.callAll<&P::advanceWithNeighborhood>();
            }).find("a second"),
            std::string::npos);
}

TEST(Streaming, ContinuesAfterRepartition) {
  if (!haveDevices(3)) GTEST_SKIP() << "needs 3 devices";
  for (const std::vector<int>& devices : std::vector<std::vector<int>>{{3}, {1, 1, 1}, {2, 1}}) {
    mass::testing::onRanks({.devices = devices}, [](mass::Mass& mass) {
      const std::vector<Border> borders{Border::periodic, Border::fixed, Border::periodic};
      Plain<3, true> plain({9, 4, 6}, borders);
      auto places = create<3, true>(mass, plain);
      for (const auto& rows : {std::vector<std::int64_t>{1, 7, 1}, {5, 1, 3}, {2, 2, 5}}) {
        mass.repartition(places, rows);
        places.callAll<&StreamingPlace<3, true>::advance>(mass::steps(3));
        for (int i = 0; i < 3; ++i) plain.step(false);
        expectSame<3, true>(places, plain);
      }
    });
  }
}

TEST(Streaming, IsNotInPlaceOnRanks) {
  mass::testing::onRanks({.devices = {1, 1}, .more = {"streaming=in_place"}}, [](mass::Mass& mass) {
    using P = StreamingPlace<2, false>;
    const std::string message = messageOf<mass::SettingsError>([&] {
      (void)mass.createPlaces<P>({4, 4});
    });
    EXPECT_TRUE(mass::testing::contains(message, "two_buffers"));
  });
}

}  // namespace
