// Units against a table of their values, written independently of the program's.
#include <apps/rdme/model/unit.hpp>

#include <gtest/gtest.h>
#include <mass/mass.hpp>
#include <tests/support/temporary_folder.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rdme {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;

struct Entry {
  double value;
  Dimension dimension;
};

/// Every name of a unit. Values: SI brochure; 1 mol = 6.02214076e23; 1 L = 1e-3 m³; a
/// year is a Julian one, of 365.25 days of 86400 s.
const std::map<std::string, Entry> table{{"km", {1000, {1, 0, 0}}},
                                         {"m", {1, {1, 0, 0}}},
                                         {"dm", {0.1, {1, 0, 0}}},
                                         {"cm", {0.01, {1, 0, 0}}},
                                         {"mm", {0.001, {1, 0, 0}}},
                                         {"um", {1e-6, {1, 0, 0}}},
                                         {"\u00B5m", {1e-6, {1, 0, 0}}},
                                         {"\u03BCm", {1e-6, {1, 0, 0}}},
                                         {"micron", {1e-6, {1, 0, 0}}},
                                         {"microns", {1e-6, {1, 0, 0}}},
                                         {"nm", {1e-9, {1, 0, 0}}},
                                         {"A", {1e-10, {1, 0, 0}}},
                                         {"\u00C5", {1e-10, {1, 0, 0}}},
                                         {"\u212B", {1e-10, {1, 0, 0}}},
                                         {"A\u030A", {1e-10, {1, 0, 0}}},
                                         {"Angstrom", {1e-10, {1, 0, 0}}},
                                         {"angstrom", {1e-10, {1, 0, 0}}},
                                         {"pm", {1e-12, {1, 0, 0}}},
                                         {"fm", {1e-15, {1, 0, 0}}},
                                         {"fs", {1e-15, {0, 1, 0}}},
                                         {"ps", {1e-12, {0, 1, 0}}},
                                         {"ns", {1e-9, {0, 1, 0}}},
                                         {"us", {1e-6, {0, 1, 0}}},
                                         {"\u00B5s", {1e-6, {0, 1, 0}}},
                                         {"\u03BCs", {1e-6, {0, 1, 0}}},
                                         {"ms", {0.001, {0, 1, 0}}},
                                         {"s", {1, {0, 1, 0}}},
                                         {"nsec", {1e-9, {0, 1, 0}}},
                                         {"usec", {1e-6, {0, 1, 0}}},
                                         {"\u00B5sec", {1e-6, {0, 1, 0}}},
                                         {"msec", {0.001, {0, 1, 0}}},
                                         {"sec", {1, {0, 1, 0}}},
                                         {"psec", {1e-12, {0, 1, 0}}},
                                         {"fsec", {1e-15, {0, 1, 0}}},
                                         {"secs", {1, {0, 1, 0}}},
                                         {"msecs", {0.001, {0, 1, 0}}},
                                         {"usecs", {1e-6, {0, 1, 0}}},
                                         {"\u00B5secs", {1e-6, {0, 1, 0}}},
                                         {"nsecs", {1e-9, {0, 1, 0}}},
                                         {"psecs", {1e-12, {0, 1, 0}}},
                                         {"fsecs", {1e-15, {0, 1, 0}}},
                                         {"millisecond", {0.001, {0, 1, 0}}},
                                         {"milliseconds", {0.001, {0, 1, 0}}},
                                         {"microsecond", {1e-6, {0, 1, 0}}},
                                         {"microseconds", {1e-6, {0, 1, 0}}},
                                         {"nanosecond", {1e-9, {0, 1, 0}}},
                                         {"nanoseconds", {1e-9, {0, 1, 0}}},
                                         {"picosecond", {1e-12, {0, 1, 0}}},
                                         {"picoseconds", {1e-12, {0, 1, 0}}},
                                         {"femtosecond", {1e-15, {0, 1, 0}}},
                                         {"femtoseconds", {1e-15, {0, 1, 0}}},
                                         {"second", {1, {0, 1, 0}}},
                                         {"seconds", {1, {0, 1, 0}}},
                                         {"min", {60, {0, 1, 0}}},
                                         {"mins", {60, {0, 1, 0}}},
                                         {"minute", {60, {0, 1, 0}}},
                                         {"minutes", {60, {0, 1, 0}}},
                                         {"h", {3600, {0, 1, 0}}},
                                         {"hr", {3600, {0, 1, 0}}},
                                         {"hrs", {3600, {0, 1, 0}}},
                                         {"hour", {3600, {0, 1, 0}}},
                                         {"hours", {3600, {0, 1, 0}}},
                                         {"d", {86400, {0, 1, 0}}},
                                         {"day", {86400, {0, 1, 0}}},
                                         {"days", {86400, {0, 1, 0}}},
                                         {"wk", {604800, {0, 1, 0}}},
                                         {"wks", {604800, {0, 1, 0}}},
                                         {"week", {604800, {0, 1, 0}}},
                                         {"weeks", {604800, {0, 1, 0}}},
                                         {"a", {31557600, {0, 1, 0}}},
                                         {"y", {31557600, {0, 1, 0}}},
                                         {"yr", {31557600, {0, 1, 0}}},
                                         {"yrs", {31557600, {0, 1, 0}}},
                                         {"year", {31557600, {0, 1, 0}}},
                                         {"years", {31557600, {0, 1, 0}}},
                                         {"mHz", {0.001, {0, -1, 0}}},
                                         {"Hz", {1, {0, -1, 0}}},
                                         {"kHz", {1e3, {0, -1, 0}}},
                                         {"MHz", {1e6, {0, -1, 0}}},
                                         {"GHz", {1e9, {0, -1, 0}}},
                                         {"L", {0.001, {3, 0, 0}}},
                                         {"dL", {1e-4, {3, 0, 0}}},
                                         {"cL", {1e-5, {3, 0, 0}}},
                                         {"mL", {1e-6, {3, 0, 0}}},
                                         {"uL", {1e-9, {3, 0, 0}}},
                                         {"\u00B5L", {1e-9, {3, 0, 0}}},
                                         {"\u03BCL", {1e-9, {3, 0, 0}}},
                                         {"nL", {1e-12, {3, 0, 0}}},
                                         {"pL", {1e-15, {3, 0, 0}}},
                                         {"fL", {1e-18, {3, 0, 0}}},
                                         {"aL", {1e-21, {3, 0, 0}}},
                                         {"l", {0.001, {3, 0, 0}}},
                                         {"dl", {1e-4, {3, 0, 0}}},
                                         {"cl", {1e-5, {3, 0, 0}}},
                                         {"ml", {1e-6, {3, 0, 0}}},
                                         {"ul", {1e-9, {3, 0, 0}}},
                                         {"\u00B5l", {1e-9, {3, 0, 0}}},
                                         {"\u03BCl", {1e-9, {3, 0, 0}}},
                                         {"nl", {1e-12, {3, 0, 0}}},
                                         {"pl", {1e-15, {3, 0, 0}}},
                                         {"fl", {1e-18, {3, 0, 0}}},
                                         {"al", {1e-21, {3, 0, 0}}},
                                         {"liter", {0.001, {3, 0, 0}}},
                                         {"liters", {0.001, {3, 0, 0}}},
                                         {"litre", {0.001, {3, 0, 0}}},
                                         {"litres", {0.001, {3, 0, 0}}},
                                         {"M", {6.02214076e26, {-3, 0, 1}}},
                                         {"mM", {6.02214076e23, {-3, 0, 1}}},
                                         {"uM", {6.02214076e20, {-3, 0, 1}}},
                                         {"\u00B5M", {6.02214076e20, {-3, 0, 1}}},
                                         {"\u03BCM", {6.02214076e20, {-3, 0, 1}}},
                                         {"nM", {6.02214076e17, {-3, 0, 1}}},
                                         {"pM", {6.02214076e14, {-3, 0, 1}}},
                                         {"fM", {6.02214076e11, {-3, 0, 1}}},
                                         {"aM", {6.02214076e8, {-3, 0, 1}}},
                                         {"kmol", {6.02214076e26, {0, 0, 1}}},
                                         {"mol", {6.02214076e23, {0, 0, 1}}},
                                         {"mmol", {6.02214076e20, {0, 0, 1}}},
                                         {"umol", {6.02214076e17, {0, 0, 1}}},
                                         {"\u00B5mol", {6.02214076e17, {0, 0, 1}}},
                                         {"\u03BCmol", {6.02214076e17, {0, 0, 1}}},
                                         {"nmol", {6.02214076e14, {0, 0, 1}}},
                                         {"pmol", {6.02214076e11, {0, 0, 1}}},
                                         {"fmol", {6.02214076e8, {0, 0, 1}}},
                                         {"amol", {602214.076, {0, 0, 1}}},
                                         {"particle", {1, {0, 0, 1}}},
                                         {"particles", {1, {0, 0, 1}}},
                                         {"molecule", {1, {0, 0, 1}}},
                                         {"molecules", {1, {0, 0, 1}}}};

