#include "bench/gateway.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/turn.hpp"

namespace lmw::bench {

namespace {

using nlohmann::json;

constexpr Duration recently = std::chrono::hours(1);

std::string percent_encoded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// What an error answer of the admin API says.
std::string message_of(const net::Fetched& fetched) {
  const auto body = json::parse(fetched.body, nullptr, false);
  if (body.is_object() && body.contains("error") && body["error"].is_object())
    return body["error"].value("message", "");
  return fmt::format("status {}", fetched.head.status);
}

}  // namespace

std::span<const Arm> arms() {
  static constexpr auto all = std::to_array<Arm>({
      {"off", "no affinity: the engine's own balancer", false},
      {"on", "affinity, and the rest as the gateway is configured", true},
      {"affinity", "affinity; turns never wait, a home over its threshold spills", true, "off"},
      {"places", "affinity, and turns wait for room in the caches (wait_share 0.45)", true, "on", 0.45},
      {"places-steady", "the same with wait_share 1", true, "on", 1.0},
      {"as-is", "nothing is switched; also what is no LM Warden"},
  });
  return all;
}

const Arm* find_arm(std::string_view name) {
  const auto all = arms();
  const auto found = std::ranges::find(all, name, &Arm::name);
  return found == all.end() ? nullptr : &*found;
}

std::string Gateway::routing_path() const {
  return fmt::format("/admin/api/models/{}/routing", percent_encoded(model_));
}

net::awaitable<Result<json>> Gateway::get(std::string path) const {
  const auto fetched = co_await engine::get(admin_, path);
  if (!fetched) co_return failure(fetched.error().message);
  if (fetched->head.status != 200)
    co_return failure(fmt::format("{}{}: {}", admin_.origin.url(), path, message_of(*fetched)));
  auto body = json::parse(fetched->body, nullptr, false);
  if (!body.is_object()) co_return failure(fmt::format("{}{} is no admin API", admin_.origin.url(), path));
  co_return body;
}

net::awaitable<Result<void>> Gateway::put(std::string body) const {
  const auto options = engine::request(admin_, "PUT", std::move(body));
  const auto fetched = co_await net::fetch(admin_.origin, routing_path(), options);
  if (!fetched) co_return failure(fetched.error().message);
  if (fetched->head.status != 200)
    co_return failure(fmt::format("{}: {}", admin_.origin.url(), message_of(*fetched)));
  co_return Result<void>();
}

net::awaitable<Result<std::vector<std::string>>> Gateway::engine_urls() const {
  const auto body = co_await get("/admin/api/engines");
  if (!body) co_return std::unexpected(body.error());
  std::vector<std::string> urls;
  for (const auto& engine : body->value("engines", json::array())) {
    if (engine.value("model", json()) == json(model_)) urls.push_back(engine.value("url", ""));
  }
  co_return urls;
}

net::awaitable<Result<void>> Gateway::remember() {
  const auto routing = co_await get(routing_path());
  if (!routing) co_return std::unexpected(routing.error());
  json before;
  for (const char* key : {"affinity", "admission", "wait_share"}) before[key] = routing->value(key, json());
  before_ = before.dump();
  co_return Result<void>();
}

net::awaitable<Result<void>> Gateway::apply(const Arm& arm) const {
  auto settings = json::parse(before_);
  if (arm.affinity) settings["affinity"] = *arm.affinity;
  if (!arm.admission.empty()) settings["admission"] = arm.admission;
  if (arm.wait_share) settings["wait_share"] = *arm.wait_share;
  return put(settings.dump());
}

net::awaitable<Result<void>> Gateway::restore() const { return put(before_); }

net::awaitable<Result<GatewayCounts>> Gateway::counts() const {
  const auto routing = co_await get(routing_path());
  if (!routing) co_return std::unexpected(routing.error());
  const auto totals = routing->value("totals", json::object());
  co_return GatewayCounts{.sticky = totals.value("sticky", 0.0),
                          .rehomed = totals.value("rehomed", 0.0),
                          .spilled = totals.value("spilled", 0.0),
                          .held = totals.value("held_total", 0.0)};
}

net::awaitable<Result<LiveBox>> Gateway::live_box() const {
  const auto routing = co_await get(routing_path());
  if (!routing) co_return std::unexpected(routing.error());
  LiveBox box;
  for (const auto& replica : routing->value("replicas", json::array())) {
    if (!replica.value("up", false)) continue;
    ++box.replicas;
    const auto capacity = replica.value("kv_capacity_tokens", json());
    if (!capacity.is_number())
      co_return failure(fmt::format("replica {} does not tell its KV capacity", replica.value("replica", 0)));
    const auto tokens = capacity.get<std::int64_t>();
    box.kv_tokens = box.kv_tokens == 0 ? tokens : std::min(box.kv_tokens, tokens);
  }
  if (box.replicas == 0) co_return failure("no replica is up");

  const auto conversations =
      co_await get(fmt::format("/admin/api/models/{}/conversations", percent_encoded(model_)));
  if (!conversations) co_return std::unexpected(conversations.error());
  std::vector<double> contexts;
  for (const auto& one : conversations->value("conversations", json::array())) {
    const auto context = one.value("context_tokens", json());
    if (context.is_number() && context > 0 && one.value("last_seen_s", 0.0) < seconds(recently))
      contexts.push_back(context.get<double>());
  }
  box.conversations = static_cast<int>(contexts.size());
  box.context = static_cast<int>(report::quantile(contexts, 0.9).value_or(0));
  co_return box;
}

net::awaitable<Result<std::string>> Gateway::first_model(engine::Access admin) {
  const auto body = co_await Gateway(std::move(admin), "").get("/admin/api/models");
  if (!body) co_return std::unexpected(body.error());
  const auto models = body->value("models", json::array());
  if (models.empty()) co_return failure("it serves no model yet");
  co_return models.front().value("name", "");
}

}  // namespace lmw::bench
