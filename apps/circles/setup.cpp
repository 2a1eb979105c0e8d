#include <apps/circles/setup.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace circles {
namespace {

/// Draws the particles of the slice in the middle of axis 0 that is as thick as the radius. A
/// particle is 2 x 2 pixels; its brightness falls from 1 in the middle of the slice to 1/2 at its
/// faces.
mass::Picture slice(const mass::Agents<Circle>& particles, float width, float radius) {
  constexpr std::int64_t pixels = 256;
  mass::Picture picture{std::vector<float>(pixels * pixels), pixels, pixels, 0, 1};
  picture.name = "1 mid-slice, 0.5 its faces";
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

/// Returns the particles of the slice as shares of the width.
std::vector<std::array<float, 2>> sharesOf(const mass::Agents<Circle>& particles, float width,
                                           float radius) {
  std::vector<std::array<float, 2>> shares;
  for (const auto& position : particles.download<&Circle::position>()) {
    if (std::abs(position[0] - width / 2) < radius / 2)
      shares.push_back({position[1] / width, position[2] / width});
  }
  return shares;
}

/// Bytes of an agent on a device: docs/writing-agents.md, "How much memory agents take".
constexpr double bytesPerParticle = 42 + 2 * (4 * sizeof(float) + sizeof(std::int32_t));

/// @throws mass::SettingsError if the repulsion is too large for the radius
void requireRepulsion(const mass::Settings& settings) {
  // A particle moves to an adjacent bin at most; the remaining share is a margin for rounding.
  constexpr double share = 0.99;
  const auto radius = settings.get<double>("radius");
  if (settings.get<double>("repulsion") <= share * radius) return;
  settings.reject("repulsion",
                  fmt::format("particles may move at most {} of the radius, {}, in a step, to "
                              "reach the adjacent bin at most: take a smaller repulsion or a "
                              "larger radius",
                              share, radius));
}

/// Checks the settings against each other and the memory.
/// @throws mass::SettingsError that names the first setting that is wrong.
void requireValid(const mass::Mass& mass, double width, double radius) {
  const mass::Settings& settings = mass.settings();
  const auto particles = settings.get<std::int64_t>("particles");
  const double bytes = bytesPerParticle * static_cast<double>(particles);
  if (bytes > mass.devices().freeBytes()) {  // before the host makes a list of them
    settings.reject("particles",
                    fmt::format("{} particles need {:.0f} bytes, {:.0f} are available: take fewer "
                                "particles or more GPUs",
                                particles, bytes, mass.devices().freeBytes()));
  }
  const double bins = std::ceil(width / radius);
  if (bins * bins * bins >= 0x1p31 * mass.devices().size()) {
    settings.reject(
        "width", fmt::format("the cube would have {0} x {0} x {0} bins as wide as the radius, {1}, "
                             "and a device holds less than 2^31: make the cube smaller, the "
                             "radius larger, or use more devices",
                             bins, radius));
  }
  requireRepulsion(settings);
}

}  // namespace

World createWorld(mass::Mass& mass, std::int64_t count, float width, float radius) {
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
  requireValid(mass, settings.get<double>("width"), settings.get<double>("radius"));
  const auto radius = settings.get<float>("radius");
  const auto width = settings.get<float>("width");
  const auto count = settings.get<std::int64_t>("particles");
  const World world = createWorld(mass, count, width, radius);
  run.onChange([&settings] { requireRepulsion(settings); });
  run.advance([=, &settings](mass::Steps steps) {
    const auto repulsion = settings.get<float>("repulsion");
    for (std::int64_t step = 0; step < steps.count; ++step) world.step(radius, repulsion);
  });
  const auto mean = [=](double sum) { return count > 0 ? sum / static_cast<double>(count) : 0.0; };
  run.observe("speed", [=] { return mean(world.circles.reduce<&Circle::speed>(mass::sum)); });
  run.observe("nearby", [=] {
    return mean(static_cast<double>(world.circles.reduce<&Circle::nearby>(mass::sum)));
  });
  run.picture([=] { return slice(world.circles, width, radius); });
  run.points(
      "particle", {255, 226, 130}, [=] { return world.circles.size(); },
      [=] { return sharesOf(world.circles, width, radius); });
  run.data<&Circle::speed, &Circle::nearby>(world.circles, mass::positions<&Circle::position>);
  run.agentTable<&Circle::position, &Circle::speed, &Circle::nearby>(world.circles);
}

}  // namespace circles
