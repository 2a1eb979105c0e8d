#include <mass/dispatch/bits/byte_window.hpp>

#include <mass/memory/padding.hpp>
#include <mass/support/byte_rows.hpp>
#include <mass/support/cache_line.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

namespace mass::detail {
namespace {

/// Bytes of the rows of a window: a part of the second-level cache of a core.
constexpr std::int64_t windowBytes = std::int64_t{1} << 17;

}  // namespace

void ByteWindow::run(const Kernel& rule, const Launch& launch, std::int64_t begin,
                     std::int64_t end) const {
  const Layout& layout = launch.layout;
  const std::int64_t most =
      std::min(std::max<std::int64_t>(windowBytes / layout.rowStride, 1), end - begin);
  const std::int64_t margin = rule.readsNeighbors ? layout.depth : 0;
  const auto bytes =
      (static_cast<std::size_t>((most + 2 * margin) * layout.rowStride) / cacheLineBytes + 1) *
      cacheLineBytes;
  const bool hasTwo = rule.isDoubleBuffered() && !rule.written.empty();
  memory_->resize(std::max(memory_->size(), 2 * bytes + cacheLineBytes));
  void* first = memory_->data();
  std::size_t space = memory_->size();
  std::align(cacheLineBytes, bytes, first, space);
  auto* const window = static_cast<unsigned char*>(first);
  for (std::int64_t row = begin; row < end; row += most) {
    const RowRange rows{row, std::min(row + most, end)};
    // The addresses of buffers in which the windows are rows from `row` - `margin` on.
    const std::int64_t start = layout.rowStart(row - margin);
    unsigned char* const in = window - start;
    unsigned char* const out = hasTwo ? in + bytes : in;
    unpack(launch, {rows.begin - margin, rows.end + margin}, in);
    Launch part = launch;
    const void* const from[] = {in};
    void* const to[] = {out};
    part.in = from;
    part.out = to;
    rule.function(part, rows.begin, rows.end);
    if (!rule.written.empty()) pack(launch, rows, out);
  }
}

/// Unpacks rows, which may be ghost rows, with their padding. @param to buffer of the layout
void ByteWindow::unpack(const Launch& launch, RowRange rows, unsigned char* to) const {
  const Layout& layout = launch.layout;
  const Layout bits = fields_->layoutOf(0, launch.device);
  const Border border = fields_->domain().borders[1];
  const int outside = fields_->component(0).outside.front() != 0 ? 1 : 0;
  const auto padding = static_cast<std::size_t>(layout.padding);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    unsigned char* const first = to + layout.at(row, 0, 0);
    unpackBytes(static_cast<const std::uint64_t*>(launch.in[0]) + bits.at(row, 0, 0),
                layout.columns, first);
    if (border == Border::fixed) {
      std::memset(first - padding, outside, padding);
      std::memset(first + layout.columns, outside, padding);
    } else {
      fillColumnPadding(to, layout, border, row, 0);
    }
  }
}

void ByteWindow::pack(const Launch& launch, RowRange rows, const unsigned char* from) const {
  const Layout bits = fields_->layoutOf(0, launch.device);
  for (std::int64_t row = rows.begin; row < rows.end; ++row)
    packBytes(from + launch.layout.at(row, 0, 0), launch.layout.columns,
              static_cast<std::uint64_t*>(launch.out[0]) + bits.at(row, 0, 0));
}

}  // namespace mass::detail
