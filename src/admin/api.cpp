#include "admin/api.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

#include "admin/conversation_json.hpp"
#include "admin/live.hpp"
#include "admin/metrics.hpp"
#include "admin/routing_json.hpp"
#include "base/version.hpp"

namespace lmw::admin {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::string_view login_path = "admin/api/login";

struct Methods {
  std::string_view path, methods;  // as the Allow header has them
};

// Of those that take more than reading.
constexpr std::array changes{Methods{login_path, "POST"},
                             Methods{"admin/api/in-flight/*/cancel", "POST"},
                             Methods{"admin/api/models/*/routing", "GET, HEAD, PUT"},
                             Methods{"admin/api/reports", "GET, HEAD, POST"},
                             Methods{"admin/api/reports/*", "GET, HEAD, DELETE"},
                             Methods{"admin/api/lab", "GET, HEAD, POST"},
                             Methods{"admin/api/lab/cancel", "POST"}};

std::string_view methods_of(const Path& path) {
  const auto found =
      std::ranges::find_if(changes, [&](const auto& each) { return matches(path, each.path); });
  return found == changes.end() ? "GET, HEAD" : found->methods;
}

bool is_read(std::string_view method) { return method == "GET" || method == "HEAD"; }

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
  if (ModelApi::takes(path)) return models_.get(path, head);
  if (matches(path, "metrics"))
    return {.body = metrics_text(directory_), .type = "text/plain; version=0.0.4"};
  if (matches(path, "health")) return Response::of(json{{"status", "ok"}, {"version", version}});
  if (matches(path, "admin/api/models")) return Response::of(models_json(directory_));
  if (matches(path, "admin/api/engines")) return Response::of(engines_json(directory_, clock_.now()));
  if (matches(path, "admin/api/in-flight"))
    return Response::of(json{{"in_flight", in_flight_json(in_flight_, clock_.now())}});
  if (matches(path, "admin/api/history")) return models_.history("", head.target);
  return Response::error(404,
                         "there is nothing here; see /, /admin/api/models, /admin/api/engines, /metrics");
}

Response Api::change(const Path& path, std::string_view body) {
  if (matches(path, login_path)) return log_in(body);
  if (ModelApi::takes(path)) return models_.put_routing(path[3], body);
  return cancel(path[3]);
}

Response Api::cancel(std::string_view number) {
  gateway::InFlight::Number value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = error == std::errc() && end == number.data() + number.size();
  if (!is_number || !in_flight_.cancel(value))
    return Response::error(404, "that turn is not in flight, or no longer");
  return Response::ok();
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
  auto response = Response::ok();
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
  const bool open = matches(path, login_path) || matches(path, "health");
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
    co_await send(client, Response::error(503, "too many pages are open: close one"));
    co_return;
  }
  const Open open(live_clients_);
  co_await stream_live(client, LiveFeed(directory_, in_flight_), clock_);
}

net::awaitable<Response> Api::answer(net::ServerConnection& client, const Path& path,
                                     const wire::RequestHead& head) {
  const bool is_bench = BenchApi::takes(path);
  if (is_read(head.method)) co_return is_bench ? co_await bench_.get(path, head.target) : get(path, head);
  auto body = co_await client.read_body();
  if (!body) co_return refused_body(body.error());
  co_return is_bench ? co_await bench_.change(path, head.method, std::move(*body)) : change(path, *body);
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
  if (!response && matches(*path, "admin/api/live") && head.method == "GET") co_return co_await live(client);
  if (!response) response = co_await answer(client, *path, head);
  co_await send(client, std::move(*response));
}

}  // namespace lmw::admin
