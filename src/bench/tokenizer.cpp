#include "bench/tokenizer.hpp"

#include <nlohmann/json.hpp>

#include "workload/words.hpp"

namespace lmw::bench {

net::awaitable<std::optional<double>> tokens_per_word(engine::Access access, std::string model) {
  constexpr int sample = 1000;
  const auto text = workload::Words(sample, "sample").text({{1, 1}}, 0, sample);
  net::FetchOptions options{
      .method = "POST",
      .headers = {},
      .body = nlohmann::json{{"model", model}, {"prompt", text}, {"add_special_tokens", false}}.dump(),
      .timeout = access.timeout};
  options.headers.add("Content-Type", "application/json");
  if (!access.api_key.empty()) options.headers.add("Authorization", "Bearer " + access.api_key);
  const auto fetched = co_await net::fetch(access.origin, "/tokenize", options);
  if (!fetched || fetched->head.status != 200) co_return std::nullopt;
  const auto answer = nlohmann::json::parse(fetched->body, nullptr, false);
  const auto count = answer.is_object() ? answer.value("count", nlohmann::json()) : nlohmann::json();
  if (!count.is_number_integer() || count < sample / 2 || count > 100 * sample) co_return std::nullopt;
  co_return count.get<double>() / sample;
}

}  // namespace lmw::bench
