#include <mass/dispatch/gpu_executor.hpp>

#include <mass/backend/gpus.hpp>
#include <mass/exchange/cuda/halo_transports.hpp>
#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Mass;

Mass makeMass(const std::string& backend, int devices, std::vector<std::string> more = {}) {
  mass::Settings settings;
  settings.set("backend=" + backend);
  settings.set(fmt::format("devices={}", devices));
  settings.set("MAX_PLACE_EXCHANGE=8");
  for (const std::string& assignment : more) settings.set(assignment);
  return Mass(settings);
}

std::uint64_t scramble(std::uint64_t value) {
  return value * 6364136223846793005U + 1442695040888963407U;
}

/// Attribute whose size is not a power of two.
struct Triple {
  std::int16_t x = 1, y = 2, z = 3;
};

/// Model whose result depends on every neighbour, component and random number.
template <int D, int Reach>
class Mixer : public mass::Place<D> {
 public:
  static constexpr int reach = Reach;
  std::uint32_t value = 7;
  std::uint8_t small[3] = {1, 2, 3};
  bool flag = true;
  std::int16_t kind = 3;
  double real = 0.5;
  Triple triple;
  using Attributes = mass::Attributes<&Mixer::value, &Mixer::small, &Mixer::flag,
                                      mass::constant<&Mixer::kind>, &Mixer::real, &Mixer::triple>;

  MASS_FN static mass::Offset<D> offset(int number) {
    mass::Offset<D> offset{};
    for (int axis = 0; axis < D; ++axis) {
      offset[axis] = number % (2 * Reach + 1) - Reach;
      number /= 2 * Reach + 1;
    }
    return offset;
  }
  static constexpr int around = D == 1   ? 2 * Reach + 1
                                : D == 2 ? (2 * Reach + 1) * (2 * Reach + 1)
                                         : (2 * Reach + 1) * (2 * Reach + 1) * (2 * Reach + 1);

  MASS_FN void mix(const mass::Neighborhood<Mixer>& near, std::uint32_t add) {
    std::uint32_t sum = add;
    double total = 0;
    for (int number = 0; number < around; ++number) {
      const Mixer other = near(offset(number));
      sum = sum * 31 + other.value + other.small[number % 3] + (other.flag ? 5U : 0U) +
            static_cast<std::uint32_t>(other.kind) + static_cast<std::uint16_t>(other.triple.z);
      total += other.real * (number + 1);
    }
    value = sum ^ near.random()();
    small[0] = static_cast<std::uint8_t>(sum >> 3);
    small[1] = static_cast<std::uint8_t>(sum >> 11);
    small[2] = static_cast<std::uint8_t>(sum >> 17);
    flag = (sum & 64) != 0;
    real = total / (1 + total * total) + static_cast<double>(sum % 7);
    triple = {triple.y, triple.z, static_cast<std::int16_t>(sum >> 5)};
  }
  /// Local rule that depends on the place and the step.
  MASS_FN void age(const mass::Here<D>& here) {
    value += static_cast<std::uint32_t>(here.index() * 3 + here.coordinates()[0]);
    small[1] ^= static_cast<std::uint8_t>(here.step());
  }
  MASS_FN void shiftValue(const mass::Neighborhood<Mixer>& near) {
    value = near(offset(0)).value + 1;
  }
  MASS_FN void gather(const mass::Neighborhood<Mixer>& near) {
    for (int i = 0; i < near.size(); ++i) value = value * 17 + near[i].value;
  }
  MASS_FN double weigh(const mass::Neighborhood<Mixer>& near, double factor) const {
    return factor * real + near(offset(around - 1)).value;
  }
  MASS_FN bool odd() const { return value % 2 == 1; }
};

template <int D, int Reach>
mass::Shape<D> shapeOf(std::array<std::int64_t, 3> extents) {
  mass::Shape<D> shape{};
  for (int axis = 0; axis < D; ++axis) shape[axis] = extents[static_cast<std::size_t>(axis)];
  return shape;
}

/// Results of a run with every kind of rule.
struct Result {
  std::uint64_t hash = 0;
  double sum = 0;
  std::vector<double> weights;
  std::vector<bool> odd;
  std::vector<std::uint32_t> values;
  friend bool operator==(const Result&, const Result&) = default;
};

