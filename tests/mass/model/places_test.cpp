#include "../../support/make_mass.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

using mass::Mass;
using mass::testing::makeMass;

enum class Kind : std::int16_t { dry = -300, wet = 300, hot = 7 };
struct Pair {
  float left, right;
  friend bool operator==(const Pair&, const Pair&) = default;
};

/// Place with an attribute of each kind.
class Cell : public mass::Place<2> {
 public:
  bool alive = true;
  std::int8_t small = -1;
  double large = 2.5;
  Kind kind = Kind::wet;
  Pair pair{1, 2};
  float flows[3] = {4, 5, 6};
  std::array<std::uint16_t, 2> counts{7, 8};
  std::int32_t level = 9;
  using Attributes =
      mass::Attributes<&Cell::alive, &Cell::small, &Cell::large, &Cell::kind, &Cell::pair,
                       &Cell::flows, &Cell::counts, mass::constant<&Cell::level>>;

  /// Sets every attribute to the left neighbour's plus a constant.
  MASS_FN void shift(const mass::Neighborhood<Cell>& near) {
    const Cell left = near(0, -1);
    alive = !left.alive;
    small = static_cast<std::int8_t>(left.small + 1);
    large = left.large * 2;
    kind = left.kind == Kind::wet ? Kind::dry : Kind::hot;
    pair = {left.pair.right, left.pair.left + static_cast<float>(left.level)};
    for (int k = 0; k < 3; ++k) flows[k] = left.flows[(k + 1) % 3] + 1;
    counts = {left.counts[1], static_cast<std::uint16_t>(left.counts[0] + 1)};
  }
  MASS_FN void drain(const mass::Neighborhood<Cell>& near) {
    large = near(-1, 0).large + near(0, -1).level;
  }
};

TEST(Places, StartWithTheValuesOfTheClass) {
  Mass mass = makeMass(2);
  const auto places = mass.createPlaces<Cell>({3, 2});
  EXPECT_EQ(places.download<&Cell::alive>(), std::vector<bool>(6, true));
  EXPECT_EQ(places.download<&Cell::kind>(), std::vector<Kind>(6, Kind::wet));
  EXPECT_EQ(places.download<&Cell::pair>(), std::vector<Pair>(6, Pair{1, 2}));
  EXPECT_EQ(places.download<&Cell::flows>(), (std::vector<std::array<float, 3>>(6, {4, 5, 6})));
  EXPECT_EQ(places.download<&Cell::counts>(),
            (std::vector<std::array<std::uint16_t, 2>>(6, {7, 8})));
  EXPECT_EQ(places.size(), 6);
  EXPECT_EQ(places.name(), "Cell");
  EXPECT_EQ(places.shape(), (mass::Shape<2>{3, 2}));
}

TEST(Places, AttributesOfEverySortMoveBetweenPlaces) {
  for (const int devices : {1, 3}) {
    Mass mass = makeMass(devices);
    auto places = mass.createPlaces<Cell>({3, 2});
    places.callAll<&Cell::shift>(mass::steps(2));
    EXPECT_EQ(places.download<&Cell::alive>(), std::vector<bool>(6, true));
    EXPECT_EQ(places.download<&Cell::small>(), std::vector<std::int8_t>(6, 1));
    EXPECT_EQ(places.download<&Cell::large>(), std::vector<double>(6, 10));
    EXPECT_EQ(places.download<&Cell::kind>(), std::vector<Kind>(6, Kind::hot));
    EXPECT_EQ(places.download<&Cell::pair>(), std::vector<Pair>(6, Pair{10, 11}));
    EXPECT_EQ(places.download<&Cell::flows>(), (std::vector<std::array<float, 3>>(6, {8, 6, 7})));
    EXPECT_EQ(places.download<&Cell::counts>(),
              (std::vector<std::array<std::uint16_t, 2>>(6, {8, 9})));
    EXPECT_EQ(places.download<&Cell::level>(), std::vector<std::int32_t>(6, 9));
  }
}

