#include "admin/api.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "admin/cache_json.hpp"
#include "admin/metrics.hpp"
#include "admin/routing_json.hpp"
#include "admin/target.hpp"
#include "base/version.hpp"

namespace lmw::admin {

namespace {

constexpr std::size_t max_conversations = 1000;

using nlohmann::json;

// Names come from engines and clients: what is no UTF-8 in them must not stop an answer.
std::string to_text(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string error_text(std::string_view message) { return to_text({{"error", {{"message", message}}}}); }

// /admin/api/models/{name}/...
bool is_of_model(const std::vector<std::string>& path) {
  return path.size() == 5 && path[0] == "admin" && path[1] == "api" && path[2] == "models";
}

bool is_routing(const std::vector<std::string>& path) { return is_of_model(path) && path[4] == "routing"; }

}  // namespace

struct Api::Response {
  int status = 200;
  std::string body;
  std::string_view type = "application/json";
  std::string_view allow = "";  // of a 405
};

Api::Response Api::refused_body(net::RequestFault fault) {
  switch (fault) {
    case net::RequestFault::body_too_large:
      return {413, error_text("the body is larger than limits.body_bytes")};
    case net::RequestFault::timed_out:
      return {408, error_text("the body did not come in time")};
    default:
      return {400, error_text("the body is not framed as HTTP/1.1 demands")};
  }
}

Api::Response Api::get(const std::vector<std::string>& path) const {
  const auto is = [&](std::initializer_list<std::string_view> want) {
    return std::ranges::equal(path, want);
  };
  const auto dump = [](const json& value) { return Response{200, to_text(value)}; };
  if (is({"metrics"})) return {200, metrics_text(directory_), "text/plain; version=0.0.4"};
  if (is({"health"})) return dump({{"status", "ok"}, {"version", version}});
  if (is({"admin", "api", "models"})) return dump(models_json(directory_));
  if (is({"admin", "api", "engines"})) return dump(engines_json(directory_));
  if (is_of_model(path)) {
    const auto* pool = directory_.find_pool(path[3]);
    if (!pool) return {404, error_text(fmt::format("there is no model '{}'", path[3]))};
    if (path[4] == "routing") return dump(routing_json(*pool, clock_.now()));
    if (path[4] == "prompt-breaks") {
      return dump(prompt_breaks_json(pool->router.prompt_breaks(), clock_.now()));
    }
    if (path[4] == "conversations") return dump(conversations_json(*pool, clock_.now(), max_conversations));
  }
  return {404, error_text("there is nothing here; see /admin/api/models, /admin/api/engines, /metrics")};
}

Api::Response Api::put_routing(const std::string& model, std::string_view body) const {
  auto* pool = directory_.find_pool(model);
  if (!pool) return {404, error_text(fmt::format("there is no model '{}'", model))};
  const auto change = json::parse(body, nullptr, false);
  if (change.is_discarded()) return {400, error_text("the body is not JSON")};
  if (const auto changed = change_routing(*pool, change, clock_.now()); !changed)
    return {400, error_text(changed.error().message)};
  return {200, to_text(routing_json(*pool, clock_.now()))};
}

net::awaitable<void> Api::handle(net::ServerConnection& client, wire::RequestHead head) {
  const auto path = path_segments(head.target);
  Response response;
  if (!is_trusted_host(head.headers.find("Host").value_or(""), listen_host_)) {
    response = {421, error_text("this Host is not one that the admin side answers to")};
  } else if (!path) {
    response = {400, error_text("the path has a malformed escape")};
  } else if (head.method == "GET" || head.method == "HEAD") {
    response = get(*path);
  } else if (head.method == "PUT" && is_routing(*path)) {
    const auto body = co_await client.read_body();
    if (!body && body.error() == net::RequestFault::gone) co_return;
    response = body ? put_routing((*path)[3], *body) : refused_body(body.error());
  } else {
    response = {405, error_text("this path does not take that method")};
    response.allow = is_routing(*path) ? "GET, HEAD, PUT" : "GET, HEAD";
  }
  wire::ResponseHead answer;
  answer.status = response.status;
  answer.headers.add("Content-Type", response.type);
  answer.headers.add("Cache-Control", "no-store");
  if (!response.allow.empty()) answer.headers.add("Allow", response.allow);
  co_await client.respond(std::move(answer), response.body);
}

}  // namespace lmw::admin