template <int D, int Reach>
Result run(Mass& mass, std::array<std::int64_t, 3> extents, const std::array<Border, 3>& borders) {
  using P = Mixer<D, Reach>;
  mass::PlacesOptions<P> options;
  for (int axis = 0; axis < D; ++axis) {
    options.borders[static_cast<std::size_t>(axis)] = borders[static_cast<std::size_t>(axis)];
  }
  options.outside.value = 99;
  options.outside.real = -2;
  auto places = mass.createPlaces<P>(shapeOf<D, Reach>(extents), options);
  places.template initialise<&P::value>([](const auto& at) {
    std::uint64_t value = 1;
    for (int axis = 0; axis < D; ++axis)
      value = scramble(value + static_cast<std::uint64_t>(at[axis]));
    return static_cast<std::uint32_t>(value >> 32);
  });
  places.template callAll<&P::mix>(mass::steps(3), 5U);
  places.template callAll<&P::age>();
  places.template callAll<&P::mix>(mass::steps(2), 6U);
  places.template callAll<&P::shiftValue>(mass::steps(3), mass::writes<&P::value>);
  mass::Offset<D> low{}, high{};
  low[0] = -Reach;
  high[D - 1] = Reach;
  places.setNeighbors({low, high});
  places.template callAll<&P::gather>();
  Result result;
  result.sum = places.template reduce<&P::weigh>(mass::sum, 0.3);
  result.weights = places.template map<&P::weigh>(0.7);
  result.odd = places.template map<&P::odd>();
  result.values = places.template download<&P::value>();
  const bool isEmulated = std::getenv("EMULATED_GPUS") != nullptr;  // slow
  places.template callAll<&P::mix>(mass::steps(isEmulated ? 20 : 200), 1U);
  result.hash = mass.hash();
  return result;
}

std::vector<int> deviceCounts() {
  std::vector<int> counts;
  for (const int count : {1, 2, 3, 4, 8}) {
    if (count <= mass::detail::usableGpus()) counts.push_back(count);
  }
  return counts;
}

template <int D, int Reach>
void expectSameOnGpus(std::array<std::int64_t, 3> extents, std::array<Border, 3> borders,
                      const std::vector<std::string>& more = {}) {
  Mass cpu = makeMass("cpu", 1);
  const Result expected = run<D, Reach>(cpu, extents, borders);
  for (const int devices : deviceCounts()) {
    if (devices > extents[0]) continue;
    Mass gpu = makeMass("cuda", devices, more);
    EXPECT_EQ((run<D, Reach>(gpu, extents, borders)), expected)
        << fmt::format("{} x {} x {}, borders {} {} {}, {} GPUs", extents[0], extents[1],
                       extents[2], static_cast<int>(borders[0]), static_cast<int>(borders[1]),
                       static_cast<int>(borders[2]), devices);
  }
}

constexpr std::array<Border, 3> periodic{Border::periodic, Border::periodic, Border::periodic};
constexpr std::array<Border, 3> mixed{Border::mirrored, Border::periodic, Border::fixed};
constexpr std::array<Border, 3> fixed{Border::fixed, Border::fixed, Border::mirrored};

/// Runs with weights that rise from the first GPU to the last, and with falling ones.
void expectSameBySplitWeights(const std::string& exchange) {
  Mass cpu = makeMass("cpu", 1);
  const Result expected = run<2, 2>(cpu, {101, 33, 1}, mixed);
  for (const int devices : deviceCounts()) {
    std::vector<int> weights;
    for (int device = 0; device < devices; ++device) weights.push_back(1 + 2 * device);
    for (int order = 0; order < 2; ++order) {
      const auto setting = fmt::format("weights=[{}]", fmt::join(weights, ", "));
      Mass split = makeMass("cuda", devices, {exchange, setting});
      EXPECT_EQ((run<2, 2>(split, {101, 33, 1}, mixed)), expected) << exchange << ", " << setting;
      std::reverse(weights.begin(), weights.end());
    }
  }
}

class Gpus : public ::testing::Test {
 protected:
  void SetUp() override {
    if (mass::detail::usableGpus() == 0) GTEST_SKIP() << mass::detail::noGpuReason();
  }
};

TEST_F(Gpus, GiveTheBitsOfTheCpuIn1D) {
  for (const std::int64_t places : {1, 2, 7, 64, 1009}) {
    for (const auto& borders : {periodic, mixed, fixed}) {
      expectSameOnGpus<1, 1>({places, 1, 1}, borders);
      expectSameOnGpus<1, 3>({places, 1, 1}, borders);
    }
  }
}

