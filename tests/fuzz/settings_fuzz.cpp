#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mass/io/settings.hpp>
#include <mass/support/error.hpp>
#include <string>
#include <string_view>

namespace {

/// Returns a schema of the library's keys, one more key of each type, and a section that the
/// program reads itself.
mass::Schema makeSchema() {
  auto schema = mass::Schema::library();
  schema.add("torus", true, "", "periodic borders");
  schema.add("rows", 512, "places", "height of the world").atLeast(1);
  schema.add("dx", 0.5, "m", "spacing").above(0);
  schema.add("rule", "B3/S23", "", "B/S rule of births and survivals");
  schema.add("heat.sources", std::vector<double>{1, 2}, "K", "temperatures").between(-1e6, 1e6);
  schema.addTree("model", "simulated model");
  return schema;
}

const mass::Schema& fuzzedSchema() {
  static const auto schema = makeSchema();
  return schema;
}

/// Aborts unless the printed settings read back to the same settings.
void requireReadsBack(const mass::Settings& settings) {
  const auto printed = settings.print();
  try {
    if (mass::Settings::parse(printed, "printed", fuzzedSchema()).print() == printed) return;
  } catch (const mass::SettingsError&) {
  }
  std::abort();
}

}  // namespace

/// Parses the bytes as a settings file and as a --set. An exception other than SettingsError ends
/// the program.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    requireReadsBack(mass::Settings::parse(text, "fuzz.yaml", fuzzedSchema()));
  } catch (const mass::SettingsError&) {
  }
  try {
    mass::Settings settings{fuzzedSchema()};
    settings.set(text);
    requireReadsBack(settings);
  } catch (const mass::SettingsError&) {
  }
  return 0;
}
