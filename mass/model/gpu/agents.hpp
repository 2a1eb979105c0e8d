#pragma once

// Rules of agents on a GPU: a thread for each agent. Included where nvcc compiles a model.

#include <mass/model/agent_kernels.hpp>
#include <mass/model/gpu/bodies.hpp>
#include <mass/model/gpu/rule_tag.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// The parameters of a kernel: all addresses in themselves, as in a GpuCall.
template <class A, class Arguments>
struct GpuAgentCall {
  AgentLaunch launch;
  std::int64_t count;
  const void* in[componentRoom<A>];
  void* out[componentRoom<A>];
  void* children[componentRoom<A>];
  const void* placesIn[componentRoom<typename A::Home>];
  Arguments arguments;
};

/// Threads of a block: few, so that the registers of a long rule do not keep others away.
inline constexpr int agentBlock = 64;

/// Whether there is an agent with a number.
template <class Call>
__device__ inline bool isThere(const Call& call, std::int64_t agent) {
  const std::uint64_t* const alive = call.launch.alive;
  return agent < call.count && (alive == nullptr || static_cast<std::uint64_t>(agent) < *alive);
}

/// Which thread of its agent's this is.
template <auto Rule>
__device__ inline Lane laneOf(const AgentLaunch& launch) {
  if constexpr (!AgentRuleOf<Rule>::hasLanes) return {};
  return {static_cast<int>(threadIdx.x) & (launch.lanes - 1), launch.lanes};
}
/// The number of this thread's agent.
__device__ inline std::int64_t agentOf(Lane lane) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  return thread >> (__ffs(lane.count) - 1);
}
/// What the threads of an agent store is the same, but none may while another still reads.
template <auto Rule>
__device__ inline void meet(Lane lane) {
  if constexpr (AgentRuleOf<Rule>::hasLanes) __syncwarp(maskOf(lane));
}

/// A changing rule.
template <class Tag, class Arguments, class W>
struct ChangeAgentsBody {
  using A = typename Tag::Place;
  using Call = GpuAgentCall<A, Arguments>;

  __device__ static void run(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    const AgentLaunch& launch = call.launch;
    const Lane lane = laneOf<rule>(launch);
    const std::int64_t agent = agentOf(lane);
    if (!isThere(call, agent)) return;
    const auto at = binNumbers<A::Home::dimensions>(launch.agents.bins, launch.bin[agent]);
    A self = loadPlace<A>(call.in, static_cast<Index>(agent));
    AgentContext<A> context{
        aroundAgent<A>(launch, call.placesIn, agent, at.row, at.line, at.column), agent, nullptr,
        lane};
    if constexpr (AgentRuleOf<rule>::template hasIntent<A>) {
      Intent<A> intent(launch, call.children, agent, at.row, at.line, at.column);
      context.intent = &intent;
      apply<rule>(self, context, call.arguments);
      meet<rule>(lane);
      launch.targets[agent] = intent.target();
    } else {
      apply<rule>(self, context, call.arguments);
      meet<rule>(lane);
    }
    storePlace<A, W>(call.out, static_cast<Index>(agent), self);
  }
};

/// Writes what a reading rule returns for every agent.
template <class Tag, class Arguments>
struct MapAgentsBody {
  using A = typename Tag::Place;
  using Call = GpuAgentCall<A, Arguments>;

  __device__ static void run(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    using T = Packed<std::remove_cvref_t<typename Traits<rule>::Result>>;
    const AgentLaunch& launch = call.launch;
    const Lane lane = laneOf<rule>(launch);
    const std::int64_t agent = agentOf(lane);
    if (!isThere(call, agent)) return;
    const auto at = binNumbers<A::Home::dimensions>(launch.agents.bins, launch.bin[agent]);
    const A self = loadPlace<A>(call.in, static_cast<Index>(agent));
    const AgentContext<A> context{
        aroundAgent<A>(launch, call.placesIn, agent, at.row, at.line, at.column), agent, nullptr,
        lane};
    static_cast<T*>(launch.results)[agent] =
        static_cast<T>(apply<rule>(self, context, call.arguments));
  }
};

template <class A, auto Rule>
GpuAgentCall<A, ArgumentsOf<Rule>> gpuAgentCall(const AgentLaunch& launch, std::int64_t count) {
  GpuAgentCall<A, ArgumentsOf<Rule>> call{
      launch, count, {}, {}, {}, {}, argumentsOf<Rule>(launch.places)};
  constexpr std::size_t components = Slots<A>::components;
  std::copy_n(launch.agents.components, components, call.in);
  std::copy_n(launch.out, components, call.out);
  std::copy_n(launch.children, components, call.children);
  std::copy_n(launch.places.in, Slots<typename A::Home>::components, call.placesIn);
  return call;
}

template <class Body, class A, auto Rule>
int launchAgents(const AgentLaunch& launch, std::int64_t count, void* stream) {
  const std::int64_t threads = count * (AgentRuleOf<Rule>::hasLanes ? launch.lanes : 1);
  const auto blocks = static_cast<unsigned>((threads + agentBlock - 1) / agentBlock);
  onGpu<Body><<<blocks, agentBlock, 0, static_cast<cudaStream_t>(stream)>>>(
      gpuAgentCall<A, Rule>(launch, count));
  return cudaGetLastError();
}

template <class A, auto Rule, class W>
const GpuAgentKernel* changeAgentsGpuKernel() {
  using Body = ChangeAgentsBody<TagOf<A, Rule>, ArgumentsOf<Rule>, W>;
  static const GpuAgentKernel kernel{&launchAgents<Body, A, Rule>};
  return &kernel;
}
template <class A, auto Rule>
const GpuAgentKernel* mapAgentsGpuKernel() {
  using Body = MapAgentsBody<TagOf<A, Rule>, ArgumentsOf<Rule>>;
  static const GpuAgentKernel kernel{&launchAgents<Body, A, Rule>};
  return &kernel;
}

}  // namespace mass::detail