TEST_F(Gpus, GiveTheBitsOfTheCpuIn2D) {
  for (const auto& extents : std::vector<std::array<std::int64_t, 3>>{{1, 1, 1},
                                                                      {1, 37, 1},
                                                                      {53, 1, 1},
                                                                      {8, 8, 1},
                                                                      {31, 257, 1},
                                                                      {300, 19, 1},
                                                                      {64, 128, 1}}) {
    for (const auto& borders : {periodic, mixed, fixed}) {
      expectSameOnGpus<2, 1>(extents, borders);
      expectSameOnGpus<2, 2>(extents, borders);
    }
  }
}

TEST_F(Gpus, GiveTheBitsOfTheCpuIn3D) {
  for (const auto& extents :
       std::vector<std::array<std::int64_t, 3>>{{1, 1, 1}, {3, 1, 5}, {9, 4, 33}, {17, 13, 11}}) {
    for (const auto& borders : {periodic, mixed, fixed}) expectSameOnGpus<3, 1>(extents, borders);
  }
  expectSameOnGpus<3, 1>({1, 65537, 1}, mixed, {"tile=1x1x32x1"});  // more lines than blocks
}

TEST_F(Gpus, GiveTheSameBitsForEveryLaunchShape) {
  for (const int rows : {1, 2, 4, 8, 16}) {
    for (const auto* block : {"32x1", "32x8", "64x4", "128x1", "256x1", "1x256", "8x2"}) {
      const auto tile = fmt::format("tile={}x1x{}", rows, block);
      expectSameOnGpus<1, 1>({1009, 1, 1}, mixed, {tile});
      expectSameOnGpus<2, 1>({67, 131, 1}, mixed, {tile});
      expectSameOnGpus<3, 1>({9, 7, 35}, mixed, {tile});
      // Lines that are long enough to be aligned.
      const auto wide = fmt::format("tile={}x4x{}", rows, block);
      expectSameOnGpus<2, 1>({19, 1603, 1}, mixed, {wide});
      expectSameOnGpus<3, 1>({5, 3, 1601}, mixed, {wide});
    }
  }
}

/// True if Mixers have a plane-sweep kernel, and the layout satisfies its alignment.
template <int Reach, int Columns>
bool canSweepPlanes(std::array<std::int64_t, 3> extents, const std::array<Border, 3>& borders) {
  using P = Mixer<3, Reach>;
  using Memory = mass::detail::PlaneCache<P, Columns, 8>;
  const mass::detail::Domain domain =
      mass::detail::domainOf<P>(shapeOf<3, Reach>(extents), borders);
  const mass::detail::Layout layout = mass::detail::Layout::of(domain, extents[0]);
  return Memory::fits && layout.pitch % Memory::unit == 0 && layout.rowStride % Memory::unit == 0 &&
         layout.origin % Memory::unit == 0;
}
template <int Reach, int Columns>
void expectSameWithPlaneSweep(std::array<std::int64_t, 3> extents, std::array<Border, 3> borders,
                              int rows, std::vector<std::string> more = {}) {
  ASSERT_TRUE((canSweepPlanes<Reach, Columns>(extents, borders))) << extents[2];
  more.push_back(fmt::format("tile={}x1x{}x8m", rows, Columns));
  expectSameOnGpus<3, Reach>(extents, borders, more);
}

// Blocks smaller and larger than the world along each axis.
TEST_F(Gpus, GiveTheSameBitsWithPlaneSweep) {
  for (const int rows : {1, 2, 8, 128}) {
    expectSameWithPlaneSweep<1, 64>({9, 3, 257}, mixed, rows);
    expectSameWithPlaneSweep<1, 128>({5, 17, 300}, periodic, rows);
  }
  expectSameWithPlaneSweep<1, 128>({1, 1, 256}, mixed, 4);
  expectSameWithPlaneSweep<2, 64>({7, 5, 259}, fixed, 4);
  for (const auto* exchange : {"exchange=copy", "exchange=host"})
    expectSameWithPlaneSweep<2, 64>({6, 2, 256}, periodic, 4, {exchange});
}

