#include <mass/memory/field_io.hpp>

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/memory/block_io.hpp>
#include <mass/memory/node_io.hpp>
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

/// Part of a box of places that a device owns, in the natural layout of bytes if it is bits.
struct Part {
  Device* device;
  void* front;         ///< front buffer
  Layout layout;       ///< layout of the front buffer
  RowRange rows;       ///< rows of the band
  Box box;             ///< the part; unused for bits
  std::size_t offset;  ///< bytes of packed memory before it
};

/// Calls body(part) for the part of a box of places that each local device owns.
template <class Body>
void forEachBand(const PlaceFields& fields, int component, const Corner& low, const Corner& high,
                 Body&& body) {
  std::int64_t places = 0;
  for (std::int64_t row = low[0]; row < high[0];) {
    const int device = fields.partition().owner(row);
    const RowRange band = fields.rows(device);
    const RowRange rows{row - band.begin, std::min(band.end, high[0]) - band.begin};
    const Layout layout = fields.layoutOf(component, device);
    Box box{layout.at(rows.begin, low[1], low[2]),
            {rows.size(), high[1] - low[1], high[2] - low[2]},
            {layout.rowStride, layout.pitch}};
    // A row of a 1-D world is a single place, so its rows are contiguous.
    if (fields.domain().dimensions == 1) box = contiguous(box.first, rows.size());
    const auto offset = static_cast<std::size_t>(places) * fields.component(component).placeSize();
    if (fields.devices().isLocal(device))
      body(Part{&fields.devices().device(device), fields.frontBuffer(component, device), layout,
                rows, box, offset});
    places += box.size();
    row += rows.size();
  }
}

/// Pieces of rows of bits that are unpacked on a device, one after the other.
class BitPieces {
 public:
  /// @param words buffer of a device, with its layout @param rows rows of the band
  /// @param columns places of a row
  BitPieces(Device& device, void* words, const Layout& layout, RowRange rows, std::int64_t columns)
      : device_(&device),
        words_(static_cast<std::uint64_t*>(words)),
        layout_(layout),
        rows_(rows),
        columns_(columns) {}

  /// Calls body(bytes, rows) for each piece: rows of the band, one after the other in `bytes`.
  template <class Body>
  void forEach(const Body& body) const {
    const std::int64_t bytes = device_->isHost() ? hostBytes : gpuBytes;
    const std::int64_t most = std::clamp<std::int64_t>(bytes / columns_, 1, rows_.size());
    const Buffer piece(*device_, static_cast<std::size_t>(most * columns_));
    for (std::int64_t row = rows_.begin; row < rows_.end; row += most)
      body(piece.data(), RowRange{row, std::min(row + most, rows_.end)});
  }
  void unpack(RowRange rows, void* bytes) const {
    device_->unpackBits(words(rows), shape(rows), bytes);
  }
  void pack(RowRange rows, const void* bytes) const {
    device_->packBits(bytes, shape(rows), words(rows));
  }

 private:
  /// Bytes of a piece: few, so that they stay in the cache of a processor.
  static constexpr std::int64_t hostBytes = std::int64_t{1} << 18, gpuBytes = std::int64_t{1} << 24;

  std::uint64_t* words(RowRange rows) const { return words_ + layout_.at(rows.begin, 0, 0); }
  BoolRows shape(RowRange rows) const {
    return {rows.size(), columns_, layout_.rowStride, columns_};
  }

  Device* device_;
  std::uint64_t* words_;
  Layout layout_;
  RowRange rows_;
  std::int64_t columns_;
};

/// Reads columns of bits. @param packed receives a byte for each place
void readBits(const Part& part, std::int64_t columns, RowRange read, char* packed) {
  const BitPieces pieces(*part.device, part.front, part.layout, part.rows, columns);
  pieces.forEach([&](void* bytes, RowRange rows) {
    pieces.unpack(rows, bytes);
    part.device->read(bytes, 1, {read.begin, {rows.size(), 1, read.size()}, {columns, columns}},
                      packed);
    packed += rows.size() * read.size();
  });
}

