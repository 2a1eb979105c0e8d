#include <mass/dispatch/row_pass.hpp>

#include <mass/dispatch/cycles.hpp>
#include <mass/partition/border.hpp>
#include <mass/support/cache_line.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace mass::detail {
namespace {

/// Maximum number of rows of a block, and of places in a 1-D world.
constexpr std::int64_t mostBlockRows = 64, mostBlockPlaces = 4096;
/// Windows are rings if a block has fewer rows than this multiple of those that are kept.
constexpr std::int64_t ringBelow = 8;
/// Places of a block of a ring, even if the cache holds fewer: a call of a kernel takes as long as
/// some hundred places.
constexpr std::int64_t leastRingPlaces = 16384;
/// Alignment of buffers in bytes.
constexpr std::int64_t alignment = cacheLineBytes;
/// Number of a step for the state before the pass.
constexpr int none = -1;

/// Returns the bytes that the windows of a thread may fill: half of the cache of its core.
std::int64_t windowBytes() {
  constexpr std::int64_t otherwise = std::int64_t{1} << 20;
  static const std::int64_t cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return (cache > 0 ? cache : otherwise) / 2;
}

/// Returns the rows of a window before a block that later steps read: at most those of a turn do.
std::int64_t keptRows(const PlaceFields& fields, Turn turn) {
  return (std::ssize(turn) + 1) * fields.domain().reach;
}

/// Returns the bytes by which each ring begins at a lower address, modulo 4 KB, than the one before
/// it: a kernel then loads from addresses that lie after those of its latest stores, modulo 4 KB. A
/// processor delays a load from the address of a recent store, and compares these bits only.
/// @param rowBytes bytes of a row @param reach rows at each side that a rule reads
std::int64_t ringShift(std::int64_t rowBytes, std::int64_t reach) {
  constexpr std::int64_t page = 4096;
  std::int64_t best = 0, bestDistance = page;
  for (std::int64_t shift = alignment; shift < page; shift += alignment) {
    std::int64_t nearest = page, farthest = 0;
    for (std::int64_t row = -reach; row <= reach; ++row) {
      const std::int64_t ahead = ((shift + row * rowBytes) % page + page) % page;
      nearest = std::min(nearest, ahead);
      farthest = std::max(farthest, ahead);
    }
    if (nearest >= alignment && farthest < bestDistance) {
      best = shift;
      bestDistance = farthest;
    }
  }
  return best;
}

RowRange common(RowRange a, RowRange b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace

bool RowPass::supports(const PlaceFields& fields, Turn turn) {
  const auto readsOthers = [](const Kernel& kernel) { return kernel.readsPopulations; };
  return !fields.devices().areGpus() && mayComputeGhosts(fields, turn) &&
         (areOneGroup(fields) || std::ranges::none_of(turn, readsOthers));
}

int RowPass::fittingTurns(const PlaceFields& fields, Turn turn, int most) {
  std::int64_t bytes = 0;
  const std::int64_t stride = fields.layout(fields.devices().firstLocal()).rowStride;
  for (const Kernel& kernel : turn)
    for (const int component : kernel.written)
      bytes += stride * static_cast<std::int64_t>(fields.component(component).elementSize);
  const std::int64_t rows = keptRows(fields, turn) + 1;
  return static_cast<int>(std::min<std::int64_t>(most, windowBytes() / (bytes * rows)));
}

RowPass::RowPass(const PlaceFields& fields, Turn turn, int device, PassMemory& memory)
    : fields_(&fields),
      turn_(turn),
      group_(groupOf(fields, device)),
      groupRows_{fields.rows(group_.front()).begin, fields.rows(group_.back()).end},
      own_{fields.rows(device), fields.lines(device), fields.columns(device)},
      devices_(fields.devices().local().size()),
      reach_(fields.domain().reach),
      worldRows_(fields.domain().shape[0]),
      border_(fields.domain().borders[0]),
      memory_(&memory),
      kept_(keptRows(fields, turn)),
      in_(static_cast<std::size_t>(fields.components())),
      out_(static_cast<std::size_t>(fields.components())) {}

/// Determines what each step reads and writes.
void RowPass::planSteps(std::size_t firstRule, int steps) {
  if (std::ssize(steps_) == steps && firstRule == firstRule_) return;
  firstRule_ = firstRule;
  steps_.clear();
  const std::int64_t stride = fields_->layout(group_.front()).rowStride;
  std::vector<std::pair<int, std::size_t>> latest(in_.size(), {none, 0});
  for (int number = 0; number < steps; ++number) {
    const std::size_t rule = static_cast<std::size_t>(number) % turn_.size();
    Step& step = steps_.emplace_back(Step{&turn_[firstRule + rule], rule, 0});
    step.read = latest;
    for (const int component : step.kernel->written) {
      const auto size = static_cast<std::int64_t>(fields_->component(component).elementSize);
      latest[static_cast<std::size_t>(component)] = {number, step.written.size()};
      step.written.push_back({static_cast<std::size_t>(component), size, stride * size});
    }
  }
  for (const auto& [step, version] : latest)
    if (step != none) steps_[static_cast<std::size_t>(step)].written[version].isLast = true;
  std::int64_t margin = 0;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    step->margin = margin;
    if (step->kernel->readsNeighbors) margin += reach_;
  }
  prepareWindows();
}

/// Determines the rows of a block, as many as the cache holds, and the kind of the windows.
void RowPass::planBlocks() {
  std::int64_t bytes = 1;
  for (std::size_t step = 0; step + 1 < steps_.size(); ++step)
    for (const Version& version : steps_[step].written) bytes += version.rowBytes;
  const std::int64_t most = fields_->domain().dimensions == 1 ? mostBlockPlaces : mostBlockRows;
  const std::int64_t fitting = std::min(windowBytes() / bytes - kept_, most);
  areRings_ = fitting < ringBelow * kept_;
  const std::int64_t stride = firstLaunch().layout.rowStride;
  block_ = std::max(fitting, std::min((leastRingPlaces + stride - 1) / stride, most));
  if (areRings_ && shareRings()) return;
  areRings_ = false;
  // The last rows of each block are copied.
  block_ = std::max({fitting, kept_, std::int64_t{1}});
  shareMemory();
}

/// Returns the rows that a step computes, and rows beyond borders that the next step reads.
RowRange RowPass::rowsOf(const Step& step) const {
  const RowRange rows{rows_.begin - step.margin, rows_.end + step.margin};
  return border_ == Border::periodic ? rows : common(rows, {-reach_, worldRows_ + reach_});
}

/// Returns the lines (axis 1) or columns (axis 2) that a step computes: those of the device, and of
/// a block also some of its ghosts. They go on beyond a periodic border.
RowRange RowPass::computedAlong(std::size_t axis, const Step& step) const {
  const RowRange own = own_[axis];
  if (axis >= fields_->blocks().exchangedAxes()) return own;
  const std::int64_t margin = beyond_ + step.margin;
  const RowRange all{own.begin - margin, own.end + margin};
  const bool isEndless = fields_->domain().borders[axis] == Border::periodic;
  return isEndless ? all : common(all, {0, fields_->domain().shape[axis]});
}

/// Calls body(part, first) for the parts of computedAlong() on one side of each border of the
/// world, where numbers change: their numbers on the device, and that of the first in the world.
template <class Body>
void RowPass::forEachPart(std::size_t axis, const Step& step, const Body& body) const {
  const std::int64_t length = fields_->domain().shape[axis], own = own_[axis].begin;
  for (RowRange left = computedAlong(axis, step); left.begin < left.end;) {
    std::int64_t end = left.end;
    for (const std::int64_t border : {std::int64_t{0}, length})
      if (left.begin < border) end = std::min(end, border);
    body(RowRange{left.begin - own, end - own},
         sourceOf(left.begin, length, fields_->domain().borders[axis]));
    left.begin = end;
  }
}

void RowPass::prepareWindows() {
  planBlocks();
  if (areRings_ || !hasFixedPadding()) return;
  for (const Step& step : steps_)
    for (const Version& version : step.written)
      if (version.window != nullptr) fillFixedPadding(version);
}

/// Divides the memory into windows, in which lines have the alignment of the buffers.
void RowPass::shareMemory() {
  const Layout& layout = firstLaunch().layout;
  std::vector<char>& memory = memory_->bytes;
  const std::int64_t rows = block_ + kept_;
  std::int64_t bytes = alignment;
  for (const Step& step : steps_)
    for (const Version& version : step.written) bytes += rows * version.rowBytes + 2 * alignment;
  if (static_cast<std::int64_t>(memory.size()) < bytes)
    memory.resize(static_cast<std::size_t>(bytes));
  // Offset in the memory of a multiple of the alignment, then of the end of a window.
  std::int64_t at = alignment - static_cast<std::int64_t>(
                                    reinterpret_cast<std::uintptr_t>(memory.data()) % alignment);
  for (std::size_t step = 0; step + 1 < steps_.size(); ++step) {
    for (Version& version : steps_[step].written) {
      const std::int64_t offset = layout.rowStart(0) * version.elementSize % alignment;
      version.window = memory.data() + at + offset;
      version.ringBytes = 0;
      at += (rows * version.rowBytes + offset + alignment - 1) / alignment * alignment;
    }
  }
}

/// Makes the windows rings, in which lines have the alignment of the buffers.
/// @return false if the system maps no memory twice
bool RowPass::shareRings() {
  const Layout& layout = firstLaunch().layout;
  std::size_t number = 0;
  for (std::size_t step = 0; step + 1 < steps_.size(); ++step) {
    for (Version& version : steps_[step].written) {
      if (memory_->rings.size() == number) memory_->rings.emplace_back();
      RingMemory& ring = memory_->rings[number++];
      const auto bytes = static_cast<std::size_t>((block_ + kept_) * version.rowBytes);
      if (ring.bytes() != RingMemory::roundUp(bytes)) {
        ring = RingMemory();  // returns the memory before it is replaced
        ring = RingMemory(bytes);
      }
      if (ring.data() == nullptr) return false;
      version.window = ring.data();
      version.ringBytes = static_cast<std::int64_t>(ring.bytes());
      version.ringOffset = layout.rowStart(0) * version.elementSize % alignment -
                           static_cast<std::int64_t>(number) * ringShift(version.rowBytes, reach_);
    }
  }
  return true;
}

/// True if kernels do not write the padding of an axis.
bool RowPass::hasFixedPadding() const {
  const Domain& domain = fields_->domain();
  for (int axis = 1; axis < domain.dimensions; ++axis)
    if (domain.borders[static_cast<std::size_t>(axis)] == Border::fixed) return true;
  return false;
}

/// Copies a row into all rows of a window: kernels do not write the padding of fixed borders.
void RowPass::fillFixedPadding(const Version& version) const {
  const Launch& launch = firstLaunch();
  const char* const row = static_cast<const char*>(launch.in[version.component]) +
                          launch.layout.rowStart(0) * version.elementSize;
  for (std::int64_t k = 0; k < block_ + kept_; ++k)
    std::memcpy(version.window + k * version.rowBytes, row,
                static_cast<std::size_t>(version.rowBytes));
}

/// Copies the padding of a row into rows of the rings of a step, before a kernel computes them: in
/// a ring, a row begins anywhere.
void RowPass::fillFixedPadding(const Step& step, RowRange rows) const {
  const Launch& launch = firstLaunch();
  const Layout& layout = launch.layout;
  const std::int64_t firstPlace = layout.ghostLines * layout.pitch + layout.ghostColumns;
  for (const Version& version : step.written) {
    if (version.window == nullptr) continue;
    const std::int64_t size = version.elementSize;
    const char* const from =
        static_cast<const char*>(launch.in[version.component]) + layout.rowStart(0) * size;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      char* const to = windowRow(step, version, row);
      const auto copy = [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(to + begin * size, from + begin * size,
                    static_cast<std::size_t>((end - begin) * size));
      };
      std::int64_t copied = 0;
      for (std::int64_t line = 0; line < layout.lines; ++line) {
        const std::int64_t begin = firstPlace + line * layout.pitch;
        copy(copied, begin);
        copied = begin + layout.columns;
      }
      copy(copied, layout.rowStride);
    }
  }
}

