#pragma once

// The function templates of Places.

namespace mass {

template <class P>
template <auto Rule, class... Args>
auto Places<P>::argumentsFor(Args&&... args) const {
  using Arguments = typename detail::Traits<Rule>::Arguments;
  static_assert(sizeof...(Args) == std::tuple_size_v<Arguments>,
                "this rule takes another number of arguments");
  Arguments arguments(std::forward<Args>(args)...);
  detail::requireHome(arguments, *population_);
  return arguments;
}

template <class P>
template <auto Rule, class W, class... Args>
void Places<P>::change(Steps steps, Args&&... args) const {
  static_assert(detail::Changing<Rule> || detail::SendingRule<Rule>,
                "callAll takes a rule `void f(...)`, or `void f(const Outbox<P>&, ...) const`; a "
                "const function that returns a value is for reduce and map");
  if constexpr (detail::SendingRule<Rule>) {
    send<detail::NoRule{}, Rule>(steps, std::forward<Args>(args)...);
  } else {
    const auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
    Kernel kernel;
    kernel.arguments = &arguments;
    kernel.readsNeighbors = detail::Traits<Rule>::readsNeighbors;
    kernel.function = &detail::changeKernel<P, Rule, W>;
    kernel.gpu = detail::changeGpuKernel<P, Rule, W>();
    kernel.inPlace = !kernel.readsNeighbors;
    kernel.moving = detail::inPlaceKernel<P, Rule, W>();
    kernel.written = detail::componentsWritten<P, W>();
    run(kernel, steps.count);
  }
}

template <class P>
template <auto Rule>
void Places<P>::makeRoom() const {
  using W = detail::WritesAll;
  static_assert(detail::Changing<Rule>, "makeRoom takes a rule `void f(...)`, as callAll does");
  if constexpr (detail::Traits<Rule>::readsNeighbors) {
    PlaceFields& fields = population_->settled();
    const bool inPlace =
        detail::inPlaceKernel<P, Rule, W>() != nullptr && fields.domain().movesInPlace;
    for (const int component : detail::componentsWritten<P, W>()) {
      if (!inPlace || !fields.component(component).moves) fields.needBack(component);
    }
  }
}

template <class P>
template <auto Before, auto Rule, class... Args>
void Places<P>::send(Steps steps, Args&&... args) const {
  const auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
  Kernel kernel;
  kernel.arguments = &arguments;
  kernel.readsNeighbors = detail::Traits<Rule>::readsNeighbors;
  kernel.function = &detail::sendKernel<P, Before, Rule>;
  kernel.gpu = detail::sendGpuKernel<P, Before, Rule>();
  kernel.sends = true;
  kernel.written = detail::componentsWritten<P, Writes<detail::BagSlot<P>::member>>();
  run(kernel, steps.count);
}

template <class P>
void Places<P>::run(Kernel& kernel, std::int64_t steps) const {
  if (steps < 0) throw UsageError("cannot go {} steps", steps);
  kernel.neighborSteps = detail::neighborSteps(*population_);
  population_->runtime->dispatcher.run(fields(), kernel, steps, population_->runtime->seed,
                                       population_->number, population_->measured());
}

template <class P>
void Places<P>::setNeighbors(std::vector<Offset<dimensions>> offsets) const {
  std::vector<std::array<int, 3>> neighbors;
  for (const Offset<dimensions>& offset : offsets) {
    for (const int along : offset.values) {
      if (along < -P::reach || along > P::reach) {
        throw UsageError("a neighbour of {} at distance {} is beyond its reach, {}", name(), along,
                         P::reach);
      }
    }
    // Brought to three axes as Layout has them: rows, lines, columns.
    std::array<int, 3> full{offset[0], 0, 0};
    if constexpr (dimensions == 2) full[2] = offset[1];
    if constexpr (dimensions == 3) full = {offset[0], offset[1], offset[2]};
    neighbors.push_back(full);
  }
  population_->neighbors = std::move(neighbors);
}

template <class P>
template <class T>
std::vector<T> Places<P>::read(Kernel& kernel, std::int64_t resultsPerRow) const {
  std::vector<T> values(static_cast<std::size_t>(resultsPerRow * shape()[0]));
  kernel.results = values.data();
  kernel.resultBytesPerRow = static_cast<std::size_t>(resultsPerRow) * sizeof(T);
  run(kernel, 1);
  return values;
}

template <class P>
template <auto Rule, class Op, class... Args>
auto Places<P>::reduceLines(Op, Args&&... args) const {
  using R =
      typename Op::template Result<std::remove_cvref_t<typename detail::Traits<Rule>::Result>>;
  const typename detail::Traits<Rule>::Arguments arguments(std::forward<Args>(args)...);
  detail::requireHome(arguments, *population_);
  Kernel kernel;
  kernel.function = &detail::reduceKernel<P, Rule, Op>;
  kernel.gpu = detail::reduceGpuKernel<P, Rule, Op>();
  kernel.arguments = &arguments;
  kernel.readsNeighbors = detail::Traits<Rule>::readsNeighbors;
  return read<R>(kernel, dimensions == 3 ? shape()[1] : 1);
}

template <class P>
template <auto Rule, class Op, class... Args>
auto Places<P>::reduceRows(Op op, Args&&... args) const {
  static_assert(
      detail::Reading<Rule> && dimensions > 1,
      "reduceRows takes a const function that returns a value, or an attribute, of places "
      "in 2 or 3 dimensions");
  const auto lines = reduceLines<Rule>(op, std::forward<Args>(args)...);
  const auto perRow = lines.size() / static_cast<std::size_t>(shape()[0]);
  using R = typename std::decay_t<decltype(lines)>::value_type;
  std::vector<R> rows;
  for (std::size_t first = 0; first < lines.size(); first += perRow) {
    rows.push_back(Op::template identity<R>());
    for (std::size_t i = first; i < first + perRow; ++i) rows.back() = op(rows.back(), lines[i]);
  }
  return rows;
}

template <class P>
template <auto Rule, class Op, class... Args>
auto Places<P>::reduce(Op op, Args&&... args) const {
  static_assert(detail::Reading<Rule>,
                "reduce takes a const function that returns a value, or an attribute");
  using R =
      typename Op::template Result<std::remove_cvref_t<typename detail::Traits<Rule>::Result>>;
  if constexpr (dimensions == 1) {
    // A 1-D world has no lines that stay whole on every split: its values are reduced where they
    // come together.
    const auto values = map<Rule>(std::forward<Args>(args)...);
    return detail::foldLanes<R>(
        op, size(), [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
  } else {
    const auto partial = reduceLines<Rule>(op, std::forward<Args>(args)...);
    R total = Op::template identity<R>();
    for (const R& value : partial) total = op(total, value);
    return total;
  }
}

template <class P>
template <auto Rule, class... Args>
auto Places<P>::map(Args&&... args) const {
  static_assert(detail::Reading<Rule>,
                "map takes a const function that returns a value, or an attribute");
  using T = std::remove_cvref_t<typename detail::Traits<Rule>::Result>;
  const typename detail::Traits<Rule>::Arguments arguments(std::forward<Args>(args)...);
  detail::requireHome(arguments, *population_);
  Kernel kernel;
  kernel.function = &detail::mapKernel<P, Rule>;
  kernel.gpu = detail::mapGpuKernel<P, Rule>();
  kernel.arguments = &arguments;
  kernel.readsNeighbors = detail::Traits<Rule>::readsNeighbors;
  auto values = read<detail::Packed<T>>(kernel, size() / shape()[0]);
  if constexpr (std::is_same_v<T, bool>) {
    return std::vector<bool>(values.begin(), values.end());
  } else {
    return values;
  }
}

template <class P>
template <auto Member>
auto Places<P>::download() const {
  using S = detail::SlotFor<P, Member>;
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
  detail::Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    std::vector<typename S::Stored> component(places);
    for (std::size_t k = 0; k < S::count; ++k) {
      detail::readBox(population_->settled(), static_cast<int>(S::first + k), from, to,
                      component.data());
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
  using S = detail::SlotFor<P, Member>;
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
    fields().refreshSides(static_cast<int>(S::first + k));
  }
}

template <class P>
template <auto Member, class F>
void Places<P>::initialise(F&& function) const {
  using S = detail::SlotFor<P, Member>;
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
