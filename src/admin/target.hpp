// What an admin request addresses, and whether it may come from where it says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lmw::admin {

using Path = std::vector<std::string>;

// The path's segments, percent-decoded: "/admin/api/models/Org%2FName" → admin, api, models, Org/Name.
// Nothing when an escape is malformed. A query is ignored.
std::optional<Path> path_segments(std::string_view target);

// Whether a path is that of a pattern, whose segments `*` stand for any: "admin/api/models/*/routing".
bool matches(const Path& path, std::string_view pattern);

// The value of `name` in a target's query, as it stands there.
std::optional<std::string_view> query_value(std::string_view target, std::string_view name);

// A URL of ours as the sender of a request can reach it: one of all interfaces gets the host of its Host
// header.
std::string reachable_url(std::string_view url, std::string_view host_header);

// A Host header that can't be a name in somebody else's DNS: an address, localhost, or the host we were told
// to listen on. Anything else may be a page in a browser that has rebound its own name to us.
bool is_trusted_host(std::string_view host_header, std::string_view listen_host);

}  // namespace lmw::admin
