#include <mass/dispatch/row_pass.hpp>

#include <mass/partition/border.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace mass::detail {
namespace {

/// Maximum number of rows of a block, and of places in a 1-D world.
constexpr std::int64_t mostBlockRows = 64, mostBlockPlaces = 4096;
/// Alignment of buffers in bytes.
constexpr std::int64_t alignment = 64;

/// Returns the bytes that the windows of a thread may fill: half of the cache of its core.
std::int64_t windowBytes() {
  constexpr std::int64_t otherwise = std::int64_t{1} << 20;
  static const std::int64_t cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return (cache > 0 ? cache : otherwise) / 2;
}

RowRange common(RowRange a, RowRange b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace

bool RowPass::supports(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch) {
  if (kernel.traversal != Traversal::stencil || batch.doubleBuffered.empty()) return false;
  if (fields.devices().areGpus()) return false;
  if (kernel.readsAgents && fields.devices().ranks().count() > 1) return false;
  for (int component = 0; component < fields.components(); ++component)
    if (fields.component(component).isStreamed) return false;
  return true;
}

RowPass::RowPass(const PlaceFields& fields, const Kernel& kernel, std::vector<char>& memory)
    : fields_(&fields),
      kernel_(&kernel),
      rankRows_{fields.partition().range(fields.devices().local().front()).begin,
                fields.partition().range(fields.devices().local().back()).end},
      reach_(fields.domain().reach),
      worldRows_(fields.domain().shape[0]),
      border_(fields.domain().borders[0]),
      memory_(&memory),
      in_(static_cast<std::size_t>(fields.components())),
      out_(static_cast<std::size_t>(fields.components())) {
  const std::int64_t stride = fields.layout(fields.devices().firstLocal()).rowStride;
  for (const int component : kernel.written) {
    const auto size = static_cast<std::int64_t>(fields.component(component).elementSize);
    written_.push_back({static_cast<std::size_t>(component), size, stride * size});
  }
}

/// Returns the rows of a block: as many as the cache holds, since the last rows of each are copied.
std::int64_t RowPass::blockRows(int steps) const {
  std::int64_t bytes = 0;
  for (const Written& written : written_) bytes += written.rowBytes;
  const std::int64_t most = fields_->domain().dimensions == 1 ? mostBlockPlaces : mostBlockRows;
  const std::int64_t least = std::max<std::int64_t>(2 * reach_, 1);
  const std::int64_t windows = std::max(steps - 1, 1);
  const std::int64_t fitting = windowBytes() / (bytes * windows) - 2 * reach_;
  return std::clamp(fitting, least, std::max(least, most));
}

/// Returns the rows that a step computes, and rows beyond borders that the next step reads.
RowRange RowPass::rowsOf(int step, int steps) const {
  const std::int64_t margin = (steps - step) * reach_;
  const RowRange rows{rows_.begin - margin, rows_.end + margin};
  return border_ == Border::periodic ? rows : common(rows, {-reach_, worldRows_ + reach_});
}

/// Divides the memory into windows, in which lines have the alignment of the buffers.
void RowPass::prepareWindows(int steps) {
  if (steps == steps_) return;
  steps_ = steps;
  block_ = blockRows(steps);
  firstRows_.assign(static_cast<std::size_t>(steps), 0);
  const Layout& layout = launches_.front().layout;
  const std::int64_t rows = block_ + 2 * reach_;
  std::int64_t bytes = alignment;
  for (const Written& written : written_) bytes += rows * written.rowBytes + 2 * alignment;
  bytes *= steps - 1;
  if (static_cast<std::int64_t>(memory_->size()) < bytes)
    memory_->resize(static_cast<std::size_t>(bytes));
  windows_.assign(static_cast<std::size_t>(steps), {});
  // Offset in the memory of a multiple of the alignment, then of the end of a window.
  std::int64_t at = alignment - static_cast<std::int64_t>(
                                    reinterpret_cast<std::uintptr_t>(memory_->data()) % alignment);
  for (int step = 1; step < steps; ++step) {
    for (const Written& written : written_) {
      const std::int64_t offset = layout.rowStart(0) * written.elementSize % alignment;
      windows_[static_cast<std::size_t>(step)].push_back(memory_->data() + at + offset);
      at += (rows * written.rowBytes + offset + alignment - 1) / alignment * alignment;
    }
  }
  fillFixedPadding();
}

/// Copies a row into all rows of the windows: kernels do not write the padding of fixed borders.
void RowPass::fillFixedPadding() {
  const Domain& domain = fields_->domain();
  bool isFixed = false;
  for (int axis = 1; axis < domain.dimensions; ++axis)
    isFixed = isFixed || domain.borders[static_cast<std::size_t>(axis)] == Border::fixed;
  if (!isFixed) return;
  const Launch& launch = launches_.front();
  for (const auto& windows : windows_) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const auto& [component, size, rowBytes] = written_[i];
      const char* const row =
          static_cast<const char*>(launch.in[component]) + launch.layout.rowStart(0) * size;
      for (std::int64_t k = 0; k < block_ + 2 * reach_; ++k)
        std::memcpy(windows[i] + k * rowBytes, row, static_cast<std::size_t>(rowBytes));
    }
  }
}

char* RowPass::windowRow(int step, std::size_t written, std::int64_t row) const {
  const auto number = static_cast<std::size_t>(step);
  return windows_[number][written] + (row - firstRows_[number]) * written_[written].rowBytes;
}

