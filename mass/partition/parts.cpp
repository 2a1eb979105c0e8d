#include <mass/partition/parts.hpp>

namespace mass::detail {

double linesSent(std::array<std::int64_t, 2> lengths, const Parts& parts) {
  const double rows = static_cast<double>(lengths[0]) / parts.rows;
  const double lines = static_cast<double>(lengths[1]) / parts.lines;
  return (parts.rows > 1 ? 2 * lines : 0) + (parts.lines > 1 ? 2 * rows : 0);
}

Parts leastSending(std::array<std::int64_t, 2> lengths, int devices) {
  Parts best{devices, 1};
  bool isPossible = devices <= lengths[0];
  for (int rows = devices; rows >= 1; --rows) {
    const Parts parts{rows, devices / rows};
    if (rows * parts.lines != devices || rows > lengths[0] || parts.lines > lengths[1]) continue;
    if (isPossible && linesSent(lengths, parts) >= linesSent(lengths, best)) continue;
    best = parts;
    isPossible = true;
  }
  return best;
}

}  // namespace mass::detail
