// The requests about one model: its routing, conversations, prompt breaks, history, and how to connect to it.
#pragma once

#include <string>
#include <string_view>

#include "admin/response.hpp"
#include "admin/target.hpp"
#include "base/time.hpp"
#include "gateway/directory.hpp"
#include "store/history.hpp"
#include "wire/http_message.hpp"

namespace lmw::admin {

class ModelApi {
 public:
  // They must outlive it. `api_url`: where clients connect.
  ModelApi(gateway::Directory& directory, const EngineClock& clock, const store::History& history,
           std::string api_url)
      : directory_(directory), clock_(clock), history_(history), api_url_(std::move(api_url)) {}

  static bool takes(const Path& path);
  Response get(const Path& path, const wire::RequestHead& head) const;
  Response put_routing(const std::string& model, std::string_view body) const;
  // `model`: "" = all together.
  Response history(std::string_view model, std::string_view target) const;

 private:
  Response conversation(const gateway::Pool& pool, std::string_view key) const;
  Response connect(const gateway::Pool& pool, std::string_view host) const;

  gateway::Directory& directory_;
  const EngineClock& clock_;
  const store::History& history_;
  std::string api_url_;
};

}  // namespace lmw::admin
