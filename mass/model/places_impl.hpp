#pragma once

// Templates of Places that call rules.

namespace mass {

template <class P>
template <auto Rule, class... Args>
auto Places<P>::argumentsFor(Args&&... args) const {
  typename detail::Traits<Rule>::Arguments arguments(std::forward<Args>(args)...);
  detail::requireHome(arguments, *population_);
  return arguments;
}

template <class P>
template <auto Rule, class W, class... Args>
void Places<P>::change(Steps steps, Args&&... args) const {
  if constexpr (!detail::isCallOfPlaces<P, Rule, Args...>()) {
  } else if constexpr (detail::ScatterRule<Rule>) {
    send<detail::NoRule{}, Rule>(steps, std::forward<Args>(args)...);
  } else {
    const auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
    detail::Kernel kernel;
    kernel.arguments = &arguments;
    kernel.readsNeighbors = detail::Traits<Rule>::readsNeighbors;
    kernel.function = &detail::changeKernel<P, Rule, W>;
    kernel.gpu = detail::changeGpuKernel<P, Rule, W>();
    kernel.inPlace = !kernel.readsNeighbors;
    kernel.aaKernel = detail::aaKernel<P, Rule, W>();
    kernel.written = detail::componentsWritten<P, W>();
    run(kernel, steps.count);
  }
}

template <class P>
template <auto Rule>
void Places<P>::reserve() const {
  using W = detail::WritesAll;
  static_assert(detail::Changing<Rule>, "reserve takes a rule `void f(...)`, as callAll does");
  if constexpr (detail::Traits<Rule>::readsNeighbors) {
    detail::PlaceFields& fields = population_->restoredFields();
    const bool inPlace =
        detail::aaKernel<P, Rule, W>() != nullptr && fields.domain().streamsInPlace;
    for (const int component : detail::componentsWritten<P, W>()) {
      if (!inPlace || !fields.component(component).isStreamed) fields.allocateBackBuffer(component);
    }
  }
}

template <class P>
template <auto Before, auto Rule, class... Args>
void Places<P>::send(Steps steps, Args&&... args) const {
  const auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
  detail::Kernel kernel;
  kernel.arguments = &arguments;
  kernel.readsNeighbors = detail::Traits<Rule>::readsNeighbors;
  kernel.function = &detail::scatterKernel<P, Before, Rule>;
  kernel.gpu = detail::scatterGpuKernel<P, Before, Rule>();
  kernel.isScatter = true;
  kernel.merge = &detail::mergeKernel<P>;
  kernel.written =
      detail::componentsWritten<P, detail::Writes<detail::MultisetAttributeSlot<P>::member>>();
  run(kernel, steps.count);
}

template <class P>
void Places<P>::run(detail::Kernel& kernel, std::int64_t steps) const {
  if (steps < 0) {
    throw UsageError("callAll on '{}': the number of steps is {}; it must be 0 or more", name(),
                     steps);
  }
  kernel.neighborSteps = detail::neighborSteps(*population_);
  population_->engine->dispatcher.run(fields(), kernel, steps, population_->engine->seed,
                                      population_->number, population_->timesOrNull());
}

template <class P>
void Places<P>::setNeighbors(std::vector<Offset<dimensions>> offsets) const {
  std::vector<std::array<int, 3>> neighbors;
  for (const Offset<dimensions>& offset : offsets) {
    for (const int along : offset.values) {
      if (along < -P::reach || along > P::reach) {
        throw UsageError(
            "setNeighbors on '{}': an offset of {} exceeds the reach, {}; raise P::reach", name(),
            along, P::reach);
      }
    }
    // Axes of Layout: rows, lines, columns.
    std::array<int, 3> full{offset[0], 0, 0};
    if constexpr (dimensions == 2) full[2] = offset[1];
    if constexpr (dimensions == 3) full = {offset[0], offset[1], offset[2]};
    neighbors.push_back(full);
  }
  population_->neighbors = std::move(neighbors);
}

template <class P>
template <class T>
std::vector<T> Places<P>::read(detail::Kernel& kernel, std::int64_t resultsPerRow) const {
  const std::int64_t count = resultsPerRow * shape()[0];
  requireHostMemory(fields().devices(), static_cast<double>(count) * sizeof(T),
                    fmt::format("the result of a rule of '{}'", name()));
  std::vector<T> values(static_cast<std::size_t>(count));
  kernel.results = values.data();
  kernel.resultBytesPerRow = static_cast<std::size_t>(resultsPerRow) * sizeof(T);
  run(kernel, 1);
  gatherRows(fields(), 0, shape()[0], kernel.resultBytesPerRow, values.data());
  return values;
}

template <class P>
template <auto Rule, class Op, class... Args>
auto Places<P>::reduceLines(Op, Args&&... args) const {
  using R =
      typename Op::template Result<std::remove_cvref_t<typename detail::Traits<Rule>::Result>>;
  const auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
  detail::Kernel kernel;
  kernel.function = &detail::reduceKernel<P, Rule, Op>;
  kernel.gpu = detail::reduceGpuKernel<P, Rule, Op>();
  kernel.arguments = &arguments;
  kernel.readsNeighbors = detail::Traits<Rule>::readsNeighbors;
  return read<R>(kernel, dimensions == 3 ? shape()[1] : 1);
}

template <class P>
template <auto Rule, class Op, class... Args>
auto Places<P>::reduceRows(Op op, Args&&... args) const {
  static_assert(dimensions > 1, "reduceRows is for places in 2 or 3 dimensions; use map in 1-D");
  if constexpr (!detail::isReduction<P, P, Rule, Op, Args...>()) {
    return 0;
  } else {
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
}

template <class P>
template <auto Rule, class Op, class... Args>
auto Places<P>::reduce(Op op, Args&&... args) const {
  if constexpr (!detail::isReduction<P, P, Rule, Op, Args...>()) {
    return 0;
  } else if constexpr (dimensions == 1) {
    using R =
        typename Op::template Result<std::remove_cvref_t<typename detail::Traits<Rule>::Result>>;
    // A 1-D world is a single line, which partitions split, so the host reduces its values.
    const auto values = map<Rule>(std::forward<Args>(args)...);
    return detail::foldLanes<R>(
        op, size(), [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
  } else {
    using R =
        typename Op::template Result<std::remove_cvref_t<typename detail::Traits<Rule>::Result>>;
    const auto partial = reduceLines<Rule>(op, std::forward<Args>(args)...);
    R total = Op::template identity<R>();
    for (const R& value : partial) total = op(total, value);
    return total;
  }
}

template <class P>
template <auto Rule, class... Args>
auto Places<P>::map(Args&&... args) const {
  if constexpr (!detail::isReading<P, P, Rule, Args...>()) {
    return std::vector<int>{};
  } else {
    using T = std::remove_cvref_t<typename detail::Traits<Rule>::Result>;
    const auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
    detail::Kernel kernel;
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
}

}  // namespace mass
