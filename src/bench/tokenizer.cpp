#include "bench/tokenizer.hpp"

#include <nlohmann/json.hpp>

#include "workload/words.hpp"

namespace lmw::bench {

net::awaitable<std::optional<double>> tokens_per_word(engine::Access access, std::string model) {
  constexpr int sample = 1000;
  const auto text = workload::Words(sample, "sample").text({{1, 1}}, 0, sample);
  const nlohmann::json body{{"model", model}, {"prompt", text}, {"add_special_tokens", false}};
  const auto options = engine::request(access, "POST", body.dump());
  const auto fetched = co_await net::fetch(access.origin, "/tokenize", options);
  if (!fetched || fetched->head.status != 200) co_return std::nullopt;
  const auto answer = nlohmann::json::parse(fetched->body, nullptr, false);
  const auto count = answer.is_object() ? answer.value("count", nlohmann::json()) : nlohmann::json();
  if (!count.is_number_integer() || count < sample / 2 || count > 100 * sample) co_return std::nullopt;
  co_return count.get<double>() / sample;
}

}  // namespace lmw::bench
