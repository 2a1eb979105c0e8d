#pragma once

#include <mass/model/engine.hpp>
#include <mass/support/element_type.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mass {

/// Places of a class that the caller does not know. A handle: copies refer to the same places.
/// Values have components first: those of component k of all places, in row-major order, follow
/// those of component k - 1. All ranks call the functions that copy together.
class MASS_EXPORT AnyPlaces {
 public:
  /// Part of the world, from `low` to before `high` along each axis.
  struct Box {
    std::vector<std::int64_t> low;   ///< first place along each axis
    std::vector<std::int64_t> high;  ///< place after the last one along each axis
  };

  /// Attribute of places or agents, without its C++ type.
  struct Attribute {
    std::string name;          ///< name of the data member
    detail::ElementType type;  ///< type of a component; that of its integer for an enum
    std::size_t bytes;         ///< bytes of a component
    int components;            ///< elements of an array; 1 for other attributes
    bool isArray;              ///< false: a single number, not an array of one
  };
  /// Values of a component of an attribute in the memory of one device, of its own places (a band
  /// of rows) or agents. They change with the next rule, and the memory may move.
  struct Band {
    const void* data = nullptr;           ///< on a GPU, an address of that GPU
    int gpu = -1;                         ///< CUDA's number of the GPU; -1: memory of the host
    std::int64_t first = 0;               ///< first row, or number of the first agent
    std::vector<std::int64_t> shape{};    ///< elements along each axis; one axis for agents
    std::vector<std::int64_t> strides{};  ///< bytes between elements along each axis
  };

  /// Part of the places that a device owns: a band of rows, or a block of 3-D places that are cut
  /// along several axes (setting `partition`).
  struct Part {
    int rank = 0;                     ///< rank of the device
    std::string host;                 ///< name of the rank's host; empty for a single rank
    std::vector<std::int64_t> first;  ///< first place along each axis
    std::vector<std::int64_t> size;   ///< number of places along each axis
    std::vector<int> neighbors;       ///< other devices whose places rules read, ascending
  };

  /// Wraps places that Mass::createPlaces made.
  explicit AnyPlaces(std::shared_ptr<detail::PlacesState> population)
      : population_(std::move(population)) {}

  /// Name of these places in messages, files and checkpoints.
  const std::string& name() const { return population_->name; }
  /// Number of places along each axis. If only some places of a box exist, their number.
  std::vector<std::int64_t> shape() const;
  /// Number of places.
  std::int64_t size() const;
  /// Attributes in the order of the class.
  std::vector<Attribute> attributes() const;
  /// Names of the rules that the class lists (mass::Rules); none if it lists none.
  std::vector<std::string> rules() const { return population_->rules; }

  /// Copies an attribute of all places to the memory of every rank.
  /// @param values components * size() elements of Attribute::bytes bytes
  /// @throws UsageError if there is no attribute of that name
  void read(std::string_view attribute, void* values) const;
  /// Copies an attribute of a part of the world.
  /// @param values components * places of the box
  /// @throws UsageError if the box is not inside the world, or there is no such attribute
  void read(std::string_view attribute, const Box& box, void* values) const;
  /// Sets an attribute of all places. Every rank gives the same values, as read() returns them.
  /// @throws UsageError if there is no attribute of that name
  void write(std::string_view attribute, const void* values) const;
  /// Sets an attribute of a part of the world.
  /// @throws UsageError if the box is not inside the world, or there is no such attribute
  void write(std::string_view attribute, const Box& box, const void* values) const;

  /// Returns the values of a component on a device of this rank, without a copy.
  /// @param device number of the device, 0 <= device < number of devices of all ranks
  /// @throws UsageError if there is no such attribute, component or device, the device belongs to
  /// another rank, or the attribute is stored in another form (mass::Half, mass::Bits)
  Band band(std::string_view attribute, int component, int device) const;
  /// Returns the parts of all devices, by device.
  std::vector<Part> parts() const;
  /// For the library: state of the places.
  detail::PlacesState& population() const { return *population_; }

 private:
  std::shared_ptr<detail::PlacesState> population_;
};

/// Agents of a class that the caller does not know. A handle: copies refer to the same agents.
/// Values have components first, each in the order of agents: by the row-major index of their
/// place, then by identity. All ranks call the functions that copy together.
class MASS_EXPORT AnyAgents {
 public:
  /// Wraps agents that Mass::createAgents or Mass::loadAgents made.
  explicit AnyAgents(std::shared_ptr<detail::AgentsState> population)
      : population_(std::move(population)) {}

  /// Name of these agents in messages, files and checkpoints.
  const std::string& name() const { return population_->name; }
  /// Places on which they live.
  AnyPlaces home() const { return AnyPlaces(population_->home); }
  /// Number of agents that are alive.
  std::int64_t size() const;
  /// Attributes in the order of the class.
  std::vector<AnyPlaces::Attribute> attributes() const;
  /// Names of the rules that the class lists (mass::Rules); none if it lists none.
  std::vector<std::string> rules() const { return population_->rules; }
  /// Identities of all agents.
  std::vector<std::uint64_t> ids() const;
  /// Coordinates of all agents along each axis: first those along axis 0.
  std::vector<std::vector<std::int64_t>> coordinates() const;

  /// Copies an attribute of all agents to the memory of every rank.
  /// @param values components * size() elements of AnyPlaces::Attribute::bytes bytes
  /// @throws UsageError if there is no attribute of that name
  void read(std::string_view attribute, void* values) const;
  /// Sets an attribute of all agents. Every rank gives the same values.
  /// @throws UsageError if there is no attribute of that name
  void write(std::string_view attribute, const void* values) const;
  /// Returns the values of a component on a device of this rank, without a copy.
  /// @throws UsageError as AnyPlaces::band
  AnyPlaces::Band band(std::string_view attribute, int component, int device) const;

 private:
  std::shared_ptr<detail::AgentsState> population_;
};

}  // namespace mass