bool isUnit(const std::string& text) {
  try {
    parseUnit(text);
    return true;
  } catch (const mass::InputError&) {
    return false;
  }
}

void expectUnit(const std::string& text, double value, Dimension dimension) {
  const Quantity unit = parseUnit(text);
  EXPECT_NEAR(unit.value / value, 1, 1e-12) << text;
  EXPECT_TRUE(unit.dimension == dimension) << text;
}

TEST(Unit, eachNameHasItsValue) {
  for (const auto& [name, entry] : table) {
    expectUnit(name, entry.value, entry.dimension);
    const auto& [length, time, amount] = entry.dimension;
    expectUnit("1/" + name, 1 / entry.value, {-length, -time, -amount});
    expectUnit(name + "^-2", 1 / entry.value / entry.value, {-2 * length, -2 * time, -2 * amount});
  }
}

TEST(Unit, noOtherNameIsKnown) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::vector<std::string> candidates;
  for (const char a : letters) {
    candidates.push_back({a});
    for (const char b : letters) {
      candidates.push_back({a, b});
      for (const char c : letters) candidates.push_back({a, b, c});
    }
    for (const auto& [name, entry] : table) candidates.push_back(a + name);
  }
  for (const std::string& name : candidates) EXPECT_EQ(isUnit(name), table.contains(name)) << name;
}

