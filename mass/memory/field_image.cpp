#include <mass/memory/field_image.hpp>

#include <mass/backend/block_tally.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string>

namespace mass::detail {
namespace {

/// Returns the rows of the plane that a device owns, as rows of the plane from `top` on.
RowRange rowsOn(const PlaceFields& fields, const FieldPlane& plane, int device) {
  const RowRange band = fields.rows(device);
  if (plane.across == 0) {
    const bool isHere = band.begin <= plane.at && plane.at < band.end;
    return {0, isHere ? plane.rows : 0};
  }
  const std::int64_t begin = std::clamp<std::int64_t>(band.begin - plane.top, 0, plane.rows);
  return {begin, std::clamp<std::int64_t>(band.end - plane.top, begin, plane.rows)};
}

/// Returns the grid of rows of the plane on a device.
BlockGrid gridOn(const PlaceFields& fields, int component, const FieldPlane& plane, int device,
                 RowRange rows) {
  const Layout layout = fields.layoutOf(component, device);
  const std::int64_t band = fields.rows(device).begin;
  BlockGrid grid{rows.size(), plane.columns};
  grid.block = plane.block;
  grid.before = rows.begin % plane.block;
  const std::int64_t row = plane.top + rows.begin - band;
  grid.rowStride = layout.rowStride;
  if (fields.areBits()) {
    grid.first = layout.at(row, 0, 0);
    grid.firstBit = plane.left;
  } else if (plane.across == 0) {
    grid.first = layout.at(plane.at - band, plane.top, plane.left);
    grid.rowStride = layout.pitch;
  } else if (plane.across == 1) {
    grid.first = layout.at(row, plane.at, plane.left);
  } else {
    grid.first = layout.at(row, plane.left, plane.at);
    grid.columnStride = layout.pitch;
  }
  return grid;
}

std::size_t asSize(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

/// Returns the first row of blocks of each rank, in pixels of the image, and the end.
std::vector<std::size_t> rankOffsets(const PlaceFields& fields, const FieldPlane& plane) {
  const std::vector<int>& firstDevices = fields.devices().firstDevices();
  const std::int64_t all = plane.blockRows();
  std::vector<std::size_t> offsets;
  for (std::size_t rank = 0; rank < firstDevices.size(); ++rank) {
    std::int64_t first = all;
    if (rank == 0) {
      first = 0;
    } else if (rank + 1 < firstDevices.size()) {
      const RowRange band = fields.rows(firstDevices[rank]);
      first = plane.across == 0
                  ? (plane.at >= band.begin ? 0 : all)
                  : std::clamp<std::int64_t>((band.begin - plane.top) / plane.block, 0, all);
    }
    offsets.push_back(asSize(first * plane.blockColumns()));
  }
  return offsets;
}

}  // namespace

std::vector<FieldImager::Part> FieldImager::partsOf(const PlaceFields& fields, int component,
                                                    const FieldPlane& plane) {
  std::vector<Part> parts;
  for (const int device : fields.devices().local()) {
    const RowRange rows = rowsOn(fields, plane, device);
    if (rows.size() == 0) continue;
    const BlockGrid grid = gridOn(fields, component, plane, device, rows);
    Part part{device, fields.frontBuffer(component, device),
              grid,   rows.begin / plane.block,
              0,      grid.blockRows()};
    if (grid.before > 0) part.begin = 1;
    if (rows.end < plane.rows && rows.end % plane.block != 0) --part.end;
    part.end = std::max(part.begin, part.end);
    parts.push_back(part);
  }
  return parts;
}

void FieldImager::reserve(const PlaceFields& fields, const std::vector<Part>& parts,
                          const BlockRule& rule) {
  memories_.resize(fields.devices().local().size());
  const auto grow = [](Buffer& buffer, Device& device, std::size_t bytes) {
    if (buffer.bytes() >= bytes) return;
    buffer = Buffer();  // frees it before the other is allocated
    buffer = Buffer(device, bytes);
  };
  for (const Part& part : parts) {
    Device& device = fields.devices().device(part.device);
    Memory& memory = memories_[asSize(part.device - fields.devices().firstLocal())];
    const std::size_t blocks = asSize(part.grid.blocks());
    grow(memory.tallies, device, blocks * rule.tallyBytes());
    if (!device.isHost()) grow(memory.indices, device, blocks);
  }
}

void FieldImager::tally(const PlaceFields& fields, const std::vector<Part>& parts,
                        const BlockRule& rule, BlockTotals& totals) {
  std::mutex mutex;
  fields.devices().run([&](const Worker& worker) {
    for (const Part& part : parts) {
      if (part.device != worker.device()) continue;
      const auto [begin, end] = worker.share(part.grid.blockRows());
      if (begin == end) continue;
      const Memory& memory = memories_[asSize(part.device - fields.devices().firstLocal())];
      auto* const to = static_cast<char*>(memory.tallies.data()) +
                       asSize(begin * part.grid.blockColumns()) * rule.tallyBytes();
      const BlockTotals own =
          fields.devices()
              .device(part.device)
              .tallyBlocks(part.data, part.grid.blockRows(begin, end), rule, to);
      const std::scoped_lock lock(mutex);
      totals.add(own);
    }
  });
}

/// Writes the pixels of the blocks whose places are all on one device.
void FieldImager::index(const PlaceFields& fields, const std::vector<Part>& parts,
                        const BlockRule& rule, const BlockTotals& totals,
                        std::vector<std::uint8_t>& pixels) {
  fields.devices().run([&](const Worker& worker) {
    for (const Part& part : parts) {
      if (part.device != worker.device() || part.begin == part.end) continue;
      const auto [first, last] = worker.share(part.end - part.begin);
      if (first == last) continue;
      const std::int64_t begin = part.begin + first, end = part.begin + last;
      const std::int64_t columns = part.grid.blockColumns();
      Device& device = fields.devices().device(part.device);
      const Memory& memory = memories_[asSize(part.device - fields.devices().firstLocal())];
      std::uint8_t* const to = pixels.data() + (part.firstBlockRow + begin) * columns;
      void* const indices = device.isHost() ? to : memory.indices.data();
      device.indexBlocks(static_cast<const char*>(memory.tallies.data()) +
                             asSize(begin * columns) * rule.tallyBytes(),
                         part.grid.blockRows(begin, end), rule, totals, indices);
      if (!device.isHost()) device.read(indices, 1, contiguous(0, (end - begin) * columns), to);
    }
  });
}

/// Writes the pixels of the blocks that are cut by the bands of devices.
void FieldImager::mergeCutBlocks(const PlaceFields& fields, const std::vector<Part>& parts,
                                 const FieldPlane& plane, const BlockRule& rule,
                                 const BlockTotals& totals, std::vector<std::uint8_t>& pixels) {
  const std::int64_t columns = plane.blockColumns();
  const std::size_t lineBytes = asSize(columns) * rule.tallyBytes();
  const std::size_t entryBytes = sizeof(std::int64_t) + lineBytes;
  std::string own;  // number of the row of blocks, and its tallies
  for (const Part& part : parts) {
    for (std::int64_t row = 0; row < part.grid.blockRows(); ++row) {
      if (row == part.begin) row = part.end;  // the complete ones
      if (row == part.grid.blockRows()) break;
      const Memory& memory = memories_[asSize(part.device - fields.devices().firstLocal())];
      const std::int64_t number = part.firstBlockRow + row;
      own.append(reinterpret_cast<const char*>(&number), sizeof(number));
      own.resize(own.size() + lineBytes);
      fields.devices()
          .device(part.device)
          .read(static_cast<const char*>(memory.tallies.data()) + asSize(row) * lineBytes, 1,
                contiguous(0, static_cast<std::int64_t>(lineBytes)),
                own.data() + own.size() - lineBytes);
    }
  }
  std::map<std::int64_t, std::string> lines;
  for (const std::string& text : fields.devices().ranks().allGather(own)) {
    for (std::size_t at = 0; at < text.size(); at += entryBytes) {
      std::int64_t number = 0;
      std::memcpy(&number, text.data() + at, sizeof(number));
      const std::string line = text.substr(at + sizeof(number), lineBytes);
      const auto [entry, isNew] = lines.try_emplace(number, line);
      if (!isNew) mergeTallies(rule, columns, line.data(), entry->second.data());
    }
  }
  const BlockGrid whole{plane.rows, plane.columns, 0, 0, 1, 0, plane.block};
  for (const auto& [row, tallies] : lines) {
    for (std::int64_t column = 0; column < columns; ++column) {
      pixels[asSize(row * columns + column)] =
          indexOf(rule, tallies.data() + asSize(column) * rule.tallyBytes(),
                  BlockPart::of(whole, row, column).places(), totals.counts.data());
    }
  }
}

std::optional<std::vector<std::uint8_t>> FieldImager::draw(const PlaceFields& fields, int component,
                                                           const FieldPlane& plane,
                                                           BlockRule rule) {
  rule.areBits = fields.areBits();
  const std::vector<Part> parts = partsOf(fields, component, plane);
  reserve(fields, parts, rule);
  BlockTotals own, totals;
  tally(fields, parts, rule, own);
  Ranks& ranks = fields.devices().ranks();
  for (const BlockTotals& each : ranks.allGather(own)) totals.add(each);
  if (totals.wrong > 0) return {};
  std::vector<std::uint8_t> pixels(asSize(plane.blockRows() * plane.blockColumns()));
  index(fields, parts, rule, totals, pixels);
  if (ranks.count() > 1) ranks.gatherToFirst(pixels.data(), rankOffsets(fields, plane));
  mergeCutBlocks(fields, parts, plane, rule, totals, pixels);
  return pixels;
}

}  // namespace mass::detail
