#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/io/schema.hpp>
#include <mass/io/settings.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace mass::detail {

/// Declares the keys `partition` and `partition.cuts`.
void addPartitionKeys(Schema& schema);
/// Returns the weights of all devices: those of the key `weights`, or the sizes of the parts that
/// `partition.cuts` gives; empty if all are equal.
/// @param devices number of devices of all ranks
/// @throws SettingsError if the keys are malformed or do not fit the devices
std::vector<double> deviceWeights(const Settings& settings, std::size_t devices);
/// Sets Domain::parts and the tiles of hosts by the keys `partition` and `partition.cuts`.
/// @param name name of the places, for messages
/// @throws SettingsError if the devices or the places do not fit the parts
void setPartition(Domain& domain, const std::vector<Component>& components, const std::string& name,
                  const Settings& settings, const DeviceConfig& devices);

}  // namespace mass::detail
