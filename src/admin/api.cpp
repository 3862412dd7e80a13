#include "admin/api.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

#include "admin/cache_json.hpp"
#include "admin/client_settings.hpp"
#include "admin/conversation_json.hpp"
#include "admin/history_json.hpp"
#include "admin/live.hpp"
#include "admin/metrics.hpp"
#include "admin/routing_json.hpp"
#include "admin/target.hpp"
#include "base/version.hpp"

namespace lmw::admin {

namespace {

constexpr std::size_t max_conversations = 1000;

using nlohmann::json;
using Path = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

// Names come from engines and clients: what is no UTF-8 in them must not stop an answer.
Response dump(const json& value) {
  return {.body = value.dump(2, ' ', false, json::error_handler_t::replace) + "\n"};
}

bool is(const Path& path, std::initializer_list<std::string_view> want) {
  return std::ranges::equal(path, want);
}

// /admin/api/models/{name}/...
bool is_of_model(const Path& path) {
  return path.size() == 5 && path[0] == "admin" && path[1] == "api" && path[2] == "models";
}

bool is_routing(const Path& path) { return is_of_model(path) && path[4] == "routing"; }
bool is_login(const Path& path) { return is(path, {"admin", "api", "login"}); }

// /admin/api/in-flight/{number}/cancel
bool is_cancel(const Path& path) {
  return path.size() == 5 && path[0] == "admin" && path[1] == "api" && path[2] == "in-flight" &&
         path[4] == "cancel";
}

// /admin/api/models/{name}/conversations/{key}
bool is_conversation(const Path& path) {
  return path.size() == 6 && path[0] == "admin" && path[1] == "api" && path[2] == "models" &&
         path[4] == "conversations";
}

// What a path takes, as the Allow header has it.
std::string_view methods_of(const Path& path) {
  return is_login(path) || is_cancel(path) ? "POST" : is_routing(path) ? "GET, HEAD, PUT" : "GET, HEAD";
}

bool is_read(std::string_view method) { return method == "GET" || method == "HEAD"; }

Response no_model(const std::string& name) {
  return Response::error(404, fmt::format("there is no model '{}'", name));
}

Response refused_body(net::RequestFault fault) {
  switch (fault) {
    case net::RequestFault::body_too_large:
      return Response::error(413, "the body is larger than limits.body_bytes");
    case net::RequestFault::timed_out:
      return Response::error(408, "the body did not come in time");
    default:
      return Response::error(400, "the body is not framed as HTTP/1.1 demands");
  }
}

std::int64_t unix_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

// Counts one open feed for as long as it lives.
class Open {
 public:
  explicit Open(int& count) : count_(count) { ++count_; }
  ~Open() { --count_; }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

