#include "simulator/api.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "simulator/metrics.hpp"
#include "simulator/rank.hpp"
#include "simulator/turn.hpp"

namespace lmw::simulator {

namespace {

constexpr std::string_view control_path = "/sim/faults";
constexpr std::size_t huge_page = 20'000'000;

struct Path {
  std::string_view path;
  bool get;
  bool post;
};
constexpr std::array paths{
    Path{"/v1/chat/completions", false, true},
    Path{"/v1/completions", false, true},
    Path{"/v1/responses", false, true},
    Path{"/v1/messages", false, true},
    Path{"/v1/messages/count_tokens", false, true},
    Path{"/tokenize", false, true},
    Path{"/detokenize", false, true},
    Path{"/v1/models", true, false},
    Path{"/version", true, false},
    Path{"/health", true, false},
    Path{"/metrics", true, false},
    Path{"/load", true, false},
    Path{"/ping", true, true},
    Path{control_path, true, true},
};

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool is_json(const wire::RequestHead& head) {
  const auto type = head.headers.find("content-type").value_or("");
  const auto media = type.substr(0, type.find(';'));
  return wire::equal_ignoring_case(media.substr(0, media.find_last_not_of(' ') + 1), "application/json");
}

asio::awaitable<void> send(net::ServerConnection& connection, Response response) {
  co_await connection.respond(response_head(response.status, response.content_type), response.body);
}

ApiError not_json() {
  return validation_error("Unsupported Media Type: Only 'application/json' is allowed", std::nullopt);
}

// Every value of the page is NaN.
std::string with_nan(std::string_view page) {
  std::string out;
  while (!page.empty()) {
    const auto line = page.substr(0, page.find('\n') + 1);
    page.remove_prefix(line.size());
    if (line.starts_with('#')) {
      out += line;
    } else {
      out += line.substr(0, line.rfind(' '));
      out += " NaN\n";
    }
  }
  return out;
}

std::string spoilt(std::string page, MetricsFault fault) {
  if (fault == MetricsFault::nan) return with_nan(page);
  if (fault == MetricsFault::garbage) return page.substr(0, page.size() / 2) + "{{{ \x01\xff <html>";
  if (fault != MetricsFault::huge) return page;
  page.reserve(huge_page + 128);
  for (int i = 0; page.size() < huge_page; ++i) page += fmt::format("sim_filler{{number=\"{}\"}} 1.0\n", i);
  return page;
}

}  // namespace

Api::Api(const SimulatorOptions& options, EngineDriver& driver, std::function<void(Death)> die)
    : options_(options),
      driver_(driver),
      die_(std::move(die)),
      ids_(mix64(options.seed)),
      process_start_(unix_now()) {}

void Api::set_faults(Faults faults) {
  for (int replica = 0; replica < driver_.replicas(); ++replica) {
    const bool hung = faults.hung.contains(replica);
    if (hung != faults_.hung.contains(replica)) driver_.hang(replica, hung);
  }
  if (faults.metrics == MetricsFault::frozen && faults_.metrics != MetricsFault::frozen)
    frozen_page_ = metrics_page();
  faults_ = std::move(faults);
}

void Api::restart() {
  set_faults(Faults());
  driver_.restart();
  busy_rejections_ = 0;
  process_start_ = unix_now();
}

asio::awaitable<void> Api::handle(net::ServerConnection& connection, wire::RequestHead head) {
  const auto path = head.path();
  const auto route = std::ranges::find(paths, path, &Path::path);
  if (route == paths.end() || (path == control_path && !options_.control)) {
    co_await send(connection, detail_response(404));
    co_return;
  }
  const bool get = head.method == "GET" || head.method == "HEAD";
  if (!(get && route->get) && !(head.method == "POST" && route->post)) {
    co_await send(connection, detail_response(405));
    co_return;
  }
  if (const auto* known = wire::find_route(path); known && known->generates)
    co_return co_await answer_turn(connection, head, known->endpoint);
  if (path == "/metrics") co_return co_await answer_metrics(connection);
  if (path == control_path) co_return co_await answer_control(connection, head);
  const auto body = co_await connection.read_body();
  if (!body) co_return connection.close();
  const bool wants_json = route->post && path != "/ping";
  co_await send(connection, wants_json && !is_json(head) ? error_response(not_json(), wire::Family::openai)
                                                         : look_up(path, *body));
}

Response Api::look_up(std::string_view path, std::string_view body) const {
  if (path == "/v1/models") return list_models(options_, static_cast<std::int64_t>(unix_now()));
  if (path == "/version") return tell_version(options_);
  if (path == "/load") return {200, "application/json", R"({"server_load":0})"};
  if (path == "/v1/messages/count_tokens") return count_message_tokens(options_, body);
  if (path == "/tokenize") return tokenize(options_, body);
  if (path == "/detokenize") return detokenize(options_, body);
  return {200, "", ""};  // health, ping
}

std::string Api::new_id(const wire::RequestHead& head, wire::Endpoint endpoint) {
  if (endpoint == wire::Endpoint::responses) return fmt::format("resp_{:016x}", ids_.next());
  const auto* kind = endpoint == wire::Endpoint::completions ? "cmpl" : "chatcmpl";
  const auto asked = head.headers.find("x-request-id").value_or("");
  const bool printable = std::ranges::all_of(asked, [](char c) { return c > ' ' && c <= '~'; });
  if (asked.empty() || !printable) return fmt::format("{}-{:016x}", kind, ids_.next());
  return fmt::format("{}-{}", kind, asked);
}

asio::awaitable<void> Api::answer_turn(net::ServerConnection& connection, const wire::RequestHead& head,
                                       wire::Endpoint endpoint) {
  const auto family = wire::route_of(endpoint).family;
  const auto body = co_await connection.read_body();
  if (!body) co_return connection.close();
  const auto fault = faults_.take_turn_fault();
  if (fault == TurnFault::close_unanswered) co_return connection.close();
  if (fault == TurnFault::busy) {
    ++busy_rejections_;
    co_return co_await send(connection, error_response(engine_busy(), family));
  }
  if (!is_json(head)) co_return co_await send(connection, error_response(not_json(), family));
  const TurnNaming naming{new_id(head, endpoint), static_cast<std::int64_t>(unix_now()), &ids_};
  auto plan = plan_turn(options_, *body, endpoint, naming);
  if (!plan) co_return co_await send(connection, error_response(plan.error(), family));
  const auto rank = head.headers.find("x-data-parallel-rank");
  if (rank && heeds_rank(options_.engine_version, endpoint)) plan->rank = parse_rank(*rank);
  plan->fault = fault;
  plan->after_events = faults_.after_events;
  co_await run_turn(connection, std::move(*plan), options_, driver_);
}

std::string Api::metrics_page() {
  MetricsReading reading;
  reading.model = options_.model;
  reading.block_size = options_.profile.block_size;
  reading.kv_tokens = options_.profile.kv_tokens;
  reading.host_kv_gib =
      static_cast<double>(options_.profile.host_kv_tokens) * options_.profile.kv_bytes / (1 << 30);
  reading.max_model_len = options_.profile.max_model_len;
  reading.busy_rejections = busy_rejections_;
  if (options_.api_servers == 1) reading.process_start = process_start_;
  if (faults_.metrics == MetricsFault::missing_rank) reading.left_out = faults_.missing_rank;
  for (int i = 0; i < driver_.replicas(); ++i) {
    const auto stats = driver_.stats(i);  // first, since it brings the tally up to now
    reading.replicas.push_back({stats, driver_.tally(i)});
  }
  return render_metrics(reading);
}

asio::awaitable<void> Api::answer_metrics(net::ServerConnection& connection) {
  const auto fault = faults_.metrics;
  if (fault == MetricsFault::slow) co_await pause(connection, driver_.clock(), faults_.metrics_delay);
  if (fault == MetricsFault::error) {
    co_return co_await send(connection, {500, "text/plain; charset=utf-8", "Internal Server Error"});
  }
  auto page = fault == MetricsFault::frozen ? frozen_page_ : spoilt(metrics_page(), fault);
  co_await send(connection, {200, std::string(metrics_content_type), std::move(page)});
}

asio::awaitable<void> Api::answer_control(net::ServerConnection& connection, const wire::RequestHead& head) {
  const auto body = co_await connection.read_body();
  if (!body) co_return connection.close();
  std::optional<Death> death;
  if (head.method == "POST") {
    auto order = read_fault_order(*body, faults_, driver_.replicas());
    if (!order)
      co_return co_await send(connection,
                              error_response(bad_request(order.error().message), wire::Family::openai));
    set_faults(std::move(order->faults));
    death = order->death;
  }
  co_await send(connection, {200, "application/json", to_json(faults_)});
  if (death) die_(*death);
}

}  // namespace lmw::simulator
