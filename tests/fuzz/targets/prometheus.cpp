// An engine's /metrics: the text format, and the page that is made of it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/metrics_page.hpp"
#include "target.hpp"
#include "wire/prometheus_text.hpp"

namespace lmw::fuzz {
namespace {

const std::vector<std::string_view> wanted{"vllm:num_requests_running", "vllm:cache_config_info",
                                           "process_start_time_seconds", "x"};

bool equal(const wire::Sample& a, const wire::Sample& b) {
  return a.name == b.name && a.labels == b.labels &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

std::string written(const wire::Sample& sample) {
  std::string labels;
  for (const auto& [name, value] : sample.labels) {
    const auto quote = name.contains('"') ? "" : "\"";
    labels += fmt::format("{}{}{}=\"", quote, name, quote);
    for (const char c : value) {
      if (c == '\n') labels += "\\n";
      if (c == '"' || c == '\\') labels += '\\';
      if (c != '\n') labels += c;
    }
    labels += "\",";
  }
  return fmt::format("{}{{{}}} {}\n", sample.name, labels, sample.value);
}

void check_samples(std::string_view text) {
  const auto samples = wire::read_prometheus_text(text, wanted);
  if (!samples) {
    require(samples.error().message.starts_with("line "), "an error names its line");
    return;
  }
  std::string again;
  for (const auto& sample : *samples) {
    require(std::ranges::find(wanted, sample.name) != wanted.end(), "only the wanted are read");
    again += written(sample);
  }
  const auto reread = wire::read_prometheus_text(again, wanted);
  require(reread && std::ranges::equal(*samples, *reread, equal),
          "samples that are written read as themselves");
  if (!text.ends_with('\n')) return;
  const auto twice = wire::read_prometheus_text(std::string(text) + std::string(text), wanted);
  require(twice && twice->size() == 2 * samples->size(), "a page twice has its samples twice");
}

void check_page(std::string_view text) {
  const auto page = engine::read_metrics_page(text);
  if (!page) {
    require(!page.error().message.empty(), "an error says what is wrong");
    return;
  }
  require(page->labels.size() <= 1024 && page->ranks.size() <= page->labels.size(), "ranks are bounded");
  auto label = page->labels.begin();
  for (const auto& rank : page->ranks) {
    label = std::find(label, page->labels.end(), rank.label);
    require(label++ != page->labels.end(), "a rank has a label, and they have one order");
    for (const double gauge : {rank.running, rank.waiting, rank.kv_used})
      require(std::isfinite(gauge) && gauge >= 0 && gauge <= 1e9, "a gauge is a sane number");
    require(rank.kv_used <= 1 && rank.prefix_queries >= 0 && rank.prefix_hits >= 0,
            "a reading is a sane number");
    require(rank.kv_capacity_tokens.value_or(1) > 0 && rank.block_size.value_or(1) > 0, "sizes are positive");
  }
}

}  // namespace

void run(std::string_view text) {
  check_samples(text);
  check_page(text);
}

}  // namespace lmw::fuzz
