// The admin listener's requests: the page at /, JSON under /admin/api, and /metrics.
#pragma once

#include <string>

#include "admin/access.hpp"
#include "admin/bench_api.hpp"
#include "admin/model_api.hpp"
#include "admin/page.hpp"
#include "admin/response.hpp"
#include "base/time.hpp"
#include "gateway/directory.hpp"
#include "gateway/in_flight.hpp"
#include "net/server.hpp"
#include "store/history.hpp"

namespace lmw::admin {

// What it shows and changes.
struct ApiParts {
  gateway::Directory& directory;
  gateway::InFlight& in_flight;
  const EngineClock& clock;
  const store::History& history;
};

struct ApiOptions {
  std::string listen_host;  // of the admin listener's address
  std::string api_url;      // where clients connect; a host of "0.0.0.0" means any of this machine's
  std::string page_dir;     // "" = the page that is built in
  std::string reports_dir;  // where reports are stored; "" = nowhere
  std::string token;        // "" = none is needed
};

class Api {
 public:
  static constexpr int max_live_clients = 32;

  // The parts must outlive it.
  Api(ApiParts parts, ApiOptions options)
      : directory_(parts.directory),
        in_flight_(parts.in_flight),
        clock_(parts.clock),
        options_(std::move(options)),
        page_(options_.page_dir),
        access_(options_.token, random_session()),
        models_(parts.directory, parts.clock, parts.history, options_.api_url),
        bench_(options_.reports_dir) {}

  net::awaitable<void> handle(net::ServerConnection& client, wire::RequestHead head);
  // What runs for it beside requests is given up.
  void stop() { bench_.stop(); }

 private:
  net::awaitable<Response> answer(net::ServerConnection& client, const Path& path,
                                  const wire::RequestHead& head);
  std::optional<Response> refused(const Path& path, const wire::RequestHead& head);
  std::optional<Response> page(const Path& path, const wire::RequestHead& head) const;
  Response get(const Path& path, const wire::RequestHead& head) const;
  Response change(const Path& path, std::string_view body);
  Response cancel(std::string_view number);
  Response log_in(std::string_view body);
  Response must_wait() const;
  net::awaitable<void> live(net::ServerConnection& client);

  gateway::Directory& directory_;
  gateway::InFlight& in_flight_;
  const EngineClock& clock_;
  ApiOptions options_;
  Page page_;
  Access access_;
  ModelApi models_;
  BenchApi bench_;
  int live_clients_ = 0;
};

}  // namespace lmw::admin
