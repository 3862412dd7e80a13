#include "app/banner.hpp"

#include <fmt/format.h>

#include "base/version.hpp"

namespace lmw::app {

std::string start_banner(const GatewayService& service) {
  auto out =
      fmt::format("LM Warden {}\nAPI    {}\nAdmin  {}\n", version, service.api_url(), service.admin_url());
  for (const auto& engine : service.config().engines) out += fmt::format("Looking for {}\n", engine.url);
  return out;
}

std::string engine_banner(const gateway::Backend& backend) {
  const auto url = backend.connections.origin().url();
  if (!backend.monitor->is_up())
    return fmt::format("Engine {} is down: {}\n", url, backend.monitor->last_error());
  const auto& facts = *backend.monitor->facts();
  auto out = fmt::format("Engine {}: {}, vLLM {}, {} replica{}", url, backend.pool->name,
                         facts.version.empty() ? "of unknown version" : facts.version, facts.ranks.size(),
                         facts.ranks.size() == 1 ? "" : "s");
  const auto& capacity = facts.ranks.front().kv_capacity_tokens;
  out += capacity ? fmt::format(", {} KV tokens each", *capacity) : ", KV capacity unknown";
  if (const auto& length = facts.models.front().max_model_len) out += fmt::format(", context {}", *length);
  const auto& max_num_seqs = backend.config.max_num_seqs ? backend.config.max_num_seqs : facts.max_num_seqs;
  out += max_num_seqs ? fmt::format(", max_num_seqs {}", *max_num_seqs)
                      : ", max_num_seqs unknown (256 assumed until learnt)";
  return out + "\n";
}

std::string client_settings(const std::string& api_url, const engine::ServedModel& model) {
  constexpr std::int64_t roomy_context = 65'536;
  const auto context = model.max_model_len.value_or(roomy_context);
  const auto less_output =
      context < roomy_context ? fmt::format("CLAUDE_CODE_MAX_OUTPUT_TOKENS={} ", context / 8) : std::string();
  return fmt::format(
      R"(
Claude Code   ANTHROPIC_BASE_URL={0} ANTHROPIC_AUTH_TOKEN=local ANTHROPIC_MODEL={1} \
              ANTHROPIC_DEFAULT_HAIKU_MODEL={1} {2}claude
Codex         in ~/.codex/config.toml: model = "{1}", model_provider = "lmwarden", and
              [model_providers.lmwarden] name = "LM Warden", base_url = "{0}/v1", wire_api = "responses"
opencode      provider options: "baseURL": "{0}/v1", model "{1}"
              (npm package @ai-sdk/openai-compatible in opencode.json)
OpenAI SDKs   OPENAI_BASE_URL={0}/v1 OPENAI_API_KEY=local, model "{1}"
)",
      api_url, model.id, less_output);
}

}  // namespace lmw::app
