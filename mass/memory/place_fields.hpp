#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/memory/device_links.hpp>
#include <mass/memory/layout.hpp>
#include <mass/partition/ghost_plan.hpp>
#include <mass/partition/row_partition.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {

/// Way in which a component is stored.
enum class Storage : std::uint8_t {
  single,          ///< one buffer; no rule writes it
  doubleBuffered,  ///< a front buffer and, once a rule needs it, a back buffer
  aaInPlace,  ///< one buffer, in which rules stream by the AA pattern; others add a back buffer
  multiset,   ///< doubleBuffered word of a Multiset, whose ghost rows nobody reads
  bits,     ///< doubleBuffered bool, the only component: an element is a word of placesOfWord bits
  unpacked  ///< bytes of Storage::bits: a front buffer, and a back buffer if there is memory
};
/// Returns the number of buffers for which there must be memory.
constexpr int buffersOf(Storage storage) {
  const bool hasOne =
      storage == Storage::single || storage == Storage::aaInPlace || storage == Storage::unpacked;
  return hasOne ? 1 : 2;
}

/// Component of an attribute: the attribute itself, or one element of an array.
struct Component {
  std::size_t elementSize = 0;  ///< bytes of an element
  std::vector<char> initial{};  ///< bytes of the initial value of all places
  std::vector<char> outside{};  ///< bytes of the value beyond a fixed border
  Storage storage = Storage::doubleBuffered;
  int haloDepthBelow = -1;  ///< number of ghost rows before a band that rules read; -1: all
  int haloDepthAbove = -1;  ///< number of ghost rows after a band that rules read; -1: all
  int lineDepthBelow = -1;  ///< number of lines before those of a block that rules read; -1: all
  int lineDepthAbove = -1;  ///< number of lines after those of a block that rules read; -1: all
  int columnDepthBelow =
      -1;  ///< number of columns before those of a block that rules read; -1: all
  int columnDepthAbove = -1;  ///< number of columns after those of a block that rules read; -1: all
  /// Number of consecutive components, with equal properties, that share a buffer, interleaved line
  /// by line for locality of access.
  int interleave = 1;
  int lane = 0;             ///< number of this component among them, 0 <= lane < interleave
  bool isStreamed = false;  ///< true if rules can stream it by the AA pattern

  /// Returns the bytes of the value of a place in host memory.
  std::size_t placeSize() const { return storage == Storage::bits ? 1 : elementSize; }
};
/// True if one of the components is a word of a Multiset.
bool haveMultiset(std::span<const Component> components);
/// Stores the streamed ones of some components in place.
void storeInPlace(std::vector<Component>& components);
/// Stores a bool as bits. @pre it is stored as bytes
MASS_EXPORT void storeAsBits(Component& component);
/// Stores a bool as bytes. @pre it is Storage::bits
void storeAsBytes(Component& component);
/// Returns the layout of a component in its buffers. @param alone layout of a component of a byte
/// or more for each place that is alone in its buffers
inline Layout layoutOf(const Component& component, const Layout& alone) {
  return component.storage == Storage::bits ? alone.packed()
                                            : alone.interleaved(component.interleave);
}

/// Returns the first partition of a world over devices with these weights.
inline BlockPartition firstPartition(const Domain& domain, std::span<const double> weights) {
  return {{domain.shape[0], linesOfRow(domain), columnsOfLine(domain)},
          {domain.parts, domain.tile},
          weights};
}

/// Component and buffer whose ghost rows are to be refreshed.
struct GhostField {
  int component = 0;  ///< number of the component
  int which = 0;      ///< number of the buffer, 0 or 1
};

/// Bytes that steps send across a cut of axis 0, or would send if there were one.
struct FaceTraffic {
  double bytes = 0;            ///< for each place of a face, one way
  std::set<int> changed = {};  ///< components written since ghost places were last read
};

