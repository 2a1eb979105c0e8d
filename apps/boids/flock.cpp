#include <apps/boids/flock.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace boids {
namespace {

using Vector = std::array<float, 2>;

/// Of a world, so that boids, which move by half a unit at least, are somewhere else then in single
/// precision.
constexpr double widest = 1 << 20;

/// Bins along an axis, as many as are no narrower than the radius.
std::int64_t binsAlong(float width, float radius) {
  constexpr float most = 1 << 20;
  auto bins = static_cast<std::int64_t>(std::clamp(width / radius, 1.0F, most));
  while (bins > 1 && width / static_cast<float>(bins) < radius) --bins;
  return bins;
}

mass::Places<Bin> makeBins(mass::Mass& mass, float width, float radius) {
  const std::int64_t bins = binsAlong(width, radius);
  return mass.createPlaces<Bin>({bins, bins});
}

/// Numbers for what a boid is at the start.
mass::Random randomOf(const mass::Mass& mass, std::uint64_t id, std::uint32_t stream) {
  return mass::Random(
      {.seed = mass.settings().get<std::uint64_t>("seed"), .index = id, .stream = stream});
}
Vector positionOf(mass::Random random, const mass::Space<2>& space) {
  Vector position{};
  for (float& along : position) along = random.uniform<float>() * space.length(0);
  space.wrap(position);  // the product may have been rounded up to the length
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

/// Refuses more boids than there is memory for, before there is a list of them.
void requireRoom(const mass::Mass& mass, std::int64_t boids) {
  // That one takes on a device, as docs/writing-agents.md says.
  constexpr double bytesOfOne = 42 + 2 * (4 * sizeof(float) + sizeof(std::int32_t));
  const double bytes = bytesOfOne * static_cast<double>(boids), free = mass.devices().freeBytes();
  if (bytes > free) {
    mass.settings().reject(
        "boids", fmt::format("so many need {:.0f} bytes, {:.0f} are available", bytes, free));
  }
}

/// Refuses a world that is too wide, by the name of the setting that makes it so.
void requireWidth(const mass::Mass& mass, double width, float radius) {
  const mass::Settings& settings = mass.settings();
  const char* const key = settings.get<double>("width") == 0 ? "density" : "width";
  if (width > widest) {
    settings.reject(
        key, fmt::format("the world would be {:.4g} wide, and {} is the most", width, widest));
  }
  const auto bins = static_cast<double>(binsAlong(static_cast<float>(width), radius));
  const double most = 0x1p31 * mass.devices().size();
  if (bins * bins >= most) {
    settings.reject(key, fmt::format("the world would be of {0} x {0} bins that are as wide as the "
                                     "radius, {1}, and each device can have 2^31: make it smaller, "
                                     "or the radius larger, or use more devices",
                                     bins, radius));
  }
}

}  // namespace

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("boids", 2000, "", "how many there are").between(0, 1 << 30);
  schema.add("width", 0.0, "", "of the square world; 0 = as wide as density says")
      .between(0, widest);
  schema.add("density", 0.5, "", "boids in a unit of area").above(0);
  schema.add("radius", 5.0, "", "within which boids see each other").between(2, widest / 2);
  schema.add("separation", 1.0, "", "within which they push each other away").above(0);
  schema.add("steer", 0.03, "1/step", "how fast towards the middle of those in sight")
      .between(0, 1000);
  schema.add("collision", 0.015, "1/step", "how fast away from those too near").between(0, 1000);
  schema.add("match", 0.05, "", "share of the others' velocity that is taken on").between(0, 1000);
  schema.add("change", 1.0, "", "share of the wanted change of velocity made in a step")
      .between(0, 1);
  return schema;
}

double widthFor(std::int64_t boids, double density, double radius) {
  return std::max(std::sqrt(static_cast<double>(boids) / density), 2 * radius);
}

Flock::Flock(mass::Mass& mass, std::int64_t count, float width, const Rules& rules)
    : bins_(makeBins(mass, width, rules.radius)),
      space_(mass::spaceOf(bins_, width / static_cast<float>(bins_.shape()[0]))),
      boids_(makeBoids(mass, bins_, space_, count)),
      rules_(rules) {}

void Flock::step() const {
  boids_.callAll<&Boid::fly>(boids_, space_, rules_);
  boids_.manageAll();
}

double Flock::polarisation() const {
  if (boids_.size() == 0) return 0;
  const double down = boids_.reduce<&Boid::heading>(mass::sum, 0);
  const double right = boids_.reduce<&Boid::heading>(mass::sum, 1);
  return std::sqrt(down * down + right * right) / static_cast<double>(boids_.size());
}

double Flock::neighbours() const {
  if (boids_.size() == 0) return 0;
  const auto seen = static_cast<double>(boids_.reduce<&Boid::nearby>(mass::sum));
  return seen / static_cast<double>(boids_.size());
}

mass::Picture Flock::picture() const {
  constexpr std::int64_t pixels = 480;
  constexpr int streak = 8;  // pixels
  mass::Picture picture{std::vector<float>(pixels * pixels), pixels, pixels, 0, 1};
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

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto number = [&](const char* key) {
    return static_cast<float>(settings.get<double>(key));
  };
  const Rules rules{number("radius"),    number("separation"), number("steer"),
                    number("collision"), number("match"),      number("change")};
  const auto count = settings.get<std::int64_t>("boids");
  auto width = settings.get<double>("width");
  if (width == 0) width = widthFor(count, settings.get<double>("density"), rules.radius);
  requireRoom(mass, count);
  requireWidth(mass, width, rules.radius);
  if (width < 2 * rules.radius) {
    settings.reject("width", fmt::format("a boid would see others twice in a world that is not "
                                         "twice as wide as its radius, {}",
                                         rules.radius));
  }
  if (rules.separation > rules.radius) {
    settings.reject("separation",
                    fmt::format("boids see no further than their radius, {}", rules.radius));
  }
  const Flock flock(mass, count, static_cast<float>(width), rules);
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) flock.step();
  });
  run.observe("polarisation", [=] { return flock.polarisation(); });
  run.observe("neighbours", [=] { return flock.neighbours(); });
  run.picture([=] { return flock.picture(); }, "ice");
  run.data<&Boid::velocity, &Boid::nearby>(flock.boids(), mass::positions<&Boid::position>);
  run.agentTable<&Boid::position, &Boid::velocity, &Boid::nearby>(flock.boids());
}

}  // namespace boids
