#include <apps/rdme/model/quantity.hpp>

#include <gtest/gtest.h>
#include <tests/support/temporary_folder.hpp>

#include <string>
#include <utility>
#include <vector>

namespace rdme {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;

mass::ConfigNode treeOf(const std::string& text) {
  return {mass::ConfigNode::Kind::text, "min.yaml:7: 'model.rate'", "rate", text};
}

void expectQuantity(const std::string& text, double value, Dimension dimension) {
  const Quantity quantity = parseQuantity(text);
  EXPECT_NEAR(quantity.value / value, 1, 1e-12) << text;
  EXPECT_TRUE(quantity.dimension == dimension) << text;
}

TEST(Quantity, lengthsAndTimes) {
  expectQuantity("16 nm", 16e-9, {1, 0});
  expectQuantity("16nm", 16e-9, {1, 0});
  expectQuantity("  0.016   um  ", 16e-9, {1, 0});
  expectQuantity("1 µm", 1e-6, {1, 0});  // the micro sign
  expectQuantity("1 μm", 1e-6, {1, 0});  // the Greek letter
  expectQuantity("1 micrometer", 1e-6, {1, 0});
  expectQuantity("2 nanometre", 2e-9, {1, 0});
  expectQuantity("3 meter", 3, {1, 0});
  expectQuantity("2 cm", 0.02, {1, 0});
  expectQuantity("3 mm", 0.003, {1, 0});
  expectQuantity("50 us", 5e-5, {0, 1});
  expectQuantity("50 µs", 5e-5, {0, 1});
  expectQuantity("2 min", 120, {0, 1});
  expectQuantity("1 h", 3600, {0, 1});
  expectQuantity("2 weeks", 1209600, {0, 1});
  expectQuantity("0.5 yr", 15778800, {0, 1});
  expectQuantity("3 /a", 3 / 31557600.0, {0, -1});
  expectQuantity("5 microseconds", 5e-6, {0, 1});
  expectQuantity("7 ns", 7e-9, {0, 1});
}

TEST(Quantity, diffusionAndSpeeds) {
  for (const auto* text :
       {"2.5 um2/s", "2.5 um^2/s", "2.5 µm²/s", "2.5 um2 s-1", "2.5 um2·s^-1", "2.5 µm² s⁻¹",
        "2.5 um um/s", "2.5e-12 m2/s", "2.5e-8 cm2/s", "+2.5um2/s", "2.5 um2 / s"})
    expectQuantity(text, 2.5e-12, {2, -1});
  expectQuantity("0.0125 um/s", 1.25e-8, {1, -1});
}

TEST(Quantity, molarIsParticlesInACubicMetre) {
  // 1 M = 6.02214076e23 in 1e-3 m³.
  expectQuantity("1 M", 6.02214076e26, {-3, 0, 1});
  expectQuantity("1 uM", 6.02214076e20, {-3, 0, 1});
  expectQuantity("1 nM", 6.02214076e17, {-3, 0, 1});
  // 9.0e6 /M/s = 9.0e6 / 6.02214076e26 m³/s = 1.49448516e-20 m³/s.
  expectQuantity("9.0e6 /M/s", 9.0e6 / 6.02214076e26, {3, -1, -1});
  EXPECT_NEAR(parseQuantity("9.0e6 /M/s").value, 1.49448516e-20, 1e-27);
  for (const auto* text : {"1 M-1 s-1", "1 M⁻¹s⁻¹", "1 M^-1·s^-1", "1 /M /s", "1e-3 /mM/s",
                           "1e-6 /uM/s", "1e-9 /nM/s"})
    expectQuantity(text, 1 / 6.02214076e26, {3, -1, -1});
  expectQuantity("5 um3/s", 5e-18, {3, -1});
  expectQuantity("1 M/s", 6.02214076e26, {-3, -1, 1});
  expectQuantity("2 /um3/s", 2e18, {-3, -1});
  expectQuantity("2 particles/um3/s", 2e18, {-3, -1, 1});
  expectQuantity("3 /fL", 3e18, {-3, 0});
  expectQuantity("1 /L", 1e3, {-3, 0});
  expectQuantity("0.7 /s", 0.7, {0, -1});
  expectQuantity("6 /min", 0.1, {0, -1});
}

TEST(Quantity, numbersAreReadAsPrinted) {
  for (const auto* text : {"9e6 /s", "9.0×10⁶ s⁻¹", "9 × 10^6 /s", "9x10^6/s", "9 x 10^6 /s",
                           "9*10^6 /s", "9·10⁶ s⁻¹", "9×10^{6} 1/s", "9E6 1/s", "+9e+6 /s"})
    expectQuantity(text, 9e6, {0, -1});
  for (const auto* text :
       {"1e-12 m", "10^-12 m", "10⁻¹² m", "10^−12 m", "1 × 10⁻¹² m", "10**-12 m"})
    expectQuantity(text, 1e-12, {1, 0});
  expectQuantity("10^0 s", 1, {0, 1});
  expectQuantity("2 × 10⁰ s", 2, {0, 1});
  expectQuantity("10 s", 10, {0, 1});
  expectQuantity("\u22120.7 /s", -0.7, {0, -1});
  expectQuantity("1e\u22126\u00A0m", 1e-6, {1, 0});
  for (const auto* text : {"1e-400 s", "1 × 10⁻⁴⁰⁰ s", "-1e-400 s"})
    EXPECT_EQ(parseQuantity(text).value, 0) << text;
  EXPECT_EQ(parseQuantity("1e-320 s").value, 1e-320);
  EXPECT_EQ(parseQuantity("2.3×10⁻⁵ m").value, 2.3e-5) << "rounded once";
}

TEST(Quantity, particlesMayBeLeftOut) {
  const auto value = [](const std::string& text, const QuantityKind& kind) {
    return read(treeOf(text), kind);
  };
  EXPECT_DOUBLE_EQ(value("2 /um3", kinds::concentration),
                   value("2 particles/um3", kinds::concentration));
  EXPECT_DOUBLE_EQ(value("2 um3/s", kinds::secondOrder),
                   value("2 um3/molecule/s", kinds::secondOrder));
  EXPECT_DOUBLE_EQ(value("2 /um2/s", kinds::zerothOrderOnSurface),
                   value("2 particles/um2/s", kinds::zerothOrderOnSurface));
  // A number of particles is not left out: /mol/s is no rate of first order.
  for (const auto* text : {"1 mol/s", "1 /mol/s", "1 particles/s", "1 M", "1 /M/s"})
    EXPECT_TRUE(contains(messageOf<mass::SettingsError>([&] { value(text, kinds::firstOrder); }),
                         "this unit is that of another quantity"))
        << text;
  EXPECT_TRUE(
      contains(messageOf<mass::SettingsError>([&] { value("1 M2 m3", kinds::concentration); }),
               "this unit is that of another quantity"));
}

TEST(Quantity, rejectsInvalidText) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "expected a number and its unit"},
      {"um", "expected a number and its unit"},
      {"nan m", "expected a number and its unit"},
      {"inf m", "expected a number and its unit"},
      {"1e999 m", "the value is too large"},
      {"1e308 h", "the value is too large"},
      {"1 furlong", "unknown unit 'furlong'"},
      {"1 um2/", "unknown unit 'um2/'"},
      {"1 (um", "without a ')'"},
      {"5\u201310 uM", "unknown unit '-10 uM'"},
      {"1\u2009000 nM", "unknown unit '000 nM'"},
      {"1,000 nM", "unknown unit ',000 nM'"},
      {"0,5 s", "unknown unit ',5 s'"},
      {"~5 s", "expected a number and its unit"},
      {"2*10 um", "unknown unit '*10 um'"},
      {"2e3 x 10^2 s", "expected a number and its unit"},
      {"2 x 10^999 s", "the value is too large"},
      {"1 s-", "without a power"}};
  for (const auto& [text, message] : cases)
    EXPECT_TRUE(
        contains(messageOf<mass::InputError>([&text = text] { parseQuantity(text); }), message))
        << text;
}