/// Attributes of some places, as structure-of-arrays buffers of the devices of this rank; the
/// layouts of all devices are known. A component has a front buffer with its state and, from its
/// first double-buffered rule on, a back buffer for the next state.
class MASS_EXPORT PlaceFields {
 public:
  /// Allocates the front buffers and sets all places to their initial values. All ranks call it
  /// together.
  /// @param devices must outlive this
  /// @param network network whose nodes the places are; null for a grid
  /// @throws UsageError if the world cannot be partitioned over the devices, or a row is too long
  /// for a GPU
  /// @throws DeviceError if the devices lack the memory, back buffers included; nothing is
  /// allocated then
  PlaceFields(const DeviceConfig& devices, const Domain& domain, std::vector<Component> components,
              std::shared_ptr<const Network> network = nullptr);

  /// Returns the devices.
  const DeviceConfig& devices() const { return *devices_; }
  /// Returns the world.
  const Domain& domain() const { return domain_; }
  /// Returns the partition of the rows. Of blocks, each part of it belongs to several devices.
  const RowPartition& partition() const { return partition_.ofRows(); }
  /// Returns the partition of the rows, lines and columns.
  const BlockPartition& blocks() const { return partition_; }
  /// True if another axis than the first is cut, so that devices own blocks.
  bool areBlocks() const { return partition_.isInBlocks(); }
  /// Returns the rows of a device.
  RowRange rows(int device) const { return partition_.range(0, device); }
  /// Returns the lines of its rows that a device owns.
  RowRange lines(int device) const { return partition_.range(1, device); }
  /// Returns the columns of its lines that a device owns.
  RowRange columns(int device) const { return partition_.range(2, device); }
  /// True if a device owns the ends of its lines, not only parts before them.
  bool hasLineEnds(int device) const { return columns(device).end == partition_.along(2).rows(); }
  /// Returns the number of lines that end on the devices before a device.
  std::int64_t linesBefore(int device) const;
  /// Returns the number of places of the devices before a device.
  std::int64_t placesBefore(int device) const;
  /// Returns the layout of a component alone in its buffer, on a device; bits count as bytes.
  const Layout& layout(int device) const { return layouts_[static_cast<std::size_t>(device)]; }
  /// Returns the layout of a component in its buffer, which others may share.
  Layout layoutOf(int component, int device) const {
    return detail::layoutOf(this->component(component), layout(device));
  }
  /// Returns the copies that fill all ghost rows; see planGhosts().
  const std::vector<GhostCopy>& ghostPlan() const { return ghostPlan_; }
  /// Returns the links of the network whose nodes the places are; null for a grid.
  const DeviceLinks* links() const { return links_.get(); }
  /// True if the places are nodes of a network whose rows are in another order than nodes.
  bool areOrdered() const { return links_ != nullptr && links_->network().isOrdered(); }
  /// Replaces the network by one with the same nodes and rows, but other links. All ranks call it
  /// together.
  /// @throws DeviceError if memory is exhausted; nothing is changed then
  void relink(std::shared_ptr<const Network> network);
  /// Returns the row-major index of a place by its index in the order of rows.
  std::int64_t placeOf(std::int64_t index) const {
    return areOrdered() ? links_->network().nodeOf(static_cast<std::int32_t>(index)) : index;
  }
  /// Returns the index of a place in the order of rows; the inverse of placeOf().
  std::int64_t indexByRow(std::int64_t place) const {
    return areOrdered() ? links_->network().rowOf(static_cast<std::int32_t>(place)) : place;
  }
  /// Returns the work units [first, second) of a worker's share of its band.
  std::pair<std::int64_t, std::int64_t> share(const Worker& worker) const {
    const Layout& band = layout(worker.device());
    return links_ ? links_->share(worker) : worker.share(band.rows * band.lines);
  }
  /// Returns the number of components.
  int components() const { return static_cast<int>(components_.size()); }
  /// Returns a component, 0 <= number < components().
  const Component& component(int number) const {
    return components_[static_cast<std::size_t>(number)];
  }

