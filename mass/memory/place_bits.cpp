#include <mass/memory/place_fields.hpp>

#include <cstdint>
#include <utility>

// Places of one bool that are stored as bits, and their bytes.

namespace mass::detail {

void storeAsBits(Component& component) {
  for (std::vector<char>* const value : {&component.initial, &component.outside})
    value->assign(sizeof(std::uint64_t), value->front() != 0 ? '\xff' : '\0');
  component.elementSize = sizeof(std::uint64_t);
  component.storage = Storage::bits;
}

void storeAsBytes(Component& component) {
  for (std::vector<char>* const value : {&component.initial, &component.outside})
    value->assign(1, value->front() != 0 ? '\1' : '\0');
  component.elementSize = 1;
  component.storage = Storage::doubleBuffered;
}

namespace {

/// Calls f(device, bytes, shape, words) with the worker's share of the rows of a band.
template <class F>
void forRowsOfWorkers(const PlaceFields& bits, const PlaceFields& bytes, const F& f) {
  bits.devices().run([&](const Worker& worker) {
    const int number = worker.device();
    const Layout& ofBytes = bytes.layout(number);
    const Layout ofBits = bits.layoutOf(0, number);
    const auto [begin, end] = worker.share(ofBytes.rows);
    const BoolRows shape{end - begin, ofBytes.columns, ofBits.rowStride, ofBytes.rowStride};
    auto* const byte = static_cast<unsigned char*>(bytes.buffer(0, number, bytes.front(0)));
    auto* const word = static_cast<std::uint64_t*>(bits.buffer(0, number, bits.front(0)));
    f(bits.devices().device(number), byte + ofBytes.at(begin, 0, 0), shape,
      word + ofBits.at(begin, 0, 0));
  });
}

}  // namespace

/// Places with the domain of `bits`, without buffers. @param bytes their component
PlaceFields::PlaceFields(const PlaceFields& bits, Component bytes)
    : devices_(bits.devices_),
      domain_(bits.domain_),
      partition_(bits.partition_),
      layouts_(bits.layouts_),
      ghostPlan_(bits.ghostPlan_),
      components_{std::move(bytes)},
      states_(1) {}

/// Allocates the front buffers and copies the state of `bits`.
void PlaceFields::unpackFrom(const PlaceFields& bits) {
  constexpr double smallBytes = 0x1p26;  // not worth the time of a check
  if (bytesNeeded(partition().rows()) > smallBytes) checkMemory(largestDemand());
  createFronts();
  forRowsOfWorkers(bits, *this,
                   [](Device& device, void* bytes, const BoolRows& shape, const void* words) {
                     device.unpackBits(words, shape, bytes);
                   });
  refreshPadding(0);
}

/// Copies the state to `bits`.
void PlaceFields::packInto(const PlaceFields& bits) const {
  forRowsOfWorkers(bits, *this,
                   [](Device& device, const void* bytes, const BoolRows& shape, void* words) {
                     device.packBits(bytes, shape, words);
                   });
}

PlaceFields& PlaceFields::asBytes(bool writes) {
  if (!bytes_) {
    Component component = this->component(0);
    detail::storeAsBytes(component);
    component.storage = Storage::unpacked;
    bytes_.reset(new PlaceFields(*this, std::move(component)));
  }
  if (!bytes_->hasBuffer(0, bytes_->front(0))) bytes_->unpackFrom(*this);
  if (writes) {
    isStateInBytes_ = true;
    setStale(0, true);
  }
  return *bytes_;
}

void PlaceFields::toBits() {
  restoreLayout();
  if (!bytes_) return;
  for (auto& buffers : bytes_->state(0).buffers) buffers.clear();
}

void PlaceFields::storeAsBytes() {
  if (!areBits()) return;
  PlaceFields& bytes = asBytes(false);
  isStateInBytes_ = false;
  components_ = std::move(bytes.components_);
  components_.front().storage = Storage::doubleBuffered;
  states_ = std::move(bytes.states_);
  bytes_.reset();
}

}  // namespace mass::detail
