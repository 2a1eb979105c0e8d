#pragma once

// Replaces mass/support/cuda/half.hpp: the functions of CPUs, which need no PTX.

#include <mass/support/host/half.hpp>