TEST(Unit, areMultipliedAndDivided) {
  const double perMolarAndSecond = 1 / 6.02214076e26;
  for (const auto* text : {"L/mol/s",
                           "l/mol/s",
                           "L mol-1 s-1",
                           "dm3/mol/s",
                           "dm^3 mol^-1 s^-1",
                           "1/(M s)",
                           "1/(M*s)",
                           "1/M/s",
                           "1 / (M s)",
                           "(M s)^-1",
                           "(M·s)⁻¹",
                           "M^-1 s^-1",
                           "M-1 s-1",
                           "M-1s-1",
                           "M⁻¹s⁻¹",
                           "M⁻¹ s⁻¹",
                           "M⁻¹·s⁻¹",
                           "/M/s",
                           "/(M s)",
                           "M^-1 Hz",
                           "Hz/M",
                           "M−1 s−1",
                           "M–1 s–1",
                           "M -1 s -1",
                           "M\u00A0−1\u2009s\u202F−1",
                           "M**-1 s**-1",
                           "M^{-1} s^{-1}",
                           "M^(-1) s^(-1)",
                           "L·mol⁻¹·s⁻¹",
                           "L.mol-1.s-1",
                           "L∙mol⁻¹∙s⁻¹",
                           "L⋅mol⁻¹⋅s⁻¹",
                           "L/(mol s)",
                           "L/(mol × s)",
                           "(L/mol)/s",
                           "1/((M) (s))",
                           "(mol/L)^-1 s^-1",
                           "per M per s",
                           "M-1 per s",
                           "(M s)**-1",
                           "liter/mol/second",
                           "[L/mol/s]",
                           "1/[M s]",
                           "litre mol^-1 [s]^-1",
                           "1/M 1/s",
                           "L÷mol÷s",
                           "M^−1 s^−1",
                           "M^⁻¹ s^⁻¹"})
    expectUnit(text, perMolarAndSecond, {3, -1, -1});
  for (const auto* text : {"um^3/s", "um3/s", "um³/s", "µm³/s", "μm³ s⁻¹", "um**3/s", "um 3 s -1",
                           "um^3 s^-1", "fL/s", "um um um/s", "um2 um/s", "(um)3/s", "um^{3}/s"})
    expectUnit(text, 1e-18, {3, -1, 0});
  for (const auto* text : {"mol/L", "mol l-1", "mol/dm3", "mol dm^-3", "kmol/m3", "mmol/mL"})
    expectUnit(text, 6.02214076e26, {-3, 0, 1});
  for (const auto* text : {"1/s", "s⁻¹", "s-1", "s^-1", "/s", "Hz", "s−1", "(s)-1", "per s"})
    expectUnit(text, 1, {0, -1, 0});
  expectUnit("nmol/min/mL", 6.02214076e14 / 60 / 1e-6, {-3, -1, 1});
  expectUnit("pmol/m2", 6.02214076e11, {-2, 0, 1});
  expectUnit("m2/mol/s", 1 / 6.02214076e23, {2, -1, -1});
  expectUnit("molecules/um2", 1e12, {-2, 0, 1});
  expectUnit("cm3 mol-1 s-1", 1e-6 / 6.02214076e23, {3, -1, -1});
  expectUnit("Å^2/ns", 1e-20 / 1e-9, {2, -1, 0});
}

