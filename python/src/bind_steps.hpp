#pragma once

// Members of runs that Python advances.

#include <python/src/bindings.hpp>
#include <python/src/stepped_run.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mass::python {

/// Returns the changes of settings of a run, each as step, key and value.
inline nb::list changesOf(SteppedRun& run) {
  nb::list changes;
  for (const Run::Change& change : run.use([](Run& used) { return used.changes(); })) {
    nb::dict entry;
    entry["step"] = change.step;
    entry["key"] = change.key;
    entry["value"] = std::visit([](const auto& value) { return nb::cast(value); }, change.value);
    changes.append(entry);
  }
  return changes;
}

/// Returns the names and the values of the table of a run.
inline auto tableOf(SteppedRun& run) {
  return run.useTable([](const Table& table) {
    return std::pair(table.names(), toNumPy(table.values(), {table.rows(), table.names().size()}));
  });
}

/// Adds the functions that advance and steer a run.
/// @tparam R class with a function stepped() that returns its SteppedRun
template <class R, class... Base>
void bindSteps(nb::class_<R, Base...>& run) {
  using Assignments = std::vector<std::string>;
  using Path = std::filesystem::path;
  run.def("step", [](R& self, std::int64_t count) { return self.stepped().step(count); })
      .def("set", [](R& self, const Assignments& values) { self.stepped().set(values); })
      .def("changes", [](R& self) { return changesOf(self.stepped()); })
      .def("open_view", [](R& self, int port) { return self.stepped().openView(port); })
      .def("close_view", [](R& self) { self.stepped().closeView(); })
      .def("save",
           [](R& self, const Path& file) { self.stepped().use([&](Run& it) { it.save(file); }); })
      .def("restore", [](R& self, const Path& file) { self.stepped().restore(file); });
}

/// Adds the results and properties of a run.
template <class R, class... Base>
void bindResults(nb::class_<R, Base...>& run) {
  run.def("pictures",
          [](R& self) { return self.stepped().use([](Run& it) { return it.pictures(); }); })
      .def("row",
           [](R& self) {
             const Run::Row row = self.stepped().use([](Run& it) { return it.row(); });
             return std::pair(row.names, row.values);
           })
      .def("table", [](R& self) { return tableOf(self.stepped()); })
      .def("hash", [](R& self) { return self.stepped().use([](Run& it) { return it.hash(); }); })
      .def_prop_ro("steps", [](R& self) { return self.stepped().steps(); })
      .def_prop_ro("last_step", [](R& self) { return self.stepped().run().lastStep(); })
      .def_prop_ro("ended_by", [](R& self) { return self.stepped().run().endedBy(); })
      .def_prop_ro("time",
                   [](R& self) { return self.stepped().use([](Run& it) { return it.time(); }); })
      .def_prop_ro("description", [](R& self) { return self.stepped().run().description(); });
}

}  // namespace mass::python