 private:
  int& count_;
};

net::awaitable<bool> send(net::ServerConnection& client, Response response) {
  wire::ResponseHead head;
  head.status = response.status;
  head.headers = std::move(response.headers);
  head.headers.add("Content-Type", response.type);
  head.headers.add("Cache-Control", response.may_be_kept ? "no-cache" : "no-store");
  head.headers.add("Content-Security-Policy", page_policy);
  head.headers.add("X-Content-Type-Options", "nosniff");
  head.headers.add("Referrer-Policy", "no-referrer");
  co_return co_await client.respond(std::move(head), response.body);
}

}  // namespace

std::optional<Response> Api::page(const Path& path, const wire::RequestHead& head) const {
  auto file = page_.find(path);
  if (!file) return std::nullopt;
  Response response{.body = std::move(file->bytes), .type = file->type, .may_be_kept = true};
  response.headers.add("ETag", file->etag);
  if (head.headers.find("If-None-Match") == file->etag) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

Response Api::get(const Path& path, const wire::RequestHead& head) const {
  if (is(path, {"metrics"})) return {.body = metrics_text(directory_), .type = "text/plain; version=0.0.4"};
  if (is(path, {"health"})) return dump({{"status", "ok"}, {"version", version}});
  if (is(path, {"admin", "api", "models"})) return dump(models_json(directory_));
  if (is(path, {"admin", "api", "engines"})) return dump(engines_json(directory_));
  if (is(path, {"admin", "api", "in-flight"}))
    return dump({{"in_flight", in_flight_json(in_flight_, clock_.now())}});
  if (is(path, {"admin", "api", "history"})) return get_history("", head.target);
  if (is_of_model(path)) {
    const auto* pool = directory_.find_pool(path[3]);
    return pool ? get_of_model(*pool, path[4], head) : no_model(path[3]);
  }
  if (is_conversation(path)) {
    const auto* pool = directory_.find_pool(path[3]);
    if (!pool) return no_model(path[3]);
    const auto known = conversation_turns_json(*pool, path[5], clock_.now());
    return known.is_null() ? Response::error(404, "that conversation is not known, or no longer")
                           : dump(known);
  }
  return Response::error(404,
                         "there is nothing here; see /, /admin/api/models, /admin/api/engines, /metrics");
}

Response Api::get_of_model(const gateway::Pool& pool, std::string_view what,
                           const wire::RequestHead& head) const {
  const auto now = clock_.now();
  if (what == "routing") return dump(routing_json(pool, now));
  if (what == "prompt-breaks") return dump(prompt_breaks_json(pool.router.prompt_breaks(), now));
  if (what == "conversations") return dump(conversations_json(pool, now, max_conversations));
  if (what == "history") return get_history(pool.name, head.target);
  if (what == "connect") return get_connect(pool, head.headers.find("Host").value_or(""));
  return Response::error(404, "a model has routing, conversations, prompt-breaks, history and connect");
}

Response Api::get_history(std::string_view model, std::string_view target) const {
  const auto span = find_span(query_value(target, "span").value_or(spans.front().name));
  if (!span) return Response::error(400, "span is 15m, 1h, 24h or 7d");
  return dump(history_json(history_, model, *span, unix_now()));
}

Response Api::get_connect(const gateway::Pool& pool, std::string_view host) const {
  const auto served = pool.models();
  json clients = json::array();
  if (!served.empty()) {
    for (const auto& each : client_settings(reachable_url(options_.api_url, host), served.front()))
      clients.push_back({{"client", each.client}, {"file", each.file}, {"text", each.text}});
  }
  return dump({{"model", pool.name}, {"clients", std::move(clients)}});
}

Response Api::change(const Path& path, std::string_view body) {
  if (is_login(path)) return log_in(body);
  return is_cancel(path) ? cancel(path[3]) : put_routing(path[3], body);
}

Response Api::cancel(std::string_view number) {
  gateway::InFlight::Number value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = error == std::errc() && end == number.data() + number.size();
  if (!is_number || !in_flight_.cancel(value))
    return Response::error(404, "that turn is not in flight, or no longer");
  return dump({{"status", "ok"}});
}

Response Api::put_routing(const std::string& model, std::string_view body) const {
  auto* pool = directory_.find_pool(model);
  if (!pool) return no_model(model);
  const auto change = json::parse(body, nullptr, false);
  if (change.is_discarded()) return Response::error(400, "the body is not JSON");
  if (const auto changed = change_routing(*pool, change, clock_.now()); !changed)
    return Response::error(400, changed.error().message);
  return dump(routing_json(*pool, clock_.now()));
}

Response Api::log_in(std::string_view body) {
  const auto given = json::parse(body, nullptr, false);
  const auto token = given.is_object() ? given.value("token", json()) : json();
  if (!token.is_string()) return Response::error(400, R"(the body must be {"token": "..."})");
  switch (access_.check_token(token.get<std::string>(), Clock::now())) {
    case Access::Verdict::wait:
      return must_wait();
    case Access::Verdict::denied:
      return Response::error(403, "that is not the token");
    case Access::Verdict::allowed:
      break;
  }
  auto response = dump({{"status", "ok"}});
  response.headers.add("Set-Cookie", access_.cookie());
  return response;
}

Response Api::must_wait() const {
  auto response = Response::error(429, "too many wrong tokens: wait before the next one");
  response.headers.add("Retry-After", std::to_string(access_.wait(Clock::now())));
  return response;
}

// Why a request is not looked at; nothing when it may be.
std::optional<Response> Api::refused(const Path& path, const wire::RequestHead& head) {
  const bool reads = is_read(head.method);
  if (!methods_of(path).contains(head.method)) {
    auto response = Response::error(405, "this path does not take that method");
    response.headers.add("Allow", methods_of(path));
    return response;
  }
  if (!reads && !is_own_change(head))
    return Response::error(403, "a change comes as application/json, and from no other site");
  const bool open = is_login(path) || is(path, {"health"});
  switch (open ? Access::Verdict::allowed : access_.check(head, Clock::now())) {
    case Access::Verdict::denied: {
      auto response = Response::error(401, "this needs the admin token");
      response.headers.add("WWW-Authenticate", "Bearer");
      return response;
    }
    case Access::Verdict::wait:
      return must_wait();
    case Access::Verdict::allowed:
      return std::nullopt;
  }
  return std::nullopt;
}

net::awaitable<void> Api::live(net::ServerConnection& client) {
  if (live_clients_ >= max_live_clients) {
    co_await send(client, Response::error(503, "too many pages are open"));
    co_return;
  }
  const Open open(live_clients_);
  co_await stream_live(client, LiveFeed(directory_, in_flight_), clock_);
}

net::awaitable<Response> Api::answer(net::ServerConnection& client, const Path& path,
                                     const wire::RequestHead& head) {
  if (is_read(head.method)) co_return get(path, head);
  const auto body = co_await client.read_body();
  co_return body ? change(path, *body) : refused_body(body.error());
}

net::awaitable<void> Api::handle(net::ServerConnection& client, wire::RequestHead head) {
  const auto path = path_segments(head.target);
  std::optional<Response> response;
  if (!is_trusted_host(head.headers.find("Host").value_or(""), options_.listen_host)) {
    response = Response::error(421, "this Host is not one that the admin side answers to");
  } else if (!path) {
    response = Response::error(400, "the path has a malformed escape");
  } else if (is_read(head.method)) {
    response = page(*path, head);  // its files are no secret: they hold the form that asks for the token
  }
  if (!response) response = refused(*path, head);
  if (!response && is(*path, {"admin", "api", "live"}) && head.method == "GET")
    co_return co_await live(client);
  if (!response) response = co_await answer(client, *path, head);
  co_await send(client, std::move(*response));
}

}  // namespace lmw::admin