/// Returns the address of a row of a window, and of the `block_ + kept_` - 1 rows after it.
char* RowPass::windowRow(const Step& step, const Version& version, std::int64_t row) {
  if (version.ringBytes == 0) return version.window + (row - step.first) * version.rowBytes;
  const std::int64_t at = (row * version.rowBytes + version.ringOffset) % version.ringBytes;
  return version.window + (at < 0 ? at + version.ringBytes : at);
}

void RowPass::run(RowRange rows, std::int64_t beyond, std::span<const Launch> launches,
                  std::size_t firstRule, int steps) {
  rows_ = rows;
  beyond_ = beyond;
  launches_ = launches;
  planSteps(firstRule, steps);
  const std::int64_t before = steps_.front().margin, after = (steps - 1) * reach_;
  for (std::int64_t begin = rows_.begin - before; begin < rows_.end + after; begin += block_) {
    std::int64_t first = begin;
    for (std::size_t number = 0; number < steps_.size(); ++number, first -= reach_) {
      steps_[number].first = first - kept_;
      runBlock(number, common({first, first + block_}, rowsOf(steps_[number])));
    }
    if (!areRings_) keepLastRows();
  }
}

/// Returns the first of the rows, with those after it on the same device.
RowPass::Band RowPass::bandOf(RowRange rows) const {
  const bool isAlone = groupRows_.size() == worldRows_;
  if (!isAlone && (rows.begin < groupRows_.begin || rows.begin >= groupRows_.end))
    return ghostBandOf(rows);
  const std::int64_t row = sourceOf(rows.begin, worldRows_, border_);
  const int device = fields_->areBlocks() ? group_.front() : fields_->partition().owner(row);
  const RowRange band = fields_->rows(device);
  return {{rows.begin, std::min(rows.end, rows.begin + band.end - row)},
          localNumber(device),
          row - band.begin};
}

