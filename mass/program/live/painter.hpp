#pragma once

#include <mass/program/live/frame.hpp>
#include <mass/program/model_run.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace mass::detail::live {

/// Frame, and the picture of which it is, perhaps without values.
struct Painting {
  std::shared_ptr<const Picture> picture;
  Frame frame;
};

/// Draws frames of the present state of a run: of its picture and of its slices, on the devices or,
/// if they cannot, from all values. All ranks call its functions together.
class Painter {
 public:
  /// Begins with another run.
  void begin(const ModelRun& model);
  /// Forgets the pictures of the former state.
  void clear() { whole_.clear(); }
  /// Returns the picture of the run; that of an attribute has no values.
  std::shared_ptr<const Picture> outline(const ModelRun& model);
  /// Draws a frame; its pixels are those of rank 0 only.
  /// @throws UsageError, see drawFrame()
  Painting paint(const ModelRun& model, FrameRequest request);
  /// Returns the value of a place; nothing if there is none.
  std::optional<float> value(const ModelRun& model, ValueRequest request);

 private:
  std::vector<Points> pointsIn(const ModelRun& model, const Picture& picture, const Frame& frame);
  const std::shared_ptr<const Picture>& whole(const ModelRun& model, const Slice& slice);

  PictureStyle style_;
  std::vector<std::pair<Slice, std::shared_ptr<const Picture>>> whole_;  ///< with all values
};

}  // namespace mass::detail::live
