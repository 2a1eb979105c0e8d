#pragma once

#include <python/src/model_population.hpp>

#include <nanobind/nanobind.h>

namespace mass::python {

/// Adds the functions of events of places.
void bindEvents(nanobind::class_<ModelPlaces, PlacesPopulation>& places);

}  // namespace mass::python
