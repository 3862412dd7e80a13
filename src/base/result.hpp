// Expected outcomes as values. Exceptions are for start-up and for what libraries throw.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace lmw {

// A failure that a person will read. Code that must tell failures apart has an enum of its own.
struct Error {
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> failure(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

}  // namespace lmw
