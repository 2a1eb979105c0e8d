#include <mass/memory/place_fields.hpp>

#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace mass::detail {

bool haveMultiset(std::span<const Component> components) {
  return std::ranges::any_of(components, [](const Component& component) {
    return component.storage == Storage::multiset;
  });
}

void storeInPlace(std::vector<Component>& components) {
  for (Component& component : components)
    if (component.isStreamed && component.storage == Storage::doubleBuffered)
      component.storage = Storage::aaInPlace;
}

PlaceFields::PlaceFields(const DeviceConfig& devices, const Domain& domain,
                         std::vector<Component> components, std::shared_ptr<const Network> network)
    : devices_(&devices),
      domain_(domain),
      partition_(network ? BlockPartition(network->partition, 1, 1)
                         : firstPartition(domain, devices.weights())),
      links_(network ? std::make_unique<const DeviceLinks>(devices, std::move(network), partition())
                     : nullptr),
      ghostPlan_(links_ ? links_->ghostPlan()
                        : planGhosts(partition_, {domain.reach, domain.reach, domain.reach},
                                     domain.borders)),
      components_(std::move(components)),
      states_(components_.size()) {
  layouts_ = layoutsOf(partition_, links_.get());
  requireShortRows();
  MemoryDemand demand = largestDemand();
  if (domain_.mayStreamInPlace && demand.lacking() > 0) {
    storeInPlace(components_);
    demand = largestDemand();
  }
  checkMemory(demand);
  createFronts();
  devices.run([this](const Worker& worker) { fillPlaces(worker); });
}

/// Allocates the front buffers and sets them to the value beyond a fixed border.
void PlaceFields::createFronts() {
  for (int component = 0; component < this->components(); ++component) {
    state(component).buffers[front(component)] = allocate(component, layouts_);
  }
  devices_->run([this](const Worker& worker) { fillBuffers(worker); });
}

/// Checks that kernels of a GPU can index a row and its ghost rows by 32 bits.
/// @throws UsageError if they cannot
void PlaceFields::requireShortRows() const {
  const auto isShort = [](const Layout& layout) { return rowsIn32Bits(layout) >= 1; };
  if (!devices_->anyGpus() || std::ranges::all_of(layouts_, isShort)) return;
  throw UsageError(
      "a row of {} x {} places, with {} ghost rows before and after it, is too long for a GPU, "
      "which "
      "can index fewer than {} places: make axis 0 the longest, or set 'backend' to cpu",
      layout(0).lines, layout(0).columns, layout(0).ghostRows,
      (std::int64_t{1} << 31) / layout(0).interleave);
}

std::vector<Layout> PlaceFields::layoutsOf(const BlockPartition& partition,
                                           const DeviceLinks* links) const {
  std::vector<Layout> layouts;
  for (int device = 0; device < partition.devices(); ++device) {
    Domain domain = domain_;
    if (links != nullptr) domain.ghostRows = links->ghostRows(device);
    layouts.push_back(
        Layout::of(domain, {partition.range(0, device).size(), partition.range(1, device).size(),
                            partition.range(2, device).size()}));
    if (links != nullptr) layouts.back().depth = partition.ofRows().rows();
  }
  return layouts;
}

std::int64_t PlaceFields::linesBefore(int device) const {
  std::int64_t lines = 0;
  for (int before = 0; before < device; ++before)
    if (hasLineEnds(before)) lines += layout(before).rows * layout(before).lines;
  return lines;
}

std::int64_t PlaceFields::placesBefore(int device) const {
  std::int64_t places = 0;
  for (int before = 0; before < device; ++before)
    places += layout(before).rows * layout(before).lines * layout(before).columns;
  return places;
}

/// Returns the border by which the padding of an axis is filled from the same device: that of the
/// axis, but none if exchanges fill the padding.
Border PlaceFields::borderOfPadding(std::size_t axis) const {
  return axis < partition_.exchangedAxes() ? Border::fixed : domain_.borders[axis];
}

double PlaceFields::bytesNeeded(std::int64_t rows) const {
  return bytesNeeded(Layout::of(domain_, rows));
}

