#pragma once

// GPU kernels of rules of agents. Included where nvcc compiles a model.

#include <mass/kernels/agent_kernels.hpp>
#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/rule_tag.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Parameters of an agent kernel. Holds all addresses itself, as GpuCall does.
template <class A, class Arguments>
struct GpuAgentCall {
  AgentLaunch launch;
  std::int64_t count;
  const void* in[componentArraySize<A>];
  void* out[componentArraySize<A>];
  void* children[componentArraySize<A>];
  const void* placesIn[componentArraySize<typename A::Home>];
  void* placesOut[componentArraySize<typename A::Home>];
  Arguments arguments;
};

/// Threads of a block. Few, so that a rule with many registers leaves room for other blocks.
inline constexpr int agentBlock = 64;

/// True if there is an agent with this number.
template <class Call>
__device__ inline bool exists(const Call& call, std::int64_t agent) {
  const std::uint64_t* const alive = call.launch.alive;
  return agent < call.count && (alive == nullptr || static_cast<std::uint64_t>(agent) < *alive);
}

/// Returns the lane of this thread among the `Lanes` consecutive threads of its agent.
template <int Lanes>
__device__ inline LaneGroup laneOfThread() {
  return {static_cast<int>(threadIdx.x % Lanes), Lanes};
}
/// Returns the number of this thread's agent.
template <int Lanes>
__device__ inline std::int64_t agentOfThread() {
  return static_cast<std::int64_t>(blockIdx.x) * (agentBlock / Lanes) + threadIdx.x / Lanes;
}
/// Synchronises the threads of an agent: all store the same result, but none before all have read.
template <int Lanes>
__device__ inline void syncLanes() {
  if constexpr (Lanes > 1) __syncwarp(maskOf(laneOfThread<Lanes>()));
}

/// Kernel of a changing rule.
template <class Tag, class Arguments, class W, int Lanes>
struct ChangeAgentsBody {
  using A = typename Tag::Place;
  using Call = GpuAgentCall<A, Arguments>;

  __device__ static void run(const Call& call) {
    [[maybe_unused]] constexpr auto rule = ruleOf(Tag{});
    [[maybe_unused]] const AgentLaunch& launch = call.launch;
    const std::int64_t agent = agentOfThread<Lanes>();
    if (!exists(call, agent)) return;
    if constexpr (AgentRuleOf<rule>::takesFromCoarser) {
      // One thread runs the rule for all agents of a block of places, in their order.
      const BinBlock block = blockOfAgent<A>(launch, ratioOfCoarser(call.arguments), agent);
      if (!isFirstOfBlock<A>(launch, block, agent)) return;
      forEachOfBlock<A>(launch, block, [&](std::int64_t other, auto...) { runFor(call, other); });
    } else if constexpr (AgentRuleOf<rule>::takes) {
      // One thread runs the rule for all agents of a place, in their order.
      const std::int32_t bin = launch.bin[agent];
      if (launch.agents.first[bin] != agent) return;
      for (std::int64_t other = agent; other < launch.agents.first[bin + 1]; ++other)
        runFor(call, other);
    } else {
      runFor(call, agent);
    }
  }

 private:
  __device__ static void runFor(const Call& call, std::int64_t agent) {
    constexpr auto rule = ruleOf(Tag{});
    const AgentLaunch& launch = call.launch;
    const auto at = binNumbers<A>(launch, agent);
    A self = loadPlace<A>(call.in, static_cast<Index>(agent));
    AgentContext<A> context{
        aroundAgent<A>(launch, call.placesIn, agent, at.row, at.line, at.column), agent, nullptr,
        call.placesOut, laneOfThread<Lanes>()};
    if constexpr (AgentRuleOf<rule>::template hasIntent<A>) {
      Intent<A> intent(launch, call.children, agent, at.row, at.line, at.column);
      context.intent = &intent;
      apply<rule>(self, context, call.arguments);
      syncLanes<Lanes>();
      launch.targets[agent] = intent.target();
    } else {
      apply<rule>(self, context, call.arguments);
      syncLanes<Lanes>();
    }
    storePlace<A, W>(call.out, static_cast<Index>(agent), self);
  }
};

