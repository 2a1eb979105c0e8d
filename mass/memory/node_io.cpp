#include <mass/memory/node_io.hpp>

#include <mass/backend/cpu/cpu_device.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

std::size_t asIndex(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

/// Row, and the position of its node in a range of nodes.
using RowAndPosition = std::pair<std::int32_t, std::int32_t>;

/// Returns the rows of a range of nodes, ascending.
std::vector<RowAndPosition> rowsOf(const Network& network, RowRange nodes) {
  std::vector<RowAndPosition> rows;
  const bool areAll = nodes.size() == network.graph.nodes();
  for (std::int64_t i = 0; i < nodes.size(); ++i)
    rows.push_back(areAll
                       ? RowAndPosition{static_cast<std::int32_t>(i), network.nodeOfRow[asIndex(i)]}
                       : RowAndPosition{network.rowOfNode[asIndex(nodes.begin + i)],
                                        static_cast<std::int32_t>(i)});
  if (!areAll) std::sort(rows.begin(), rows.end());
  return rows;
}

/// Component of the rows of a device in host memory.
struct BandValues {
  RowRange rows;
  std::size_t size;  ///< bytes of an element
  std::vector<char> values;

  BandValues(const PlaceFields& fields, int component, int device)
      : rows(fields.rows(device)),
        size(fields.component(component).elementSize),
        values(asIndex(rows.size()) * size) {
    fields.devices().device(device).read(fields.frontBuffer(component, device), size,
                                         boxOf(fields, device), values.data());
  }
  /// Copies the values to the device.
  void store(const PlaceFields& fields, int component, int device) const {
    fields.devices().device(device).write(fields.frontBuffer(component, device), size,
                                          boxOf(fields, device), values.data());
  }
  char* at(std::int64_t row) { return values.data() + asIndex(row - rows.begin) * size; }

  static Box boxOf(const PlaceFields& fields, int device) {
    const Layout& layout = fields.layout(device);
    return contiguous(layout.at(0, 0, 0), layout.rows);
  }
};

/// Values of some rows in ascending order, of which each rank has those of its own.
struct RowValues {
  std::vector<RowAndPosition> rows;
  std::vector<std::size_t> offsets;  ///< bytes before the rows of each rank, then all
  std::vector<char> values;
  std::size_t size;

  RowValues(const PlaceFields& fields, int component, RowRange nodes)
      : rows(rowsOf(fields.links()->network(), nodes)),
        size(fields.component(component).elementSize) {
    values.resize(rows.size() * size);
    const auto firstFrom = [&](std::int64_t row) {
      return std::lower_bound(rows.begin(), rows.end(),
                              RowAndPosition{static_cast<std::int32_t>(row), -1});
    };
    for (const int device : fields.devices().local()) {
      BandValues band(fields, component, device);
      for (auto row = firstFrom(band.rows.begin); row != firstFrom(band.rows.end); ++row)
        std::memcpy(values.data() + asIndex(row - rows.begin()) * size, band.at(row->first), size);
    }
    offsets.push_back(0);
    const std::vector<int>& firstDevices = fields.devices().firstDevices();
    for (std::size_t rank = 1; rank < firstDevices.size(); ++rank) {
      const std::int64_t end = fields.rows(firstDevices[rank] - 1).end;
      offsets.push_back(asIndex(firstFrom(end) - rows.begin()) * size);
    }
  }
  /// Copies the values in the order of nodes.
  void copyTo(void* packed) const {
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::memcpy(static_cast<char*>(packed) + asIndex(rows[i].second) * size,
                  values.data() + i * size, size);
  }
};

}  // namespace

void readNodes(const PlaceFields& fields, int component, RowRange nodes, void* packed) {
  RowValues values(fields, component, nodes);
  fields.devices().ranks().allGatherInPlace(values.values.data(), values.offsets);
  values.copyTo(packed);
}

void readNodesOnFirstRank(const PlaceFields& fields, int component, RowRange nodes, void* packed) {
  RowValues values(fields, component, nodes);
  Ranks& ranks = fields.devices().ranks();
  ranks.gatherToFirst(values.values.data(), values.offsets);
  if (ranks.isFirst()) values.copyTo(packed);
}

void writeNodes(PlaceFields& fields, int component, RowRange nodes, const void* packed) {
  const std::vector<std::int32_t>& nodeOfRow = fields.links()->network().nodeOfRow;
  for (const int device : fields.devices().local()) {
    BandValues band(fields, component, device);
    for (std::int64_t row = band.rows.begin; row < band.rows.end; ++row) {
      const std::int64_t node = nodeOfRow[asIndex(row)];
      if (node < nodes.begin || node >= nodes.end) continue;
      std::memcpy(band.at(row),
                  static_cast<const char*>(packed) + asIndex(node - nodes.begin) * band.size,
                  band.size);
    }
    band.store(fields, component, device);
  }
}

std::uint64_t hashOfNodes(const PlaceFields& fields) {
  const std::vector<std::int32_t>& nodeOfRow = fields.links()->network().nodeOfRow;
  CpuDevice host(0);
  std::uint64_t total = 0;
  for (int component = 0; component < fields.components(); ++component) {
    for (const int device : fields.devices().local()) {
      BandValues band(fields, component, device);
      for (std::int64_t row = band.rows.begin; row < band.rows.end; ++row)
        total += host.hash(band.at(row), band.size, contiguous(0, 1),
                           static_cast<std::uint64_t>(component), nodeOfRow[asIndex(row)]);
    }
  }
  return total;
}

void toOrderOfNodes(const PlaceFields& fields, std::size_t elementSize, void* array) {
  const std::vector<std::int32_t>& nodeOfRow = fields.links()->network().nodeOfRow;
  auto* const elements = static_cast<char*>(array);
  const std::vector<char> byRow(elements, elements + nodeOfRow.size() * elementSize);
  for (std::size_t row = 0; row < nodeOfRow.size(); ++row)
    std::memcpy(elements + asIndex(nodeOfRow[row]) * elementSize, byRow.data() + row * elementSize,
                elementSize);
}

}  // namespace mass::detail
