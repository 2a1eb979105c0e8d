// Runs of models of the user, whose steps are functions of Python.

#include <python/src/bind_steps.hpp>
#include <python/src/bindings.hpp>
#include <python/src/own_run.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace mass::python {
namespace {

/// Setting: its name, default and bounds.
using GivenKey = std::tuple<std::string, std::variant<bool, std::int64_t, double>,
                            std::optional<double>, std::optional<double>>;
/// Attribute to show: its title, the places, the attribute, the values of the first and the last
/// colour, and the names of categories, if it has any.
using GivenPicture =
    std::tuple<std::string, ModelPlaces*, std::string, float, float, std::vector<std::string>>;

/// @throws UsageError if the library has a setting of the name
std::vector<detail::KeyInfo> keysOf(const std::vector<GivenKey>& given) {
  std::vector<detail::KeyInfo> keys;
  const Schema library = Schema::library();
  for (const auto& [name, value, low, high] : given) {
    if (library.find(name) != nullptr)
      throw UsageError("'{}' is a setting of the library: name the parameter otherwise", name);
    detail::KeyInfo key{name, std::visit([](auto it) { return SettingValue(it); }, value), "", ""};
    key.minimum = low;
    key.maximum = high;
    keys.push_back(key.live());
  }
  return keys;
}

std::vector<OwnPicture> picturesOf(const std::vector<GivenPicture>& given) {
  std::vector<OwnPicture> pictures;
  for (const auto& [name, places, attribute, low, high, categories] : given) {
    Picture style =
        categories.empty() ? detail::styleOf(low, high, "") : detail::styleOf(categories, {});
    pictures.push_back({name, std::make_shared<detail::PictureField>(places->state(), attribute,
                                                                     std::move(style))});
  }
  return pictures;
}

/// Returns the setting that chooses one of several pictures.
detail::KeyInfo pictureSetting(const std::vector<OwnPicture>& pictures) {
  std::vector<std::string> names;
  for (const OwnPicture& each : pictures) names.push_back(each.name);
  detail::KeyInfo key{pictureKey, names.front(), "", "attribute that the page shows"};
  return key.oneOf(names).withoutEffectOnResults().live();
}

/// @param self memory of the object to make
void make(OwnRun* self, OwnMass& mass, const nb::object& owner, const std::vector<GivenKey>& keys,
          const std::vector<std::string>& columns, const std::vector<GivenPicture>& given,
          const std::string& palette, const std::string& until, std::int64_t every,
          const std::vector<std::pair<std::string, OwnKeeping::Number>>& numbers) {
  std::vector<OwnPicture> pictures = picturesOf(given);
  std::vector<detail::KeyInfo> all = keysOf(keys);
  if (pictures.size() > 1) all.push_back(pictureSetting(pictures));
  new (self) OwnRun(mass, owner, std::move(all), columns, std::move(pictures), palette,
                    {until, every, numbers});
}

}  // namespace

void bindOwnRun(nb::module_& module) {
  nb::class_<OwnRun> run(module, "OwnRun");
  run.def("__init__", &make, nb::keep_alive<1, 2>())
      .def("number", &OwnRun::number)
      .def("set_number", &OwnRun::setNumber);
  bindSteps(run);
  bindResults(run);
}

}  // namespace mass::python
