#include <mass/program/simulation.hpp>

#include <mass/io/color_map.hpp>
#include <mass/program/finite_check.hpp>
#include <mass/program/table_plot.hpp>

#include <string>
#include <utility>
#include <vector>

namespace mass::detail {

void addSimulationKeys(Schema& schema) {
  schema.add("steps", 100, "steps", "number of steps to run").atLeast(0).withoutEffectOnResults();
  schema
      .add("until", "", "",
           "condition that ends the run before: a column of the table, one of < <= > >= ==, and a "
           "number, as in 'sheep < 1'; empty = none")
      .withoutEffectOnResults();
  schema.withoutEffectOnResults("output").withoutEffectOnResults("checkpoint");
  schema.add("output.folder", "out", "",
             "folder of the results, relative to the working directory");
  schema.add("output.table_every", 1, "steps", "interval between lines of the table; 0 = none")
      .atLeast(0);
  schema.add("output.frame_every", 0, "steps", "interval between pictures; 0 = none").atLeast(0);
  schema.add("output.data_every", 0, "steps", "interval between saves of the data; 0 = none")
      .atLeast(0);
  schema
      .add("output.agents_every", 0, "steps",
           "interval between writes of the tables of agents; 0 = none")
      .atLeast(0);
  schema
      .add("output.agents_format", "csv", "", "format of the tables of agents; hdf5 for many rows")
      .oneOf({"csv", "hdf5"});
  schema
      .add("output.animation", "gif", "",
           "animation of the pictures; an MP4 is written beside the GIF if ffmpeg is installed")
      .oneOf({"gif", "none"});
  schema.add("output.frames_per_second", 20.0, "1/s", "frame rate of the animation").between(1, 50);
  std::vector<std::string> palettes{"automatic"};
  palettes.insert(palettes.end(), ColorMap::names().begin(), ColorMap::names().end());
  schema
      .add("output.palette", "automatic", "",
           "colours of the pictures; automatic = the model's choice")
      .oneOf(std::move(palettes));
  schema.add("output.legend", true, "",
             "a legend below the pictures: names, scale, unit, step; false = the field only");
  TablePlot::addKeys(schema);
  FiniteCheck::addKeys(schema);
  schema.add("checkpoint.every", 0, "steps", "interval between checkpoints; 0 = none").atLeast(0);
  schema.add("checkpoint.file", "", "",
             "file of the checkpoint; empty = checkpoint.h5 in the output folder");
}

}  // namespace mass::detail
