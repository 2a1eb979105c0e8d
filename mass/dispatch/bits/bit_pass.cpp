#include <mass/dispatch/bits/bit_pass.hpp>

#include <mass/dispatch/bits/batch_table.hpp>
#include <mass/memory/padding.hpp>
#include <mass/support/byte_rows.hpp>
#include <mass/support/cache_line.hpp>

#include <algorithm>
#include <cstddef>

namespace mass::detail {
namespace {

constexpr std::int64_t wordBits = 64;
/// Component of the bool.
constexpr std::size_t component = 0;
/// Updates of places that take longer than the search for a table.
constexpr double leastUpdates = 1 << 18;

std::int64_t roundUp(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

std::unique_ptr<const BitRule> BitPass::ruleOf(const PlaceFields& fields, Turn turn,
                                               const StepBatch& batch, bool always) {
  if (turn.size() > 1) return nullptr;
  const auto table = tableOfBatch(fields, turn.front(), batch, always ? 0 : leastUpdates);
  return table ? makeBitRule(*table) : nullptr;
}

BitPass::BitPass(const PlaceFields& fields, const BitRule& rule, std::vector<char>& memory)
    : fields_(&fields),
      rule_(&rule),
      rankRows_{fields.rows(fields.devices().firstLocal()).begin,
                fields.rows(fields.devices().local().back()).end},
      worldRows_(fields.domain().shape[0]),
      columns_(fields.domain().shape[1]),
      last_(placeOf(columns_ - 1)),
      end_(placeOf(columns_)),
      words_(roundUp(columns_, wordBits * bitRowUnit()) / wordBits),
      areBits_(fields.areBits()),
      bits_(fields.layout(0).packed()),
      ofRows_(fields.domain().borders[0]),
      ofColumns_(fields.domain().borders[1]),
      outside_(fields.component(component).outside.front() != 0),
      memory_(&memory) {}

BitPass::Bit BitPass::placeOf(std::int64_t column) {
  return {column / wordBits, static_cast<int>(column % wordBits)};
}

/// Returns the rows that are at most `beyond` rows beyond a border which is not periodic.
RowRange BitPass::within(RowRange rows, std::int64_t beyond) const {
  if (ofRows_ == Border::periodic) return rows;
  return {std::max(rows.begin, -beyond), std::min(rows.end, worldRows_ + beyond)};
}

void BitPass::prepare(RowRange rows, int steps) {
  const bool isSame = rows.begin == rows_.begin && rows.end == rows_.end;
  if (isSame && static_cast<int>(steps_.size()) == steps) return;
  rows_ = rows;
  steps_.assign(static_cast<std::size_t>(steps), {});
  std::int64_t margin = steps;
  for (Step& step : steps_) {
    step.in = within({rows_.begin - margin, rows_.end + margin}, 1);
    --margin;
    step.out = within({rows_.begin - margin, rows_.end + margin}, 0);
  }
  shareMemory(steps);
}

/// Divides the memory into rows, with words for the places beside before each.
void BitPass::shareMemory(int steps) {
  const std::int64_t stride = words_ + roundUp(1, bitRowUnit());
  const std::int64_t rows = steps * (2 + rule_->planes()) + 2;
  const auto words = static_cast<std::size_t>(rows * stride + bitRowUnit());
  memory_->resize(std::max(memory_->size(), words * sizeof(std::uint64_t) + cacheLineBytes));
  void* begin = memory_->data();
  std::size_t space = memory_->size();
  std::align(cacheLineBytes, words * sizeof(std::uint64_t), begin, space);
  auto* next = static_cast<std::uint64_t*>(begin) + bitRowUnit();
  const auto take = [&] {
    std::uint64_t* const row = next;
    next += stride;
    return row;
  };
  for (Step& step : steps_) {
    for (auto& row : step.memory.rows) row = take();
    for (int plane = 0; plane < rule_->planes(); ++plane) step.memory.planes[plane] = take();
  }
  result_ = take();
  for (std::size_t step = 0; step + 1 < steps_.size(); ++step)
    std::ranges::copy(steps_[step + 1].memory.rows, steps_[step].next);
  std::ranges::fill(steps_.back().next, result_);
  outsideRow_ = take();
  std::fill(outsideRow_ - 1, outsideRow_ + words_ + 1, outside_ ? ~std::uint64_t{0} : 0);
}

void BitPass::run(RowRange rows, std::span<const Launch> launches, int steps) {
  if (rows.size() == 0) return;
  launches_ = launches;
  loaded_ = stored_ = {};
  prepare(rows, steps);
  load(steps_.front().in.begin);
  const std::int64_t begin = steps_.front().in.begin;
  // In each iteration, a step receives the row that the step before has computed in the last one:
  // no computation waits for another, nor for its stores. The ends follow for the same reason.
  const std::int64_t lag = 2 * (std::int64_t{steps} - 1);
  const std::int64_t end = steps_.back().in.end + lag;
  for (std::int64_t row = begin; row < end; ++row) {
    const Prefetch prefetch = prefetchOf(row, steps);
    std::int64_t received = row - lag;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step, received += 2) {
      prefetch.part(step - steps_.rbegin());
      if (step->in.begin <= received && received < step->in.end) receive(*step, received);
    }
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      if (step->computed != nullptr) fillEnds(step->computed);
      step->computed = nullptr;
    }
    load(row + 1);
  }
}

/// Returns the rows of bytes that the next iteration will load and store. The processor does not
/// expect them, since it computes for long between one row and the next.
BitPass::Prefetch BitPass::prefetchOf(std::int64_t row, int steps) {
  const RowRange in = within(steps_.front().in, 0);
  const std::int64_t load = std::clamp(row + 2, in.begin, in.end - 1);
  const std::int64_t store =
      std::clamp(row - 2 * (std::int64_t{steps} - 1), rows_.begin, rows_.end - 1);
  const DeviceRow from = deviceRow(load, loaded_);
  const DeviceRow to = deviceRow(store, stored_);
  const std::int64_t bytes =
      areBits_ ? bits_.columns * static_cast<std::int64_t>(sizeof(std::uint64_t)) : columns_;
  return {addressOf(from.launch->in[component], from), addressOf(to.launch->out[component], to),
          bytes, (bytes + steps - 1) / steps};
}

void BitPass::Prefetch::part(std::int64_t number) const {
  constexpr std::int64_t line = cacheLineBytes;
  const std::int64_t end = std::min(bytes, (number + 1) * bytesOfPart);
  for (std::int64_t at = number * bytesOfPart; at < end; at += line) {
    __builtin_prefetch(from + at, 0);
    __builtin_prefetch(to + at, 1);
  }
}

/// Receives a row of the state before a step, and computes the row before it in the next state.
void BitPass::receive(Step& step, std::int64_t row) {
  if (ofRows_ != Border::periodic && row <= 0) {
    if (row < 0) return;  // with row 0, which it may mirror
    rule_->begin(step.memory, -1, rowOf(step, -1), words_);
  }
  if (row - 1 < step.out.begin) return rule_->begin(step.memory, row, rowOf(step, row), words_);
  std::uint64_t* const out = step.next[(row - 1) & 1];
  rule_->step(step.memory, row, rowOf(step, row), rowOf(step, row - 1), out, words_);
  if (out == result_)
    store(row - 1);
  else
    step.computed = out;
}

/// Returns the row of the state before a step, which may lie beyond a border.
const std::uint64_t* BitPass::rowOf(const Step& step, std::int64_t row) const {
  if (ofRows_ != Border::periodic && (row < 0 || row >= worldRows_)) {
    if (ofRows_ == Border::fixed) return outsideRow_;
    row = sourceOf(row, worldRows_, ofRows_);
  }
  return step.memory.rows[row & 1];
}

/// Sets the places beside a row by the border of the columns.
void BitPass::fillEnds(std::uint64_t* row) const {
  std::uint64_t before = outside_ ? 1 : 0, after = before;
  if (ofColumns_ != Border::fixed) {
    const std::uint64_t first = row[0] & 1U, last = row[last_.word] >> last_.bit & 1U;
    const bool isPeriodic = ofColumns_ == Border::periodic;
    before = isPeriodic ? last : first;
    after = isPeriodic ? first : last;
  }
  row[-1] = before << (wordBits - 1);
  row[end_.word] = (row[end_.word] & ~(std::uint64_t{1} << end_.bit)) | after << end_.bit;
}

/// Returns the rows of the device that has a row: its own, or ghost rows beyond those of this rank.
BitPass::DeviceRows BitPass::deviceRowsAt(std::int64_t row) const {
  const bool isAlone = rankRows_.size() == worldRows_;
  if (!isAlone && row < rankRows_.begin)
    return {{rows_.begin - steps(), rankRows_.begin},
            &launches_.front(),
            rows_.begin - steps() - launches_.front().firstRow};
  if (!isAlone && row >= rankRows_.end)
    return {{rankRows_.end, rows_.end + steps()},
            &launches_.back(),
            rankRows_.end - launches_.back().firstRow};
  const std::int64_t source = sourceOf(row, worldRows_, ofRows_);
  const int device = fields_->partition().owner(source);
  const RowRange band = fields_->rows(device);
  const auto number = static_cast<std::size_t>(device - fields_->devices().firstLocal());
  return {{band.begin + row - source, band.end + row - source}, &launches_[number], 0};
}

/// Returns a row on its device. @param last rows of the device for which this was last called
BitPass::DeviceRow BitPass::deviceRow(std::int64_t row, DeviceRows& last) const {
  if (row < last.rows.begin || row >= last.rows.end) last = deviceRowsAt(row);
  return {last.launch, last.first + row - last.rows.begin};
}

/// Returns the address of a row in a buffer.
const char* BitPass::addressOf(const void* buffer, const DeviceRow& row) const {
  if (areBits_)
    return reinterpret_cast<const char*>(static_cast<const std::uint64_t*>(buffer) +
                                         bits_.at(row.row, 0, 0));
  return static_cast<const char*>(buffer) + row.launch->layout.at(row.row, 0, 0);
}

/// Loads a row of the world for the first step, if that reads it.
void BitPass::load(std::int64_t row) {
  const Step& first = steps_.front();
  const RowRange rows = within(first.in, 0);
  if (row < rows.begin || row >= rows.end) return;
  const DeviceRow source = deviceRow(row, loaded_);
  const char* const from = addressOf(source.launch->in[component], source);
  std::uint64_t* const to = first.memory.rows[row & 1];
  if (areBits_) {
    std::copy_n(reinterpret_cast<const std::uint64_t*>(from), bits_.columns, to);
  } else {
    packBytes(reinterpret_cast<const unsigned char*>(from), columns_, to);
  }
  fillEnds(to);
}

/// Stores the row of the last step.
void BitPass::store(std::int64_t row) {
  const auto [launch, number] = deviceRow(row, stored_);
  if (areBits_) {
    auto* const words = static_cast<std::uint64_t*>(launch->out[component]);
    std::copy_n(result_, bits_.columns, words + bits_.at(number, 0, 0));
    return;
  }
  auto* const buffer = static_cast<unsigned char*>(launch->out[component]);
  unpackBytes(result_, columns_, buffer + launch->layout.at(number, 0, 0));
  fillPadding(buffer, launch->layout, launch->domain, number, 0);
}

}  // namespace mass::detail
