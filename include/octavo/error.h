// What goes wrong, as one type. Every function of the library that cannot do
// what it was asked throws `octavo::Error`; the text is a whole sentence that
// says what was found, what was expected, and what to do next.
#pragma once

#include <stdexcept>
#include <string>

namespace octavo {

enum class ErrorKind {
  usage,        // the caller asked for something that makes no sense
  io,           // the operating system refused
  format,       // the bytes are not what they should be
  unsupported,  // a legal thing that Octavo cannot do
  limit,        // a size that does not fit a format or a guard
  runtime,      // ONNX Runtime is missing or refused
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& sentence)
      : std::runtime_error(sentence), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace octavo
