#include <mass/memory/field_io.hpp>

#include <mass/support/hash.hpp>

#include <algorithm>
#include <atomic>

namespace mass::detail {
namespace {

/// Row, line and column.
using Corner = std::array<std::int64_t, 3>;

/// Calls body(device, front buffer, box, offset in bytes of packed memory) for the part of a box of
/// places that each device owns.
template <class Body>
void forEachBand(const PlaceFields& fields, int component, const Corner& low, const Corner& high,
                 Body&& body) {
  std::int64_t places = 0;
  for (std::int64_t row = low[0]; row < high[0];) {
    const int device = fields.partition().owner(row);
    const RowRange band = fields.partition().range(device);
    const std::int64_t rows = std::min(band.end, high[0]) - row;
    const Layout layout = fields.layoutOf(component, device);
    Box box{layout.at(row - band.begin, low[1], low[2]),
            {rows, high[1] - low[1], high[2] - low[2]},
            {layout.rowStride, layout.pitch}};
    // A row of a 1-D world is a single place, so its rows are contiguous.
    if (fields.domain().dimensions == 1) box = contiguous(box.first, rows);
    const auto offset = static_cast<std::size_t>(places) * fields.component(component).elementSize;
    body(fields.devices().device(device), fields.frontBuffer(component, device), box, offset);
    places += box.size();
    row += rows;
  }
}

/// Returns the upper corner of complete rows that end before row `end`.
Corner endOfRows(const PlaceFields& fields, std::int64_t end) {
  const Layout& layout = fields.layout(0);
  return {end, layout.lines, layout.columns};
}

}  // namespace

void readBox(const PlaceFields& fields, int component, const Corner& low, const Corner& high,
             void* packed) {
  forEachBand(fields, component, low, high,
              [&](Device& device, const void* data, const Box& box, std::size_t offset) {
                device.read(data, fields.component(component).elementSize, box,
                            static_cast<char*>(packed) + offset);
              });
}

void readRows(const PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
              void* packed) {
  readBox(fields, component, {first, 0, 0}, endOfRows(fields, first + count), packed);
}

void writeRows(PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
               const void* packed) {
  forEachBand(fields, component, {first, 0, 0}, endOfRows(fields, first + count),
              [&](Device& device, void* data, const Box& box, std::size_t offset) {
                device.write(data, fields.component(component).elementSize, box,
                             static_cast<const char*>(packed) + offset);
              });
}

std::uint64_t hashOf(const PlaceFields& fields) {
  // A sum of hashes of lines (in 1-D: of places), seeded by their numbers, does not depend on the
  // order of the additions.
  std::atomic<std::uint64_t> total{0};
  fields.devices().run([&](const Worker& worker) {
    const Layout& layout = fields.layout(worker.device());
    const std::int64_t firstRow = fields.partition().range(worker.device()).begin;
    const auto [begin, end] = worker.share(layout.rows);
    for (int component = 0; component < fields.components(); ++component) {
      total += fields.devices()
                   .device(worker.device())
                   .hash(fields.frontBuffer(component, worker.device()),
                         fields.component(component).elementSize,
                         fields.layoutOf(component, worker.device()).places(begin, end - begin),
                         static_cast<std::uint64_t>(component), (firstRow + begin) * layout.lines);
    }
  });
  return mix(total + fields.step);
}

}  // namespace mass::detail
