#pragma once

#include <mass/support/export.hpp>

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace mass {

/// Base of all exceptions of the library. A message states the request, the actual state and the
/// remedy; it needs no context, so a program may print `what()` and exit.
class MASS_EXPORT Error : public std::runtime_error {
 public:
  /// Takes the complete message.
  explicit Error(const std::string& message) : std::runtime_error(message) {}

  /// Formats the message from a {fmt} format string and at least one argument.
  template <class... Args>
  requires(sizeof...(Args) > 0) explicit Error(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

/// Thrown for an invalid settings file, key, value or command line.
class MASS_EXPORT SettingsError : public Error {
 public:
  /// Inherits the constructors, from a message or from a format string and its arguments.
  using Error::Error;
};

/// Thrown if an input file of the user (a pattern, a surface, an initial state) is invalid.
class MASS_EXPORT InputError : public Error {
 public:
  /// Inherits the constructors, from a message or from a format string and its arguments.
  using Error::Error;
};

/// Thrown if a result cannot be written, for example on a full disk.
class MASS_EXPORT OutputError : public Error {
 public:
  /// Inherits the constructors, from a message or from a format string and its arguments.
  using Error::Error;
};

/// Thrown if a checkpoint is damaged, was written by another program or does not match the model.
class MASS_EXPORT CheckpointError : public Error {
 public:
  /// Inherits the constructors, from a message or from a format string and its arguments.
  using Error::Error;
};

/// Thrown if a device lacks the memory or the ability for a request, or if it fails.
class MASS_EXPORT DeviceError : public Error {
 public:
  /// Inherits the constructors, from a message or from a format string and its arguments.
  using Error::Error;
};

/// Thrown if places received more elements than their Multiset holds; the state is lost.
class MASS_EXPORT OverflowError : public DeviceError {
 public:
  /// Inherits the constructors, from a message or from a format string and its arguments.
  using DeviceError::DeviceError;
};

/// Thrown if the state of a model admits no further step.
class MASS_EXPORT ModelError : public Error {
 public:
  /// Inherits the constructors, from a message or from a format string and its arguments.
  using Error::Error;
};

/// Thrown if the code of a model violates a precondition of the library (reach, writes, shapes).
class MASS_EXPORT UsageError : public Error {
 public:
  /// Inherits the constructors, from a message or from a format string and its arguments.
  using Error::Error;
};

}  // namespace mass
