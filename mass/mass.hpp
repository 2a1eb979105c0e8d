#pragma once

/// Includes the whole library: all that a model and its main() need.

#include <mass/graph/generators.hpp>
#include <mass/graph/graph.hpp>
#include <mass/io/byte_array.hpp>
#include <mass/io/csv_reader.hpp>
#include <mass/io/graph_file.hpp>
#include <mass/io/image.hpp>
#include <mass/io/morphology.hpp>
#include <mass/io/parse_value.hpp>
#include <mass/io/print.hpp>
#include <mass/model/mass.hpp>
#include <mass/program/program.hpp>
#include <mass/program/run.hpp>
#include <mass/program/simulation.hpp>
#include <mass/support/error.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/space.hpp>
#include <mass/support/stencil.hpp>
