// Characters of typeset text against a list of them, by their code points in Unicode.
#include <apps/rdme/model/typography.hpp>
#include <apps/rdme/model/unit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace rdme {
namespace {

/// Returns a code point from U+0080 to U+FFFF in UTF-8.
std::string utf8(unsigned code) {
  const auto byte = [](unsigned value) { return static_cast<char>(value); };
  if (code < 0x800) return {byte(0xC0U | code >> 6), byte(0x80U | (code & 0x3FU))};
  return {byte(0xE0U | code >> 12), byte(0x80U | (code >> 6 & 0x3FU)),
          byte(0x80U | (code & 0x3FU))};
}

/// Replacements in all texts, by code point.
const std::map<unsigned, std::string> everywhere{
    {0x2010, "-"},   {0x2011, "-"},     {0x2012, "-"},   {0x2013, "-"},   {0x2014, "-"},
    {0x2212, "-"},   {0xFE63, "-"},     {0xFF0D, "-"},   {0x00A0, " "},   {0x2000, " "},
    {0x2001, " "},   {0x2002, " "},     {0x2003, " "},   {0x2004, " "},   {0x2005, " "},
    {0x2006, " "},   {0x2007, " "},     {0x2008, " "},   {0x2009, " "},   {0x200A, " "},
    {0x202F, " "},   {0x205F, " "},     {0x3000, " "},   {0x200B, ""},    {0x200C, ""},
    {0x200D, ""},    {0x2060, ""},      {0xFEFF, ""},    {0x2192, "->"},  {0x27F6, "->"},
    {0x2194, "<->"}, {0x21C4, "<->"},   {0x21C6, "<->"}, {0x21CB, "<->"}, {0x21CC, "<->"},
    {0x27F7, "<->"}, {0x00B5, "\u03BC"}};

/// Further replacements in units and numbers.
const std::map<unsigned, std::string> inUnits{
    {0x00B5, "u"},  {0x03BC, "u"},  {0x00C5, "A"},  {0x212B, "A"},  {0x00B7, "*"},  {0x2022, "*"},
    {0x2219, "*"},  {0x22C5, "*"},  {0x00D7, "*"},  {0x00F7, "/"},  {0x2044, "/"},  {0x2215, "/"},
    {0x2070, "^0"}, {0x00B9, "^1"}, {0x00B2, "^2"}, {0x00B3, "^3"}, {0x2074, "^4"}, {0x2075, "^5"},
    {0x2076, "^6"}, {0x2077, "^7"}, {0x2078, "^8"}, {0x2079, "^9"}, {0x207B, "^-"}, {0x207A, "^+"}};

TEST(Typography, theseCharactersAreReplacedAndNoOthers) {
  for (unsigned code = 0x80; code <= 0xFFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;  // no characters
    const std::string character = utf8(code);
    const auto plain = everywhere.contains(code) ? everywhere.at(code) : character;
    EXPECT_EQ(plainText("x" + character + "y"), "x" + plain + "y") << std::hex << code;
    const auto ascii = inUnits.contains(code) ? inUnits.at(code) : plain;
    EXPECT_EQ(asciiUnits("x" + character + "y"), "x" + ascii + "y") << std::hex << code;
  }
  EXPECT_EQ(plainText("a\tb"), "a b");
}

TEST(Typography, textOnAKeyboardStaysTheSame) {
  std::string text;
  for (char c = ' '; c <= '~'; ++c) text += c;
  EXPECT_EQ(plainText(text), text);
  std::string ascii = text;
  std::replace(ascii.begin(), ascii.end(), '[', '(');
  std::replace(ascii.begin(), ascii.end(), ']', ')');
  EXPECT_EQ(asciiUnits(text), ascii);
}

TEST(Typography, superscriptsBecomeOnePower) {
  EXPECT_EQ(asciiUnits("10⁻¹²M⁻¹"), "10^-12M^-1");
  EXPECT_EQ(asciiUnits("s^⁻¹"), "s^-1");
}

}  // namespace
}  // namespace rdme
