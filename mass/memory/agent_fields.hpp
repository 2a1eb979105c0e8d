#pragma once

#include <mass/memory/agent_launch.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mass {

/// Elements of one type in a device's memory, of which there can be more with time.
template <class T>
class GrowingArray {
 public:
  GrowingArray() = default;
  explicit GrowingArray(Device& device) : device_(&device) {}

  T* data() const { return static_cast<T*>(buffer_.data()); }
  T& operator[](std::int64_t i) const { return data()[i]; }
  std::int64_t room() const { return static_cast<std::int64_t>(buffer_.bytes() / sizeof(T)); }
  /// Makes room for `count` elements at least, of which the first `kept` keep their values.
  void grow(std::int64_t count, std::int64_t kept) {
    if (count <= room()) return;
    Buffer larger(*device_, static_cast<std::size_t>(count) * sizeof(T));
    if (kept > 0) {
      device_->duplicate(larger.data(), data(), static_cast<std::size_t>(kept) * sizeof(T));
    }
    buffer_ = std::move(larger);
  }
  std::size_t bytes() const { return buffer_.bytes(); }

 private:
  Device* device_ = nullptr;
  Buffer buffer_;
};

/// What all agents of a class have in common.
struct AgentTraits {
  std::string name;                   ///< of the class, for messages
  std::vector<Component> components;  ///< of the attributes; `initial` and `outside` are not used
  int reach = 0;                      ///< how far rules read agents, in places along every axis
  int travel = 0;                     ///< how far an agent may move at once
  std::int64_t capacity = 0;          ///< agents that a place holds; 0: any number
  int offspring = 0;                  ///< children that an agent may have at once
};

/// The agents of one class on one device.
struct AgentBand {
  AgentBand(Device& device, const AgentTraits& traits, const Bins& theBins);

  /// Makes room for agents, own and ghosts together, in all arrays.
  void grow(std::int64_t agents);
  std::size_t bytes() const;

  Bins bins;
  std::int64_t own = 0;     ///< agents that live here
  std::int64_t ghosts = 0;  ///< agents of ghost rows, after them
  GrowingArray<std::uint64_t> ids, nextIds;
  GrowingArray<std::int64_t> bin, nextBin;
  GrowingArray<std::int64_t> first;  ///< by bin, and one more
  GrowingArray<std::int64_t> targets, birthplaces;
  GrowingArray<std::uint8_t> births;
  /// By component; bytes, as their types are not known here.
  std::vector<GrowingArray<char>> front, back, children;

 private:
  std::vector<std::size_t> elementSizes_;
  int offspring_ = 0;
};

/// The agents of one class over all devices. An agent lives where its place lives.
class AgentFields {
 public:
  /// No agents yet. `places`, on which they will live, must outlive this.
  AgentFields(const PlaceFields& places, AgentTraits traits);

  const PlaceFields& places() const { return *places_; }
  const AgentTraits& traits() const { return traits_; }
  int devices() const { return static_cast<int>(bands_.size()); }
  AgentBand& band(int device) { return bands_[static_cast<std::size_t>(device)]; }
  const AgentBand& band(int device) const { return bands_[static_cast<std::size_t>(device)]; }
  /// Which rows' agents are ghosts where.
  const std::vector<GhostCopy>& ghostPlan() const { return ghostPlan_; }
  std::int64_t alive() const;
  std::size_t bytes() const;

  std::uint64_t nextId = 0;  ///< of the next agent that is born; identities are never used again
  std::uint64_t step = 0;    ///< rounds of rules and management these agents have seen
  bool hasIntents = false;   ///< that no management has carried out
  bool ghostsStale = true;   ///< ghosts may differ from the agents they repeat

 private:
  const PlaceFields* places_;
  AgentTraits traits_;
  std::vector<GhostCopy> ghostPlan_;
  std::vector<AgentBand> bands_;
};

}  // namespace mass
