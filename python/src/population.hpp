#pragma once

#include <python/model/model.hpp>
#include <python/src/session.hpp>

#include <mass/mass.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mass::python {

/// Name of an attribute, of its NumPy type, and the axis of components before those of the places.
using AttributeEntry = std::tuple<std::string, std::string, std::vector<std::int64_t>>;

/// Name of a NumPy type; "V<bytes>" for a class.
inline std::string typeOf(const AnyPlaces::Attribute& attribute) {
  using detail::ElementType;
  if (attribute.type == ElementType::opaque) return fmt::format("V{}", attribute.bytes);
  return attribute.type == ElementType::boolean ? "bool" : std::string(nameOf(attribute.type));
}

/// Places or agents of a session, with access to their attributes by name.
/// @tparam Any AnyPlaces or AnyAgents
template <class Any>
class Population {
 public:
  /// @param session must outlive this
  Population(Session& session, Any any) : session_(&session), any_(std::move(any)) {}

  Session& session() const { return *session_; }
  const Any& any() const { return any_; }
  const std::string& name() const { return any_.name(); }

  std::vector<AttributeEntry> attributes() const {
    std::vector<AttributeEntry> list;
    for (const auto& each : session_->use([&] { return any_.attributes(); })) {
      std::vector<std::int64_t> components;
      if (each.isArray) components.push_back(each.components);
      list.emplace_back(each.name, typeOf(each), components);
    }
    return list;
  }

  /// @throws UsageError if there is no such attribute, or it has another number of bytes
  void read(const std::string& attribute, void* values, std::size_t bytes) const {
    session_->use([&] {
      requireBytes(attribute, bytes);
      any_.read(attribute, values);
    });
  }

  /// @throws UsageError as read()
  void write(const std::string& attribute, const void* values, std::size_t bytes) const {
    session_->change([&] {
      requireBytes(attribute, bytes);
      any_.write(attribute, values);
    });
  }

 private:
  void requireBytes(const std::string& attribute, std::size_t given) const {
    for (const auto& each : any_.attributes()) {
      const std::size_t bytes = static_cast<std::size_t>(any_.size()) *
                                static_cast<std::size_t>(each.components) * each.bytes;
      if (each.name == attribute && bytes != given)
        throw UsageError("'{}' has {} bytes; the array has {}", attribute, bytes, given);
    }
  }

  Session* session_;
  Any any_;
};

using PlacesPopulation = Population<AnyPlaces>;
using AgentsPopulation = Population<AnyAgents>;

}  // namespace mass::python
