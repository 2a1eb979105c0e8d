// Runs of models of the user, whose steps are functions of Python.

#include <python/src/bind_steps.hpp>
#include <python/src/bindings.hpp>
#include <python/src/own_run.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Agents over the pictures: the agents, an attribute or a function without arguments, or "", and
/// name and colour of its values 0, 1, ..., or of all.
using GivenLayer = std::tuple<ModelAgents*, std::string,
                              std::vector<std::pair<std::string, std::array<std::uint8_t, 3>>>>;

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

/// Returns the function that returns the category of each agent.
/// @param value name of an attribute or a function that is a number; empty: all are of category 0
std::function<std::vector<std::size_t>()> categoriesOf(const ModelAgents& agents,
                                                       const std::string& value) {
  const AnyAgents any = agents.any();
  if (value.empty())
    return [any] { return std::vector<std::size_t>(static_cast<std::size_t>(any.size()), 0); };
  auto type = detail::ElementType::opaque;
  for (const auto& each : any.attributes())
    if (each.name == value) type = each.type;
  std::function<void(void*)> read = [any, value](void* values) { any.read(value, values); };
  for (const auto& rule : agents.type().rules) {
    if (type != detail::ElementType::opaque || rule.name != value) continue;
    type = rule.result;
    read = [state = agents.state(), map = rule.map](void* values) { map(state, nullptr, values); };
  }
  if (type == detail::ElementType::float32 || type == detail::ElementType::float64)
    throw UsageError("'{}' of '{}' is a float: a category is a whole number or a bool", value,
                     agents.name());
  return [any, type, read] {
    std::vector<std::size_t> categories(static_cast<std::size_t>(any.size()));
    detail::withElement(type, [&](auto element) {
      using T = decltype(element);
      const auto values = std::make_unique<T[]>(categories.size());  // no std::vector<bool>
      read(values.get());
      std::transform(values.get(), values.get() + categories.size(), categories.begin(),
                     [](T each) { return static_cast<std::size_t>(each); });
    });
    return categories;
  };
}

std::vector<detail::PointDeclaration> layersOf(const std::vector<GivenLayer>& given) {
  std::vector<detail::PointDeclaration> layers;
  for (const auto& [agents, value, kinds] : given) {
    const auto categories = categoriesOf(*agents, value);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const auto& [name, color] = kinds[k];
      detail::PointDeclaration layer{name, {color[0], color[1], color[2]}, {}, {}, true};
      layer.count = [categories, k] { return std::ranges::count(categories(), k); };
      layer.positions = [categories, state = agents->state(), k] {
        return detail::centresOf(state, categories(), k);
      };
      layers.push_back(std::move(layer));
    }
  }
  return layers;
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
          const std::vector<GivenLayer>& layers, const std::string& palette,
          const std::string& until, std::int64_t every,
          const std::vector<std::pair<std::string, OwnKeeping::Number>>& numbers) {
  std::vector<OwnPicture> pictures = picturesOf(given);
  std::vector<detail::KeyInfo> all = keysOf(keys);
  if (pictures.size() > 1) all.push_back(pictureSetting(pictures));
  const auto recorder =
      std::make_shared<OwnRecorder>(std::move(pictures), layersOf(layers), palette);
  new (self) OwnRun(mass, owner, std::move(all), columns, recorder, {until, every, numbers});
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