/// Returns the bytes that a band of a layout needs.
double PlaceFields::bytesNeeded(const Layout& layout) const {
  double needed = 0;
  for (const Component& component : components_) {
    const auto elements = static_cast<double>(
        component.storage == Storage::bits ? layout.packed().size : layout.size);
    needed += buffersOf(component.storage) * elements * static_cast<double>(component.elementSize);
  }
  return needed;
}

/// Returns the memory that lacks most bytes for its bands: that of a GPU of any rank, or the main
/// memory of a host, which the CPU devices of its ranks share. All ranks get the same.
PlaceFields::MemoryDemand PlaceFields::largestDemand() const {
  std::vector<double> local;
  for (const int device : devices_->local())
    local.push_back(static_cast<double>(devices_->device(device).freeBytes()));
  const std::vector<double> free = devices_->allGather(local);
  std::map<std::string, MemoryDemand> demands;  // by owner of the memory
  for (int device = 0; device < devices_->size(); ++device) {
    const std::string owner = devices_->isGpu(device)
                                  ? fmt::format("gpu{}", device)
                                  : devices_->ranks().host(devices_->rankOf(device));
    const double available = free[static_cast<std::size_t>(device)];
    MemoryDemand& demand =
        demands.try_emplace(owner, MemoryDemand{0.0, available, owner}).first->second;
    demand.needed += bytesNeeded(layout(device));
    demand.free = std::min(demand.free, available);
  }
  return std::ranges::max_element(demands, {},
                                  [](const auto& demand) { return demand.second.lacking(); })
      ->second;
}

/// @throws DeviceError if a GPU or a host lacks memory for its bands; the message suggests a remedy
void PlaceFields::checkMemory(const MemoryDemand& demand) const {
  if (demand.lacking() <= 0) return;
  const auto shape = fmt::format(
      "{}", fmt::join(domain_.shape.begin(), domain_.shape.begin() + domain_.dimensions, " x "));
  double total = 0;
  for (const Layout& band : layouts_) total += bytesNeeded(band);
  const auto& weights = devices_->weights();
  const bool isUneven =
      std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>()) != weights.end();
  const char* const lowerShare = isUneven ? "lower its share in 'weights', " : "";
  if (devices_->anyGpus()) {
    // Enough devices for all bytes, and at least one more: ghost rows or weights may be the reason.
    const double devices =
        std::max(std::ceil(total / std::max(demand.free, 1.0)), devices_->size() + 1.0);
    throw DeviceError(
        "a world of {} places needs {:.0f} bytes, {:.0f} of them on {}, which has {:.0f} free: set "
        "'devices' to {:.0f} or more, {}or make the world smaller",
        shape, total, demand.needed, demand.owner, demand.free, devices, lowerShare);
  }
  if (devices_->ranks().count() > 1) {
    throw DeviceError(
        "a world of {} places needs {:.0f} bytes, {:.0f} of them on host {}, which has {:.0f} "
        "available: use more hosts, {}or make the world smaller",
        shape, total, demand.needed, demand.owner, demand.free, lowerShare);
  }
  throw DeviceError(  // CPU devices share one memory
      "a world of {} places needs {:.0f} bytes, {:.0f} bytes are available: make the world "
      "smaller or use a machine with more memory",
      shape, total, demand.free);
}

std::vector<Buffer> PlaceFields::allocate(int component, const std::vector<Layout>& layouts) const {
  std::vector<Buffer> buffers;
  const Component& kind = this->component(component);
  if (kind.lane > 0) return buffers;
  buffers.resize(static_cast<std::size_t>(devices_->size()));
  for (const int device : devices_->local()) {
    const Layout layout = detail::layoutOf(kind, layouts[static_cast<std::size_t>(device)]);
    buffers[static_cast<std::size_t>(device)] =
        Buffer(devices_->device(device), static_cast<std::size_t>(layout.size) * kind.elementSize);
  }
  return buffers;
}

