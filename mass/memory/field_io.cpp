#include <mass/memory/field_io.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace mass {
namespace {

/// Calls body(address, packed offset, bytes) for every contiguous piece of rows [first, first +
/// count).
template <class Body>
void forEachPiece(const PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
                  Body&& body) {
  const std::size_t elementSize = fields.component(component).elementSize;
  std::size_t offset = 0;
  for (std::int64_t row = first; row < first + count;) {
    const int device = fields.partition().owner(row);
    const RowRange band = fields.partition().range(device);
    const Layout& layout = fields.layout(device);
    auto* const data = static_cast<char*>(fields.frontBuffer(component, device));
    const auto piece = [&](std::int64_t places, std::int64_t at) {
      const std::size_t bytes = static_cast<std::size_t>(places) * elementSize;
      body(data + static_cast<std::size_t>(at) * elementSize, offset, bytes);
      offset += bytes;
    };
    if (fields.domain().dimensions == 1) {
      const std::int64_t rows = std::min(band.end, first + count) - row;
      piece(rows, layout.at(row - band.begin, 0, 0));
      row += rows;
    } else {
      for (std::int64_t line = 0; line < layout.lines; ++line) {
        piece(layout.columns, layout.at(row - band.begin, line, 0));
      }
      ++row;
    }
  }
}

/// The finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): every input bit reaches every
/// output bit.
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27) * 0x94d049bb133111ebU;
  return value ^ value >> 31;
}

std::uint64_t hashBytes(const char* data, std::size_t bytes, std::uint64_t seed) {
  std::uint64_t hash = mix(seed);
  for (std::size_t done = 0; done < bytes; done += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + done, std::min(sizeof(word), bytes - done));
    hash = mix(hash ^ word);
  }
  return hash;
}

}  // namespace

void readRows(const PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
              void* packed) {
  forEachPiece(fields, component, first, count,
               [&](const char* data, std::size_t offset, std::size_t bytes) {
                 std::memcpy(static_cast<char*>(packed) + offset, data, bytes);
               });
}

void writeRows(PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
               const void* packed) {
  forEachPiece(fields, component, first, count,
               [&](char* data, std::size_t offset, std::size_t bytes) {
                 std::memcpy(data, static_cast<const char*>(packed) + offset, bytes);
               });
}

std::uint64_t hashOf(const PlaceFields& fields) {
  // A sum over lines (in 1-D: places) of hashes seeded by their numbers does not depend on who adds
  // what first.
  std::atomic<std::uint64_t> total{0};
  fields.devices().run([&](const Worker& worker) {
    const Layout& layout = fields.layout(worker.device());
    const std::int64_t firstRow = fields.partition().range(worker.device()).begin;
    std::uint64_t mine = 0;
    for (int component = 0; component < fields.components(); ++component) {
      const auto bytes =
          static_cast<std::size_t>(layout.columns) * fields.component(component).elementSize;
      const auto* const data =
          static_cast<const char*>(fields.frontBuffer(component, worker.device()));
      for (std::int64_t row = worker.rank(); row < layout.rows; row += worker.size()) {
        for (std::int64_t line = 0; line < layout.lines; ++line) {
          const auto at = static_cast<std::size_t>(layout.at(row, line, 0));
          const std::int64_t number = (firstRow + row) * layout.lines + line;
          mine += hashBytes(
              data + at * fields.component(component).elementSize, bytes,
              mix(static_cast<std::uint64_t>(component)) ^ static_cast<std::uint64_t>(number));
        }
      }
    }
    total += mine;
  });
  return mix(total + fields.step);
}

}  // namespace mass
