// What a connection has read and its HttpReader has not taken yet. The reader takes bytes where they lie.
#pragma once

#include <string_view>

#include <boost/beast/core/flat_buffer.hpp>

namespace lmw::net {

using ReadBuffer = boost::beast::flat_buffer;

inline constexpr std::size_t read_size = 64u << 10;  // of one read, at most

// Valid until the buffer changes.
inline std::string_view text_of(const ReadBuffer& buffer) {
  const auto data = buffer.cdata();
  return {static_cast<const char*>(data.data()), data.size()};
}

}  // namespace lmw::net
