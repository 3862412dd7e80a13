#include "admin/api.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

bool is_routing(const std::vector<std::string>& path) {
  return path.size() == 5 && path[0] == "admin" && path[1] == "api" && path[2] == "models" &&
         path[4] == "routing";
}

}  // namespace

struct Api::Response {
  int status = 200;
  std::string body;
  std::string_view type = "application/json";
};

Api::Response Api::get(const std::vector<std::string>& path) const {
  const auto is = [&](std::initializer_list<std::string_view> want) {
    return std::ranges::equal(path, want);
  };
  const auto dump = [](const json& value) { return Response{200, to_text(value)}; };
  if (is({"metrics"})) return {200, metrics_text(directory_), "text/plain; version=0.0.4"};
  if (is({"health"})) return dump({{"status", "ok"}, {"version", version}});
  if (is({"admin", "api", "models"})) return dump(models_json(directory_));
  if (is({"admin", "api", "engines"})) return dump(engines_json(directory_));
  const bool of_model = path.size() == 5 && path[0] == "admin" && path[1] == "api" && path[2] == "models";
  if (of_model) {
    const auto* pool = directory_.find_pool(path[3]);
    if (!pool) return {404, error_text(fmt::format("there is no model '{}'", path[3]))};
    if (path[4] == "routing") return dump(routing_json(*pool, clock_.now()));
    if (path[4] == "conversations") return dump(conversations_json(*pool, clock_.now(), max_conversations));
  }
  return {404, error_text("there is nothing here; see /admin/api/models, /admin/api/engines, /metrics")};
}

Api::Response Api::put_routing(const std::string& model, std::string_view body) const {
  auto* pool = directory_.find_pool(model);
  if (!pool) return {404, error_text(fmt::format("there is no model '{}'", model))};
  const auto change = json::parse(body, nullptr, false);
  if (change.is_discarded()) return {400, error_text("the body is not JSON")};
  if (const auto changed = change_routing(*pool, change); !changed)
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
  } else if (head.method == "PUT" && is_routing(*path)) {
    const auto body = co_await client.read_body();
    if (body) {
      response = put_routing((*path)[3], *body);
    } else if (body.error() == net::RequestFault::gone) {
      co_return;
    } else {
      response = {body.error() == net::RequestFault::body_too_large ? 413 : 400,
                  error_text("the body can't be read")};
    }
  } else if (head.method == "GET" || head.method == "HEAD") {
    response = get(*path);
  } else {
    response = {405, error_text("this path takes GET; routing takes PUT too")};
  }
  wire::ResponseHead answer;
  answer.status = response.status;
  answer.headers.add("Content-Type", response.type);
  answer.headers.add("Cache-Control", "no-store");
  co_await client.respond(std::move(answer), response.body);
}

}  // namespace lmw::admin