/// Writes whole rows of bits. @param packed a byte for each place
void writeBits(const Part& part, std::int64_t columns, const char* packed) {
  const BitPieces pieces(*part.device, part.front, part.layout, part.rows, columns);
  pieces.forEach([&](void* bytes, RowRange rows) {
    part.device->write(bytes, 1, contiguous(0, rows.size() * columns), packed);
    pieces.pack(rows, bytes);
    packed += rows.size() * columns;
  });
}

/// Returns the hash of rows of bits, as Device::hash() of their bytes. @param rows rows of the band
std::uint64_t hashOfBits(const PlaceFields& fields, int device, RowRange rows,
                         std::int64_t firstRow) {
  Device& memory = fields.devices().device(device);
  const std::int64_t columns = fields.layout(device).columns;
  const BitPieces pieces(memory, fields.frontBuffer(0, device), fields.layoutOf(0, device), rows,
                         columns);
  std::uint64_t total = 0;
  pieces.forEach([&](void* bytes, RowRange piece) {
    pieces.unpack(piece, bytes);
    total += memory.hash(bytes, 1, {0, {piece.size(), 1, columns}, {columns, columns}}, 0,
                         firstRow + piece.begin);
  });
  return total;
}

/// Returns the upper corner of complete rows that end before row `end`.
Corner endOfRows(const PlaceFields& fields, std::int64_t end) {
  return {end, linesOfRow(fields.domain()), columnsOfLine(fields.domain())};
}

/// Returns the end of the part of rows [low, high) that each rank owns, as offsets in bytes of
/// packed memory, preceded by 0.
std::vector<std::size_t> rankOffsets(const PlaceFields& fields, std::int64_t low, std::int64_t high,
                                     std::size_t rowBytes) {
  std::vector<std::size_t> offsets{0};
  const std::vector<int>& firstDevices = fields.devices().firstDevices();
  for (std::size_t rank = 1; rank < firstDevices.size(); ++rank) {
    const std::int64_t end = fields.rows(firstDevices[rank] - 1).end;
    offsets.push_back(static_cast<std::size_t>(std::clamp(end, low, high) - low) * rowBytes);
  }
  return offsets;
}

/// Copies the part of a box that this rank owns.
void readLocalBox(const PlaceFields& fields, int component, const Corner& low, const Corner& high,
                  void* packed) {
  forEachBand(fields, component, low, high, [&](const Part& part) {
    auto* const to = static_cast<char*>(packed) + part.offset;
    if (fields.areBits()) return readBits(part, fields.layout(0).columns, {low[2], high[2]}, to);
    part.device->read(part.front, fields.component(component).elementSize, part.box, to);
  });
}

/// Returns the bytes of a row of a component without padding.
std::size_t rowBytes(const PlaceFields& fields, int component) {
  return static_cast<std::size_t>(linesOfRow(fields.domain()) * columnsOfLine(fields.domain())) *
         fields.component(component).placeSize();
}

}  // namespace

RowRange localRows(const PlaceFields& fields) {
  const auto local = fields.devices().local();
  return {fields.rows(local.front()).begin, fields.rows(local.back()).end};
}

RowRange writtenRows(const PlaceFields& fields) {
  const bool areAll = fields.areOrdered() || fields.areBlocks();
  return areAll ? RowRange{0, fields.partition().rows()} : localRows(fields);
}

