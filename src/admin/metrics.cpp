#include "admin/metrics.hpp"

#include <deque>
#include <limits>

#include <fmt/format.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "base/version.hpp"

namespace lmw::admin {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

class Families {
 public:
  MetricFamily& add(std::string name, std::string help, MetricType type) {
    return all_.emplace_back(MetricFamily{std::move(name), std::move(help), type, {}});
  }
  std::string text() const { return prometheus::TextSerializer().Serialize({all_.begin(), all_.end()}); }

 private:
  std::deque<MetricFamily> all_;
};

void add_value(MetricFamily& family, Labels labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  if (family.type == MetricType::Gauge)
    metric.gauge.value = value;
  else
    metric.counter.value = value;
  family.metric.push_back(std::move(metric));
}

void add_histogram(MetricFamily& family, Labels labels, const routing::WaitHistogram& histogram) {
  ClientMetric metric;
  metric.label = std::move(labels);
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < histogram.buckets().size(); ++i) {
    cumulative += histogram.buckets()[i];
    const bool last = i == routing::WaitHistogram::bounds.size();
    const double bound = last ? std::numeric_limits<double>::infinity() : routing::WaitHistogram::bounds[i];
    metric.histogram.bucket.push_back({cumulative, bound});
  }
  metric.histogram.sample_count = cumulative;
  metric.histogram.sample_sum = histogram.sum();
  family.metric.push_back(std::move(metric));
}

std::string outcome_name(std::size_t i) {
  return std::string(routing::name_of(static_cast<routing::Outcome>(i)));
}

void add_pool_turns(Families& families, const gateway::Directory& directory) {
  auto& routed =
      families.add("lmwarden_turns_total", "Turns by how they came to their replica.", MetricType::Counter);
  auto& ended = families.add("lmwarden_turns_ended_total", "Turns by how they ended.", MetricType::Counter);
  auto& moved =
      families.add("lmwarden_turns_moved_total", "Turns sent again to another replica.", MetricType::Counter);
  auto& ttfb = families.add("lmwarden_ttfb_seconds", "Time to the first content byte, in engine seconds.",
                            MetricType::Histogram);
  auto& measured =
      families.add("lmwarden_turns_measured_total",
                   "Ended turns by whether the engine told their cached tokens.", MetricType::Counter);
  auto& billing =
      families.add("lmwarden_billing_lines_dropped_total",
                   "Requests whose billing line was taken out of the system prompt.", MetricType::Counter);
  auto& missed = families.add("lmwarden_turns_by_miss_total",
                              "Ended turns by why their context was not found cached.", MetricType::Counter);
  auto& lost =
      families.add("lmwarden_lost_tokens_total",
                   "Prompt tokens computed again that an earlier turn had computed.", MetricType::Counter);
  auto& held_now =
      families.add("lmwarden_held", "Turns that wait for room in the KV cache.", MetricType::Gauge);
  auto& held = families.add("lmwarden_held_seconds", "How long turns waited for room, in engine seconds.",
                            MetricType::Histogram);
  auto& rotated =
      families.add("lmwarden_places_rotated_total", "Places that changed hands.", MetricType::Counter);
  for (const auto& pool : directory.pools()) {
    add_value(held_now, {{"model", pool->name}}, static_cast<double>(pool->router.held()));
    add_histogram(held, {{"model", pool->name}}, pool->router.counters().held);
    add_value(rotated, {{"model", pool->name}}, static_cast<double>(pool->router.places().rotations()));
    const auto& cache = pool->router.cache();
    for (std::size_t i = 0; i < routing::misses; ++i) {
      const Labels labels{{"model", pool->name},
                          {"miss", std::string(routing::name_of(static_cast<routing::Miss>(i)))}};
      add_value(missed, labels, static_cast<double>(cache.turns[i]));
      add_value(lost, labels, static_cast<double>(cache.lost[i]));
    }
    const auto& counters = pool->router.counters();
    add_value(billing, {{"model", pool->name}}, static_cast<double>(pool->billing_dropped));
    for (std::size_t i = 0; i < routing::outcomes; ++i) {
      const Labels labels{{"model", pool->name}, {"outcome", outcome_name(i)}};
      add_value(routed, labels, static_cast<double>(counters.turns[i]));
      add_histogram(ttfb, labels, counters.ttfb[i]);
    }
    add_value(ended, {{"model", pool->name}, {"end", "answered"}}, static_cast<double>(counters.answered));
    add_value(ended, {{"model", pool->name}, {"end", "cancelled"}}, static_cast<double>(counters.cancelled));
    add_value(ended, {{"model", pool->name}, {"end", "failed"}}, static_cast<double>(counters.failed));
    add_value(moved, {{"model", pool->name}}, static_cast<double>(counters.moved));
    const auto& tokens = counters.tokens;
    add_value(measured, {{"model", pool->name}, {"measured", "true"}},
              static_cast<double>(tokens.measured_turns));
    add_value(measured, {{"model", pool->name}, {"measured", "false"}},
              static_cast<double>(tokens.unmeasured_turns));
  }
}

