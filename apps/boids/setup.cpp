#include <apps/boids/setup.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

namespace boids {
namespace {

using Vector = std::array<float, 2>;

/// Returns the largest number of bins along an axis whose edge is not shorter than `radius`, at
/// most 2^20.
std::int64_t binsAlong(float width, float radius) {
  constexpr float maxBins = 1 << 20;
  auto bins = static_cast<std::int64_t>(std::clamp(width / radius, 1.0F, maxBins));
  while (bins > 1 && width / static_cast<float>(bins) < radius) --bins;
  return bins;
}

mass::Places<Bin> makeBins(mass::Mass& mass, float width, float radius) {
  const std::int64_t bins = binsAlong(width, radius);
  return mass.createPlaces<Bin>({bins, bins});
}

/// Returns the random numbers of a boid's initial state.
mass::Random randomOf(const mass::Mass& mass, std::uint64_t id, std::uint32_t stream) {
  return mass::Random(
      {.seed = mass.settings().get<std::uint64_t>("seed"), .index = id, .stream = stream});
}
Vector positionOf(mass::Random random, const mass::Space<2>& space) {
  Vector position{};
  for (float& along : position) along = random.uniform<float>() * space.length(0);
  space.wrap(position);  // the product may be rounded up to the length
  return position;
}
Vector directionOf(mass::Random random) {
  const double angle = 2 * std::numbers::pi * random.uniform<double>();
  return {static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle))};
}

mass::Agents<Boid> makeBoids(mass::Mass& mass, const mass::Places<Bin>& bins,
                             const mass::Space<2>& space, std::int64_t count) {
  const auto position = [&](std::uint64_t id) { return positionOf(randomOf(mass, id, 0), space); };
  std::vector<mass::Coordinates<2>> where;
  where.reserve(static_cast<std::size_t>(count));
  for (std::int64_t id = 0; id < count; ++id) {
    where.push_back(space.binOf(position(static_cast<std::uint64_t>(id))));
  }
  auto boids = mass.createAgents<Boid>(bins, where, "flock");
  boids.initialise<&Boid::position>(position);
  boids.initialise<&Boid::velocity>(
      [&](std::uint64_t id) { return directionOf(randomOf(mass, id, 1)); });
  return boids;
}

/// Checks that the boids fit into memory, before the host makes a list of them.
/// @throws mass::SettingsError if they do not.
void requireMemory(const mass::Mass& mass, std::int64_t boids) {
  // Bytes of an agent on a device: docs/writing-agents.md, "How much memory agents take".
  constexpr double bytesPerBoid = 42 + 2 * (4 * sizeof(float) + sizeof(std::int32_t));
  const double bytes = bytesPerBoid * static_cast<double>(boids), free = mass.devices().freeBytes();
  if (bytes > free) {
    mass.settings().reject("boids", fmt::format("{} boids need {:.0f} bytes, {:.0f} are available: "
                                                "take fewer boids or more GPUs",
                                                boids, bytes, free));
  }
}

/// Checks the width of the world and its number of bins.
/// @throws mass::SettingsError that names the setting from which the width follows.
void requireWidth(const mass::Mass& mass, double width, float radius) {
  const mass::Settings& settings = mass.settings();
  const char* const key = settings.get<double>("width") == 0 ? "density" : "width";
  if (width > maxWidth) {
    settings.reject(key, fmt::format("the world would be {:.4g} wide, and the largest width is {}",
                                     width, maxWidth));
  }
  const auto bins = static_cast<double>(binsAlong(static_cast<float>(width), radius));
  const double maxBins = 0x1p31 * mass.devices().size();
  if (bins * bins >= maxBins) {
    settings.reject(key, fmt::format("the world would have {0} x {0} bins as wide as the radius, "
                                     "{1}, and a device holds less than 2^31: make the world "
                                     "smaller, the radius larger, or use more devices",
                                     bins, radius));
  }
}

