#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/memory/layout.hpp>
#include <mass/partition/ghost_plan.hpp>
#include <mass/partition/row_partition.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

struct AaKernel;

/// One buffer's worth of an attribute: a scalar, or one element of an array.
struct Component {
  std::size_t elementSize = 0;
  std::vector<char> initial{};  ///< the bytes of the value that every place starts with
  std::vector<char> outside{};  ///< of that behind a fixed border
  bool constant = false;        ///< no rule writes it: it never needs a back buffer
  bool isMultiset = false;  ///< a word of a bag, which no other place sees: its ghosts mean nothing
  int haloDepthBelow = -1;  ///< so many ghost rows before a band are read of it; -1: all
  int haloDepthAbove = -1;  ///< and after it
  /// So many consecutive components, all with the same properties, lie in one buffer, line by line,
  /// and this is number `strand` of them: memory likes what is used together to lie together.
  int interleave = 1;
  int lane = 0;
  bool isStreamed = false;  ///< rules move it in place, if Domain::movesInPlace
};

/// A component whose ghost rows are to be refreshed, in the buffer that is the front one at that
/// time.
struct GhostField {
  int component = 0;
  int which = 0;
};

/// The attributes of one Places over all devices, as structure-of-arrays buffers. A component has a
/// front buffer, which holds its state, and from its first double-buffered rule on a back buffer
/// for the next state.
class PlaceFields {
 public:
  /// Places with their initial values, on the devices of `devices`, which must outlive this.
  /// @throws UsageError when the world cannot be split over the devices, DeviceError when it does
  /// not fit into memory; nothing is allocated then.
  PlaceFields(const DeviceConfig& devices, const Domain& domain, std::vector<Component> components);

  const DeviceConfig& devices() const { return *devices_; }
  const Domain& domain() const { return domain_; }
  const RowPartition& partition() const { return partition_; }
  const Layout& layout(int device) const { return layouts_[static_cast<std::size_t>(device)]; }
  /// How the places of a component lie in its buffer.
  Layout layoutOf(int component, int device) const {
    return layout(device).interleaved(this->component(component).interleave);
  }
  const std::vector<GhostCopy>& ghostPlan() const { return ghostPlan_; }
  int components() const { return static_cast<int>(components_.size()); }
  const Component& component(int number) const {
    return components_[static_cast<std::size_t>(number)];
  }

  /// Which of the two buffers is the front one, 0 or 1, the same on every device.
  int front(int component) const { return state(component).front; }
  void setFront(int component, int which) { state(component).front = which; }
  /// Whether ghost rows may differ from the rows they repeat.
  bool stale(int component) const { return state(component).stale; }
  void setStale(int component, bool stale) { state(component).stale = stale; }

  /// Null where there is none. In a bundle, where the component's own places begin.
  void* buffer(int component, int device, int which) const;
  bool hasBuffer(int component, int which) const {
    return !state(leader(component)).buffers[which].empty();
  }
  void* frontBuffer(int component, int device) const {
    return buffer(component, device, front(component));
  }
  /// Allocates the back buffers of a component, as copies of the front ones; nothing when it has
  /// them.
  void allocateBackBuffer(int component);
  /// The same for the words of a bag, to which codes will be sent: all bits of these back buffers
  /// are 0.
  void allocateZeroedBackBuffer(int component);
  /// Brings all sides of the front buffers of a component up to date and marks its ghosts stale.
  void refreshPadding(int component);

  /// Brings rows to the devices that own them in another partition of the same rows over the same
  /// devices. The state is the same, and no more out of date than it was; addresses and layouts are
  /// others. Back buffers are gone until they are needed again. No rule may be under way.
  /// @throws UsageError when the partition is of other rows or devices; DeviceError when there is
  /// not enough memory. Then the places are where they were.
  void repartition(const RowPartition& partition);
  /// @throws what repartition would, as far as can be known before.
  void requireMemoryFor(const RowPartition& partition) const;

  /// Bytes allocated on all devices together.
  std::size_t bytes() const;
  /// Bytes that a band of so many rows needs, with all back buffers but those that few rules need;
  /// a double cannot overflow.
  double bytesNeeded(std::int64_t rows) const;
  /// Bytes on a device that these places have or could have. Infinite on CPUs, which share one
  /// memory: what they need there does not depend on the partition.
  double bytesWithin(int device) const;

  /// What has moved what is streamed since all was settled, and whether in an odd number of steps.
  /// Until it is settled (Dispatcher::settle), nothing else may read or write these components.
  const AaKernel* aaKernel = nullptr;
  bool aaSwapped = false;

  std::uint64_t step = 0;             ///< rounds of rules these places have seen
  std::uint64_t overflowedWords = 0;  ///< codes that were sent to a bag whose first word was full

 private:
  struct ComponentState {
    int front = 0;
    bool stale = true;
    bool backIsZeroed = false;
    std::vector<Buffer> buffers[2];  // by device; of a bundle, with its first component
  };

  /// The first component of a bundle.
  int leader(int component) const { return component - this->component(component).lane; }

  const ComponentState& state(int component) const {
    return states_[static_cast<std::size_t>(component)];
  }
  ComponentState& state(int component) { return states_[static_cast<std::size_t>(component)]; }
  void requireShortRows() const;
  void requireRoomForBack(int component) const;
  bool fits() const;
  void checkMemory() const;
  std::vector<Layout> layoutsOf(const RowPartition& partition) const;
  /// A buffer of a component on each device; none for a bundle's components but the first.
  std::vector<Buffer> allocate(int component, const std::vector<Layout>& layouts) const;
  void fillBuffers(const Worker& worker);
  void fillPlaces(const Worker& worker);
  void fillPadding(int component, int device, std::int64_t begin, std::int64_t end);

  const DeviceConfig* devices_;
  Domain domain_;
  RowPartition partition_;
  std::vector<Layout> layouts_;
  std::vector<GhostCopy> ghostPlan_;
  std::vector<Component> components_;
  std::vector<ComponentState> states_;
};

}  // namespace mass::detail
