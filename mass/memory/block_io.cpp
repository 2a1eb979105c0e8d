#include <mass/memory/block_io.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

namespace mass::detail {
namespace {

std::size_t asUnsigned(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

/// Part of a box of places that a device owns.
struct DevicePart {
  int device;
  RowRange rows, lines;  ///< global numbers
  std::int64_t before;   ///< lines of the box on the devices before

  std::int64_t size() const { return rows.size() * lines.size(); }
};

RowRange common(RowRange a, RowRange b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// Lines of a box of places, in the order of the devices and in that of the world.
class BlockLines {
 public:
  BlockLines(const PlaceFields& fields, RowRange rows, RowRange lines)
      : fields_(&fields), rows_(rows), lines_(lines) {
    std::int64_t before = 0;
    for (int device = 0; device < fields.devices().size(); ++device) {
      const DevicePart& part = parts_.emplace_back(DevicePart{
          device, common(fields.rows(device), rows), common(fields.lines(device), lines), before});
      before += part.size();
    }
  }

  /// Returns the number of lines.
  std::int64_t size() const { return rows_.size() * lines_.size(); }
  /// Calls body(part) for the parts of the devices of this rank.
  template <class Body>
  void forEachLocal(const Body& body) const {
    for (const DevicePart& part : parts_)
      if (fields_->devices().isLocal(part.device) && part.size() > 0) body(part);
  }
  /// Returns the end of the lines of each rank in bytes, preceded by 0.
  std::vector<std::size_t> rankOffsets(std::size_t lineBytes) const {
    std::vector<std::size_t> offsets{0};
    const std::vector<int>& firstDevices = fields_->devices().firstDevices();
    for (std::size_t rank = 1; rank < firstDevices.size(); ++rank) {
      const DevicePart& last = parts_[asUnsigned(firstDevices[rank] - 1)];
      offsets.push_back(asUnsigned(last.before + last.size()) * lineBytes);
    }
    return offsets;
  }
  /// Calls body(ofDevices, ofWorld, bytes) for the lines of each row of each part: offsets in bytes
  /// in both orders.
  template <class Body>
  void forEachRow(std::size_t lineBytes, const Body& body) const {
    for (const DevicePart& part : parts_) {
      for (std::int64_t row = part.rows.begin; row < part.rows.end; ++row) {
        const std::int64_t ofDevices = part.before + (row - part.rows.begin) * part.lines.size();
        const std::int64_t ofWorld =
            (row - rows_.begin) * lines_.size() + part.lines.begin - lines_.begin;
        body(asUnsigned(ofDevices) * lineBytes, asUnsigned(ofWorld) * lineBytes,
             asUnsigned(part.lines.size()) * lineBytes);
      }
    }
  }

 private:
  const PlaceFields* fields_;
  RowRange rows_, lines_;
  std::vector<DevicePart> parts_;  // by device
};

/// Returns the places of a part with some columns, in a component's buffer.
Box boxOf(const PlaceFields& fields, int component, const DevicePart& part,
          std::int64_t firstColumn, std::int64_t columns) {
  const Layout layout = fields.layoutOf(component, part.device);
  return {layout.at(part.rows.begin - fields.rows(part.device).begin,
                    part.lines.begin - fields.lines(part.device).begin, firstColumn),
          {part.rows.size(), part.lines.size(), columns},
          {layout.rowStride, layout.pitch}};
}

/// Box of places, whose values are gathered in the order of the devices.
class BlockValues {
 public:
  BlockValues(const PlaceFields& fields, int component, const Corner& low, const Corner& high)
      : lines_(fields, {low[0], high[0]}, {low[1], high[1]}),
        lineBytes_(asUnsigned(high[2] - low[2]) * fields.component(component).elementSize),
        values_(asUnsigned(lines_.size()) * lineBytes_) {
    lines_.forEachLocal([&](const DevicePart& part) {
      fields.devices()
          .device(part.device)
          .read(fields.frontBuffer(component, part.device), fields.component(component).elementSize,
                boxOf(fields, component, part, low[2], high[2] - low[2]),
                values_.data() + asUnsigned(part.before) * lineBytes_);
    });
  }

  char* data() { return values_.data(); }
  std::vector<std::size_t> rankOffsets() const { return lines_.rankOffsets(lineBytes_); }
  /// Copies the values in the order of the world.
  void copyTo(void* packed) const {
    lines_.forEachRow(lineBytes_, [&](std::size_t from, std::size_t to, std::size_t bytes) {
      std::memcpy(static_cast<char*>(packed) + to, values_.data() + from, bytes);
    });
  }

 private:
  BlockLines lines_;
  std::size_t lineBytes_;
  std::vector<char> values_;
};

}  // namespace

void readBlocks(const PlaceFields& fields, int component, const Corner& low, const Corner& high,
                void* packed) {
  BlockValues values(fields, component, low, high);
  fields.devices().ranks().allGatherInPlace(values.data(), values.rankOffsets());
  values.copyTo(packed);
}

void readBlocksOnFirstRank(const PlaceFields& fields, int component, RowRange rows, void* packed) {
  BlockValues values(fields, component, {rows.begin, 0, 0},
                     {rows.end, fields.domain().shape[1], fields.domain().shape[2]});
  Ranks& ranks = fields.devices().ranks();
  ranks.gatherToFirst(values.data(), values.rankOffsets());
  if (ranks.isFirst()) values.copyTo(packed);
}

void writeBlocks(PlaceFields& fields, int component, RowRange rows, const void* packed) {
  const std::int64_t columns = fields.domain().shape[2];
  const std::size_t elementSize = fields.component(component).elementSize;
  const std::size_t lineBytes = asUnsigned(columns) * elementSize;
  const BlockLines lines(fields, rows, {0, fields.domain().shape[1]});
  std::vector<char> ofDevices(asUnsigned(lines.size()) * lineBytes);
  lines.forEachRow(lineBytes, [&](std::size_t to, std::size_t from, std::size_t bytes) {
    std::memcpy(ofDevices.data() + to, static_cast<const char*>(packed) + from, bytes);
  });
  lines.forEachLocal([&](const DevicePart& part) {
    fields.devices()
        .device(part.device)
        .write(fields.frontBuffer(component, part.device), elementSize,
               boxOf(fields, component, part, 0, columns),
               ofDevices.data() + asUnsigned(part.before) * lineBytes);
  });
}

std::uint64_t hashOfBlocks(const PlaceFields& fields) {
  std::atomic<std::uint64_t> total{0};
  const std::int64_t linesOfRow = fields.domain().shape[1];
  fields.devices().run([&](const Worker& worker) {
    const int device = worker.device();
    const auto [begin, end] = worker.share(fields.layout(device).rows);
    for (int component = 0; component < fields.components(); ++component) {
      for (std::int64_t row = begin; row < end; ++row) {
        total += fields.devices().device(device).hash(
            fields.frontBuffer(component, device), fields.component(component).elementSize,
            fields.layoutOf(component, device).places(row, 1),
            static_cast<std::uint64_t>(component),
            (fields.rows(device).begin + row) * linesOfRow + fields.lines(device).begin);
      }
    }
  });
  return total;
}

void gatherBlocks(const PlaceFields& fields, std::size_t lineBytes, void* results) {
  const BlockLines lines(fields, {0, fields.domain().shape[0]}, {0, fields.domain().shape[1]});
  fields.devices().ranks().allGatherInPlace(results, lines.rankOffsets(lineBytes));
  auto* const bytes = static_cast<char*>(results);
  const std::vector<char> ofDevices(bytes, bytes + asUnsigned(lines.size()) * lineBytes);
  lines.forEachRow(lineBytes, [&](std::size_t from, std::size_t to, std::size_t count) {
    std::memcpy(bytes + to, ofDevices.data() + from, count);
  });
}

}  // namespace mass::detail
