#include <apps/calcium/projection.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace calcium {

mass::Picture projected(const mass::Shape<3>& shape, std::span<const std::int64_t> indices,
                        std::span<const double> values, double most, std::string unit) {
  const std::int64_t plane = shape[1] * shape[2];
  std::vector<double> sums(static_cast<std::size_t>(plane)), sites(sums.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto at = static_cast<std::size_t>(indices[i] % plane);
    sums[at] += values[i];
    ++sites[at];
  }
  mass::Picture picture{{}, shape[1], shape[2]};
  for (std::size_t at = 0; at < sums.size(); ++at) {
    picture.values.push_back(sites[at] > 0 ? static_cast<float>(sums[at] / sites[at]) : 0);
    picture.absent.push_back(sites[at] == 0);
  }
  picture.high = static_cast<float>(most);
  picture.name = "calcium";
  picture.unit = std::move(unit);
  return picture;
}

mass::Picture sliced(const mass::Shape<3>& shape, std::span<const std::int64_t> indices,
                     std::span<const double> values, int axis, std::int64_t at, double most,
                     std::string unit) {
  const int up = axis == 0 ? 1 : 0, right = axis == 2 ? 1 : 2;
  mass::Picture picture{{}, shape[up], shape[right]};
  const auto places = static_cast<std::size_t>(shape[up] * shape[right]);
  picture.values.resize(places);
  picture.absent.resize(places, true);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto site = mass::coordinatesOf(indices[i], shape);
    if (site[axis] != at) continue;
    const auto place = static_cast<std::size_t>(site[up] * shape[right] + site[right]);
    picture.values[place] = static_cast<float>(values[i]);
    picture.absent[place] = false;
  }
  picture.high = static_cast<float>(most);
  picture.name = "calcium";
  picture.unit = std::move(unit);
  return picture;
}

}  // namespace calcium
