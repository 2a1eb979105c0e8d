#include <python/src/arguments.hpp>

#include <python/src/model_population.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace mass::python {
namespace {

/// @throws nb::type_error always
[[noreturn]] void refuse(const std::string& message) {
  throw nb::type_error(message.c_str());
}

/// Returns the text of a type in messages.
std::string describe(const ValueInfo& type) {
  if (type.type != detail::ElementType::opaque)
    return type.count > 0 ? fmt::format("{} of {}", type.count, nameOf(type.type))
                          : std::string(type.name);
  std::string members;
  for (const MemberInfo& each : type.members)
    members += fmt::format("{}{}", members.empty() ? "" : ", ", each.name);
  return fmt::format("a {}, or a dict of {}", type.name, members);
}

/// Returns the text of a parameter in messages.
std::string describe(const ParameterInfo& parameter) {
  switch (parameter.kind) {
    case ParameterInfo::Kind::value:
      return describe(*parameter.type);
    case ParameterInfo::Kind::array:
      return fmt::format("an array of {} with one axis", nameOf(parameter.type->type));
    case ParameterInfo::Kind::agents:
      return fmt::format("agents of class {}", parameter.name);
    case ParameterInfo::Kind::places:
      return fmt::format("places of class {}", parameter.name);
    case ParameterInfo::Kind::unsupported:
      break;
  }
  return fmt::format(
      "'{}', which Python cannot give: a rule for Python takes numbers, enums, "
      "structures of them, arrays (mass::Shared), agents and places",
      nameOf(parameter));
}

/// Returns a number of NumPy as one of Python; others as they are.
nb::object plain(nb::handle given) {
  const bool isPlain = PyLong_Check(given.ptr()) != 0 || PyFloat_CheckExact(given.ptr()) != 0;
  if (!isPlain && nb::hasattr(given, "dtype") && nb::hasattr(given, "item"))
    return given.attr("item")();
  return nb::borrow(given);
}

/// Converts a number of Python. @return false if it does not fit the type
template <class T>
bool convert(nb::handle given, T& value) {
  const nb::object object = plain(given);
  if constexpr (std::is_floating_point_v<T>) {
    if (PyFloat_Check(object.ptr()) == 0 && PyLong_Check(object.ptr()) == 0) return false;
    value = static_cast<T>(PyFloat_AsDouble(object.ptr()));
  } else if constexpr (std::is_same_v<T, bool>) {
    value = object.is(nb::handle(Py_True));
    return PyBool_Check(object.ptr()) != 0;
  } else {
    if (PyLong_Check(object.ptr()) == 0) return false;
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      value = PyLong_AsUnsignedLongLong(object.ptr());
    } else {
      const std::int64_t number = PyLong_AsLongLong(object.ptr());
      if (!std::in_range<T>(number)) return false;
      value = static_cast<T>(number);
    }
  }
  const bool isTooLarge = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  return !isTooLarge;
}

bool convertValue(const ValueInfo& type, nb::handle given, std::byte* at);

/// Converts a number of Python. @return false if it does not fit the type
bool convertNumber(detail::ElementType type, nb::handle given, std::byte* at) {
  bool fits = false;
  detail::withElement(type, [&](auto value) {
    fits = convert(given, value);
    std::memcpy(at, &value, sizeof(value));
  });
  return fits;
}

/// Converts a sequence. @return false if its length or an element does not fit the type
bool convertArray(const ValueInfo& type, nb::handle given, std::byte* at) {
  if (!nb::hasattr(given, "__len__") || !nb::hasattr(given, "__getitem__")) return false;
  const auto count = static_cast<std::size_t>(type.count);
  if (nb::len(given) != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const nb::object element = given[i];
    if (!convertNumber(type.type, element, at + i * sizeOf(type.type))) return false;
  }
  return true;
}

/// @throws nb::type_error if a dict has a key that is no member
void requireMembers(const ValueInfo& type, const nb::dict& given) {
  for (const auto& [key, value] : given) {
    const std::string name = nb::str(key).c_str();
    if (std::ranges::find(type.members, name, &MemberInfo::name) == type.members.end())
      refuse(fmt::format("'{}' is no member of {}", name, describe(type)));
  }
}