  /// Returns the number of the front buffer, 0 or 1, on all devices.
  int front(int component) const { return state(component).front; }
  /// Makes buffer `which`, 0 or 1, the front buffer on all devices.
  void setFront(int component, int which) { state(component).front = which; }
  /// Returns the number of ghost rows before and after each band that equal the rows of their
  /// owners.
  std::int64_t freshRows(int component) const { return state(component).freshRows; }
  /// Sets freshRows().
  void setFreshRows(int component, std::int64_t rows) { state(component).freshRows = rows; }
  /// True if ghost rows that a step reads may differ from the rows of their owners.
  bool stale(int component) const { return freshRows(component) < domain_.reach; }
  /// Returns the components with fewer fresh ghost rows than `depth`, but those that nobody reads.
  std::vector<int> staleComponents(std::int64_t depth) const;
  /// Makes all ghost rows stale, or those that a step reads fresh.
  void setStale(int component, bool stale) { setFreshRows(component, stale ? 0 : domain_.reach); }

  /// Returns the address of buffer `which` on a device; null if it is not allocated or the device
  /// belongs to another rank. If components are interleaved, the address of the component's own
  /// first line. Only for rules: others use frontBuffer(), which restores the layout.
  void* buffer(int component, int device, int which) const;
  /// True if buffer `which` of a component is allocated.
  bool hasBuffer(int component, int which) const {
    return !state(firstLane(component)).buffers[which].empty();
  }
  /// Returns the address of the front buffer on a device, in the natural layout.
  /// @pre in workers: they are those of run()
  void* frontBuffer(int component, int device) const {
    restoreLayout();
    return buffer(component, device, front(component));
  }
  /// Calls `work` on all workers of DeviceConfig::run(), for which frontBuffer() is available.
  void run(const std::function<void(const Worker&)>& work) const {
    restoreLayout();
    devices_->run(work);
  }
  /// Allocates the back buffers of a component, as copies of the front buffers, unless it has them.
  /// @throws DeviceError if memory is exhausted
  void allocateBackBuffer(int component);
  /// Makes the back buffers of a component, allocated if needed, copies of the front buffers.
  /// @throws DeviceError if memory is exhausted
  void copyToBackBuffer(int component);
  /// Allocates the back buffers of a word of a Multiset and sets them to 0, before elements are
  /// sent to it. Does nothing if they are allocated and still zeroed.
  /// @throws DeviceError if memory is exhausted
  void allocateZeroedBackBuffer(int component);
  /// Updates all padding of the front buffers of a component and marks its ghost rows as stale.
  void refreshPadding(int component);

  /// Changes the partition and copies the places to their new owners. The state and stale() remain;
  /// addresses and layouts change; back buffers are freed.
  /// @param partition partition of the same places into as many parts along each axis
  /// @pre no rule is running
  /// @throws UsageError if the partition has other rows, lines or parts
  /// @throws DeviceError if memory is exhausted; the partition and the state are unchanged then
  void repartition(const BlockPartition& partition);
  /// Changes the cuts of the rows only; otherwise as above.
  void repartition(const RowPartition& rows) { repartition(withRows(rows)); }
  /// Checks the parameter and the memory of repartition() in advance.
  /// @throws UsageError, DeviceError as repartition()
  void requireMemoryFor(const BlockPartition& partition) const;
  /// Returns the partition with other cuts of the rows only.
  BlockPartition withRows(const RowPartition& rows) const { return partition_.with(0, rows); }

  /// Returns the bytes allocated on the devices of this rank.
  std::size_t bytes() const;
  /// Returns the bytes that a band of `rows` rows needs: buffersOf() each component. As a double,
  /// which cannot overflow.
  double bytesNeeded(std::int64_t rows) const;
  /// Returns the bytes that these places have on a GPU, plus those that are free there. Infinity on
  /// CPUs: their demand on the shared memory does not depend on the partition.
  double bytesWithin(int device) const;

  /// True if the components of Storage::aaInPlace are in the swapped layout of the AA pattern.
  bool isSwapped() const { return streamed_ && streamed_->isSwapped; }
  /// Records steps of the AA pattern. They leave the padding, and after an odd number the layout,
  /// to restoreLayout().
  /// @param inPlace components that were streamed in place: all of Storage::aaInPlace
  /// @param restore restores the natural layout from the swapped one
  void addAaSteps(std::int64_t steps, std::vector<int> inPlace,
                  std::function<void(const PlaceFields&)> restore);
  /// Restores the natural layout, with its padding, after steps of the AA pattern. Functions of
  /// this class that read or write the state call it; others only before they take a buffer().
  void restoreLayout() const;

