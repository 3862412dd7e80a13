#include "engine/discovery.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/metrics_page.hpp"

namespace lmw::engine {

namespace {

using nlohmann::json;

// Discarded when it is not JSON.
json parse(const std::string& text) { return json::parse(text, nullptr, false); }

std::string text_at(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template <class T>
std::optional<T> positive_at(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  const auto value = found->get<std::int64_t>();
  if (value <= 0 || value > std::numeric_limits<T>::max()) return std::nullopt;
  return static_cast<T>(value);
}

Result<std::vector<ServedModel>> read_models(const std::string& body) {
  const auto page = parse(body);
  const auto data = page.is_object() ? page.find("data") : page.end();
  if (data == page.end() || !data->is_array()) return failure("its answer is not a list of models");
  std::vector<ServedModel> models;
  for (const auto& entry : *data) {
    auto id = text_at(entry, "id");
    if (id.empty()) continue;
    const auto parent = entry.find("parent");  // vLLM: set on the cards of LoRA adapters
    models.push_back({.id = std::move(id),
                      .max_model_len = positive_at<std::int64_t>(entry, "max_model_len"),
                      .adapter = parent != entry.end() && !parent->is_null()});
  }
  if (models.empty()) return failure("it serves no model");
  return models;
}

// Of vLLM's dev mode (VLLM_SERVER_DEV_MODE=1).
std::optional<int> read_max_num_seqs(const std::string& body) {
  static const json::json_pointer scheduler("/vllm_config/scheduler_config");
  const auto info = parse(body);
  if (!info.is_object() || !info.contains(scheduler) || !info.at(scheduler).is_object()) return std::nullopt;
  return positive_at<int>(info.at(scheduler), "max_num_seqs");
}

std::vector<RankFacts> read_ranks(const MetricsPage& page) {
  std::vector<RankFacts> ranks;
  auto complete = page.ranks.begin();
  for (const auto& label : page.labels) {
    ranks.push_back({.label = label});
    if (complete == page.ranks.end() || complete->label != label) continue;
    ranks.back().kv_capacity_tokens = complete->kv_capacity_tokens;
    ranks.back().block_size = complete->block_size;
    ranks.back().prefix_caching = complete->prefix_caching;
    ranks.back().host_kv_gib = complete->host_kv_gib;
    ranks.back().host_kv_tokens = complete->host_kv_tokens;
    ++complete;
  }
  return ranks;
}

std::string explain_status(const Access& access, int status) {
  if (status != 401 && status != 403) return fmt::format("answered {}", status);
  return access.api_key.empty() ? fmt::format("asks for a key ({}): set engine.api_key", status)
                                : fmt::format("does not accept the key in engine.api_key ({})", status);
}

// The body of a 200; "" otherwise.
net::awaitable<std::string> body_of(Access access, std::string path) {
  auto answer = co_await get(std::move(access), std::move(path));
  co_return answer && answer->head.status == 200 ? std::move(answer->body) : std::string();
}

}  // namespace

net::FetchOptions request(const Access& access) {
  net::FetchOptions options{.timeout = access.timeout, .max_body = access.max_body};
  if (!access.api_key.empty()) options.headers.add("Authorization", "Bearer " + access.api_key);
  return options;
}

net::FetchOptions request(const Access& access, std::string method, std::string json) {
  auto options = request(access);
  options.method = std::move(method);
  options.body = std::move(json);
  options.headers.add("Content-Type", "application/json");
  return options;
}

net::awaitable<std::expected<net::Fetched, net::FetchError>> get(Access access, std::string path) {
  const auto options = request(access);
  co_return co_await net::fetch(access.origin, path, options);
}

net::awaitable<Result<Facts>> discover(Access access) {
  static constexpr auto path = "/v1/models";
  const auto fail = [&](std::string_view why) {
    return failure(fmt::format("GET {}{}: {}", access.origin.url(), path, why));
  };
  const auto answer = co_await get(access, path);
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->head.status != 200) co_return fail(explain_status(access, answer->head.status));
  auto models = read_models(answer->body);
  if (!models) co_return fail(models.error().message);

  Facts facts{.models = std::move(*models)};
  facts.version = text_at(parse(co_await body_of(access, "/version")), "version");
  const auto metrics = co_await body_of(access, "/metrics");
  if (const auto page = read_metrics_page(metrics)) facts.ranks = read_ranks(*page);
  facts.has_metrics = !facts.ranks.empty();
  if (!facts.has_metrics) facts.ranks = {RankFacts{}};
  facts.max_num_seqs = read_max_num_seqs(co_await body_of(access, "/server_info?config_format=json"));
  co_return facts;
}

}  // namespace lmw::engine
