#include "simulator/metrics.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

namespace lmw::simulator {

namespace {

using Label = std::pair<std::string, std::string>;

std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

// As Python writes a float: never without a point or an exponent.
std::string number(double value) {
  auto text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

class Page {
 public:
  explicit Page(const MetricsReading& reading) : reading_(reading), model_(escaped(reading.model)) {}

  void family(std::string_view name, std::string_view type, std::string_view help) {
    out_ += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
    name_ = name;
  }

  // Labels come out sorted by name, as from the Python client.
  void sample(std::vector<Label> labels, double value, std::string_view suffix = "") {
    std::ranges::sort(labels);
    out_ += name_;
    out_ += suffix;
    const char* before = "{";
    for (const auto& [name, text] : labels) {
      out_ += fmt::format("{}{}=\"{}\"", before, name, text);
      before = ",";
    }
    out_ += fmt::format("{} {}\n", labels.empty() ? "" : "}", number(value));
  }

  // One sample a replica, with the labels that all of them have.
  template <class Value>
  void each(Value value, std::initializer_list<Label> more = {}, std::string_view suffix = "") {
    for (std::size_t i = 0; i < reading_.replicas.size(); ++i) {
      if (reading_.left_out == static_cast<int>(i)) continue;
      std::vector<Label> labels(more);
      labels.emplace_back("engine", std::to_string(i));
      labels.emplace_back("model_name", model_);
      sample(std::move(labels), static_cast<double>(value(reading_.replicas[i])), suffix);
    }
  }

  const std::string& model() const { return model_; }
  std::string take() { return std::move(out_); }

 private:
  const MetricsReading& reading_;
  std::string model_;
  std::string name_;
  std::string out_;
};

using Reading = ReplicaReading;
double zero(const Reading&) { return 0; }

void write_gauges(Page& page) {
  page.family("vllm:num_requests_running", "gauge", "Number of requests in model execution batches.");
  page.each([](const Reading& r) { return r.stats.running; });
  page.family("vllm:num_requests_waiting", "gauge", "Number of requests waiting to be processed.");
  page.each([](const Reading& r) { return r.stats.waiting; });
  page.family("vllm:num_requests_waiting_by_reason", "gauge",
              "Number of waiting requests by reason. Sum of all reasons equals vllm:num_requests_waiting.");
  page.each([](const Reading& r) { return r.stats.waiting; }, {{"reason", "capacity"}});
  page.each(zero, {{"reason", "deferred"}});
  page.family("vllm:kv_cache_usage_perc", "gauge", "KV-cache usage. 1 means 100 percent usage.");
  page.each([](const Reading& r) { return r.stats.kv_used; });
}

void write_cache_counters(Page& page) {
  page.family("vllm:prefix_cache_queries_total", "counter",
              "Prefix cache queries, in terms of number of queried tokens.");
  page.each([](const Reading& r) { return r.stats.prefix_cache_queries; });
  page.family("vllm:prefix_cache_hits_total", "counter",
              "Prefix cache hits, in terms of number of cached tokens.");
  page.each([](const Reading& r) { return r.stats.prefix_cache_hits; });
  page.family(
      "vllm:external_prefix_cache_queries_total", "counter",
      "External prefix cache queries from KV connector cross-instance cache sharing, in terms of number of "
      "queried tokens.");
  page.each([](const Reading& r) { return r.stats.external_prefix_cache_queries; });
  page.family(
      "vllm:external_prefix_cache_hits_total", "counter",
      "External prefix cache hits from KV connector cross-instance cache sharing, in terms of number of "
      "cached tokens.");
  page.each([](const Reading& r) { return r.stats.external_prefix_cache_hits; });
  page.family("vllm:prompt_tokens_by_source_total", "counter", "Number of prompt tokens by source.");
  page.each([](const Reading& r) { return r.tally.prompt_tokens - r.tally.cached_tokens; },
            {{"source", "local_compute"}});
  page.each([](const Reading& r) { return r.tally.cached_tokens - r.tally.loaded_tokens; },
            {{"source", "local_cache_hit"}});
  page.each([](const Reading& r) { return r.tally.loaded_tokens; }, {{"source", "external_kv_transfer"}});
  page.family("vllm:prompt_tokens_cached_total", "counter",
              "Number of cached prompt tokens (local + external).");
  page.each([](const Reading& r) { return r.tally.cached_tokens; });
}

void write_turn_counters(Page& page, const MetricsReading& reading) {
  page.family("vllm:num_preemptions_total", "counter", "Cumulative number of preemption from the engine.");
  page.each([](const Reading& r) { return r.stats.preemptions; });
  page.family("vllm:prompt_tokens_total", "counter", "Number of prefill tokens processed.");
  page.each([](const Reading& r) { return r.tally.prompt_tokens; });
  page.family("vllm:generation_tokens_total", "counter", "Number of generation tokens processed.");
  page.each([](const Reading& r) { return r.stats.generation_tokens; });
  page.family("vllm:request_success_total", "counter", "Count of successfully processed requests.");
  page.each([](const Reading& r) { return r.tally.stopped; }, {{"finished_reason", "stop"}});
  page.each([](const Reading& r) { return r.tally.cut_by_length; }, {{"finished_reason", "length"}});
  for (const auto* reason : {"abort", "error", "repetition"}) page.each(zero, {{"finished_reason", reason}});
  page.family("vllm:admission_rejections_total", "counter",
              "Number of admission attempts rejected by a queue limit, by reason.");
  page.sample({{"model_name", page.model()}, {"reason", "max_num_queued_reqs"}},
              static_cast<double>(reading.busy_rejections));
  page.sample({{"model_name", page.model()}, {"reason", "max_num_queued_tokens"}}, 0);
}

void write_first_token_times(Page& page) {
  page.family("vllm:time_to_first_token_seconds", "histogram",
              "Histogram of time to first token in seconds.");
  const auto up_to = [](std::size_t last) {
    return [last](const Reading& r) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i <= last; ++i) sum += r.tally.ttft[i];
      return sum;
    };
  };
  for (std::size_t i = 0; i < ttft_borders.size(); ++i)
    page.each(up_to(i), {{"le", number(ttft_borders[i])}}, "_bucket");
  page.each(up_to(ttft_borders.size()), {{"le", "+Inf"}}, "_bucket");
  page.each(up_to(ttft_borders.size()), {}, "_count");
  page.each([](const Reading& r) { return r.tally.ttft_sum; }, {}, "_sum");
}

void write_cache_config(Page& page, const MetricsReading& reading) {
  const auto blocks = reading.kv_tokens / reading.block_size;
  const auto tokens = blocks * reading.block_size;
  page.family("vllm:cache_config_info", "gauge", "Information of the LLMEngine CacheConfig");
  for (std::size_t i = 0; i < reading.replicas.size(); ++i) {
    if (reading.left_out == static_cast<int>(i)) continue;
    page.sample({{"block_size", std::to_string(reading.block_size)},
                 {"cache_dtype", "auto"},
                 {"enable_prefix_caching", "True"},
                 {"engine", std::to_string(i)},
                 {"gpu_memory_utilization", "0.92"},
                 {"kv_cache_max_concurrency",
                  number(static_cast<double>(tokens) / static_cast<double>(reading.max_model_len))},
                 {"kv_cache_size_tokens", std::to_string(tokens)},
                 {"kv_offloading_size", reading.host_kv_gib > 0 ? number(reading.host_kv_gib) : "None"},
                 {"num_gpu_blocks", std::to_string(blocks)},
                 {"prefix_caching_hash_algo", "sha256"},
                 {"sliding_window", "None"}},
                1);
  }
}

}  // namespace

std::string render_metrics(const MetricsReading& reading) {
  Page page(reading);
  if (reading.process_start) {
    page.family("process_start_time_seconds", "gauge",
                "Start time of the process since unix epoch in seconds.");
    page.sample({}, *reading.process_start);
  }
  write_gauges(page);
  write_cache_counters(page);
  write_turn_counters(page, reading);
  write_first_token_times(page);
  write_cache_config(page, reading);
  return page.take();
}

}  // namespace lmw::simulator
