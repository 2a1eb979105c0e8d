#pragma once

// Templates of Places that call rules.

namespace mass {
namespace detail {

/// Returns the traversal of a changing rule without Scatter.
template <class P, auto Rule>
constexpr Traversal traversalOf() {
  if (Traits<Rule>::streams) return Traversal::streaming;
  return Traits<Rule>::readsNeighbors ? Traversal::stencil : Traversal::pointwise;
}

/// Returns the kernel of a changing rule without Scatter. @param arguments must outlive the kernel
template <class P, auto Rule, class W>
Kernel changingKernel(const typename Traits<Rule>::Arguments& arguments) {
  Kernel kernel;
  kernel.arguments = &arguments;
  kernel.readsNeighbors = Traits<Rule>::readsNeighbors;
  kernel.readsPopulations = hasPopulations<typename Traits<Rule>::Arguments>;
  kernel.runsOnce = hasEffects<typename Traits<Rule>::Arguments>;
  kernel.function = &changeKernel<P, Rule, W>;
  kernel.gpu = changeGpuKernel<P, Rule, W>();
  kernel.traversal = traversalOf<P, Rule>();
  kernel.aaKernel = aaKernel<P, Rule, W>();
  kernel.boolRule = boolRule<P, Rule, W>();
  kernel.written = componentsWritten<P, W>();
  return kernel;
}

/// Returns the kernel of a reading rule. @param arguments must outlive the kernel
template <auto Rule>
Kernel readingKernel(Traversal traversal, KernelFunction function, const GpuKernel* gpu,
                     const typename Traits<Rule>::Arguments& arguments) {
  Kernel kernel;
  kernel.function = function;
  kernel.gpu = gpu;
  kernel.arguments = &arguments;
  kernel.traversal = traversal;
  kernel.readsNeighbors = Traits<Rule>::readsNeighbors;
  return kernel;
}

/// Returns the kernel of a reading rule that has a result for each place.
template <class P, auto Rule>
Kernel mappingKernel(const typename Traits<Rule>::Arguments& arguments) {
  return readingKernel<Rule>(Traversal::map, &mapKernel<P, Rule>, mapGpuKernel<P, Rule>(),
                             arguments);
}

/// Returns the kernel of a reading rule whose results are reduced to one for each line.
template <class P, auto Rule, class Op>
Kernel lineReductionKernel(const typename Traits<Rule>::Arguments& arguments) {
  return readingKernel<Rule>(Traversal::reduce, &reduceKernel<P, Rule, Op>,
                             reduceGpuKernel<P, Rule, Op>(), arguments);
}

}  // namespace detail

template <class P>
template <auto Rule, class... Args>
auto Places<P>::argumentsFor(Args&&... args) const {
  typename detail::Traits<Rule>::Arguments arguments(std::forward<Args>(args)...);
  detail::prepareArguments(*population_, arguments);
  return arguments;
}

template <class P>
template <auto Rule, class W, class... Args>
void Places<P>::change(Steps steps, Args&&... args) const {
  if constexpr (!detail::isCallOfPlaces<P, Rule, Args...>()) {
  } else if constexpr (detail::ScatterRule<Rule>) {
    send<detail::NoRule{}, Rule>(steps, std::forward<Args>(args)...);
  } else {
    auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
    detail::Kernel kernel = detail::changingKernel<P, Rule, W>(arguments);
    if (!kernel.runsOnce) return run(kernel, steps.count);
    for (std::int64_t left = steps.count; left > 0 || left == steps.count; --left) {
      run(kernel, std::min<std::int64_t>(left, 1));
      detail::finishArguments(arguments);
    }
  }
}

template <class P>
template <auto Rule>
void Places<P>::reserve() const {
  using W = detail::WritesAll;
  static_assert(detail::Changing<Rule>, "reserve takes a rule `void f(...)`, as callAll does");
  detail::Kernel kernel;
  kernel.traversal = detail::traversalOf<P, Rule>();
  kernel.aaKernel = detail::aaKernel<P, Rule, W>();
  kernel.written = detail::componentsWritten<P, W>();
  detail::reserveBuffers(*population_, kernel);
}

template <class P>
template <auto Before, auto Rule, class... Args>
void Places<P>::send(Steps steps, Args&&... args) const {
  static_assert(!detail::hasEffects<typename detail::Traits<Rule>::Arguments>,
                "a rule with Scatter creates no agents: use another rule");
  const auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
  detail::Kernel kernel;
  kernel.arguments = &arguments;
  kernel.readsNeighbors = detail::Traits<Rule>::readsNeighbors;
  kernel.function = &detail::scatterKernel<P, Before, Rule>;
  kernel.gpu = detail::scatterGpuKernel<P, Before, Rule>();
  kernel.traversal = detail::Traversal::scatter;
  kernel.merge = &detail::mergeKernel<P>;
  kernel.written =
      detail::componentsWritten<P, detail::Writes<detail::MultisetAttributeSlot<P>::member>>();
  run(kernel, steps.count);
}

template <class P>
void Places<P>::setNeighbors(std::vector<Offset<dimensions>> offsets) const {
  static_assert(!detail::isNode<P>, "nodes of a network have no neighbours at offsets");
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
std::vector<T> Places<P>::readLocal(detail::Kernel& kernel, std::int64_t resultsPerRow) const {
  requireResultMemory(static_cast<double>(resultsPerRow) * sizeof(T),
                      detail::mostRowsOfRank(fields()));
  const detail::DeviceNumbers local = fields().devices().local();
  const auto before = [&](int device) { return resultsBefore(fields(), kernel, device); };
  std::vector<T> values(static_cast<std::size_t>(before(local.back() + 1) - before(local.front())));
  readInto(kernel, values.data());
  return values;
}

template <class P>
template <class T>
std::vector<T> Places<P>::read(detail::Kernel& kernel, std::int64_t resultsPerRow) const {
  requireResultMemory(static_cast<double>(resultsPerRow) * sizeof(T), rows());
  std::vector<T> values(static_cast<std::size_t>(resultsPerRow * rows()));
  const int firstDevice = fields().devices().firstLocal();
  readInto(kernel, values.data() + resultsBefore(fields(), kernel, firstDevice));
  if (fields().areBlocks()) {
    gatherBlocks(fields(), kernel.traversal == detail::Traversal::map, sizeof(T), values.data());
    return values;
  }
  gatherRows(fields(), 0, rows(), static_cast<std::size_t>(resultsPerRow) * sizeof(T),
             values.data());
  if (fields().areOrdered()) toOrderOfNodes(fields(), sizeof(T), values.data());
  return values;
}

/// Runs a reading rule. @param results receives the results for the rows of this rank
template <class P>
template <class T>
void Places<P>::readInto(detail::Kernel& kernel, T* results) const {
  kernel.results = results;
  kernel.resultBytes = sizeof(T);
  if (kernel.traversal == detail::Traversal::reduce && fields().blocks().isCut(2)) {
    reduceCutLines(fields(), kernel, detail::lanes * sizeof(T), [&] { run(kernel, 1); });
  } else {
    run(kernel, 1);
  }
}

template <class P>
void Places<P>::requireResultMemory(double bytesPerRow, std::int64_t rows) const {
  requireHostMemory(fields().devices(), bytesPerRow * static_cast<double>(rows),
                    fmt::format("the result of a rule of '{}'", name()));
}

}  // namespace mass
