#pragma once

#include <python/model/model.hpp>
#include <python/src/model_population.hpp>

#include <mass/support/error.hpp>

#include <dlfcn.h>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace mass::python {

/// Returns a function of a library that the package has compiled. The library stays loaded until
/// the process ends, since populations hold addresses of its functions.
/// @throws InputError if the file is no such library
template <class Function>
Function* loadedFunction(const std::filesystem::path& file, const char* name) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw InputError("cannot load a compiled model: {}", ::dlerror());
  auto* const function = reinterpret_cast<Function*>(::dlsym(library, name));
  if (function == nullptr)
    throw InputError("'{}' is no model for this version of the package", file.string());
  return function;
}

/// Model that mass.load has compiled.
class LoadedModel {
 public:
  /// @throws InputError if the file is no compiled model
  explicit LoadedModel(const std::filesystem::path& file)
      : model_(loadedFunction<const Model*()>(file, modelFunction)()) {}

  const Model& model() const { return *model_; }

 private:
  const Model* model_;
};

/// Deposit of agents of a class on places of a class that the package has compiled.
class LoadedDeposit {
 public:
  /// @throws InputError if the file is no compiled deposit
  explicit LoadedDeposit(const std::filesystem::path& file)
      : function_(loadedFunction<DepositFunction>(file, depositFunction)) {}

  /// @param edge see DepositFunction
  /// @throws UsageError if the agents and the places belong to different Masses
  void operator()(ModelAgents& agents, ModelPlaces& places, float edge) const {
    agents.session().change([&] { function_(agents.state(), places.state(), edge); });
  }

 private:
  DepositFunction* function_;
};

/// Reduction of several values of places or agents of a class that the package has compiled.
class LoadedReduction {
 public:
  /// @throws InputError if the file is no compiled reduction
  explicit LoadedReduction(const std::filesystem::path& file)
      : function_(loadedFunction<ReductionFunction>(file, reductionFunction)) {}

  /// @param edges edges of a histogram @param count number of values
  template <class Population>
  std::vector<double> call(Population& population, const std::vector<double>& edges,
                           std::size_t count) const {
    std::vector<double> results(count);
    population.session().use([&] { function_(&population.state(), edges.data(), results.data()); });
    return results;
  }

 private:
  ReductionFunction* function_;
};

}  // namespace mass::python
