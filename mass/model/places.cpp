#include <mass/model/places.hpp>

#include <algorithm>

namespace mass::detail {

void readBox(const PlaceFields& fields, int component, const std::array<std::int64_t, 3>& low,
             const std::array<std::int64_t, 3>& high, void* packed) {
  const std::size_t size = fields.component(component).elementSize;
  auto* to = static_cast<char*>(packed);
  for (std::int64_t row = low[0]; row < high[0];) {
    const int device = fields.partition().owner(row);
    const RowRange band = fields.partition().range(device);
    const std::int64_t rows = std::min(band.end, high[0]) - row;
    const Layout layout = fields.layoutOf(component, device);
    Box box{layout.at(row - band.begin, low[1], low[2]),
            {rows, high[1] - low[1], high[2] - low[2]},
            {layout.rowStride, layout.pitch}};
    // The places of a 1-D world lie one after the other.
    if (fields.domain().dimensions == 1) box = contiguous(box.first, rows);
    fields.devices().device(device).read(fields.frontBuffer(component, device), size, box, to);
    to += static_cast<std::size_t>(box.size()) * size;
    row += rows;
  }
}

}  // namespace mass::detail