/// Returns the first of the rows, with those after it, as ghost rows of the first or last device.
RowPass::Band RowPass::ghostBandOf(RowRange rows) const {
  const std::size_t device =
      localNumber(rows.begin < groupRows_.begin ? group_.front() : group_.back());
  // Rows end where those of the group begin, and where the border of the world changes their
  // numbers.
  for (const std::int64_t end : {std::int64_t{0}, groupRows_.begin, worldRows_})
    if (rows.begin < end) rows.end = std::min(rows.end, end);
  return {rows, device, rows.begin - launchOf(0, device).firstRow,
          sourceOf(rows.begin, worldRows_, border_) - rows.begin};
}

/// Runs a step for the rows of a block.
void RowPass::runBlock(std::size_t number, RowRange block) {
  const bool isEndless = border_ == Border::periodic;
  RowRange rows = isEndless ? block : common(block, {0, worldRows_});
  while (rows.begin < rows.end) {
    const Band band = bandOf(rows);
    runBand(number, band);
    rows.begin = band.rows.end;
  }
  if (!isEndless && number + 1 < steps_.size()) fillBeyondBorders(steps_[number], block);
}

void RowPass::runBand(std::size_t number, const Band& band) {
  const Step& step = steps_[number];
  Launch launch = launchOf(step.rule, band.device);
  const Layout& layout = launch.layout;
  // Kernels count rows from 0, so the ghost rows before a band get numbers from 0, too.
  const std::int64_t skipped = band.first < 0 ? layout.ghostRows : 0;
  const std::int64_t first = band.first + skipped;
  // The address of the buffer in which a window would be the rows of this number. The rows from
  // `before` rows before the band on have consecutive addresses.
  const auto addressOf = [&](const Step& writer, const Version& version, std::int64_t before) {
    return windowRow(writer, version, band.rows.begin - before) -
           layout.rowStart(first - before) * version.elementSize;
  };
  for (std::size_t component = 0; component < in_.size(); ++component) {
    const auto size =
        static_cast<std::int64_t>(fields_->component(static_cast<int>(component)).elementSize);
    const std::int64_t offset = skipped * layout.rowStride * size;
    in_[component] = static_cast<const char*>(launch.in[component]) - offset;
    out_[component] = static_cast<char*>(launch.out[component]) - offset;
    if (const auto& [writer, version] = step.read[component]; writer != none) {
      const Step& earlier = steps_[static_cast<std::size_t>(writer)];
      in_[component] = addressOf(earlier, earlier.written[version], reach_);
    }
  }
  for (const Version& version : step.written)
    if (version.window != nullptr) out_[version.component] = addressOf(step, version, 0);
  launch.in = in_.data();
  launch.out = out_.data();
  launch.firstRow += band.around - skipped;
  for (std::int64_t& end : launch.ends.of[0])
    if (end != FixedEnds::none) end += skipped;
  launch.step += number;
  if (areRings_ && hasFixedPadding()) fillFixedPadding(step, band.rows);
  runLines(step, launch, {first, first + band.rows.size()});
  fillBesideBorders(step, band.rows);
  for (const Version& version : step.written)
    if (version.window != nullptr && version.isLast) copyLast(step, version, band);
}