/// Sets all rows of the buffers, with their padding, to the value beyond a fixed border.
void PlaceFields::fillBuffers(const Worker& worker) {
  Device& device = devices_->device(worker.device());
  const Layout& alone = layout(worker.device());
  // First touch: each thread initialises the part of the buffers that it processes later (NUMA).
  const auto [firstLine, endLine] = worker.share(alone.allLines());
  for (int number = 0; number < components(); ++number) {
    const Component& component = this->component(number);
    const Layout own = layoutOf(number, worker.device());
    const auto [begin, end] = worker.share(own.size);
    const Box box = component.interleave == 1 ? contiguous(begin, end - begin)
                                              : own.wholeLines(firstLine, endLine, alone.pitch);
    device.fill(frontBuffer(number, worker.device()), component.elementSize, box,
                component.outside.data());
  }
}

/// Sets the places and their padding to the initial values.
void PlaceFields::fillPlaces(const Worker& worker) {
  Device& device = devices_->device(worker.device());
  const auto [firstRow, endRow] = worker.share(layout(worker.device()).rows);
  for (int number = 0; number < components(); ++number) {
    const Component& component = this->component(number);
    device.fill(frontBuffer(number, worker.device()), component.elementSize,
                layoutOf(number, worker.device()).places(firstRow, endRow - firstRow),
                component.initial.data());
    fillPadding(number, worker.device(), firstRow, endRow);
  }
}

/// Updates the padding of rows [begin, end) of a band: beside the lines and, in 3-D, the lines
/// before and after each row with their own padding.
void PlaceFields::fillPadding(int component, int device, std::int64_t begin,
                              std::int64_t end) const {
  const Layout layout = layoutOf(component, device);
  const std::size_t elementSize = this->component(component).elementSize;
  void* const data = frontBuffer(component, device);
  const std::array strides{layout.rowStride, layout.pitch};
  const auto copyToPadding = [&](std::int64_t length, Border border, const auto& boxAt) {
    for (std::int64_t k = 1; k <= layout.padding && border != Border::fixed; ++k) {
      for (const std::int64_t beyond : {-k, length - 1 + k}) {
        devices_->device(device).copy(data, elementSize, boxAt(sourceOf(beyond, length, border)),
                                      boxAt(beyond).first);
      }
    }
  };
  const auto across = static_cast<std::size_t>(domain_.dimensions - 1);
  copyToPadding(layout.columns, borderOfPadding(across), [&](std::int64_t column) {
    return Box{layout.at(begin, 0, column), {end - begin, layout.lines, 1}, strides};
  });
  if (domain_.dimensions < 3) return;
  copyToPadding(layout.lines, borderOfPadding(1), [&](std::int64_t line) {
    return Box{layout.at(begin, line, -layout.padding),
               {end - begin, 1, layout.columns + 2 * layout.padding},
               strides};
  });
}

std::vector<int> PlaceFields::staleComponents(std::int64_t depth) const {
  std::vector<int> stale;
  for (int component = 0; component < components(); ++component)
    if (freshRows(component) < depth && this->component(component).storage != Storage::multiset)
      stale.push_back(component);
  return stale;
}

void* PlaceFields::buffer(int component, int device, int which) const {
  const auto& buffers = state(firstLane(component)).buffers[which];
  if (buffers.empty() || !devices_->isLocal(device)) return nullptr;
  const Component& kind = this->component(component);
  const auto places = static_cast<std::size_t>(kind.lane * layout(device).pitch);
  return static_cast<char*>(buffers[static_cast<std::size_t>(device)].data()) +
         places * kind.elementSize;
}

void PlaceFields::allocateZeroedBackBuffer(int component) {
  ComponentState& word = state(component);
  const int back = 1 - word.front;
  if (hasBuffer(component, back) && word.backIsZeroed) return;
  if (!hasBuffer(component, back)) word.buffers[back] = allocate(component, layouts_);
  devices_->run([&](const Worker& worker) {
    const auto [begin, end] = worker.share(layout(worker.device()).size);
    constexpr std::uint32_t empty = 0;
    devices_->device(worker.device())
        .fill(buffer(component, worker.device(), back), sizeof(empty),
              contiguous(begin, end - begin), &empty);
  });
  word.backIsZeroed = true;
}

