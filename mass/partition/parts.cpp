#include <mass/partition/parts.hpp>

#include <cstddef>

namespace mass::detail {
namespace {

/// Returns the best parts with at most as many along axis 2.
Parts leastSending(const Lengths& lengths, int devices, int mostColumns,
                   const std::array<Border, 3>& borders) {
  Parts best{devices, 1, 1};
  bool isPossible = devices <= lengths[0];
  for (int columns = 1; columns <= mostColumns; ++columns) {
    if (devices % columns != 0 || columns > lengths[2]) continue;
    for (int rows = devices / columns; rows >= 1; --rows) {
      const Parts parts{rows, devices / columns / rows, columns};
      if (rows * parts.lines * columns != devices || rows > lengths[0] || parts.lines > lengths[1])
        continue;
      if (isPossible && placesSent(lengths, parts, borders) >= placesSent(lengths, best, borders))
        continue;
      best = parts;
      isPossible = true;
    }
  }
  return best;
}

}  // namespace

double placesSent(const Lengths& lengths, const Parts& parts,
                  const std::array<Border, 3>& borders) {
  double sent = 0;
  for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
    if (parts.along(axis) == 1) continue;
    double face = parts.along(axis) == 2 && borders[axis] != Border::periodic ? 1 : 2;
    for (std::size_t other = 0; other < lengths.size(); ++other)
      if (other != axis) face *= static_cast<double>(lengths[other]) / parts.along(other);
    sent += face;
  }
  return sent;
}

Parts leastSending(const Lengths& lengths, int devices, const std::array<Border, 3>& borders) {
  return leastSending(lengths, devices, 1, borders);
}

Parts leastSendingOfAll(const Lengths& lengths, int devices, const std::array<Border, 3>& borders) {
  return leastSending(lengths, devices, devices, borders);
}

Parts partsFor(const Lengths& lengths, int devices, const std::array<Border, 3>& borders) {
  constexpr double worthACut = 1.25;
  const Parts ofTwo = leastSending(lengths, devices, borders);
  const Parts ofAll = leastSendingOfAll(lengths, devices, borders);
  const bool isWorth =
      placesSent(lengths, ofTwo, borders) > worthACut * placesSent(lengths, ofAll, borders);
  return isWorth ? ofAll : ofTwo;
}

}  // namespace mass::detail
