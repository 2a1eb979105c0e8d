#include <apps/circles/circles.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace circles {
namespace {

/// The particles of a slice in the middle, as thick as the radius of interaction: two pixels wide,
/// the brighter, the nearer to its middle.
mass::Picture slice(const mass::Agents<Circle>& particles, float width, float radius) {
  constexpr std::int64_t pixels = 256;
  mass::Picture picture{std::vector<float>(pixels * pixels), pixels, pixels, 0, 1};
  const auto pixel = [&](float at) { return static_cast<std::int64_t>(at / width * pixels); };
  for (const auto& position : particles.download<&Circle::position>()) {
    const float distance = std::abs(position[0] - width / 2) / (radius / 2);
    if (distance >= 1) continue;
    for (std::int64_t row = pixel(position[1]); row < pixel(position[1]) + 2; ++row) {
      for (std::int64_t column = pixel(position[2]); column < pixel(position[2]) + 2; ++column) {
        if (row < 0 || row >= pixels || column < 0 || column >= pixels) continue;
        float& value = picture.values[static_cast<std::size_t>(row * pixels + column)];
        value = std::max(value, 1 - distance / 2);
      }
    }
  }
  return picture;
}

/// That a particle takes on a device, as docs/writing-agents.md says.
constexpr double bytesOfOne = 42 + 2 * (4 * sizeof(float) + sizeof(std::int32_t));

/// Refuses what cannot go on, by the names that settings have.
void check(const mass::Mass& mass, double width, double radius, double repulsion) {
  const mass::Settings& settings = mass.settings();
  // Looked at here, before there is a list of them.
  const double bytes = bytesOfOne * static_cast<double>(settings.get<std::int64_t>("particles"));
  if (bytes > mass.devices().freeBytes()) {
    settings.reject("particles", fmt::format("so many need {:.0f} bytes, {:.0f} are available",
                                             bytes, mass.devices().freeBytes()));
  }
  const double bins = std::ceil(width / radius);
  if (bins * bins * bins >= 0x1p31 * mass.devices().size()) {
    settings.reject("width",
                    fmt::format("the cube would be of {0} x {0} x {0} bins that are as wide as the "
                                "radius, {1}, and each device can have 2^31: make it smaller, or "
                                "the radius larger, or use more devices",
                                bins, radius));
  }
  // Not all of the radius, to which rounding could add something.
  constexpr double share = 0.99;
  if (repulsion > share * radius) {
    settings.reject("repulsion",
                    fmt::format("particles may move at most {} of their radius, {}, in a step, so "
                                "that they come no further than to the next bin",
                                share, radius));
  }
}

}  // namespace

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("particles", 8000, "", "how many there are").between(0, 1 << 30);
  // Single precision has squares of these.
  schema.add("width", 20.0, "", "of the cube that they start in").between(1e-9, 1e9);
  schema.add("radius", 2.0, "", "within which particles see each other").between(1e-9, 1e9);
  schema
      .add("repulsion", 0.05, "",
           "how far a pair moves at most in a step; at most 0.99 of the radius")
      .between(0, 1);
  return schema;
}

World makeWorld(mass::Mass& mass, std::int64_t count, float width, float radius) {
  const auto bins = static_cast<std::int64_t>(std::ceil(width / radius));
  const auto places =
      mass.createPlaces<Bin>({bins, bins, bins}, mass::borders<Bin>(mass::Border::fixed));
  const auto space = mass::spaceOf(places, radius);
  const auto positionOf = [&](std::uint64_t id) {
    mass::Random random({.seed = mass.settings().get<std::uint64_t>("seed"), .index = id});
    std::array<float, 3> position{};
    for (float& along : position) along = random.uniform<float>() * width;
    return position;
  };
  std::vector<mass::Coordinates<3>> where;
  where.reserve(static_cast<std::size_t>(count));
  for (std::int64_t id = 0; id < count; ++id) {
    where.push_back(space.binOf(positionOf(static_cast<std::uint64_t>(id))));
  }
  auto circles = mass.createAgents<Circle>(places, where);
  circles.initialise<&Circle::position>(positionOf);
  return {space, circles};
}

void World::step(float radius, float repulsion) const {
  circles.callAll<&Circle::move>(circles, space, radius, repulsion);
  circles.manageAll();
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  check(mass, settings.get<double>("width"), settings.get<double>("radius"),
        settings.get<double>("repulsion"));
  const auto radius = static_cast<float>(settings.get<double>("radius"));
  const auto width = static_cast<float>(settings.get<double>("width"));
  const auto repulsion = static_cast<float>(settings.get<double>("repulsion"));
  const auto count = settings.get<std::int64_t>("particles");
  const World world = makeWorld(mass, count, width, radius);
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) world.step(radius, repulsion);
  });
  const auto mean = [=](double sum) { return count > 0 ? sum / static_cast<double>(count) : 0.0; };
  run.observe("speed", [=] { return mean(world.circles.reduce<&Circle::speed>(mass::sum)); });
  run.observe("nearby", [=] {
    return mean(static_cast<double>(world.circles.reduce<&Circle::nearby>(mass::sum)));
  });
  run.picture([=] { return slice(world.circles, width, radius); });
  run.data<&Circle::speed, &Circle::nearby>(world.circles, mass::positions<&Circle::position>);
  run.agentTable<&Circle::position, &Circle::speed, &Circle::nearby>(world.circles);
}

}  // namespace circles
