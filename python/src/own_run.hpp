#pragma once

#include <python/src/model_population.hpp>
#include <python/src/own_mass.hpp>
#include <python/src/stepped_run.hpp>

#include <mass/program/picture_field.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
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
  /// @param layers agents over the pictures
  OwnRecorder(std::vector<OwnPicture> pictures, std::vector<detail::PointDeclaration> layers,
              std::string palette)
      : pictures_(std::move(pictures)), layers_(std::move(layers)), palette_(std::move(palette)) {}

  void begin(detail::ModelRun& model) override {
    model.palette = palette_;
    model.points = layers_;
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
  std::vector<detail::PointDeclaration> layers_;
  std::string palette_;
};

/// Numbers of a run of the user's model, and the condition that ends it.
struct OwnKeeping {
  using Number = std::variant<bool, std::int64_t, double>;

  std::string until;       ///< reason of the condition; empty: there is none
  std::int64_t every = 1;  ///< steps between two calls of it
  std::vector<std::pair<std::string, Number>> numbers;  ///< names and values at the start
};

/// Run of a model of the user: functions of Python make its steps and its table.
class OwnRun {
 public:
  /// @param session devices of the model, which must outlive this
  /// @param owner object of Python with `_advance(steps, values)`, `_row()` and `_ends()`, which
  /// outlives each call; this keeps a weak reference
  /// @param keys settings that may change between steps @param columns names of the table
  OwnRun(OwnMass& session, nb::object owner, std::vector<detail::KeyInfo> keys,
         const std::vector<std::string>& columns, const std::shared_ptr<OwnRecorder>& recorder,
         OwnKeeping keeping)
      : session_(session),
        owner_(owner),
        keeping_(std::move(keeping)),
        keys_(std::move(keys)),
        stepped_(session, recorder,
                 session.change([&] { return Run(program(columns), session.mass()); })) {}

  SteppedRun& stepped() { return stepped_; }

  /// Returns a number that the run keeps. @throws UsageError if there is none of this name
  OwnKeeping::Number number(const std::string& name) {
    return session_.use([&] {
      return std::visit([](const auto* kept) { return OwnKeeping::Number(*kept); }, kept(name));
    });
  }
  /// Changes a number that the run keeps. @throws UsageError if there is
  /// none of this name, or it has another type
  void setNumber(const std::string& name, const OwnKeeping::Number& value) {
    session_.use([&] {
      std::visit(
          [&](auto* kept) {
            using T = std::remove_pointer_t<decltype(kept)>;
            if (std::is_same_v<T, double> && std::holds_alternative<std::int64_t>(value)) {
              *kept = static_cast<T>(std::get<std::int64_t>(value));
              return;
            }
            if (!std::holds_alternative<T>(value))
              throw UsageError("the state '{}' has another type: it keeps that of its start", name);
            *kept = std::get<T>(value);
          },
          kept(name));
    });
  }

 private:
  using Kept = std::variant<bool*, std::int64_t*, double*>;

  const Kept& kept(const std::string& name) const {
    const auto found = kept_.find(name);
    if (found == kept_.end()) throw UsageError("the run keeps no state '{}'", name);
    return found->second;
  }

  Program program(const std::vector<std::string>& columns) {
    Program program{"python", "Model of Python.", {}, {}};
    for (const detail::KeyInfo& key : keys_) program.schema.add(key);
    program.setUp = [this, columns](Mass&, Simulation& simulation) {
      simulation.advance([this](Steps steps) { advance(steps.count); });
      if (!columns.empty()) simulation.observe(columns, [this] { return row(); });
      if (!keeping_.until.empty())
        simulation.until(
            keeping_.until, [this] { return ends(); }, keeping_.every);
      for (const auto& [name, start] : keeping_.numbers)
        std::visit([&, &key = name](auto first) { kept_[key] = &simulation.state(key, first); },
                   start);
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

  bool ends() {
    const nb::gil_scoped_acquire acquired;
    stepped_.updateSteps();
    return nb::cast<bool>(call("_ends"));
  }

  std::vector<double> row() {
    const nb::gil_scoped_acquire acquired;
    return nb::cast<std::vector<double>>(call("_row"));
  }

  OwnMass& session_;
  nb::weakref owner_;
  OwnKeeping keeping_;
  std::map<std::string, Kept> kept_;
  std::vector<detail::KeyInfo> keys_;
  SteppedRun stepped_;
};

}  // namespace mass::python
