#include <mass/kernels/components.hpp>
#include <mass/kernels/member_check.hpp>
#include <mass/rules/place.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace elsewhere {
template <class T>
class Cell : public mass::Place<1> {
 public:
  T amount{};
  using Attributes = mass::Attributes<&Cell::amount>;
};
}  // namespace elsewhere

namespace {

enum class Kind : std::uint16_t { dry, wet };
struct Pair {
  float left, right;
};

class Everything : public mass::Place<2> {
 public:
  bool alive = true;
  std::int8_t small = -1;
  double large = 2.5;
  Kind kind = Kind::wet;
  Pair pair{1, 2};
  float flows[3] = {4, 5, 6};
  std::array<std::int64_t, 2> counts{7, 8};
  using Attributes = mass::Attributes<&Everything::alive, &Everything::small, &Everything::large,
                                      mass::constant<&Everything::kind>, &Everything::pair,
                                      &Everything::flows, &Everything::counts>;
};

using AllSlots = mass::detail::AttributeSlots<Everything>;
template <auto Member>
using Slot = mass::detail::AttributeSlotFor<Everything, Member>;

static_assert(AllSlots::attributes == 7);
static_assert(AllSlots::components == 5 + 3 + 2);
static_assert(Slot<&Everything::alive>::first == 0);
static_assert(Slot<&Everything::pair>::first == 4);
static_assert(Slot<&Everything::flows>::first == 5 && Slot<&Everything::flows>::count == 3);
static_assert(Slot<&Everything::counts>::first == 8 && Slot<&Everything::counts>::count == 2);
static_assert(Slot<&Everything::kind>::isConstant && !Slot<&Everything::flows>::isConstant);
static_assert(Slot<&Everything::flows>::isArray && Slot<&Everything::counts>::isArray &&
              !Slot<&Everything::pair>::isArray);
static_assert(std::is_same_v<Slot<&Everything::counts>::Element, std::int64_t>);
static_assert(mass::detail::sameMember<&Everything::alive, &Everything::alive>);
static_assert(!mass::detail::sameMember<&Everything::alive, &Everything::small>);

// Bytes that belong to no member hold anything: hashes would depend on it.
struct Gap {
  char first;
  double second;
};
struct Tail {
  Pair pair;
  double value;
  char last;
};
struct Filled {
  Pair pair[2];
  char first = 1;
  char rest[3] = {};
};
using mass::detail::WithoutPadding;
static_assert(WithoutPadding<Pair> && WithoutPadding<Filled> && WithoutPadding<Kind>);
static_assert(WithoutPadding<bool> && WithoutPadding<double>);
static_assert(!WithoutPadding<long double>);
#ifndef __CUDACC__  // the front end of nvcc 13.0 sees no padding; the host compiler behind it does
static_assert(!WithoutPadding<Gap> && !WithoutPadding<Tail>);
#endif

template <class P>
constexpr bool complete = mass::detail::listsEveryMember<P, mass::Place<P::dimensions>>();

static_assert(complete<Everything>);
static_assert(complete<elsewhere::Cell<double>>);

template <int N>
struct LeftOut;

// One left out: at the front, in the middle, at the end, in padding, an array, of several kinds.
template <>
struct LeftOut<0> : mass::Place<1> {
  int a = 0;
  int b = 0;
  using Attributes = mass::Attributes<&LeftOut::b>;
};
template <>
struct LeftOut<1> : mass::Place<1> {
  int a = 0;
  bool b = false;
  double c = 0;
  using Attributes = mass::Attributes<&LeftOut::a, &LeftOut::c>;
};
template <>
struct LeftOut<2> : mass::Place<1> {
  double a = 0;
  bool b = false;
  bool c = false;
  using Attributes = mass::Attributes<&LeftOut::a, &LeftOut::b>;
};
template <>
struct LeftOut<3> : mass::Place<1> {
  float a[4] = {};
  float b[2] = {};
  using Attributes = mass::Attributes<&LeftOut::a>;
};
template <>
struct LeftOut<4> : mass::Place<1> {
  std::array<float, 2> a{};
  Pair b{};
  using Attributes = mass::Attributes<&LeftOut::a>;
};
template <>
struct LeftOut<5> : mass::Place<3> {
  Kind a{};
  bool b[1] = {};
  using Attributes = mass::Attributes<mass::constant<&LeftOut::a>>;
};
static_assert(!complete<LeftOut<0>> && !complete<LeftOut<1>> && !complete<LeftOut<2>>);
static_assert(!complete<LeftOut<3>> && !complete<LeftOut<4>> && !complete<LeftOut<5>>);

struct Twice : mass::Place<1> {
  int a = 0;
  int b = 0;
  using Attributes = mass::Attributes<&Twice::a, &Twice::a>;
};
static_assert(!complete<Twice>, "listed twice does not count for two");

// A class with a constructor is judged by its size.
class Constructed : public mass::Place<2> {
 public:
  Constructed() : a(1) {}
  int a;
  double b = 0;
  using Attributes = mass::Attributes<&Constructed::a, &Constructed::b>;
};
class ConstructedLeftOut : public mass::Place<2> {
 public:
  ConstructedLeftOut() : a(1) {}
  int a;
  double b = 0;
  using Attributes = mass::Attributes<&ConstructedLeftOut::b>;
};
static_assert(complete<Constructed> && !complete<ConstructedLeftOut>);

TEST(Attributes, AreNamedAsInTheSource) {
  EXPECT_EQ(mass::detail::memberName<&Everything::alive>(), "alive");
  EXPECT_EQ(mass::detail::memberName<&Everything::flows>(), "flows");
  EXPECT_EQ(mass::detail::memberName<&elsewhere::Cell<double>::amount>(), "amount");
  EXPECT_EQ(mass::detail::typeName<Everything>(), "Everything");
  EXPECT_EQ(mass::detail::typeName<elsewhere::Cell<double>>(), "Cell<double>");
  EXPECT_EQ(mass::detail::typeName<elsewhere::Cell<elsewhere::Cell<float>>>().substr(0, 5),
            "Cell<");
  class Local : public mass::Place<1> {};
  EXPECT_EQ(mass::detail::typeName<Local>(), "Local");
}

TEST(Attributes, AreDescribedForFiles) {
  using mass::detail::ElementType;
  const auto all = mass::detail::attributesOf<Everything>();
  ASSERT_EQ(all.size(), 7U);
  const std::vector<std::string> names = {"alive", "small", "large", "kind",
                                          "pair",  "flows", "counts"};
  const std::vector<ElementType> types = {
      ElementType::boolean, ElementType::int8,    ElementType::float64, ElementType::uint16,
      ElementType::opaque,  ElementType::float32, ElementType::int64};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].name, names[i]);
    EXPECT_EQ(all[i].type, types[i]) << names[i];
  }
  EXPECT_EQ(all[4].elementSize, 8U);
  EXPECT_EQ(all[5].firstComponent, 5);
  EXPECT_EQ(all[5].components, 3);
}

template <class T>
T valueOf(const std::vector<char>& bytes) {
  T value{};
  EXPECT_EQ(bytes.size(), sizeof(value));
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(value)));
  return value;
}

TEST(Attributes, EachComponentKnowsItsValues) {
  const Everything initial;
  Everything outside;
  outside.flows[2] = -6;
  const auto components = mass::detail::componentsOf(initial, outside);
  ASSERT_EQ(components.size(), 10U);
  EXPECT_EQ(components[0].elementSize, 1U);
  EXPECT_EQ(components[9].elementSize, 8U);
  EXPECT_EQ(valueOf<float>(components[7].initial), 6);
  EXPECT_EQ(valueOf<float>(components[7].outside), -6);
  EXPECT_EQ(valueOf<std::int64_t>(components[9].initial), 8);
}

}  // namespace
