#include "admin/client_settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "wire/splice.hpp"

namespace lmw::admin {

namespace {

// For a POSIX shell. Names come from engines.
std::string quoted(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./:").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string claude_code(const std::string& url, const engine::ServedModel& model) {
  constexpr std::int64_t asks_for = 32'000;
  const auto context = model.max_model_len.value_or(asks_for);
  const auto less = context < asks_for ? fmt::format("export CLAUDE_CODE_MAX_OUTPUT_TOKENS={}\n", context / 8)
                                       : std::string();
  const auto name = quoted(model.id);
  return fmt::format(
      "export ANTHROPIC_BASE_URL={} ANTHROPIC_AUTH_TOKEN=local\n"
      "export ANTHROPIC_MODEL={} ANTHROPIC_DEFAULT_HAIKU_MODEL={}\n"
      "{}claude",
      url, name, name, less);
}

// A JSON string is a TOML string too.
std::string codex(const std::string& url, const std::string& name) {
  return fmt::format(
      "model = {}\nmodel_provider = \"lmwarden\"\n\n[model_providers.lmwarden]\nname = \"LM Warden\"\n"
      "base_url = \"{}/v1\"\nwire_api = \"responses\"",
      name, url);
}

std::string opencode(const std::string& url, const std::string& name) {
  return fmt::format(
      R"({{
  "provider": {{
    "lmwarden": {{
      "npm": "@ai-sdk/openai-compatible",
      "name": "LM Warden",
      "options": {{ "baseURL": "{}/v1", "apiKey": "local" }},
      "models": {{ {}: {{}} }}
    }}
  }}
}})",
      url, name);
}

}  // namespace

std::vector<ClientSetting> client_settings(const std::string& api_url, const engine::ServedModel& model) {
  const auto name = wire::json_string(model.id);
  const auto shell = quoted(model.id);
  const auto body =
      fmt::format(R"({{"model": {}, "messages": [{{"role": "user", "content": "Hello"}}]}})", name);
  return {
      {"Claude Code", "", claude_code(api_url, model)},
      {"Codex", "~/.codex/config.toml", codex(api_url, name)},
      {"opencode", "opencode.json", opencode(api_url, name)},
      {"qwen-code", "",
       fmt::format("export OPENAI_BASE_URL={}/v1 OPENAI_API_KEY=local OPENAI_MODEL={}\nqwen", api_url,
                   shell)},
      {"aider", "",
       fmt::format("export OPENAI_API_BASE={}/v1 OPENAI_API_KEY=local\naider --model {}", api_url,
                   quoted("openai/" + model.id))},
      {"curl", "",
       fmt::format("curl {}/v1/chat/completions -H 'Content-Type: application/json' \\\n  -d {}", api_url,
                   quoted(body))},
  };
}

}  // namespace lmw::admin