std::int64_t mostRowsOfRank(const PlaceFields& fields) {
  if (fields.areBlocks()) return fields.partition().rows();
  const std::vector<int>& firstDevices = fields.devices().firstDevices();
  std::int64_t most = 0;
  for (std::size_t rank = 0; rank + 1 < firstDevices.size(); ++rank) {
    most = std::max(
        most, fields.rows(firstDevices[rank + 1] - 1).end - fields.rows(firstDevices[rank]).begin);
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
  if (fields.areOrdered()) return readNodes(fields, component, {low[0], high[0]}, packed);
  if (fields.areBlocks()) return readBlocks(fields, component, low, high, packed);
  readLocalBox(fields, component, low, high, packed);
  gatherRows(fields, low[0], high[0] - low[0],
             static_cast<std::size_t>((high[1] - low[1]) * (high[2] - low[2])) *
                 fields.component(component).placeSize(),
             packed);
}

void readRows(const PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
              void* packed) {
  readBox(fields, component, {first, 0, 0}, endOfRows(fields, first + count), packed);
}

void collectRows(const PlaceFields& fields, int component, void* packed) {
  const std::int64_t rows = fields.partition().rows();
  if (fields.areOrdered()) return readNodesOnFirstRank(fields, component, {0, rows}, packed);
  if (fields.areBlocks()) return readBlocksOnFirstRank(fields, component, {0, rows}, packed);
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
  if (fields.areOrdered())
    return readNodesOnFirstRank(fields, component, {first, first + count}, packed);
  if (fields.areBlocks())
    return readBlocksOnFirstRank(fields, component, {first, first + count}, packed);
  readLocalBox(fields, component, {first, 0, 0}, endOfRows(fields, first + count), packed);
  fields.devices().ranks().gatherToFirst(
      packed, rankOffsets(fields, first, first + count, rowBytes(fields, component)));
}

void writeRowsFromFirstRank(PlaceFields& fields, int component, std::int64_t first,
                            std::int64_t count, void* packed) {
  Ranks& ranks = fields.devices().ranks();
  const auto offsets = rankOffsets(fields, first, first + count, rowBytes(fields, component));
  if (fields.areOrdered() || fields.areBlocks()) {
    ranks.broadcast(packed, offsets.back());
  } else {
    ranks.scatterFromFirst(
        packed, static_cast<char*>(packed) + offsets[static_cast<std::size_t>(ranks.number())],
        offsets);
  }
  writeRows(fields, component, first, count, packed);
}

void writeRows(PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
               const void* packed) {
  if (fields.areOrdered()) return writeNodes(fields, component, {first, first + count}, packed);
  if (fields.areBlocks()) return writeBlocks(fields, component, {first, first + count}, packed);
  fields.toBits();
  forEachBand(
      fields, component, {first, 0, 0}, endOfRows(fields, first + count), [&](const Part& part) {
        const auto* const from = static_cast<const char*>(packed) + part.offset;
        if (fields.areBits()) return writeBits(part, fields.layout(0).columns, from);
        part.device->write(part.front, fields.component(component).elementSize, part.box, from);
      });
}

std::uint64_t hashOf(const PlaceFields& fields) {
  if (fields.links() == nullptr || !fields.links()->network().isChanged) return hashOfState(fields);
  return mix(hashOfState(fields) ^ fields.links()->network().byNodes().hash());
}

std::uint64_t hashOfState(const PlaceFields& fields) {
  // A sum of hashes of lines (in 1-D: of places), seeded by their numbers, does not depend on the
  // order of the additions.
  std::atomic<std::uint64_t> total{0};
  if (fields.areOrdered() || fields.areBlocks()) {
    const std::uint64_t own = fields.areBlocks() ? hashOfBlocks(fields) : hashOfNodes(fields);
    return mix(fields.devices().ranks().sum(own) + fields.step);
  }
  fields.run([&](const Worker& worker) {
    const Layout& layout = fields.layout(worker.device());
    const std::int64_t firstRow = fields.rows(worker.device()).begin;
    const auto [begin, end] = worker.share(layout.rows);
    if (fields.areBits()) {
      if (begin < end) total += hashOfBits(fields, worker.device(), {begin, end}, firstRow);
      return;
    }
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
