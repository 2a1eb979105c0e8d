#include <mass/memory/field_io.hpp>

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/support/error.hpp>
#include <mass/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <vector>

namespace mass::detail {
namespace {

/// Row, line and column.
using Corner = std::array<std::int64_t, 3>;

/// Calls body(device, front buffer, box, offset in bytes of packed memory) for the part of a box of
/// places that each local device owns.
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
    if (fields.devices().isLocal(device))
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

/// Returns the end of the part of rows [low, high) that each rank owns, as offsets in bytes of
/// packed memory, preceded by 0.
std::vector<std::size_t> rankOffsets(const PlaceFields& fields, std::int64_t low, std::int64_t high,
                                     std::size_t rowBytes) {
  std::vector<std::size_t> offsets{0};
  const std::vector<int>& firstDevices = fields.devices().firstDevices();
  for (std::size_t rank = 1; rank < firstDevices.size(); ++rank) {
    const std::int64_t end = fields.partition().range(firstDevices[rank] - 1).end;
    offsets.push_back(static_cast<std::size_t>(std::clamp(end, low, high) - low) * rowBytes);
  }
  return offsets;
}

/// Copies the part of a box that this rank owns.
void readLocalBox(const PlaceFields& fields, int component, const Corner& low, const Corner& high,
                  void* packed) {
  forEachBand(fields, component, low, high,
              [&](Device& device, const void* data, const Box& box, std::size_t offset) {
                device.read(data, fields.component(component).elementSize, box,
                            static_cast<char*>(packed) + offset);
              });
}

/// Returns the bytes of a row of a component without padding.
std::size_t rowBytes(const PlaceFields& fields, int component) {
  const Layout& layout = fields.layout(0);
  return static_cast<std::size_t>(layout.lines * layout.columns) *
         fields.component(component).elementSize;
}

}  // namespace

RowRange localRows(const PlaceFields& fields) {
  const auto local = fields.devices().local();
  return {fields.partition().range(local.front()).begin,
          fields.partition().range(local.back()).end};
}

std::int64_t mostRowsOfRank(const PlaceFields& fields) {
  const std::vector<int>& firstDevices = fields.devices().firstDevices();
  std::int64_t most = 0;
  for (std::size_t rank = 0; rank + 1 < firstDevices.size(); ++rank) {
    most = std::max(most, fields.partition().range(firstDevices[rank + 1] - 1).end -
                              fields.partition().range(firstDevices[rank]).begin);
  }
  return most;
}

void gatherRows(const PlaceFields& fields, std::int64_t first, std::int64_t count,
                std::size_t rowBytes, void* packed) {
  fields.devices().ranks().allGatherInPlace(packed,
                                            rankOffsets(fields, first, first + count, rowBytes));
}

void readBox(const PlaceFields& fields, int component, const Corner& low, const Corner& high,
             void* packed) {
  readLocalBox(fields, component, low, high, packed);
  gatherRows(fields, low[0], high[0] - low[0],
             static_cast<std::size_t>((high[1] - low[1]) * (high[2] - low[2])) *
                 fields.component(component).elementSize,
             packed);
}

void readRows(const PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
              void* packed) {
  readBox(fields, component, {first, 0, 0}, endOfRows(fields, first + count), packed);
}

void collectRows(const PlaceFields& fields, int component, void* packed) {
  const std::int64_t rows = fields.partition().rows();
  Ranks& ranks = fields.devices().ranks();
  if (ranks.isFirst()) {
    readRowsOnFirstRank(fields, component, 0, rows, packed);
    return;
  }
  const RowRange own = localRows(fields);
  const std::size_t bytes = rowBytes(fields, component);
  std::vector<char> values(static_cast<std::size_t>(own.size()) * bytes);
  readLocalBox(fields, component, {own.begin, 0, 0}, endOfRows(fields, own.end), values.data());
  ranks.gatherToFirst(values.data(), nullptr, rankOffsets(fields, 0, rows, bytes));
}

void requireHostMemory(const DeviceConfig& devices, double bytes, const std::string& what) {
  constexpr double smallBytes = 0x1p26;
  if (bytes < smallBytes) return;
  Ranks& ranks = devices.ranks();
  const auto free = ranks.allGather(static_cast<double>(CpuDevice(0).freeBytes()));
  std::map<std::string, double> needed;  // by host
  for (int rank = 0; rank < ranks.count(); ++rank) {
    const std::string host = ranks.host(rank);
    const double available = free[static_cast<std::size_t>(rank)];
    if ((needed[host] += bytes) <= available) continue;
    throw DeviceError("{} needs {:.0f} bytes on each rank{}, {:.0f} bytes are available: {}", what,
                      bytes, host.empty() ? "" : fmt::format(" of host {}", host), available,
                      "read a part of the world, or use a machine with more memory");
  }
}

void readRowsOnFirstRank(const PlaceFields& fields, int component, std::int64_t first,
                         std::int64_t count, void* packed) {
  readLocalBox(fields, component, {first, 0, 0}, endOfRows(fields, first + count), packed);
  fields.devices().ranks().gatherToFirst(
      packed, rankOffsets(fields, first, first + count, rowBytes(fields, component)));
}

void writeRowsFromFirstRank(PlaceFields& fields, int component, std::int64_t first,
                            std::int64_t count, void* packed) {
  Ranks& ranks = fields.devices().ranks();
  const auto offsets = rankOffsets(fields, first, first + count, rowBytes(fields, component));
  ranks.scatterFromFirst(
      packed, static_cast<char*>(packed) + offsets[static_cast<std::size_t>(ranks.number())],
      offsets);
  writeRows(fields, component, first, count, packed);
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
  fields.restoreLayout();
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
  return mix(fields.devices().ranks().sum(total) + fields.step);
}

}  // namespace mass::detail
