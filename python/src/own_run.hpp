#pragma once

#include <python/src/model_population.hpp>
#include <python/src/own_mass.hpp>
#include <python/src/stepped_run.hpp>

#include <mass/program/picture_field.hpp>

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mass::python {

/// Setting of a run of the user's model: the attribute that the live view shows.
inline constexpr const char* pictureKey = "picture";

/// Attribute of places that a live view shows.
struct OwnPicture {
  std::string name;  ///< name in the setting `picture`
  std::shared_ptr<detail::PictureField> field;
};

/// Recorder of a run of the user's model, whose pictures are those of the setting `picture`.
class OwnRecorder : public Recorder {
 public:
  OwnRecorder(std::vector<OwnPicture> pictures, std::string palette)
      : pictures_(std::move(pictures)), palette_(std::move(palette)) {}

  void begin(detail::ModelRun& model) override {
    model.palette = palette_;
    if (pictures_.size() > 1) model.onChange = [this, &model] { show(model); };
    show(model);
    Recorder::begin(model);
  }

 private:
  void show(detail::ModelRun& model) const {
    if (pictures_.empty()) return;
    const auto chosen = pictures_.size() == 1 ? pictures_.front().name
                                              : model.mass.settings().get<std::string>(pictureKey);
    for (const OwnPicture& each : pictures_)
      if (each.name == chosen) show(model, each.field);
  }

  /// Shows an attribute of 2-D places, or planes of one of 3-D places.
  static void show(detail::ModelRun& model, const std::shared_ptr<detail::PictureField>& field) {
    const auto shape = field->shape();
    const bool isFlat = shape.size() == 2;
    model.pictureField = isFlat ? field : nullptr;
    model.picture = [field, across = isFlat ? 1 : 0, at = isFlat ? 0 : shape[0] / 2] {
      return field->picture(across, at);
    };
    model.slices.reset();
    if (!isFlat) model.slices = {{shape[0], shape[1], shape[2]}, field, nullptr};
  }

  std::vector<OwnPicture> pictures_;
  std::string palette_;
};

/// Run of a model of the user: functions of Python make its steps and its table.
class OwnRun {
 public:
  /// @param session devices of the model, which must outlive this
  /// @param owner object of Python with `_advance(steps, values)` and `_row()`, which outlives each
  /// call; this keeps a weak reference
  /// @param keys settings that may change between steps @param columns names of the table
  OwnRun(OwnMass& session, nb::object owner, std::vector<detail::KeyInfo> keys,
         const std::vector<std::string>& columns, std::vector<OwnPicture> pictures,
         std::string palette)
      : session_(session),
        owner_(owner),
        keys_(std::move(keys)),
        stepped_(session, std::make_shared<OwnRecorder>(std::move(pictures), std::move(palette)),
                 session.change([&] { return Run(program(columns), session.mass()); })) {}

  SteppedRun& stepped() { return stepped_; }

 private:
  Program program(const std::vector<std::string>& columns) {
    Program program{"python", "Model of Python.", {}, {}};
    for (const detail::KeyInfo& key : keys_) program.schema.add(key);
    program.setUp = [this, columns](Mass&, Simulation& simulation) {
      simulation.advance([this](Steps steps) { advance(steps.count); });
      if (!columns.empty()) simulation.observe(columns, [this] { return row(); });
    };
    return program;
  }

  /// Calls a method of the owner.
  template <class... Arguments>
  nb::object call(const char* method, const Arguments&... arguments) {
    const Session::Callback callback(session_);
    const nb::object owner = owner_();
    return owner.attr(method)(arguments...);
  }

  void advance(std::int64_t steps) {
    const nb::gil_scoped_acquire acquired;
    nb::dict values;
    for (const detail::KeyInfo& key : keys_)
      if (key.affectsResults) values[key.name.c_str()] = valueOf(key);
    call("_advance", steps, values);
  }

  nb::object valueOf(const detail::KeyInfo& key) {
    const Settings& settings = session_.mass().settings();
    return std::visit(
        [&](const auto& other) {
          return nb::cast(settings.get<std::decay_t<decltype(other)>>(key.name));
        },
        key.defaultValue);
  }

  std::vector<double> row() {
    const nb::gil_scoped_acquire acquired;
    return nb::cast<std::vector<double>>(call("_row"));
  }

  OwnMass& session_;
  nb::weakref owner_;
  std::vector<detail::KeyInfo> keys_;
  SteppedRun stepped_;
};

}  // namespace mass::python