/// Converts a dict of members, of which others keep their initial values, or an object with all.
/// @return false if a member is missing @throws nb::type_error if a member does not fit its type
bool convertStructure(const ValueInfo& type, nb::handle given, std::byte* at) {
  const bool isDict = nb::isinstance<nb::dict>(given);
  if (isDict) requireMembers(type, nb::cast<nb::dict>(given));
  std::memcpy(at, type.initial, type.bytes);
  for (const MemberInfo& each : type.members) {
    const std::string name(each.name);
    const nb::object member = isDict ? nb::borrow(PyDict_GetItemString(given.ptr(), name.c_str()))
                                     : nb::getattr(given, name.c_str(), nb::object());
    if (!member.is_valid() && !isDict) return false;
    if (!member.is_valid()) continue;
    if (!convertValue(*each.type, member, at + each.offset))
      refuse(fmt::format("member '{}' of {} is {}; {} was given", name, type.name,
                         describe(*each.type), nb::str(nb::repr(member)).c_str()));
  }
  return true;
}

/// Converts a value of Python to the bytes of a type. @return false if it does not fit
bool convertValue(const ValueInfo& type, nb::handle given, std::byte* at) {
  if (type.type == detail::ElementType::opaque) return convertStructure(type, given, at);
  return type.count > 0 ? convertArray(type, given, at) : convertNumber(type.type, given, at);
}

/// Returns the type of the elements of an array of NumPy.
template <class T>
bool hasElements(const nb::dlpack::dtype& type) {
  return type == nb::dtype<T>();
}

}  // namespace

std::string nameOf(const ParameterInfo& parameter) {
  if (parameter.member.empty()) return std::string(parameter.name);
  return fmt::format("{} with the member {}", parameter.name, parameter.member);
}

Arguments::Arguments(std::string_view rule, std::span<const ParameterInfo> parameters,
                     const nb::tuple& given) {
  if (given.size() != parameters.size())
    refuse(fmt::format("{}() takes {} arguments; {} were given", rule, parameters.size(),
                       given.size()));
  values_.reserve(parameters.size());
  bytes_.resize(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!add(i, parameters[i], given[i]))
      refuse(fmt::format("argument {} of {}() is {}; {} was given", i + 1, rule,
                         describe(parameters[i]), nb::str(nb::repr(given[i])).c_str()));
  }
}

/// Adds the value of parameter `index`. @return false if it does not fit
bool Arguments::add(std::size_t index, const ParameterInfo& parameter, nb::handle given) {
  switch (parameter.kind) {
    case ParameterInfo::Kind::value:
      return addValue(index, *parameter.type, given);
    case ParameterInfo::Kind::array:
      return addArray(parameter.type->type, given);
    case ParameterInfo::Kind::agents:
      return addPopulation<ModelAgents>(parameter.name, given);
    case ParameterInfo::Kind::places:
      return addPopulation<ModelPlaces>(parameter.name, given);
    case ParameterInfo::Kind::unsupported:
      break;
  }
  return false;
}

bool Arguments::addValue(std::size_t index, const ValueInfo& type, nb::handle given) {
  std::byte* const memory = bytes_[index].reserve(type.bytes);
  values_.push_back({memory});
  return convertValue(type, given, memory);
}

bool Arguments::addArray(detail::ElementType type, nb::handle given) {
  Array array;
  if (!nb::try_cast(given, array) || array.ndim() != 1) return false;
  bool fits = false;
  detail::withElement(type,
                      [&](auto element) { fits = hasElements<decltype(element)>(array.dtype()); });
  values_.push_back({array.data(), static_cast<std::int64_t>(array.size())});
  arrays_.push_back(std::move(array));
  return fits;
}

template <class Population>
bool Arguments::addPopulation(std::string_view className, nb::handle given) {
  const nb::object population = nb::getattr(given, "_population", nb::none());
  if (!nb::isinstance<Population>(population)) return false;
  const auto& model = nb::cast<const Population&>(population);
  values_.push_back({&model.state()});
  return model.type().name == className;
}

}  // namespace mass::python