TEST(Places, UploadAndDownloadAreRowMajorWhateverTheSort) {
  Mass mass = makeMass(3);
  auto places = mass.createPlaces<Cell>({5, 3});
  std::vector<bool> alive(15);
  std::vector<Kind> kinds(15, Kind::dry);
  std::vector<Pair> pairs;
  std::vector<std::array<float, 3>> flows;
  std::vector<std::int32_t> levels;
  for (int i = 0; i < 15; ++i) {
    const auto x = static_cast<float>(i);
    alive[static_cast<std::size_t>(i)] = i % 3 == 1;
    pairs.push_back({x, -x});
    flows.push_back({x, 100 + x, 200 + x});
    levels.push_back(i * i);
  }
  kinds[7] = Kind::hot;
  places.upload<&Cell::alive>(alive);
  places.upload<&Cell::kind>(kinds);
  places.upload<&Cell::pair>(pairs);
  places.upload<&Cell::flows>(flows);
  places.upload<&Cell::level>(levels);
  EXPECT_EQ(places.download<&Cell::alive>(), alive);
  EXPECT_EQ(places.download<&Cell::kind>(), kinds);
  EXPECT_EQ(places.download<&Cell::pair>(), pairs);
  EXPECT_EQ(places.download<&Cell::flows>(), flows);
  EXPECT_EQ(places.download<&Cell::level>(), levels);
  EXPECT_EQ(places.step(), 0U) << "setting values is no step";
}

/// Place that stores its row-major index.
template <int D>
class Numbered : public mass::Place<D> {
 public:
  std::int64_t number = 0;
  std::int16_t three[3] = {0, 0, 0};
  using Attributes = mass::Attributes<&Numbered::number, &Numbered::three>;

  MASS_FN void count(const mass::Here<D>& here) {
    number = here.index();
    for (int k = 0; k < 3; ++k) three[k] = static_cast<std::int16_t>(100 * k + number);
  }
};

template <int D>
std::vector<std::int64_t> numbersIn(const mass::Places<Numbered<D>>& places,
                                    const mass::Coordinates<D>& low,
                                    const mass::Coordinates<D>& high) {
  std::vector<std::int64_t> numbers;
  for (const auto& place : places.download(low, high)) {
    numbers.push_back(place.number);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(place.three[k], 100 * k + place.number);
  }
  return numbers;
}

TEST(Places, DownloadABox) {
  using Numbers = std::vector<std::int64_t>;
  for (const int devices : {1, 2, 3, 5}) {
    Mass mass = makeMass(devices);
    const auto line = mass.createPlaces<Numbered<1>>({7}, {.name = "line"});
    const auto plane = mass.createPlaces<Numbered<2>>({5, 3}, {.name = "plane"});
    const auto space = mass.createPlaces<Numbered<3>>({5, 4, 3}, {.name = "space"});
    line.callAll<&Numbered<1>::count>();
    plane.callAll<&Numbered<2>::count>();
    space.callAll<&Numbered<3>::count>();
    EXPECT_EQ(numbersIn<1>(line, {2}, {6}), (Numbers{2, 3, 4, 5}));
    EXPECT_EQ(numbersIn<2>(plane, {1, 1}, {5, 2}), (Numbers{4, 7, 10, 13}));
    EXPECT_EQ(numbersIn<3>(space, {3, 1, 1}, {5, 3, 3}), (Numbers{40, 41, 43, 44, 52, 53, 55, 56}));
    EXPECT_EQ(numbersIn<3>(space, {4, 3, 2}, {5, 4, 3}), Numbers{59});
    EXPECT_EQ(numbersIn<2>(plane, {1, 1}, {5, 1}), Numbers{});
    EXPECT_EQ(numbersIn<2>(plane, {0, 0}, {5, 3}).size(), 15U);
    EXPECT_THROW((void)plane.download({0, 0}, {5, 4}), mass::UsageError);
    EXPECT_THROW((void)plane.download({-1, 0}, {5, 3}), mass::UsageError);
    EXPECT_THROW((void)plane.download({3, 0}, {2, 3}), mass::UsageError);
  }
}

// A constant attribute may be set from outside between calls, and neighbours see the new value.
TEST(Places, ReadersSeeValuesSetBetweenCallsBehindDeviceBordersToo) {
  for (const int devices : {1, 2, 4}) {
    Mass mass = makeMass(devices);
    auto places = mass.createPlaces<Cell>({4, 3});
    places.callAll<&Cell::drain>();
    EXPECT_EQ(places.download<&Cell::large>(), std::vector<double>(12, 11.5));
    places.initialise<&Cell::level>([](const auto&) { return 1; });
    places.initialise<&Cell::large>([](const auto& at) { return static_cast<double>(at[0]); });
    places.callAll<&Cell::drain>();
    EXPECT_EQ(places.download<&Cell::large>(),
              (std::vector<double>{4, 4, 4, 1, 1, 1, 2, 2, 2, 3, 3, 3}));
  }
}

