// The module mass._core, which the package mass wraps.

#include <python/src/bindings.hpp>

#include <mass/support/error.hpp>

namespace mass::python {

void bindErrors(nb::module_& module) {
  const auto error = nb::exception<Error>(module, "Error", PyExc_RuntimeError);
  nb::exception<SettingsError>(module, "SettingsError", error);
  nb::exception<InputError>(module, "InputError", error);
  nb::exception<OutputError>(module, "OutputError", error);
  nb::exception<CheckpointError>(module, "CheckpointError", error);
  nb::exception<DeviceError>(module, "DeviceError", error);
  nb::exception<ModelError>(module, "ModelError", error);
  nb::exception<UsageError>(module, "UsageError", error);
}

}  // namespace mass::python

NB_MODULE(_core, module) {
  using namespace mass::python;
  bindErrors(module);
  bindPopulations(module);
  bindPicture(module);
  bindRun(module);
  bindModels(module);
  bindOwnRun(module);
  bindGraph(module);
  module.attr("version") = MASS_VERSION;
}
