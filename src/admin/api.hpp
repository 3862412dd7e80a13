// The admin listener's requests: JSON under /admin/api, and /metrics.
#pragma once

#include <string>

#include "base/time.hpp"
#include "gateway/directory.hpp"
#include "net/server.hpp"

namespace lmw::admin {

class Api {
 public:
  // All must outlive it. `listen_host`: the host part of the admin listener's address.
  Api(gateway::Directory& directory, const EngineClock& clock, std::string listen_host)
      : directory_(directory), clock_(clock), listen_host_(std::move(listen_host)) {}

  net::awaitable<void> handle(net::ServerConnection& client, wire::RequestHead head);

 private:
  struct Response;
  Response get(const std::vector<std::string>& path) const;
  static Response refused_body(net::RequestFault fault);
  Response put_routing(const std::string& model, std::string_view body) const;

  gateway::Directory& directory_;
  const EngineClock& clock_;
  std::string listen_host_;
};

}  // namespace lmw::admin
