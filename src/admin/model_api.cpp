#include "admin/model_api.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "admin/cache_json.hpp"
#include "admin/client_settings.hpp"
#include "admin/conversation_json.hpp"
#include "admin/history_json.hpp"
#include "admin/routing_json.hpp"
#include "base/utc.hpp"

namespace lmw::admin {

namespace {

using nlohmann::json;

constexpr std::size_t max_conversations = 1000;

Response no_model(const std::string& name) {
  return Response::error(404, fmt::format("there is no model '{}'", name));
}

}  // namespace

bool ModelApi::takes(const Path& path) {
  return matches(path, "admin/api/models/*/*") || matches(path, "admin/api/models/*/conversations/*");
}

Response ModelApi::get(const Path& path, const wire::RequestHead& head) const {
  const auto* pool = directory_.find_pool(path[3]);
  if (!pool) return no_model(path[3]);
  const auto& what = path[4];
  const auto now = clock_.now();
  if (path.size() > 5) return conversation(*pool, path[5]);
  if (what == "routing") return Response::of(routing_json(*pool, now));
  if (what == "prompt-breaks") return Response::of(prompt_breaks_json(pool->router.prompt_breaks(), now));
  if (what == "conversations") return Response::of(conversations_json(*pool, now, max_conversations));
  if (what == "history") return history(pool->name, head.target);
  if (what == "connect") return connect(*pool, head.headers.find("Host").value_or(""));
  return Response::error(404, "a model has routing, conversations, prompt-breaks, history and connect");
}

Response ModelApi::conversation(const gateway::Pool& pool, std::string_view key) const {
  const auto known = conversation_turns_json(pool, key, clock_.now());
  return known.is_null() ? Response::error(404, "that conversation is not known, or no longer")
                         : Response::of(known);
}

Response ModelApi::history(std::string_view model, std::string_view target) const {
  const auto span = find_span(query_value(target, "span").value_or(spans.front().name));
  if (!span) return Response::error(400, "span is 15m, 1h, 24h or 7d");
  return Response::of(history_json(history_, model, *span, unix_now()));
}

Response ModelApi::connect(const gateway::Pool& pool, std::string_view host) const {
  const auto served = pool.models();
  json clients = json::array();
  if (!served.empty()) {
    for (const auto& each : client_settings(reachable_url(api_url_, host), served.front()))
      clients.push_back({{"client", each.client}, {"file", each.file}, {"text", each.text}});
  }
  return Response::of(json{{"model", pool.name}, {"clients", std::move(clients)}});
}

Response ModelApi::put_routing(const std::string& model, std::string_view body) const {
  auto* pool = directory_.find_pool(model);
  if (!pool) return no_model(model);
  const auto change = json::parse(body, nullptr, false);
  if (change.is_discarded()) return Response::error(400, "the body is not JSON");
  if (const auto changed = change_routing(*pool, change, clock_.now()); !changed)
    return Response::error(400, changed.error().message);
  return Response::of(routing_json(*pool, clock_.now()));
}

}  // namespace lmw::admin