/// Chosen by the compiler. With a minimum of one block it takes 96 registers instead of 64 for the
/// rule of apps/circles, so fewer threads hide the latency of loads.
template <class Tag, class Arguments, class W, int Lanes>
inline constexpr int residentBlocks<ChangeAgentsBody<Tag, Arguments, W, Lanes>> = 0;

/// Kernel that stores the results of a reading rule, by agent.
template <class Tag, class Arguments, int Lanes>
struct MapAgentsBody {
  using A = typename Tag::Place;
  using Call = GpuAgentCall<A, Arguments>;

  __device__ static void run(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    using T = Packed<std::remove_cvref_t<typename Traits<rule>::Result>>;
    const AgentLaunch& launch = call.launch;
    const std::int64_t agent = agentOfThread<Lanes>();
    if (!exists(call, agent)) return;
    const auto at = binNumbers<A>(launch, agent);
    const A self = loadPlace<A>(call.in, static_cast<Index>(agent));
    const AgentContext<A> context{
        aroundAgent<A>(launch, call.placesIn, agent, at.row, at.line, at.column), agent, nullptr,
        nullptr, laneOfThread<Lanes>()};
    static_cast<T*>(launch.results)[agent] =
        static_cast<T>(apply<rule>(self, context, call.arguments));
  }
};

template <class A, auto Rule>
GpuAgentCall<A, ArgumentsOf<Rule>> gpuAgentCall(const AgentLaunch& launch, std::int64_t count) {
  GpuAgentCall<A, ArgumentsOf<Rule>> call{launch, count, {}, {},
                                          {},     {},    {}, argumentsOf<Rule>(launch.places)};
  constexpr std::size_t components = AttributeSlots<A>::components;
  std::copy_n(launch.agents.components, components, call.in);
  std::copy_n(launch.out, components, call.out);
  std::copy_n(launch.children, components, call.children);
  std::copy_n(launch.places.in, AttributeSlots<typename A::Home>::components, call.placesIn);
  std::copy_n(launch.places.out, AttributeSlots<typename A::Home>::components, call.placesOut);
  return call;
}

template <class Body, class A, auto Rule>
int queueAgents(const AgentLaunch& launch, std::int64_t count, int lanes, void* stream) {
  const std::int64_t agents = agentBlock / lanes;
  const auto blocks = static_cast<unsigned>((count + agents - 1) / agents);
  queue<Body>(dim3(blocks), dim3(agentBlock), stream, false, gpuAgentCall<A, Rule>(launch, count));
  return cudaGetLastError();
}

/// Queues a rule with one thread for each agent or, if launch.isShared and the rule can,
/// `sharedLanes`.
template <class Single, class Shared, class A, auto Rule>
int launchAgents(const AgentLaunch& launch, std::int64_t count, void* stream) {
  if constexpr (AgentRuleOf<Rule>::hasLanes) {
    if (launch.isShared) return queueAgents<Shared, A, Rule>(launch, count, sharedLanes, stream);
  }
  return queueAgents<Single, A, Rule>(launch, count, 1, stream);
}

template <class A, auto Rule, class W>
const GpuAgentKernel* changeAgentsGpuKernel() {
  using Single = ChangeAgentsBody<TagOf<A, Rule>, ArgumentsOf<Rule>, W, 1>;
  using Shared = ChangeAgentsBody<TagOf<A, Rule>, ArgumentsOf<Rule>, W, sharedLanes>;
  static const GpuAgentKernel kernel{&launchAgents<Single, Shared, A, Rule>};
  return &kernel;
}
template <class A, auto Rule>
const GpuAgentKernel* mapAgentsGpuKernel() {
  using Single = MapAgentsBody<TagOf<A, Rule>, ArgumentsOf<Rule>, 1>;
  using Shared = MapAgentsBody<TagOf<A, Rule>, ArgumentsOf<Rule>, sharedLanes>;
  static const GpuAgentKernel kernel{&launchAgents<Single, Shared, A, Rule>};
  return &kernel;
}

}  // namespace mass::detail