/// Runs a step for rows of the launch: all places of a band, or those that a block computes.
void RowPass::runLines(const Step& step, const Launch& launch, RowRange rows) const {
  const std::int64_t all = launch.layout.lines;
  if (!fields_->areBlocks()) return step.kernel->function(launch, rows.begin * all, rows.end * all);
  forEachPart(1, step, [&](RowRange lines, std::int64_t firstLine) {
    forEachPart(2, step, [&](RowRange columns, std::int64_t firstColumn) {
      Launch part = onPart(launch, lines, columns);
      part.firstLine = firstLine;
      part.firstColumn = firstColumn - columns.begin;
      step.kernel->function(part, rows.begin * lines.size(), rows.end * lines.size());
    });
  });
}

/// Fills the columns and lines of a block beyond mirrored borders in the windows of a step.
void RowPass::fillBesideBorders(const Step& step, RowRange rows) const {
  const std::size_t exchanged = fields_->blocks().exchangedAxes();
  const auto isMirrored = [&](std::size_t axis) {
    return axis < exchanged && fields_->domain().borders[axis] == Border::mirrored;
  };
  for (const Version& version : step.written) {
    if (version.window == nullptr) continue;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      if (isMirrored(2)) fillColumnsBesideBorders(step, version, row);
      if (isMirrored(1)) fillLinesBesideBorders(step, version, row);
    }
  }
}