  /// True if the only component is Storage::bits.
  bool areBits() const {
    return !components_.empty() && components_.front().storage == Storage::bits;
  }
  /// Returns these places with a byte for each bool, for rules that run on bytes. They exist until
  /// toBits(). @param writes true if the state there will change; restoreLayout() packs it
  /// @pre areBits() @throws DeviceError if memory is exhausted
  PlaceFields& asBytes(bool writes);
  /// Packs the state if asBytes() has changed it, and frees the memory of the bytes.
  void toBits();
  /// Stores bits as bytes from now on. @throws DeviceError if memory is exhausted
  void storeAsBytes();

  std::uint64_t step = 0;             ///< number of steps of rules that write
  std::uint64_t overflowedWords = 0;  ///< elements sent to a Multiset whose first word was full
  std::optional<FaceTraffic> faces;   ///< count of the bytes across a cut; none if not asked for

 private:
  void moveTo(const BlockPartition& partition, std::unique_ptr<const DeviceLinks> links);
  struct ComponentState {
    int front = 0;                   // number of the front buffer
    std::int64_t freshRows = 0;      // see freshRows()
    bool backIsZeroed = false;       // the back buffers are allocated and hold only 0
    std::vector<Buffer> buffers[2];  // by device; only in lane 0 of interleaved components
  };
  /// State after steps of the AA pattern.
  struct StreamedState {
    std::vector<int> components;  // streamed in place
    std::function<void(const PlaceFields&)> restore;
    bool isSwapped = false;
  };

  /// Returns the component of lane 0, which has the buffers of all interleaved components.
  int firstLane(int component) const { return component - this->component(component).lane; }

  PlaceFields(const PlaceFields& bits, Component bytes);
  void createFronts();
  void unpackFrom(const PlaceFields& bits);
  void packInto(const PlaceFields& bits) const;

  const ComponentState& state(int component) const {
    return states_[static_cast<std::size_t>(component)];
  }
  ComponentState& state(int component) { return states_[static_cast<std::size_t>(component)]; }
  void requireShortRows() const;
  void requireMemoryForBackBuffer(int component) const;
  void duplicateFront(int component);
  /// Bytes that a memory must hold, and its free bytes.
  struct MemoryDemand {
    double needed = 0, free = 0;
    std::string owner{};  ///< name of the GPU or the host
    double lacking() const { return needed - free; }
  };
  MemoryDemand largestDemand() const;
  void checkMemory(const MemoryDemand& demand) const;
  std::vector<Layout> layoutsOf(const BlockPartition& partition, const DeviceLinks* links) const;
  Border borderOfPadding(std::size_t axis) const;
  double bytesNeeded(const Layout& layout) const;
  /// Allocates a buffer on each device; none unless the component is lane 0.
  std::vector<Buffer> allocate(int component, const std::vector<Layout>& layouts) const;
  void fillBuffers(const Worker& worker);
  void fillGhostRows(const Worker& worker, const std::vector<Layout>& layouts,
                     std::vector<std::vector<Buffer>>& fronts) const;
  void fillPlaces(const Worker& worker);
  void fillPadding(int component) const;
  void fillPadding(int component, int device, std::int64_t begin, std::int64_t end) const;

  const DeviceConfig* devices_;
  Domain domain_;
  BlockPartition partition_;
  std::unique_ptr<const DeviceLinks> links_;  // null for a grid
  std::vector<Layout> layouts_;
  std::vector<GhostCopy> ghostPlan_;
  std::vector<Component> components_;
  std::vector<ComponentState> states_;
  mutable std::optional<StreamedState> streamed_;  // none if layout and padding are natural
  std::unique_ptr<PlaceFields> bytes_;  // asBytes(); without buffers while it is not in use
  mutable bool isStateInBytes_ = false;
};

}  // namespace mass::detail
