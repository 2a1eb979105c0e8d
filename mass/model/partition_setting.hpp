#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/io/schema.hpp>
#include <mass/io/settings.hpp>
#include <mass/memory/place_fields.hpp>

#include <string>
#include <vector>

namespace mass::detail {

/// Declares the key `partition`.
void addPartitionKey(Schema& schema);
/// Sets Domain::lineParts by the key `partition`.
/// @param name name of the places, for messages
/// @throws SettingsError if the devices or the places do not fit the parts
void setPartition(Domain& domain, const std::vector<Component>& components, const std::string& name,
                  const Settings& settings, const DeviceConfig& devices);

}  // namespace mass::detail