/// Calls copy(to, from) for the places beyond the borders of a mirrored axis: their numbers on the
/// device and those of their sources.
template <class Copy>
void RowPass::forEachBeside(std::size_t axis, const Step& step, const Copy& copy) const {
  const std::int64_t length = fields_->domain().shape[axis], own = own_[axis].begin;
  const RowRange known = computedAlong(axis, step);
  const auto copyTo = [&](std::int64_t place) {
    copy(place - own, sourceOf(place, length, Border::mirrored) - own);
  };
  for (std::int64_t k = 1; k <= reach_; ++k) {
    if (known.begin == 0) copyTo(-k);
    if (known.end == length) copyTo(length - 1 + k);
  }
}

void RowPass::fillColumnsBesideBorders(const Step& step, const Version& version,
                                       std::int64_t row) const {
  const Layout& layout = firstLaunch().layout;
  const RowRange lines = computedAlong(1, step);
  const auto size = static_cast<std::size_t>(version.elementSize);
  for (std::int64_t line = lines.begin - own_[1].begin; line < lines.end - own_[1].begin; ++line) {
    char* const first =
        windowRow(step, version, row) +
        ((line + layout.ghostLines) * layout.pitch + layout.ghostColumns) * version.elementSize;
    forEachBeside(2, step, [&](std::int64_t to, std::int64_t from) {
      std::memcpy(first + to * version.elementSize, first + from * version.elementSize, size);
    });
  }
}

void RowPass::fillLinesBesideBorders(const Step& step, const Version& version,
                                     std::int64_t row) const {
  const Layout& layout = firstLaunch().layout;
  const std::int64_t lineBytes = layout.pitch * version.elementSize;
  char* const first = windowRow(step, version, row) + layout.ghostLines * lineBytes;
  forEachBeside(1, step, [&](std::int64_t to, std::int64_t from) {
    std::memcpy(first + to * lineBytes, first + from * lineBytes,
                static_cast<std::size_t>(lineBytes));
  });
}

/// Copies the worker's own rows of a window to the back buffer.
void RowPass::copyLast(const Step& step, const Version& version, const Band& band) const {
  const RowRange own = common(band.rows, rows_);
  if (own.begin >= own.end) return;
  const Launch& launch = launchOf(step.rule, band.device);
  const std::int64_t first = band.first + own.begin - band.rows.begin;
  std::memcpy(static_cast<char*>(launch.out[version.component]) +
                  launch.layout.rowStart(first) * version.elementSize,
              windowRow(step, version, own.begin),
              static_cast<std::size_t>(own.size() * version.rowBytes));
}

/// Fills the rows beyond the borders of the world that a window can now have.
void RowPass::fillBeyondBorders(const Step& step, RowRange block) const {
  const auto has = [&](std::int64_t row) { return block.begin <= row && row < block.end; };
  for (std::int64_t row = -reach_; row < 0; ++row) {
    // A mirrored row follows its source.
    const bool isFixed = border_ == Border::fixed;
    if (has(isFixed ? row : sourceOf(row, worldRows_, border_))) fillRowBeyondBorder(step, row);
  }
  for (std::int64_t row = worldRows_; row < worldRows_ + reach_; ++row)
    if (has(row)) fillRowBeyondBorder(step, row);
}

void RowPass::fillRowBeyondBorder(const Step& step, std::int64_t row) const {
  const Launch& launch = launchOf(step.rule, localNumber(row < 0 ? group_.front() : group_.back()));
  for (const Version& version : step.written) {
    const char* const from =
        border_ == Border::fixed
            ? static_cast<const char*>(launch.in[version.component]) +
                  launch.layout.rowStart(row - launch.firstRow) * version.elementSize
            : windowRow(step, version, sourceOf(row, worldRows_, border_));
    std::memcpy(windowRow(step, version, row), from, static_cast<std::size_t>(version.rowBytes));
  }
}

/// Moves the last rows of the windows to their begin, where the next block expects them.
void RowPass::keepLastRows() const {
  for (const Step& step : steps_) {
    for (const Version& version : step.written) {
      if (version.window == nullptr) continue;
      std::memcpy(version.window, version.window + block_ * version.rowBytes,
                  static_cast<std::size_t>(kept_ * version.rowBytes));
    }
  }
}

}  // namespace mass::detail
