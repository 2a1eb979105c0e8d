#include <mass/memory/block_io.hpp>

#include <mass/backend/cpu/cpu_device.hpp>

#include <algorithm>
#include <array>
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
  std::array<RowRange, 3> ranges;  ///< rows, lines and columns: global numbers
  std::int64_t before;             ///< places of the box on the devices before

  std::int64_t size() const { return ranges[0].size() * ranges[1].size() * ranges[2].size(); }
};

RowRange common(RowRange a, RowRange b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// Places of a box, in the order of the devices and in that of the world.
class BlockPlaces {
 public:
  BlockPlaces(const PlaceFields& fields, const Corner& low, const Corner& high)
      : fields_(&fields), low_(low), high_(high) {
    std::int64_t before = 0;
    for (int device = 0; device < fields.devices().size(); ++device) {
      const auto along = [&](std::size_t axis) {
        return common(fields.blocks().range(axis, device), {low[axis], high[axis]});
      };
      before +=
          parts_.emplace_back(DevicePart{device, {along(0), along(1), along(2)}, before}).size();
    }
  }

  /// Returns the number of places.
  std::int64_t size() const {
    return (high_[0] - low_[0]) * (high_[1] - low_[1]) * (high_[2] - low_[2]);
  }
  /// Calls body(part) for the parts of the devices of this rank.
  template <class Body>
  void forEachLocal(const Body& body) const {
    for (const DevicePart& part : parts_)
      if (fields_->devices().isLocal(part.device) && part.size() > 0) body(part);
  }
  /// Returns the end of the places of each rank in bytes, preceded by 0.
  std::vector<std::size_t> rankOffsets(std::size_t placeBytes) const {
    std::vector<std::size_t> offsets{0};
    const std::vector<int>& firstDevices = fields_->devices().firstDevices();
    for (std::size_t rank = 1; rank < firstDevices.size(); ++rank) {
      const DevicePart& last = parts_[asUnsigned(firstDevices[rank] - 1)];
      offsets.push_back(asUnsigned(last.before + last.size()) * placeBytes);
    }
    return offsets;
  }
  /// Calls body(ofDevices, ofWorld, bytes) for places that follow each other in both orders:
  /// offsets in bytes.
  template <class Body>
  void forEachRun(std::size_t placeBytes, const Body& body) const {
    const std::int64_t linesOfRow = high_[1] - low_[1], columnsOfLine = high_[2] - low_[2];
    for (const DevicePart& part : parts_) {
      const auto& [rows, lines, columns] = part.ranges;
      if (part.size() == 0) continue;
      // The lines of a row follow each other if they are whole.
      const std::int64_t together = columns.size() == columnsOfLine ? lines.size() : 1;
      std::int64_t ofDevices = part.before;
      for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        for (std::int64_t line = lines.begin; line < lines.end; line += together) {
          const std::int64_t ofWorld =
              ((row - low_[0]) * linesOfRow + line - low_[1]) * columnsOfLine + columns.begin -
              low_[2];
          const std::int64_t count = together * columns.size();
          body(asUnsigned(ofDevices) * placeBytes, asUnsigned(ofWorld) * placeBytes,
               asUnsigned(count) * placeBytes);
          ofDevices += count;
        }
      }
    }
  }

 private:
  const PlaceFields* fields_;
  Corner low_, high_;
  std::vector<DevicePart> parts_;  // by device
};

/// Returns the places of a part in a component's buffer.
Box boxOf(const PlaceFields& fields, int component, const DevicePart& part) {
  const Layout layout = fields.layoutOf(component, part.device);
  const auto local = [&](std::size_t axis) {
    return part.ranges[axis].begin - fields.blocks().range(axis, part.device).begin;
  };
  return {layout.at(local(0), local(1), local(2)),
          {part.ranges[0].size(), part.ranges[1].size(), part.ranges[2].size()},
          {layout.rowStride, layout.pitch}};
}

Corner cornerAfterRows(const PlaceFields& fields, std::int64_t end) {
  return {end, fields.domain().shape[1], fields.domain().shape[2]};
}

/// Box of places, whose values are gathered in the order of the devices.
class BlockValues {
 public:
  BlockValues(const PlaceFields& fields, int component, const Corner& low, const Corner& high)
      : places_(fields, low, high),
        placeBytes_(fields.component(component).elementSize),
        values_(asUnsigned(places_.size()) * placeBytes_) {
    places_.forEachLocal([&](const DevicePart& part) {
      fields.devices()
          .device(part.device)
          .read(fields.frontBuffer(component, part.device), placeBytes_,
                boxOf(fields, component, part),
                values_.data() + asUnsigned(part.before) * placeBytes_);
    });
  }

