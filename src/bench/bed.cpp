#include "bench/bed.hpp"

#include <fmt/format.h>

#include "bench/tokenizer.hpp"

namespace lmw::bench {

namespace {

Result<Origin> origin_of(std::string_view flag, const std::string& url) {
  auto origin = parse_origin(url);
  if (!origin) return failure(fmt::format("{}: {}", flag, origin.error().message));
  return origin;
}

net::awaitable<Result<void>> find_gateway(const BedOptions& options, Bed& bed) {
  const auto admin = origin_of("--admin", options.admin);
  if (!admin) co_return std::unexpected(admin.error());
  auto gateway = std::make_unique<Gateway>(engine::Access{*admin, options.admin_token}, bed.model);
  const auto urls = co_await gateway->engine_urls();
  if (!urls) {
    bed.notices.push_back(fmt::format("There is no LM Warden to switch: {}", urls.error().message));
    co_return Result<void>();
  }
  bed.gateway = std::move(gateway);
  if (!options.metrics.empty()) co_return Result<void>();
  for (const auto& url : *urls) {
    if (const auto origin = parse_origin(url)) bed.engines.push_back({*origin, options.api_key});
  }
  co_return Result<void>();
}

net::awaitable<void> look_at_engines(Bed& bed) {
  for (const auto& engine : bed.engines) {
    const auto facts = co_await engine::discover(engine);
    if (facts && bed.engine_version.empty()) bed.engine_version = facts->version;
    if (facts && facts->has_metrics) continue;
    bed.notices.push_back(fmt::format(
        "{} has no metrics of vLLM: prefix hits and busy replicas are not measured", engine.origin.url()));
  }
}

}  // namespace

net::awaitable<Result<Bed>> find_bed(BedOptions options) {
  Bed bed;
  const auto target = origin_of("--url", options.url);
  if (!target) co_return std::unexpected(target.error());
  bed.target = *target;
  const auto served = co_await engine::discover({*target, options.api_key});
  if (!served) co_return std::unexpected(served.error());
  const auto model = engine::choose_model(*served, options.url, options.model);
  if (!model) co_return std::unexpected(model.error());
  bed.model = model->id;
  bed.max_model_len = model->max_model_len;
  const auto measured = co_await tokens_per_word({*target, options.api_key}, bed.model);
  if (!measured)
    bed.notices.push_back("There is no /tokenize: prompts may be longer or shorter than asked for");
  bed.tokens_per_word = measured.value_or(1);
  for (const auto& url : options.metrics) {
    const auto origin = origin_of("--metrics", url);
    if (!origin) co_return std::unexpected(origin.error());
    bed.engines.push_back({*origin, options.api_key});
  }
  if (!options.admin.empty()) {
    if (const auto found = co_await find_gateway(options, bed); !found)
      co_return std::unexpected(found.error());
  }
  if (bed.engines.empty()) bed.engines.push_back({*target, options.api_key});
  co_await look_at_engines(bed);
  co_return bed;
}

}  // namespace lmw::bench