void add_replicas(Families& families, const gateway::Directory& directory) {
  auto& up = families.add("lmwarden_replica_up", "1 when the replica takes turns.", MetricType::Gauge);
  auto& in_flight =
      families.add("lmwarden_in_flight", "Turns sent to a replica and not ended yet.", MetricType::Gauge);
  auto& homes = families.add("lmwarden_conversations", "Conversations that have their home on a replica.",
                             MetricType::Gauge);
  auto& turns = families.add("lmwarden_replica_turns_total", "Turns by replica and by how they came to it.",
                             MetricType::Counter);
  auto& prompt =
      families.add("lmwarden_prompt_tokens_total",
                   "Prompt tokens by the engine's own count: found in its prefix cache, or computed.",
                   MetricType::Counter);
  auto& completion = families.add("lmwarden_completion_tokens_total",
                                  "Generated tokens by the engine's own count.", MetricType::Counter);
  for (const auto& pool : directory.pools()) {
    const auto& router = pool->router;
    for (const auto& replica : router.replicas().replicas()) {
      const Labels labels{{"model", pool->name},
                          {"endpoint", router.replicas()[replica.endpoint].url},
                          {"rank", std::to_string(replica.rank)}};
      const auto with = [&](const char* name, std::string value) {
        auto more = labels;
        more.push_back({name, std::move(value)});
        return more;
      };
      add_value(up, labels, router.replicas().usable(replica.id) ? 1 : 0);
      add_value(in_flight, labels, replica.in_flight);
      add_value(homes, labels, router.table().homed(replica.id));
      for (std::size_t i = 0; i < routing::outcomes; ++i) {
        add_value(turns, with("outcome", outcome_name(i)), static_cast<double>(replica.counters.turns[i]));
      }
      const auto& tokens = replica.counters.tokens;
      add_value(prompt, with("source", "cached"), static_cast<double>(tokens.cached));
      add_value(prompt, with("source", "computed"), static_cast<double>(tokens.computed));
      add_value(completion, labels, static_cast<double>(tokens.completion));
    }
  }
}

}  // namespace

std::string metrics_text(const gateway::Directory& directory) {
  Families families;
  auto& info = families.add("lmwarden_build_info", "The version that runs.", MetricType::Gauge);
  add_value(info, {{"version", std::string(version)}}, 1);
  auto& engines = families.add("lmwarden_engine_up", "1 when the engine answers.", MetricType::Gauge);
  for (const auto& backend : directory.backends()) {
    add_value(engines, {{"engine", backend->connections.origin().url()}}, backend->monitor->is_up() ? 1 : 0);
  }
  add_pool_turns(families, directory);
  add_replicas(families, directory);
  return families.text();
}

}  // namespace lmw::admin
