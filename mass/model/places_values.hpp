#pragma once

// Templates of Places that copy values from and to the host.

namespace mass {

template <class P>
template <auto Member>
auto Places<P>::download() const {
  using S = detail::AttributeSlotFor<P, Member>;
  requireHostMemory(fields().devices(),
                    static_cast<double>(size()) * S::count * sizeof(typename S::Stored),
                    fmt::format("a download from '{}'", name()));
  return copyAll<Member>(size(), [this](int component, void* values) {
    readRows(fields(), component, 0, rows(), values);
  });
}

template <class P>
template <auto Member>
auto Places<P>::collect() const {
  const std::int64_t places = fields().devices().ranks().isFirst() ? size() : 0;
  return copyAll<Member>(
      places, [this](int component, void* values) { collectRows(fields(), component, values); });
}

/// Returns an attribute of `count` places.
/// @param copy copies a component to memory for that many elements
template <class P>
template <auto Member, class Copy>
auto Places<P>::copyAll(std::int64_t count, const Copy& copy) const {
  using S = detail::AttributeSlotFor<P, Member>;
  const auto places = static_cast<std::size_t>(count);
  std::vector<typename S::Stored> component(places);
  const auto fetch = [&](std::size_t k) { copy(static_cast<int>(S::first + k), component.data()); };
  if constexpr (S::isArray) {
    std::vector<typename S::Array> values(places);
    for (std::size_t k = 0; k < S::count; ++k) {
      fetch(k);
      for (std::size_t i = 0; i < places; ++i) values[i][k] = S::Form::decode(component[i]);
    }
    return values;
  } else {
    fetch(0);
    return detail::decoded<S>(std::move(component));
  }
}

template <class P>
std::vector<P> Places<P>::download(const Coordinates<dimensions>& low,
                                   const Coordinates<dimensions>& high) const {
  if (population_->mask) {
    throw UsageError("download from '{}': not all places of a box exist; use download<&P::member>",
                     name());
  }
  std::array<std::int64_t, 3> from{0, 0, 0}, to{1, 1, 1};  // rows, lines, columns
  std::size_t places = 1;
  for (int axis = 0; axis < dimensions; ++axis) {
    if (low[axis] < 0 || low[axis] > high[axis] || high[axis] > shape()[axis]) {
      throw UsageError("download from '{}': the box [{}, {}) along axis {} is not inside [0, {})",
                       name(), low[axis], high[axis], axis, shape()[axis]);
    }
    const auto along = static_cast<std::size_t>(dimensions == 2 && axis == 1 ? 2 : axis);
    from[along] = low[axis];
    to[along] = high[axis];
    places *= static_cast<std::size_t>(high[axis] - low[axis]);
  }
  std::vector<P> box(places);
  if (places == 0) return box;
  detail::AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    std::vector<typename S::Stored> component(places);
    for (std::size_t k = 0; k < S::count; ++k) {
      readBox(fields(), static_cast<int>(S::first + k), from, to, component.data());
      for (std::size_t i = 0; i < places; ++i) {
        if constexpr (S::isArray) {
          (box[i].*S::member)[k] = S::Form::decode(component[i]);
        } else {
          box[i].*S::member = S::Form::decode(component[i]);
        }
      }
    }
  });
  return box;
}

template <class P>
template <auto Member, class Values>
void Places<P>::upload(const Values& values) const {
  if (static_cast<std::int64_t>(std::size(values)) != size()) {
    throw UsageError("upload of '{}' got {} values for {} places; give one for each place",
                     detail::memberName<Member>(), std::size(values), size());
  }
  setLocal<Member>([&](std::size_t i) -> decltype(auto) { return values[i]; });
}

/// Sets an attribute of the places of this rank, at least.
/// @param valueAt returns the value of the place with an index in the world
template <class P>
template <auto Member, class F>
void Places<P>::setLocal(F&& valueAt) const {
  using S = detail::AttributeSlotFor<P, Member>;
  detail::requireAlone(*population_->engine, "upload");
  const RowRange rows = writtenRows(fields());
  const std::int64_t rowSize = size() / this->rows();
  const auto first = static_cast<std::size_t>(rows.begin * rowSize);
  std::vector<typename S::Stored> component(static_cast<std::size_t>(rows.size() * rowSize));
  for (std::size_t k = 0; k < S::count; ++k) {
    for (std::size_t i = 0; i < component.size(); ++i) {
      if constexpr (S::isArray) {
        component[i] = S::Form::encode(valueAt(first + i)[k]);
      } else {
        component[i] = S::Form::encode(static_cast<typename S::Element>(valueAt(first + i)));
      }
    }
    writeRows(fields(), static_cast<int>(S::first + k), rows.begin, rows.size(), component.data());
    fields().refreshPadding(static_cast<int>(S::first + k));
  }
}

template <class P>
template <auto Member, class F>
void Places<P>::initialise(F&& function) const {
  using S = detail::AttributeSlotFor<P, Member>;
  using Value =
      std::conditional_t<S::isArray, typename S::Array, detail::Packed<typename S::Element>>;
  const RowRange rows = writtenRows(fields());
  const std::int64_t rowSize = size() / this->rows();
  const std::int64_t first = rows.begin * rowSize, end = rows.end * rowSize;
  std::vector<Value> values(static_cast<std::size_t>(end - first));
  Coordinates<dimensions> at{};
  // Every rank calls the function for all places, since it may depend on the order of the calls.
  for (std::int64_t place = 0; place < size(); ++place) {
    if (population_->mask) at = coordinates(place);
    const auto value = function(std::as_const(at));
    if (place >= first && place < end) {
      Value& stored = values[static_cast<std::size_t>(place - first)];
      if constexpr (S::isArray) {
        stored = static_cast<Value>(value);
      } else {
        // Converted to the attribute's type first: a bool is stored as a byte; 256 and 0.5 are
        // true.
        stored = static_cast<typename S::Element>(value);
      }
    }
    for (int axis = dimensions - 1; axis >= 0 && ++at[axis] == shape()[axis]; --axis) at[axis] = 0;
  }
  setLocal<Member>(
      [&](std::size_t i) -> const Value& { return values[i - static_cast<std::size_t>(first)]; });
}

}  // namespace mass