void RowPass::run(RowRange rows, std::span<const Launch> launches, int steps) {
  rows_ = rows;
  launches_ = launches;
  prepareWindows(steps);
  const std::int64_t margin = (steps - 1) * reach_;
  for (std::int64_t begin = rows_.begin - margin; begin < rows_.end + margin; begin += block_) {
    for (int step = 1; step <= steps; ++step) {
      const std::int64_t first = begin - (step - 1) * reach_;
      if (step < steps) firstRows_[static_cast<std::size_t>(step)] = first - 2 * reach_;
      runBlock(step, steps, common({first, first + block_}, rowsOf(step, steps)));
      if (step > 1) keepLastRows(step - 1);
    }
  }
}

/// Returns the first of the rows, with those after it on the same device.
RowPass::Band RowPass::bandOf(RowRange rows) const {
  const bool isAlone = rankRows_.size() == worldRows_;
  if (!isAlone && (rows.begin < rankRows_.begin || rows.begin >= rankRows_.end))
    return ghostBandOf(rows);
  const std::int64_t row = sourceOf(rows.begin, worldRows_, border_);
  const int device = fields_->partition().owner(row);
  const RowRange band = fields_->partition().range(device);
  return {{rows.begin, std::min(rows.end, rows.begin + band.end - row)},
          &launches_[static_cast<std::size_t>(device - fields_->devices().firstLocal())],
          row - band.begin};
}

/// Returns the first of the rows, with those after it, as ghost rows of the first or last device.
RowPass::Band RowPass::ghostBandOf(RowRange rows) const {
  const bool isBefore = rows.begin < rankRows_.begin;
  const Launch& launch = isBefore ? launches_.front() : launches_.back();
  // Rows end where this rank's begin, and where the border of the world changes their numbers.
  for (const std::int64_t end : {std::int64_t{0}, rankRows_.begin, worldRows_})
    if (rows.begin < end) rows.end = std::min(rows.end, end);
  return {rows, &launch, rows.begin - launch.firstRow,
          sourceOf(rows.begin, worldRows_, border_) - rows.begin};
}

/// Runs a step for the rows of a block.
void RowPass::runBlock(int step, int steps, RowRange block) {
  const bool isEndless = border_ == Border::periodic;
  RowRange rows = isEndless ? block : common(block, {0, worldRows_});
  while (rows.begin < rows.end) {
    const Band band = bandOf(rows);
    runBand(step, steps, band);
    rows.begin = band.rows.end;
  }
  if (!isEndless && step < steps) fillBeyondBorders(step, block);
}

void RowPass::runBand(int step, int steps, const Band& band) {
  Launch launch = *band.launch;
  const Layout& layout = launch.layout;
  // Kernels count rows from 0, so the ghost rows before a band get numbers from 0, too.
  const std::int64_t skipped = band.first < 0 ? layout.ghostRows : 0;
  const std::int64_t first = band.first + skipped;
  for (std::size_t component = 0; component < in_.size(); ++component) {
    const auto size =
        static_cast<std::int64_t>(fields_->component(static_cast<int>(component)).elementSize);
    const std::int64_t offset = skipped * layout.rowStride * size;
    in_[component] = static_cast<const char*>(launch.in[component]) - offset;
    out_[component] = static_cast<char*>(launch.out[component]) - offset;
  }
  for (std::size_t i = 0; i < written_.size(); ++i) {
    // The address of the buffer in which the window would be the rows of this number.
    const std::int64_t before = layout.rowStart(first) * written_[i].elementSize;
    const std::size_t component = written_[i].component;
    if (step > 1) in_[component] = windowRow(step - 1, i, band.rows.begin) - before;
    if (step < steps) out_[component] = windowRow(step, i, band.rows.begin) - before;
  }
  launch.in = in_.data();
  launch.out = out_.data();
  launch.firstRow += band.around - skipped;
  for (std::int64_t& end : launch.ends.of[0])
    if (end != FixedEnds::none) end += skipped;
  launch.step += static_cast<std::uint64_t>(step - 1);
  kernel_->function(launch, first * layout.lines, (first + band.rows.size()) * layout.lines);
}

/// Fills the rows beyond the borders of the world that a window can now have.
void RowPass::fillBeyondBorders(int step, RowRange block) {
  const auto has = [&](std::int64_t row) { return block.begin <= row && row < block.end; };
  for (std::int64_t row = -reach_; row < 0; ++row) {
    // A mirrored row follows its source.
    const bool isFixed = border_ == Border::fixed;
    if (has(isFixed ? row : sourceOf(row, worldRows_, border_))) fillRowBeyondBorder(step, row);
  }
  for (std::int64_t row = worldRows_; row < worldRows_ + reach_; ++row)
    if (has(row)) fillRowBeyondBorder(step, row);
}

void RowPass::fillRowBeyondBorder(int step, std::int64_t row) {
  const Launch& launch = row < 0 ? launches_.front() : launches_.back();
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const auto& [component, size, rowBytes] = written_[i];
    const char* const from = border_ == Border::fixed
                                 ? static_cast<const char*>(launch.in[component]) +
                                       launch.layout.rowStart(row - launch.firstRow) * size
                                 : windowRow(step, i, sourceOf(row, worldRows_, border_));
    std::memcpy(windowRow(step, i, row), from, static_cast<std::size_t>(rowBytes));
  }
}

/// Moves the last rows of the windows to their begin, where the next block expects them.
void RowPass::keepLastRows(int step) {
  const auto& windows = windows_[static_cast<std::size_t>(step)];
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const std::int64_t rowBytes = written_[i].rowBytes;
    std::memcpy(windows[i], windows[i] + block_ * rowBytes,
                static_cast<std::size_t>(2 * reach_ * rowBytes));
  }
}

}  // namespace mass::detail
