// Opens a TCP connection to a host that may have several addresses.
#pragma once

#include <expected>
#include <vector>

#include <boost/system/error_code.hpp>

#include "net/stream.hpp"

namespace lmw::net {

// Tries one address after the other. Each has an equal share of the time that is left, so that one that
// swallows packets leaves the others theirs.
//
// The error where none can be connected to: timed_out if one of them kept silent, since an engine may be
// there; else connection_refused if one said so; else what the last one failed with. operation_aborted when
// it was cancelled.
awaitable<std::expected<tcp::socket, boost::system::error_code>> connect_to_any(
    std::vector<tcp::endpoint> addresses, Timeout timeout);

}  // namespace lmw::net
