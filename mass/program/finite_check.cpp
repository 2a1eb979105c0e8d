#include <mass/program/finite_check.hpp>

#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mass::detail {
namespace {

/// Throws the ModelError of a value. @param origin for example "the column 'mean'"
[[noreturn]] void fail(std::int64_t step, const std::string& origin, double value) {
  throw ModelError(
      "step {}: {} is {}: the numbers of the model have left their range, so the run ends here; "
      "check its parameters (a shorter time step, a higher precision), or set output.allow_nan to "
      "true if such values are meant",
      step, origin, value);
}

template <class T>
bool isFinite(T value) {
  return std::isfinite(value);
}

/// Calls found(index, value) for the first value that is not finite.
template <class T, class Found>
void findNotFinite(std::span<const T> values, const Found& found) {
  const auto at = std::find_if_not(values.begin(), values.end(), isFinite<T>);
  if (at != values.end())
    found(static_cast<std::size_t>(at - values.begin()), static_cast<double>(*at));
}

/// Calls found(index, value) for the first element of an array that is not finite.
template <class Found>
void findNotFinite(const FieldArray& array, std::size_t count, const Found& found) {
  const std::size_t elements = count * array.components;
  if (array.type == ElementType::float32) {
    findNotFinite(std::span(static_cast<const float*>(array.data), elements), found);
  } else if (array.type == ElementType::float64) {
    findNotFinite(std::span(static_cast<const double*>(array.data), elements), found);
  }
}

}  // namespace

void FiniteCheck::addKeys(Schema& schema) {
  schema.add(
      "output.allow_nan", false, "",
      "true: results and agents of files may be NaN or infinite; false: such a value ends the run "
      "with an error");
}

FiniteCheck::FiniteCheck(const Settings& settings)
    : isActive_(!settings.get<bool>("output.allow_nan")) {}

void FiniteCheck::requireRow(std::int64_t step, const std::vector<std::string>& columns,
                             std::span<const double> values) const {
  if (!isActive_) return;
  findNotFinite(values, [&](std::size_t column, double value) {
    fail(step, fmt::format("the column '{}' of the table", columns[column]), value);
  });
}

void FiniteCheck::requirePicture(std::int64_t step, std::span<const float> values,
                                 std::int64_t columns) const {
  if (!isActive_) return;
  findNotFinite(values, [&](std::size_t index, double value) {
    const auto at = static_cast<std::int64_t>(index);
    fail(step, fmt::format("the picture at ({}, {})", at / columns, at % columns), value);
  });
}

void FiniteCheck::requireArrays(std::int64_t step, std::span<const FieldArray> arrays,
                                std::size_t count,
                                const std::function<std::string(std::size_t)>& owner) const {
  if (!isActive_) return;
  for (const FieldArray& array : arrays) {
    findNotFinite(array, count, [&](std::size_t index, double value) {
      fail(step,
           fmt::format("'{}' of {}", array.componentName(index % array.components),
                       owner(index / array.components)),
           value);
    });
  }
}

}  // namespace mass::detail
