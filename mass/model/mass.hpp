#pragma once

#include <mass/io/settings.hpp>
#include <mass/model/completeness.hpp>
#include <mass/model/components.hpp>
#include <mass/model/place.hpp>
#include <mass/model/places.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mass {

/// How a grid of places is set up beyond its shape.
template <class P>
struct PlacesOptions {
  /// What lies beyond the two ends of each axis; periodic unless said otherwise.
  std::array<Border, static_cast<std::size_t>(P::dimensions)> borders{};
  /// The place behind fixed borders.
  P outside{};
  /// The name in files; the class's own when empty.
  std::string name{};
};

/// The same border on every axis.
template <class P>
PlacesOptions<P> borders(Border border, const P& outside = {}) {
  PlacesOptions<P> options;
  options.borders.fill(border);
  options.outside = outside;
  return options;
}

/// A simulation: devices, places, and the state of all of them. Several can live in one program.
class Mass {
 public:
  /// Takes devices, threads, weights, seed and MAX_PLACE_EXCHANGE from the settings.
  explicit Mass(Settings settings);

  const Settings& settings() const { return settings_; }
  const DeviceConfig& devices() const { return runtime_->devices; }

  /// A grid of places of class P, split row-wise over the devices.
  /// @throws UsageError when an axis has no places, there are more than 2^40 places, or the name is
  /// taken or holds a '/'; SettingsError when P reads further than MAX_PLACE_EXCHANGE or there are
  /// more devices than rows; DeviceError when the places do not fit into memory.
  template <class P>
  Places<P> createPlaces(Shape<P::dimensions> shape, PlacesOptions<P> options = {});

  /// A hash of the state of all places, the same for every number of devices and threads.
  std::uint64_t hash() const;
  /// Places in all.
  std::int64_t size() const;

  /// Writes the state of all places, and `counters` with it, to a file that appears whole or not at
  /// all. `model` is the program's name. @throws OutputError.
  void saveCheckpoint(const std::filesystem::path& file, const std::string& model,
                      const std::map<std::string, std::uint64_t>& counters = {}) const;
  /// Makes the state of all places that of a checkpoint, written on any number of devices, and
  /// returns the counters. @throws CheckpointError when the file is damaged, of another model, or
  /// of other places; nothing has changed then, unless data was found damaged.
  std::map<std::string, std::uint64_t> restoreCheckpoint(const std::filesystem::path& file,
                                                         const std::string& model);

 private:
  std::shared_ptr<detail::Population> addPopulation(std::string name, const Domain& domain,
                                                    std::vector<Component> components,
                                                    std::vector<detail::AttributeInfo> attributes);

  Settings settings_;
  std::shared_ptr<detail::Runtime> runtime_;
  std::vector<std::shared_ptr<detail::Population>> populations_;
};

template <class P>
Places<P> Mass::createPlaces(Shape<P::dimensions> shape, PlacesOptions<P> options) {
  static_assert(detail::listsEveryMember<P, Place<P::dimensions>>(),
                "a data member of this Place is missing in its Attributes (or listed twice, or, in "
                "a class with a constructor, not in the order of declaration)");
  Domain domain;
  domain.dimensions = P::dimensions;
  domain.reach = P::reach;
  for (int axis = 0; axis < P::dimensions; ++axis) {
    domain.shape[static_cast<std::size_t>(axis)] = shape[axis];
    domain.borders[static_cast<std::size_t>(axis)] =
        options.borders[static_cast<std::size_t>(axis)];
  }
  if (options.name.empty()) options.name = detail::typeName<P>();
  const P initial{};
  return Places<P>(addPopulation(std::move(options.name), domain,
                                 detail::componentsOf(initial, options.outside),
                                 detail::attributesOf<P>()));
}

}  // namespace mass