void PlaceFields::allocateBackBuffer(int component) {
  component = firstLane(component);
  const int back = 1 - front(component);
  state(component).backIsZeroed = false;  // the caller's rule writes to it
  if (hasBuffer(component, back)) return;
  restoreLayout();
  if (buffersOf(this->component(component).storage) == 1) requireMemoryForBackBuffer(component);
  state(component).buffers[back] = allocate(component, layouts_);  // all devices or none
  duplicateFront(component);
}

void PlaceFields::copyToBackBuffer(int component) {
  if (hasBuffer(component, 1 - front(component))) {
    restoreLayout();
    duplicateFront(firstLane(component));
  } else {
    allocateBackBuffer(component);
  }
}

/// Copies the front buffers to the back buffers. @param component one of lane 0
void PlaceFields::duplicateFront(int component) {
  const int back = 1 - front(component);
  const auto size = static_cast<std::int64_t>(this->component(component).elementSize);
  devices_->run([&](const Worker& worker) {
    const Layout all = layoutOf(component, worker.device());
    const auto [begin, end] = worker.share(all.allLines() * all.pitch);
    const std::int64_t first = (all.rowStart(-all.ghostRows) + begin) * size;
    devices_->device(worker.device())
        .duplicate(static_cast<char*>(buffer(component, worker.device(), back)) + first,
                   static_cast<const char*>(buffer(component, worker.device(), 1 - back)) + first,
                   static_cast<std::size_t>((end - begin) * size));
  });
}

/// Checks the memory for back buffers of a component with buffersOf() 1.
/// @throws DeviceError if it does not suffice
void PlaceFields::requireMemoryForBackBuffer(int component) const {
  double needed = 0;
  for (const int device : devices_->local()) {
    const auto bytes = static_cast<double>(
        state(component).buffers[front(component)][static_cast<std::size_t>(device)].bytes());
    needed = devices_->areGpus() ? bytes : needed + bytes;
    const auto free = static_cast<double>(devices_->device(device).freeBytes());
    if (needed <= free) continue;
    throw DeviceError(
        "a rule that runs neither in place nor on bits, or a new partition of the rows, needs a "
        "second buffer of {:.0f} bytes, {:.0f} bytes are available: make the world smaller or use "
        "a machine with more memory",
        needed, free);
  }
}

void PlaceFields::addAaSteps(std::int64_t steps, std::vector<int> inPlace,
                             std::function<void(const PlaceFields&)> restore) {
  streamed_ = {std::move(inPlace), std::move(restore), isSwapped() != (steps % 2 == 1)};
}

void PlaceFields::restoreLayout() const {
  if (isStateInBytes_) {  // workers call this together, and then it is false
    isStateInBytes_ = false;
    bytes_->packInto(*this);
  }
  if (!streamed_) return;
  if (streamed_->isSwapped) streamed_->restore(*this);
  const std::vector<int> inPlace = std::exchange(streamed_, std::nullopt)->components;
  for (const int component : inPlace) fillPadding(component);
}

void PlaceFields::refreshPadding(int component) {
  restoreLayout();
  if (layoutOf(component, 0).padding > 0) fillPadding(component);
  setStale(component, true);
}

/// Updates all padding of the front buffers of a component.
void PlaceFields::fillPadding(int component) const {
  devices_->run([&](const Worker& worker) {
    const auto [begin, end] = worker.share(layout(worker.device()).rows);
    fillPadding(component, worker.device(), begin, end);
  });
}

std::size_t PlaceFields::bytes() const {
  std::size_t total = 0;
  for (const ComponentState& component : states_) {
    for (const auto& buffers : component.buffers) {
      for (const Buffer& buffer : buffers) total += buffer.bytes();
    }
  }
  return total + (bytes_ ? bytes_->bytes() : 0) + (links_ ? links_->bytes() : 0);
}

double PlaceFields::bytesWithin(int device) const {
  if (!devices_->areGpus()) return std::numeric_limits<double>::infinity();
  auto bytes = static_cast<double>(devices_->device(device).freeBytes());
  for (const ComponentState& component : states_) {
    for (const auto& buffers : component.buffers) {
      if (buffers.empty()) continue;
      bytes += static_cast<double>(buffers[static_cast<std::size_t>(device)].bytes());
    }
  }
  return bytes;
}

}  // namespace mass::detail
