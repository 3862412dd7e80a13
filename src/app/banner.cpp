#include "app/banner.hpp"

#include <fmt/format.h>

#include "admin/client_settings.hpp"
#include "base/version.hpp"

namespace lmw::app {

std::string start_banner(const GatewayService& service) {
  auto out = fmt::format("LM Warden {}\nAPI    {}\nAdmin  {}  (the page)\n", version, service.api_url(),
                         service.admin_url());
  for (const auto& engine : service.config().engines) out += fmt::format("Looking for {}\n", engine.url);
  return out;
}

std::string engine_banner(const gateway::Backend& backend) {
  const auto url = backend.connections.origin().url();
  if (!backend.monitor->is_up())
    return fmt::format("Engine {} is down: {}\n", url, backend.monitor->last_error());
  const auto facts = *backend.facts();
  auto out = fmt::format("Engine {}: {}, vLLM {}, {} replica{}", url, backend.pool->name,
                         facts.version.empty() ? "of unknown version" : facts.version, facts.ranks.size(),
                         facts.ranks.size() == 1 ? "" : "s");
  const auto& capacity = facts.ranks.front().kv_capacity_tokens;
  out += capacity ? fmt::format(", {} KV tokens each", *capacity) : ", KV capacity unknown";
  if (const auto& length = facts.models.front().max_model_len) out += fmt::format(", context {}", *length);
  out += facts.max_num_seqs ? fmt::format(", max_num_seqs {}", *facts.max_num_seqs)
                            : ", max_num_seqs unknown (256 assumed until learnt)";
  return out + "\n";
}

std::string settings_banner(const std::string& api_url, const engine::ServedModel& model) {
  std::string out;
  for (const auto& [client, file, text] : admin::client_settings(api_url, model)) {
    out += fmt::format("\n{}{}\n  ", client, file.empty() ? "" : fmt::format(", in {}", file));
    for (const char c : text) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
    out += '\n';
  }
  return out;
}

}  // namespace lmw::app
