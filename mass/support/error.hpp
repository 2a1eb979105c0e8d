#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace mass {

/// Base of everything the library throws. A message says what was asked, what is the case, and what
/// to change; it is complete as it stands, so a program may print `what()` and stop.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}

  template <class... Args>
  requires(sizeof...(Args) > 0) explicit Error(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

/// A settings file, a key or a command line is wrong.
class SettingsError : public Error {
 public:
  using Error::Error;
};

/// A file of the user's (a pattern, an initial state) cannot be used.
class InputError : public Error {
 public:
  using Error::Error;
};

/// A result cannot be written.
class OutputError : public Error {
 public:
  using Error::Error;
};

/// A checkpoint is damaged, foreign, or does not fit the model.
class CheckpointError : public Error {
 public:
  using Error::Error;
};

/// A device cannot hold or run what was asked.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// More codes were sent to places than their bags hold; the state is lost.
class OverflowError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// A model has come to a state that it cannot go on from.
class ModelError : public Error {
 public:
  using Error::Error;
};

/// The model's own code breaks a rule of the library (reach, writes, shapes).
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace mass