TEST(Quantity, ofASettingNamesTheRightUnits) {
  EXPECT_DOUBLE_EQ(read(treeOf("16 nm"), kinds::length), 16e-9);
  const auto error = [](const std::string& text, const QuantityKind& kind) {
    return messageOf<mass::SettingsError>([&] { read(treeOf(text), kind); });
  };
  EXPECT_EQ(error("2.5", kinds::diffusion),
            "min.yaml:7: 'model.rate' = 2.5: the unit is missing; give a diffusion coefficient in "
            "um2/s, cm2/s or m2/s");
  EXPECT_EQ(error("2.5 um/s", kinds::diffusion),
            "min.yaml:7: 'model.rate' = 2.5 um/s: this unit is that of another quantity; give a "
            "diffusion coefficient in um2/s, cm2/s or m2/s");
  EXPECT_EQ(
      error("9e6 /s", kinds::secondOrder),
      "min.yaml:7: 'model.rate' = 9e6 /s: this unit is that of another quantity; give the rate "
      "of a second-order reaction in /M/s, /uM/s, /nM/s or um3/s");
  EXPECT_EQ(
      error("5 sekunden", kinds::time),
      "min.yaml:7: 'model.rate' = 5 sekunden: unknown unit 'sekunden'; give a time in ns, us, "
      "ms, s, min or h");
}

TEST(Quantity, signsAreChecked) {
  const auto error = [](auto&& action) { return messageOf<mass::SettingsError>(action); };
  EXPECT_EQ(error([] { readNotNegative(treeOf("-0.7 /s"), kinds::firstOrder); }),
            "min.yaml:7: 'model.rate' = -0.7 /s: the rate of a first-order reaction must not be "
            "negative");
  EXPECT_EQ(error([] { readPositive(treeOf("0 nm"), kinds::length); }),
            "min.yaml:7: 'model.rate' = 0 nm: a length must be above 0");
  EXPECT_DOUBLE_EQ(readNotNegative(treeOf("0 /s"), kinds::firstOrder), 0);
}

}  // namespace
}  // namespace rdme