TEST(Unit, divisionIsByOneFactor) {
  expectUnit("L/mol s", 1e-3 / 6.02214076e23, {3, 1, -1});
  expectUnit("/M s", 1 / 6.02214076e26, {3, 1, -1});
}

TEST(Unit, rejectsInvalidText) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"furlong", "unknown unit 'furlong'"},
      {"um2/", "unknown unit 'um2/'"},
      {"(um", "'(um' has a '(' without a ')'"},
      {"um)", "'um)' has a ')' without a '('"},
      {"s-", "'s-' has a '-' without a power"},
      {"s^", "unknown unit 's^'"},
      {"um^{2", "unknown unit 'um^{2'"},
      {"um12", "unknown unit 'um12'"},
      {"um¹²", "unknown unit 'um¹²'"},
      {"10/s", "unknown unit '10/s'"},
      {"Ms", "unknown unit 'Ms'"},
      {"month", "unknown unit 'month'"},
      {"µ", "unknown unit 'u'"},
      {"Ω", "unknown unit 'Ω'"},
      {"um;s", "unknown unit 'um;s'"},
      {"perm", "unknown unit 'perm'"}};
  for (const auto& [text, message] : cases)
    EXPECT_TRUE(contains(messageOf<mass::InputError>([&text = text] { parseUnit(text); }), message))
        << text << ": " << messageOf<mass::InputError>([&text = text] { parseUnit(text); });
}

TEST(Power, isAnIntegerBehindASign) {
  const auto power = [](std::string_view text, int digits) {
    int value = -1000;
    return std::pair{takePower(text, digits, value), value};
  };
  EXPECT_EQ(power("^23", 3), std::pair(true, 23));
  EXPECT_EQ(power("**-7", 3), std::pair(true, -7));
  EXPECT_EQ(power("^{+12}", 3), std::pair(true, 12));
  EXPECT_EQ(power("^(-4)x", 1), std::pair(true, -4));
  EXPECT_EQ(power("23", 3), std::pair(false, -1000));
  EXPECT_EQ(power("^(23", 3), std::pair(false, -1000));
  EXPECT_EQ(power("^(23)", 1), std::pair(false, -1000));
}

}  // namespace
}  // namespace rdme