  char* data() { return values_.data(); }
  std::vector<std::size_t> rankOffsets() const { return places_.rankOffsets(placeBytes_); }
  /// Copies the values in the order of the world.
  void copyTo(void* packed) const {
    places_.forEachRun(placeBytes_, [&](std::size_t from, std::size_t to, std::size_t bytes) {
      std::memcpy(static_cast<char*>(packed) + to, values_.data() + from, bytes);
    });
  }

 private:
  BlockPlaces places_;
  std::size_t placeBytes_;
  std::vector<char> values_;
};

/// Returns the sum of the hashes of the lines of this rank, whose parts are collected on the first
/// rank, some rows at a time.
std::uint64_t hashOfCutLines(const PlaceFields& fields) {
  std::atomic<std::uint64_t> total{0};
  const auto& [rows, lines, columns] = fields.domain().shape;
  constexpr std::int64_t mostPlaces = std::int64_t{1} << 22;
  const std::int64_t together = std::clamp<std::int64_t>(mostPlaces / (lines * columns), 1, rows);
  std::vector<char> values;
  for (int component = 0; component < fields.components(); ++component) {
    const std::size_t size = fields.component(component).elementSize;
    values.resize(asUnsigned(together * lines * columns) * size);
    for (std::int64_t row = 0; row < rows; row += together) {
      const std::int64_t end = std::min(row + together, rows);
      readBlocksOnFirstRank(fields, component, {row, end}, values.data());
      if (!fields.devices().ranks().isFirst()) continue;
      const std::int64_t count = (end - row) * lines, first = row * lines, length = columns;
      fields.devices().run([&](const Worker& worker) {
        const DeviceNumbers local = fields.devices().local();
        if (worker.device() != local.front()) return;
        const auto [begin, last] = worker.share(count);
        total += CpuDevice(0).hash(values.data(), size,
                                   {begin * length, {1, last - begin, length}, {0, length}},
                                   static_cast<std::uint64_t>(component), first + begin);
      });
    }
  }
  return total;
}

}  // namespace

void readBlocks(const PlaceFields& fields, int component, const Corner& low, const Corner& high,
                void* packed) {
  BlockValues values(fields, component, low, high);
  fields.devices().ranks().allGatherInPlace(values.data(), values.rankOffsets());
  values.copyTo(packed);
}

void readBlocksOnFirstRank(const PlaceFields& fields, int component, RowRange rows, void* packed) {
  BlockValues values(fields, component, {rows.begin, 0, 0}, cornerAfterRows(fields, rows.end));
  Ranks& ranks = fields.devices().ranks();
  ranks.gatherToFirst(values.data(), values.rankOffsets());
  if (ranks.isFirst()) values.copyTo(packed);
}

void writeBlocks(PlaceFields& fields, int component, RowRange rows, const void* packed) {
  const std::size_t elementSize = fields.component(component).elementSize;
  const BlockPlaces places(fields, {rows.begin, 0, 0}, cornerAfterRows(fields, rows.end));
  std::vector<char> ofDevices(asUnsigned(places.size()) * elementSize);
  places.forEachRun(elementSize, [&](std::size_t to, std::size_t from, std::size_t bytes) {
    std::memcpy(ofDevices.data() + to, static_cast<const char*>(packed) + from, bytes);
  });
  places.forEachLocal([&](const DevicePart& part) {
    fields.devices()
        .device(part.device)
        .write(fields.frontBuffer(component, part.device), elementSize,
               boxOf(fields, component, part),
               ofDevices.data() + asUnsigned(part.before) * elementSize);
  });
}

std::uint64_t hashOfBlocks(const PlaceFields& fields) {
  if (fields.blocks().isCut(2)) return hashOfCutLines(fields);
  std::atomic<std::uint64_t> total{0};
  const std::int64_t linesOfRow = fields.domain().shape[1];
  fields.run([&](const Worker& worker) {
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

void gatherBlocks(const PlaceFields& fields, bool isForEachPlace, std::size_t bytes,
                  void* results) {
  const Corner end = cornerAfterRows(fields, fields.domain().shape[0]);
  // A line belongs to the device with its last column.
  const BlockPlaces places(fields, {0, 0, isForEachPlace ? 0 : end[2] - 1}, end);
  fields.devices().ranks().allGatherInPlace(results, places.rankOffsets(bytes));
  auto* const memory = static_cast<char*>(results);
  const std::vector<char> ofDevices(memory, memory + asUnsigned(places.size()) * bytes);
  places.forEachRun(bytes, [&](std::size_t from, std::size_t to, std::size_t count) {
    std::memcpy(memory + to, ofDevices.data() + from, count);
  });
}

}  // namespace mass::detail