TEST(Places, UploadOfTheWrongNumberOfValuesNamesAttributeAndNumbers) {
  Mass mass = makeMass(1);
  auto places = mass.createPlaces<Cell>({3, 2});
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{5}, std::size_t{7}}) {
    try {
      places.upload<&Cell::small>(std::vector<int>(wrong));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const mass::UsageError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("'small'"), std::string::npos) << message;
      EXPECT_NE(message.find("6 places"), std::string::npos) << message;
      EXPECT_NE(message.find(std::to_string(wrong)), std::string::npos) << message;
    }
  }
  EXPECT_EQ(places.download<&Cell::small>(), std::vector<std::int8_t>(6, -1));
}

TEST(Places, InitialiseGivesEveryPlaceItsOwnCoordinates) {
  Mass mass = makeMass(2);
  auto places = mass.createPlaces<Cell>({3, 4});
  places.initialise<&Cell::large>(
      [](const mass::Coordinates<2>& at) { return static_cast<double>(10 * at[0] + at[1]); });
  EXPECT_EQ(places.download<&Cell::large>(),
            (std::vector<double>{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}));
  places.initialise<&Cell::alive>([](const auto& at) { return at[1] == 2; });
  EXPECT_EQ(places.download<&Cell::alive>()[6], true);
  EXPECT_EQ(places.download<&Cell::alive>()[7], false);
  places.initialise<&Cell::flows>([](const auto& at) {
    return std::array<float, 3>{static_cast<float>(at[0]), static_cast<float>(at[1]), 0};
  });
  EXPECT_EQ(places.download<&Cell::flows>()[11], (std::array<float, 3>{2, 3, 0}));
  // Values of any arithmetic type are converted to the type of the attribute.
  places.initialise<&Cell::small>([](const auto& at) { return at[0] - at[1]; });
  EXPECT_EQ(places.download<&Cell::small>()[3], -3);
  places.initialise<&Cell::alive>([](const auto& at) { return 256 * at[1]; });
  EXPECT_EQ(places.download<&Cell::alive>()[0], false);
  EXPECT_EQ(places.download<&Cell::alive>()[1], true);
  places.initialise<&Cell::alive>([](const auto& at) { return 0.5 * static_cast<double>(at[0]); });
  EXPECT_EQ(places.download<&Cell::alive>()[3], false);
  EXPECT_EQ(places.download<&Cell::alive>()[4], true);
}

TEST(Places, CopiesOfAHandleMeanTheSamePlacesAndOutliveTheMass) {
  auto mass = std::make_unique<Mass>(makeMass(2));
  auto places = mass->createPlaces<Cell>({3, 2});
  auto copy = places;
  mass.reset();
  copy.callAll<&Cell::shift>();
  EXPECT_EQ(places.download<&Cell::small>(), std::vector<std::int8_t>(6, 0));
  EXPECT_EQ(places.hash(), copy.hash());
}

TEST(Places, TwoBuffersOnlyForWhatRulesWithNeighboursWrite) {
  Mass mass = makeMass(1);
  auto places = mass.createPlaces<Cell>({64, 64});
  const std::size_t bytes = places.bytes();
  places.callAll<&Cell::drain>(mass::writes<&Cell::large>);
  EXPECT_LE(places.bytes() - bytes, 8U * 66 * 68 + 64);  // GPUs have lines of whole 32 bytes
  EXPECT_GE(places.bytes() - bytes, 8U * 66 * 66);
  places.callAll<&Cell::shift>();
  const std::size_t both = places.bytes();
  places.callAll<&Cell::shift>(mass::steps(3));
  EXPECT_EQ(places.bytes(), both);
  // Every attribute except the constant level has two buffers.
  EXPECT_EQ(both, 2 * bytes - bytes * 4 / (1 + 1 + 8 + 2 + 8 + 12 + 4 + 4));
}

TEST(Places, ReserveAllocatesTheBuffersOfARule) {
  Mass mass = makeMass(2), other = makeMass(2);
  auto places = mass.createPlaces<Cell>({64, 64}), others = other.createPlaces<Cell>({64, 64});
  places.reserve<&Cell::shift>();
  const std::size_t bytes = places.bytes();
  EXPECT_GT(bytes, others.bytes());
  for (const auto& each : {places, others}) each.callAll<&Cell::shift>(mass::steps(3));
  EXPECT_EQ(places.bytes(), bytes);
  EXPECT_EQ(others.bytes(), bytes);
  EXPECT_EQ(places.hash(), others.hash());
}

}  // namespace
