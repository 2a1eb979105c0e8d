#pragma once

#include <python/model/model.hpp>

#include <mass/support/error.hpp>

#include <dlfcn.h>

#include <filesystem>

namespace mass::python {

/// Model that mass.load has compiled. It stays loaded until the process ends, since populations
/// hold addresses of its functions.
class LoadedModel {
 public:
  /// @throws InputError if the file is no compiled model
  explicit LoadedModel(const std::filesystem::path& file) {
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw InputError("cannot load a compiled model: {}", ::dlerror());
    using Function = const Model* (*)();
    const auto function = reinterpret_cast<Function>(::dlsym(library, modelFunction));
    if (function == nullptr)
      throw InputError("'{}' is no model for this version of the package", file.string());
    model_ = function();
  }

  const Model& model() const { return *model_; }

 private:
  const Model* model_ = nullptr;
};

}  // namespace mass::python
