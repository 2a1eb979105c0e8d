#pragma once

// Lines of coarser fields in the width of the rule's places, for kernels on CPUs. The loop over a
// line then reads successive elements, as compilers vectorise best, and not one per block.

#include <mass/kernels/rule_traits.hpp>
#include <mass/launch/launch.hpp>
#include <mass/rules/field.hpp>
#include <mass/support/qualifiers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mass::detail {

/// Writes element x / ratio of a line for each column x.
/// @param first first column @param count number of columns
/// @tparam known ratio if it is above 0, for a loop that is unrolled
template <int known, class T>
void repeatElements(const T* from, std::int64_t first, std::int64_t count, std::int64_t ratio,
                    T* to) {
  const std::int64_t each = known > 0 ? known : ratio;
  const std::int64_t head = std::min(count, (each - first % each) % each);
  std::fill_n(to, head, from[first / each]);
  from += (first + head) / each;
  to += head;
  const std::int64_t whole = (count - head) / each;
  MASS_INDEPENDENT_LOOP
  for (std::int64_t k = 0; k < whole; ++k)
    for (std::int64_t j = 0; j < each; ++j) to[k * each + j] = from[k];
  std::fill_n(to + whole * each, count - head - whole * each, from[whole]);
}

/// Size of the largest stored element of class P in bytes.
template <class P>
constexpr std::size_t largestStored() {
  std::size_t bytes = 1;
  AttributeSlots<P>::forEach(
      [&](auto slot) { bytes = std::max(bytes, sizeof(typename decltype(slot)::Stored)); });
  return bytes;
}

/// Line of a coarser field of class P that covers a line of the rule's places, each element as
/// often as there are columns below it.
template <class P>
class WidenedLine {
 public:
  /// True if lines of P are widened: all attributes are, as nobody knows which ones a rule reads.
  static constexpr bool applies = P::dimensions > 1 && AttributeSlots<P>::components <= 4 &&
                                  largestStored<P>() <= 8;

  /// @param launch launch of the rule's places
  WidenedLine(const TypedFieldView<P>& field, const Launch& launch)
      : field_(&field),
        launch_(&launch),
        columns_(launch.layout.columns),
        memory_(std::make_unique_for_overwrite<std::byte[]>(AttributeSlots<P>::components *
                                                            bytesOf(columns_))) {}

  /// Returns the field for a line of the rule's places.
  WidenedFieldView<P> at(std::int64_t row, std::int64_t line) {
    const std::int64_t ownRow = field_->ratio[0].dividing(row + launch_->firstRow);
    const std::int64_t ownLine = field_->ratio[1].dividing(line);
    if (ownRow != row_ || ownLine != line_)
      widen(field_->layout.at(ownRow - field_->firstRow, P::dimensions == 3 ? ownLine : 0, 0));
    row_ = ownRow;
    line_ = ownLine;
    WidenedFieldView<P> view{field_, launch_->columnsBefore, {}};
    for (std::size_t k = 0; k < AttributeSlots<P>::components; ++k) view.elements[k] = component(k);
    return view;
  }

 private:
  static std::size_t bytesOf(std::int64_t columns) {
    return largestStored<P>() * static_cast<std::size_t>(columns);
  }
  std::byte* component(std::size_t k) const { return memory_.get() + k * bytesOf(columns_); }

  void widen(std::int64_t line) {
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      for (std::size_t k = S::first; k < S::first + S::count; ++k)
        widen<typename S::Stored>(
            static_cast<const typename S::Stored*>(field_->components[k]) + S::interleave * line,
            reinterpret_cast<typename S::Stored*>(component(k)));
    });
  }
  template <class T>
  void widen(const T* from, T* to) const {
    const std::int64_t first = launch_->columnsBefore, ratio = field_->ratio[2].value;
    if (ratio == 2) return repeatElements<2>(from, first, columns_, ratio, to);
    if (ratio == 4) return repeatElements<4>(from, first, columns_, ratio, to);
    repeatElements<0>(from, first, columns_, ratio, to);
  }

  const TypedFieldView<P>* field_;
  const Launch* launch_;
  std::int64_t columns_, row_ = -1, line_ = -1;
  std::unique_ptr<std::byte[]> memory_;
};

/// Argument of a rule for the lines of a device: itself.
template <class Source, class Given>
class LineArgument {
 public:
  LineArgument(const Given& given, const Launch&) : given_(given) {}
  const Given& at(std::int64_t, std::int64_t) const { return given_; }

 private:
  const Given& given_;
};
/// Coarser field, of which lines are widened.
template <class P, class Given>
requires(WidenedLine<P>::applies) class LineArgument<FieldOf<P, Scale::coarser>, Given>
    : public WidenedLine<P> {
 public:
  using WidenedLine<P>::WidenedLine;
};

/// Arguments of a rule for each line. @tparam Sources std::tuple of those of callAll
template <class Sources, class Arguments>
class LineArguments;
template <class... Source, class... Given>
class LineArguments<std::tuple<Source...>, std::tuple<Given...>> {
 public:
  /// @param arguments, launch must outlive this
  LineArguments(const std::tuple<Given...>& arguments, const Launch& launch)
      : arguments_(arguments),
        each_(std::apply(
            [&](const Given&... given) {
              return std::tuple<LineArgument<Source, Given>...>(
                  LineArgument<Source, Given>(given, launch)...);
            },
            arguments)) {}

  /// Returns the arguments for a line: the given ones unless there are lines to widen.
  decltype(auto) at([[maybe_unused]] std::int64_t row, [[maybe_unused]] std::int64_t line) {
    if constexpr ((false || ... || requires { LineArgument<Source, Given>::applies; })) {
      return std::apply(
          [&](auto&... argument) {
            return std::tuple<decltype(argument.at(row, line))...>(argument.at(row, line)...);
          },
          each_);
    } else {
      return (arguments_);
    }
  }

 private:
  const std::tuple<Given...>& arguments_;
  std::tuple<LineArgument<Source, Given>...> each_;
};
template <auto Rule>
using LineArgumentsOf =
    LineArguments<typename Traits<Rule>::Arguments, typename Traits<Rule>::DeviceArguments>;

}  // namespace mass::detail
