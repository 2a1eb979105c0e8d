#include <mass/support/error.hpp>
