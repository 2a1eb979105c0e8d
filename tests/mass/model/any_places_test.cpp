#include <mass/mass.hpp>

#include <gtest/gtest.h>
#include <tests/support/make_mass.hpp>
#include <tests/support/temporary_folder.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace {

using mass::detail::ElementType;

enum class Soil : std::uint8_t { sand, loam };

template <int D>
class Field : public mass::Place<D> {
 public:
  double height = 1.5;
  std::array<float, 3> flow{1, 2, 3};
  bool isWet = true;
  Soil soil = Soil::loam;
  float depth = 0.25F;
  using Attributes = mass::Attributes<&Field::height, &Field::flow, &Field::isWet, &Field::soil,
                                      mass::stored<&Field::depth, mass::Half<4>>>;

  MASS_FN void grow() { height += isWet ? 2 : 1; }
  MASS_FN double volume() const { return height * 2; }
  using Rules = mass::Rules<&Field::grow, &Field::volume>;
};

class Bit : public mass::Place<2> {
 public:
  bool isOn = false;
  using Attributes = mass::Attributes<mass::stored<&Bit::isOn, mass::Bits>>;
};

class Animal : public mass::Agent<Field<2>> {
 public:
  std::array<double, 2> position{0, 0};
  std::int32_t age = 0;
  using Attributes = mass::Attributes<&Animal::position, &Animal::age>;
};

/// Returns 0, 1, 2, ...
template <class T>
std::vector<T> count(std::size_t values, T first = 0) {
  std::vector<T> numbers(values);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

TEST(AnyPlaces, ListTheAttributesOfTheirClass) {
  auto mass = mass::testing::makeMass(2);
  mass.createPlaces<Field<3>>({4, 3, 2});
  ASSERT_EQ(mass.places().size(), 1U);
  const mass::AnyPlaces places = mass.places().front();
  EXPECT_EQ(places.name(), "Field<3>");
  EXPECT_EQ(places.shape(), (std::vector<std::int64_t>{4, 3, 2}));
  EXPECT_EQ(places.size(), 24);
  EXPECT_EQ(places.rules(), (std::vector<std::string>{"grow", "volume"}));
  const auto attributes = places.attributes();
  ASSERT_EQ(attributes.size(), 5U);
  const auto expect = [&](std::size_t i, const std::string& name, ElementType type,
                          std::size_t bytes, int components) {
    EXPECT_EQ(attributes[i].name, name);
    EXPECT_EQ(attributes[i].type, type) << name;
    EXPECT_EQ(attributes[i].bytes, bytes) << name;
    EXPECT_EQ(attributes[i].components, components) << name;
    EXPECT_EQ(attributes[i].isArray, components > 1) << name;
  };
  expect(0, "height", ElementType::float64, 8, 1);
  expect(1, "flow", ElementType::float32, 4, 3);
  expect(2, "isWet", ElementType::boolean, 1, 1);
  expect(3, "soil", ElementType::uint8, 1, 1);
  expect(4, "depth", ElementType::float32, 4, 1);  // the type of the member, not of its Half
}

/// Writes and reads all attributes of a world, and compares them with those of its own class.
template <int D>
void expectCopies(mass::Shape<D> shape, int devices) {
  SCOPED_TRACE(::testing::Message() << D << " axes, " << devices << " devices");
  auto mass = mass::testing::makeMass(devices);
  const auto typed = mass.createPlaces<Field<D>>(shape);
  const mass::AnyPlaces any = mass.places().front();
  const auto size = static_cast<std::size_t>(typed.size());
  any.write("height", count<double>(size, 7).data());
  EXPECT_EQ(typed.template download<&Field<D>::height>(), count<double>(size, 7));
  const auto flow = count<float>(3 * size);
  any.write("flow", flow.data());  // components first
  const auto flows = typed.template download<&Field<D>::flow>();
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(flows[i][k], flow[k * size + i]);
  std::vector<float> flowRead(3 * size);
  any.read("flow", flowRead.data());
  EXPECT_EQ(flowRead, flow);
  std::vector<std::uint8_t> wet(size);
  for (std::size_t i = 0; i < size; ++i) wet[i] = i % 3 == 0 ? 1 : 0;
  any.write("isWet", wet.data());
  std::vector<std::uint8_t> wetRead(size, 9);
  any.read("isWet", wetRead.data());
  EXPECT_EQ(wetRead, wet);
  const std::vector<float> depths(size, 0.125F);  // exact as a Half
  any.write("depth", depths.data());
  EXPECT_EQ(typed.template download<&Field<D>::depth>(), depths);
  typed.template callAll<&Field<D>::grow>();
  std::vector<double> heights(size);
  any.read("height", heights.data());
  for (std::size_t i = 0; i < size; ++i)
    ASSERT_EQ(heights[i], 7 + static_cast<double>(i) + (wet[i] != 0 ? 2 : 1)) << i;
}

TEST(AnyPlaces, CopyAttributesByName) {
  for (const int devices : {1, 2, 3}) {
    if (!mass::testing::haveDevices(devices)) continue;
    expectCopies<1>({11}, devices);
    expectCopies<2>({5, 7}, devices);
    expectCopies<3>({3, 5, 4}, devices);
  }
}

TEST(AnyPlaces, CopyABox) {
  auto mass = mass::testing::makeMass(2);
  mass.createPlaces<Field<3>>({4, 5, 6});
  const mass::AnyPlaces any = mass.places().front();
  any.write("height", count<double>(120).data());
  const mass::AnyPlaces::Box box{{1, 2, 3}, {4, 4, 5}};  // over the border of the devices
  std::vector<double> part(3 * 2 * 2);
  any.read("height", box, part.data());
  std::vector<double> expected;
  for (int row = 1; row < 4; ++row)
    for (int line = 2; line < 4; ++line)
      for (int column = 3; column < 5; ++column) expected.push_back((row * 5 + line) * 6 + column);
  EXPECT_EQ(part, expected);
  for (double& value : part) value = -value;
  any.write("height", box, part.data());
  std::vector<double> all(120);
  any.read("height", all.data());
  int negative = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(std::abs(all[i]), static_cast<double>(i));
    if (all[i] < 0) ++negative;
  }
  EXPECT_EQ(negative, 12);
  any.read("height", {{1, 1, 1}, {1, 5, 6}}, nullptr);  // an empty box
}

