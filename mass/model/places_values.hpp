#pragma once

// The function templates of Places by which values come to the host, and from there.

namespace mass {

template <class P>
template <auto Member>
auto Places<P>::download() const {
  using S = detail::AttributeSlotFor<P, Member>;
  const auto places = static_cast<std::size_t>(size());
  std::vector<typename S::Stored> component(places);
  const auto fetch = [&](std::size_t k) {
    readRows(population_->settled(), static_cast<int>(S::first + k), 0, shape()[0],
             component.data());
  };
  if constexpr (S::isArray) {
    std::vector<std::array<typename S::Element, S::count>> values(places);
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
  std::array<std::int64_t, 3> from{0, 0, 0}, to{1, 1, 1};  // rows, lines, columns
  std::size_t places = 1;
  for (int axis = 0; axis < dimensions; ++axis) {
    if (low[axis] < 0 || low[axis] > high[axis] || high[axis] > shape()[axis]) {
      throw UsageError("a box of '{}' is to reach from {} to {} along axis {}, of {} places",
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
      readBox(population_->settled(), static_cast<int>(S::first + k), from, to, component.data());
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
  using S = detail::AttributeSlotFor<P, Member>;
  if (static_cast<std::int64_t>(std::size(values)) != size()) {
    throw UsageError("upload of '{}' to {} places needs as many values, got {}",
                     detail::memberName<Member>(), size(), std::size(values));
  }
  std::vector<typename S::Stored> component(static_cast<std::size_t>(size()));
  for (std::size_t k = 0; k < S::count; ++k) {
    for (std::size_t i = 0; i < component.size(); ++i) {
      if constexpr (S::isArray) {
        component[i] = S::Form::encode(values[i][k]);
      } else {
        component[i] = S::Form::encode(static_cast<typename S::Element>(values[i]));
      }
    }
    writeRows(population_->settled(), static_cast<int>(S::first + k), 0, shape()[0],
              component.data());
    fields().refreshPadding(static_cast<int>(S::first + k));
  }
}

template <class P>
template <auto Member, class F>
void Places<P>::initialise(F&& function) const {
  using S = detail::AttributeSlotFor<P, Member>;
  using Value = std::conditional_t<S::isArray, std::array<typename S::Element, S::count>,
                                   detail::Packed<typename S::Element>>;
  std::vector<Value> values(static_cast<std::size_t>(size()));
  Coordinates<dimensions> at{};
  for (Value& value : values) {
    if constexpr (S::isArray) {
      value = static_cast<Value>(function(std::as_const(at)));
    } else {
      // By way of the attribute's own type: a bool is stored as a byte, and 256 or 0.5 are true.
      value = static_cast<typename S::Element>(function(std::as_const(at)));
    }
    for (int axis = dimensions - 1; axis >= 0 && ++at[axis] == shape()[axis]; --axis) at[axis] = 0;
  }
  upload<Member>(values);
}

}  // namespace mass