/// Returns the parameters of the settings.
/// @throws mass::SettingsError if the separation exceeds the radius
Parameters parametersOf(const mass::Settings& settings) {
  const auto parameters = settings.read<Parameters>();
  if (parameters.separation > parameters.radius) {
    settings.reject("separation",
                    fmt::format("it is more than the radius, {}, within which boids see others",
                                parameters.radius));
  }
  return parameters;
}

}  // namespace

double widthFor(std::int64_t boids, double density, double radius) {
  return std::max(std::sqrt(static_cast<double>(boids) / density), 2 * radius);
}

World::World(mass::Mass& mass, std::int64_t count, float width, const Parameters& parameters)
    : bins_(makeBins(mass, width, parameters.radius)),
      space_(mass::spaceOf(bins_, width / static_cast<float>(bins_.shape()[0]))),
      boids_(makeBoids(mass, bins_, space_, count)),
      parameters_(parameters) {}

void World::step() const {
  boids_.callAll<&Boid::fly>(boids_, space_, parameters_);
  boids_.manageAll();
}

double World::polarisation() const {
  if (boids_.size() == 0) return 0;
  const double down = boids_.reduce<&Boid::heading>(mass::sum, 0);
  const double right = boids_.reduce<&Boid::heading>(mass::sum, 1);
  return std::sqrt(down * down + right * right) / static_cast<double>(boids_.size());
}

double World::neighbours() const {
  if (boids_.size() == 0) return 0;
  const auto seen = static_cast<double>(boids_.reduce<&Boid::nearby>(mass::sum));
  return seen / static_cast<double>(boids_.size());
}

mass::Picture World::picture() const {
  constexpr std::int64_t pixels = 480;
  constexpr int streak = 8;  // length in pixels
  mass::Picture picture{std::vector<float>(pixels * pixels), pixels, pixels, 0, 1};
  picture.name = "1 boid, 0 end of its trail";
  const auto pixel = [&](float at) {
    const auto along = static_cast<std::int64_t>(std::floor(at / space_.length(0) * pixels));
    return (along % pixels + pixels) % pixels;
  };
  const float step = space_.length(0) / pixels;
  const auto positions = boids_.download<&Boid::position>();
  const auto velocities = boids_.download<&Boid::velocity>();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const float speed = std::hypot(velocities[i][0], velocities[i][1]);
    for (int back = 0; back < streak; ++back) {
      const float distance = static_cast<float>(back) * step / speed;
      const std::int64_t row = pixel(positions[i][0] - distance * velocities[i][0]);
      const std::int64_t column = pixel(positions[i][1] - distance * velocities[i][1]);
      float& value = picture.values[static_cast<std::size_t>(row * pixels + column)];
      value = std::max(value, 1 - static_cast<float>(back) / streak);
    }
  }
  return picture;
}

std::vector<Vector> World::shares() const {
  std::vector<Vector> shares = boids_.download<&Boid::position>();
  for (Vector& position : shares)
    for (float& along : position) along /= space_.length(0);
  return shares;
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const Parameters parameters = parametersOf(settings);
  const auto count = settings.get<std::int64_t>("boids");
  auto width = settings.get<double>("width");
  if (width == 0) width = widthFor(count, settings.get<double>("density"), parameters.radius);
  requireMemory(mass, count);
  requireWidth(mass, width, parameters.radius);
  if (width < 2 * parameters.radius) {
    settings.reject(
        "width",
        fmt::format("a boid would see others twice: the width must be at least 2 x radius, {}",
                    2 * parameters.radius));
  }
  const auto world = std::make_shared<World>(mass, count, static_cast<float>(width), parameters);
  run.onChange([=, &settings] { world->set(parametersOf(settings)); });
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) world->step();
  });
  run.observe("polarisation", [=] { return world->polarisation(); });
  run.observe("neighbours", [=] { return world->neighbours(); });
  run.picture([=] { return world->picture(); }, "ice");
  run.points(
      "boid", {255, 255, 255}, [=] { return world->boids().size(); },
      [=] { return world->shares(); });
  run.data<&Boid::velocity, &Boid::nearby>(world->boids(), mass::positions<&Boid::position>);
  run.agentTable<&Boid::position, &Boid::velocity, &Boid::nearby>(world->boids());
}

}  // namespace boids