TEST_F(Gpus, GiveTheSameBitsForEveryExchangeAndSplit) {
  std::vector<std::string> exchanges{"store", "copy", "host", "auto"};
  if (mass::detail::ncclUnavailableReason().empty()) exchanges.emplace_back("nccl");
  for (const std::string& exchange : exchanges) {
    const auto setting = fmt::format("exchange={}", exchange);
    for (const auto& borders : {periodic, mixed, fixed}) {
      expectSameOnGpus<1, 3>({64, 1, 1}, borders, {setting});
      expectSameOnGpus<2, 2>({41, 77, 1}, borders, {setting});
      expectSameOnGpus<2, 2>({9, 16, 1}, borders, {setting});
      expectSameOnGpus<3, 1>({10, 6, 20}, borders, {setting});
    }
    expectSameBySplitWeights(setting);
  }
}

TEST_F(Gpus, NcclThatIsMissingIsAskedForWithWords) {
  if (mass::detail::usableGpus() < 2) GTEST_SKIP() << "needs 2 GPUs";
  if (mass::detail::ncclUnavailableReason().empty()) GTEST_SKIP() << "NCCL is available";
  try {
    makeMass("cuda", 2, {"exchange=nccl"});
    FAIL() << "not refused";
  } catch (const mass::DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("package libnccl"), std::string::npos) << error.what();
  }
}

TEST_F(Gpus, TooManyAreRefusedByNumber) {
  const int count = mass::detail::usableGpus();
  try {
    makeMass("cuda", count + 1);
    FAIL() << "not refused";
  } catch (const mass::DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find(fmt::format("{} GPUs were requested", count + 1)),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Gpus, ThatAreMoreThanRowsAreRefusedWithHowManyTheWorldCanHave) {
  const int count = mass::detail::usableGpus();
  if (count < 2) GTEST_SKIP() << "needs 2 GPUs";
  Mass mass = makeMass("cuda", 0);
  try {
    mass.createPlaces<Mixer<2, 1>>({1, 8});
    FAIL() << "not refused";
  } catch (const mass::SettingsError& error) {
    const auto says = fmt::format(
        "has only 1 row, and each of the {} devices, all GPUs of "
        "this machine, needs one: use at most 1 device",
        count);
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
}

TEST_F(Gpus, AWorldThatDoesNotFitIsRefusedWithNumbers) {
  Mass mass = makeMass("cuda", 1);
  try {
    mass.createPlaces<Mixer<2, 1>>({1 << 20, 1 << 18});
    FAIL() << "not refused";
  } catch (const mass::DeviceError& error) {
    const std::string message = error.what();
    for (const char* const part : {"a world of 1048576 x 262144 places needs ", " of them on gpu",
                                   ", which has ", " free: set 'devices' to "}) {
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
    EXPECT_EQ(message.find("weights"), std::string::npos) << message;
  }
}

TEST_F(Gpus, AWorldThatDoesNotFitTheFullestOfThemIsRefusedWithWhatThatNeeds) {
  if (mass::detail::usableGpus() < 2) GTEST_SKIP() << "needs 2 GPUs";
  Mass mass = makeMass("cuda", 2, {"weights=[1, 3]"});
  try {
    mass.createPlaces<Mixer<2, 1>>({1 << 20, 1 << 18});
    FAIL() << "not refused";
  } catch (const mass::DeviceError& error) {
    const std::string message = error.what();
    const auto number = [&](const std::string& after) {
      return std::stod(message.substr(message.find(after) + after.size()));
    };
    EXPECT_NEAR(number(" bytes, ") / number(" needs "), 0.75, 0.001) << message;
    EXPECT_NE(message.find("or more, lower its share in 'weights', or make the world smaller"),
              std::string::npos)
        << message;
  }
}

TEST_F(Gpus, ThatCannotBeMadeToReachEachOtherCopyThroughTheHost) {
#if !defined(MASS_EMULATED_GPUS)
  GTEST_SKIP() << "for emulated GPUs";
#endif
  if (mass::detail::usableGpus() < 2) GTEST_SKIP() << "needs 2 GPUs";
  ::setenv("EMULATED_GPUS_PEERS", "0", 1);
  testing::internal::CaptureStderr();
  expectSameOnGpus<2, 1>({9, 16, 1}, {Border::periodic, Border::periodic, Border::periodic});
  EXPECT_NE(testing::internal::GetCapturedStderr().find("halos are copied through the host"),
            std::string::npos);
  ::unsetenv("EMULATED_GPUS_PEERS");
}

}  // namespace
