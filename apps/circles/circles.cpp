#include <apps/circles/circles.hpp>

#include <algorithm>

namespace circles {
namespace {

/// How many particles there are above each square of the ground, as a picture.
mass::Picture seenFromAbove(const mass::Agents<Circle>& particles, float width, float density) {
  constexpr std::int64_t pixels = 256;
  mass::Picture picture{std::vector<float>(pixels * pixels), pixels, pixels, 0, 0};
  for (const auto& position : particles.download<&Circle::position>()) {
    const auto pixel = [&](float at) {
      return std::clamp(static_cast<std::int64_t>(at / width * pixels), std::int64_t{0},
                        pixels - 1);
    };
    ++picture.values[static_cast<std::size_t>(pixel(position[1]) * pixels + pixel(position[2]))];
  }
  // Three times as many as there would be if they were spread evenly.
  picture.high = 3 * density * width * width * width / (pixels * pixels);
  return picture;
}

}  // namespace

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("particles", 8000, "", "how many there are").atLeast(0);
  schema.add("width", 20.0, "", "of the cube that they start in").above(0);
  schema.add("radius", 2.0, "", "within which particles see each other").above(0);
  schema.add("repulsion", 0.05, "", "how far a pair moves at most in a step").between(0, 1);
  return schema;
}

mass::Agents<Circle> makeCircles(mass::Mass& mass, std::int64_t count, float width, float radius) {
  const auto bins = static_cast<std::int64_t>(std::ceil(width / radius));
  auto space = mass.createPlaces<Bin>({bins, bins, bins}, mass::borders<Bin>(mass::Border::fixed));
  const auto positionOf = [&](std::uint64_t id) {
    mass::Random random({.seed = mass.settings().get<std::uint64_t>("seed"), .index = id});
    std::array<float, 3> position{};
    for (float& along : position) along = random.uniform<float>() * width;
    return position;
  };
  std::vector<mass::Coordinates<3>> where;
  for (std::int64_t id = 0; id < count; ++id) {
    const auto position = positionOf(static_cast<std::uint64_t>(id));
    where.push_back(mass::binAt<3>({position[0], position[1], position[2]}, radius, space.shape()));
  }
  auto circles = mass.createAgents<Circle>(space, where);
  circles.initialise<&Circle::position>(positionOf);
  return circles;
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto radius = static_cast<float>(settings.get<double>("radius"));
  const auto width = static_cast<float>(settings.get<double>("width"));
  const auto repulsion = static_cast<float>(settings.get<double>("repulsion"));
  const auto count = settings.get<std::int64_t>("particles");
  const auto particles = makeCircles(mass, count, width, radius);
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) {
      particles.callAll<&Circle::move>(particles, radius, repulsion);
      particles.manageAll();
    }
  });
  const auto mean = [=](double sum) { return count > 0 ? sum / static_cast<double>(count) : 0.0; };
  run.observe("speed", [=] { return mean(particles.reduce<&Circle::speed>(mass::sum)); });
  run.observe("nearby", [=] {
    return mean(static_cast<double>(particles.reduce<&Circle::nearby>(mass::sum)));
  });
  const float density = static_cast<float>(count) / (width * width * width);
  run.picture([=] { return seenFromAbove(particles, width, density); });
}

}  // namespace circles