TEST(AnyPlaces, WriteAsUploadDoes) {
  auto mass = mass::testing::makeMass(3), other = mass::testing::makeMass(1);
  const auto typed = mass.createPlaces<Field<2>>({9, 4});
  other.createPlaces<Field<2>>({9, 4});
  typed.upload<&Field<2>::height>(count<double>(36));
  other.places().front().write("height", count<double>(36).data());
  EXPECT_EQ(mass.hash(), other.hash());
}

TEST(AnyPlaces, CopyBits) {
  auto mass = mass::testing::makeMass(2);
  const auto typed = mass.createPlaces<Bit>({6, 64});
  std::vector<std::uint8_t> values(6 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 5 == 1 ? 1 : 0;
  const mass::AnyPlaces any = mass.places().front();
  any.write("isOn", values.data());
  std::vector<std::uint8_t> read(values.size());
  any.read("isOn", read.data());
  EXPECT_EQ(read, values);
  EXPECT_EQ(typed.reduce<&Bit::isOn>(mass::sum), 77);
  const std::uint8_t on[4] = {1, 1, 1, 1};
  any.write("isOn", {{2, 62}, {4, 64}}, on);
  EXPECT_EQ(typed.download<&Bit::isOn>()[2 * 64 + 63], true);
  EXPECT_THROW(any.band("isOn", 0, 0), mass::UsageError);
}

TEST(AnyPlaces, OfAMaskAreAList) {
  auto mass = mass::testing::makeMass(2);
  mass.createPlaces<Field<3>>({4, 4, 4}, std::vector<std::int64_t>{3, 17, 18, 40, 63});
  const mass::AnyPlaces any = mass.places().front();
  EXPECT_EQ(any.shape(), std::vector<std::int64_t>{5});
  any.write("height", count<double>(5).data());
  std::vector<double> middle(2);
  any.read("height", {{2}, {4}}, middle.data());
  EXPECT_EQ(middle, (std::vector<double>{2, 3}));
}

TEST(AnyPlaces, ShowTheBandOfADevice) {
  auto mass = mass::testing::makeMass(2);
  mass.createPlaces<Field<2>>({7, 5});
  const mass::AnyPlaces any = mass.places().front();
  any.write("flow", count<float>(3 * 35).data());
  std::int64_t rows = 0;
  for (int device = 0; device < 2; ++device) {
    const mass::AnyPlaces::Band band = any.band("flow", 2, device);
    EXPECT_EQ(band.first, rows);
    ASSERT_EQ(band.shape.size(), 2U);
    EXPECT_EQ(band.shape[1], 5);
    EXPECT_EQ(band.strides[1], 4);
    for (std::int64_t row = 0; row < band.shape[0] && band.gpu < 0; ++row) {
      for (std::int64_t column = 0; column < 5; ++column) {
        float value = 0;
        std::memcpy(&value,
                    static_cast<const char*>(band.data) + row * band.strides[0] + column * 4,
                    sizeof value);
        EXPECT_EQ(value, static_cast<float>(2 * 35 + (rows + row) * 5 + column));
      }
    }
    rows += band.shape[0];
  }
  EXPECT_EQ(rows, 7);
}

TEST(AnyPlaces, RefuseWhatTheyLack) {
  auto mass = mass::testing::makeMass(1);
  mass.createPlaces<Field<2>>({4, 4});
  const mass::AnyPlaces any = mass.places().front();
  const auto expect = [](const auto& action, const std::string& part) {
    try {
      action();
      ADD_FAILURE() << part;
    } catch (const mass::UsageError& error) {
      EXPECT_TRUE(mass::testing::contains(error.what(), part));
    }
  };
  double value = 0;
  expect([&] { any.read("width", &value); },
         "'Field<2>' has no attribute 'width'; it has height, flow, isWet, soil, depth");
  expect(
      [&] {
        any.read("height", {{0, 0}, {5, 1}}, &value);
      },
      "the box [0, 5) along axis 0 of 'Field<2>' is not inside [0, 4)");
  expect([&] { any.write("height", {{0, 3}, {1, 2}}, &value); }, "the box [3, 2) along axis 1");
  expect([&] { any.read("height", {{0}, {1}}, &value); }, "needs 2 coordinates");
  expect([&] { any.band("height", 0, 1); }, "no device 1: devices are 0 to 0");
  expect([&] { any.band("flow", 3, 0); }, "no component 3: they are 0 to 2");
  expect([&] { any.band("depth", 0, 0); }, "stored in another form");
}

TEST(AnyAgents, CopyAttributesByName) {
  for (const int devices : {1, 3}) {
    if (!mass::testing::haveDevices(devices)) continue;
    auto mass = mass::testing::makeMass(devices);
    const auto home = mass.createPlaces<Field<2>>({6, 4});
    const auto typed = mass.createAgents<Animal>(home, {{5, 1}, {0, 3}, {2, 2}, {2, 2}}, "animals");
    ASSERT_EQ(mass.agents().size(), 1U);
    const mass::AnyAgents any = mass.agents().front();
    EXPECT_EQ(any.name(), "animals");
    EXPECT_EQ(any.home().name(), home.name());
    EXPECT_EQ(any.size(), 4);
    EXPECT_EQ(any.attributes()[0].components, 2);
    EXPECT_TRUE(any.rules().empty());
    EXPECT_EQ(any.ids(), (std::vector<std::uint64_t>{1, 2, 3, 0}));
    EXPECT_EQ(any.coordinates(),
              (std::vector<std::vector<std::int64_t>>{{0, 2, 2, 5}, {3, 2, 2, 1}}));
    any.write("position", count<double>(8).data());
    const auto positions = typed.download<&Animal::position>();
    EXPECT_EQ(positions[1], (std::array<double, 2>{1, 5}));
    typed.upload<&Animal::age>(std::vector<std::int32_t>{4, 3, 2, 1});
    std::vector<std::int32_t> ages(4);
    any.read("age", ages.data());
    EXPECT_EQ(ages, (std::vector<std::int32_t>{4, 3, 2, 1}));
    std::int64_t agents = 0;
    for (int device = 0; device < devices; ++device) {
      const mass::AnyPlaces::Band band = any.band("age", 0, device);
      EXPECT_EQ(band.first, agents);
      for (std::int64_t i = 0; i < band.shape[0] && band.gpu < 0; ++i)
        EXPECT_EQ(static_cast<const std::int32_t*>(band.data)[i],
                  ages[static_cast<std::size_t>(agents + i)]);
      agents += band.shape[0];
    }
    EXPECT_EQ(agents, 4);
    EXPECT_THROW(any.write("weight", ages.data()), mass::UsageError);
  }
}

TEST(AnyAgents, ThatAreNoneAreCopiedToo) {
  auto mass = mass::testing::makeMass(2);
  const auto home = mass.createPlaces<Field<2>>({3, 3});
  mass.createAgents<Animal>(home, 0);
  const mass::AnyAgents any = mass.agents().front();
  any.read("age", nullptr);
  any.write("age", nullptr);
  EXPECT_TRUE(any.ids().empty());
}

}  // namespace
