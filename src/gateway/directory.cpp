#include "gateway/directory.hpp"

#include <algorithm>

#include "config/glob.hpp"
#include "logging/log.hpp"

namespace lmw::gateway {

namespace {

bool names_engine(const config::Model& model, const config::Engine& engine) {
  return std::ranges::any_of(
      model.engines, [&](const std::string& name) { return name == engine.name || name == engine.url; });
}

routing::Admission admission_of(std::string_view name) {
  if (name == "on") return routing::Admission::on;
  return name == "off" ? routing::Admission::off : routing::Admission::automatic;
}

std::string_view without_suffix(std::string_view model) {
  return model.ends_with(']') ? model.substr(0, model.rfind('[')) : model;
}

}  // namespace

Directory::Directory(net::asio::io_context& context, const config::Config& config, const EngineClock& clock)
    : config_(config), clock_(clock) {
  for (const auto& model : config.models) add_pool(model).is_configured = true;
  for (const auto& engine : config.engines) {
    const auto origin = parse_origin(engine.url).value();
    backends_.push_back(std::make_unique<Backend>(
        engine, origin,
        net::PoolOptions{.connect = config.timeouts.connect, .idle = config.timeouts.pool_idle}));
    auto* backend = backends_.back().get();
    const engine::Access access{origin, engine.api_key, config.timeouts.scrape, config.limits.metrics_bytes};
    engine::MonitorEvents events;
    events.up = [this, backend](const engine::Facts& facts) { found(*backend, facts); };
    events.down = [this, backend](const std::string&) { lost(*backend); };
    events.new_run = [backend] {
      backend->connections.clear();
      if (backend->pool) backend->pool->router.new_run(backend->endpoint);
    };
    events.reading = [backend](std::size_t rank, const engine::RankMetrics& metrics, Instant now) {
      read(*backend, rank, metrics, now);
    };
    const engine::MonitorOptions options{.scrape_interval = config.scrape_interval};
    backend->monitor = std::make_unique<engine::Monitor>(context, access, options, clock, std::move(events));
  }
}

void Directory::start() {
  for (const auto& backend : backends_) backend->monitor->start();
}

void Directory::stop() {
  for (const auto& backend : backends_) {
    backend->monitor->stop();
    backend->connections.close();
  }
}

std::optional<Directory::Resolved> Directory::resolve(std::string_view model) const {
  for (const auto name : {model, without_suffix(model)}) {
    for (const auto& pool : pools_) {
      if (pool->serves(name)) return Resolved{pool.get(), std::string(name)};
    }
    for (const auto& pool : pools_) {
      const bool alias = std::ranges::any_of(
          pool->aliases, [&](const std::string& pattern) { return config::glob_match(pattern, name); });
      if (alias) return Resolved{pool.get(), pool->name};
    }
  }
  return std::nullopt;
}

Pool* Directory::only_pool() const { return pools_.size() == 1 ? pools_.front().get() : nullptr; }

bool Directory::all_found() const {
  return std::ranges::all_of(backends_, [](const auto& backend) { return backend->ever_found(); });
}

bool Directory::any_up() const {
  return std::ranges::any_of(pools_, [](const auto& pool) { return pool->router.replicas().any_up(); });
}

Pool* Directory::find_pool(std::string_view name) const {
  const auto found = std::ranges::find_if(pools_, [&](const auto& pool) { return pool->name == name; });
  return found == pools_.end() ? nullptr : found->get();
}

Pool& Directory::add_pool(const config::Model& model) {
  const routing::RouterSettings settings{
      .affinity = model.affinity.value_or(config_.affinity),
      .spill_threshold = model.spill_threshold ? model.spill_threshold : config_.spill_threshold,
      .admission = admission_of(model.admission.empty() ? config_.admission : model.admission),
      .places = {.wait_share = model.wait_share.value_or(config_.wait_share),
                 .max_wait = config_.timeouts.max_wait}};
  const routing::TableLimits limits{config_.limits.conversations, config_.limits.conversation_idle,
                                    config_.limits.prompts};
  pools_.push_back(std::make_unique<Pool>(model.name, settings, limits, clock_));
  pools_.back()->aliases = model.aliases;
  return *pools_.back();
}

Pool& Directory::pool_for(const Backend& backend, const engine::Facts& facts) {
  for (const auto& model : config_.models) {
    if (names_engine(model, backend.config)) return *find_pool(model.name);
  }
  for (const auto& model : config_.models) {
    const bool serves =
        std::ranges::find(facts.models, model.name, &engine::ServedModel::id) != facts.models.end();
    if (model.engines.empty() && serves) return *find_pool(model.name);
  }
  const auto& name = facts.models.front().id;
  if (auto* pool = find_pool(name)) return *pool;
  return add_pool({.name = name});
}

// vLLM heeds a rank on /v1/responses from 0.33; a version that can't be read is given the benefit of the
// doubt.
void Directory::judge_responses(Backend& backend, const engine::Facts& facts) {
  auto& endpoint = backend.pool->router.replicas()[backend.endpoint];
  endpoint.ignores_rank_on_responses = engine::version_at_least(facts.version, 0, 33) == false;
  if (facts.ranks.size() < 2 || !endpoint.ignores_rank_on_responses) return;
  if (std::exchange(backend.warned_of_responses, true)) return;
  log::warn(
      "{}: vLLM {} ignores ranks on /v1/responses (it heeds them from 0.33): its conversations are not kept "
      "there; "
      "one engine a replica would keep them",
      backend.config.url, facts.version);
}

void Directory::found(Backend& backend, const engine::Facts& told) {
  const auto facts = backend.with_configured(told);
  auto& pool = pool_for(backend, facts);
  if (backend.pool && backend.pool != &pool) {
    // It serves another model now; its old replicas stay known, and down.
    backend.pool->router.replicas()[backend.endpoint].up = false;
  }
  auto& replicas = pool.router.replicas();
  backend.pool = &pool;
  backend.endpoint = replicas.endpoint(backend.connections.origin().url());
  if (backend.endpoint.value() >= pool.backends.size()) pool.backends.resize(backend.endpoint.value() + 1);
  pool.backends[backend.endpoint.value()] = &backend;

  std::vector<std::string> labels;
  labels.reserve(facts.ranks.size());
  for (const auto& rank : facts.ranks) labels.push_back(rank.label);
  replicas.set_ranks(backend.endpoint, labels);
  for (std::size_t rank = 0; rank < labels.size(); ++rank) {
    auto& replica = replicas[replicas[backend.endpoint].replicas[rank]];
    const auto& known = facts.ranks[rank];
    replica.max_num_seqs = facts.max_num_seqs;
    replica.kv_capacity_tokens = known.kv_capacity_tokens;
    replica.host_kv_tokens = known.host_kv_tokens;
    if (!replica.host_kv_tokens && known.host_kv_gib.value_or(0) <= 0) replica.host_kv_tokens = 0;
    replica.host_kv_rate = backend.config.host_kv_rate;
  }
  replicas[backend.endpoint].up = true;
  judge_responses(backend, facts);
  if (on_change) on_change(backend);
}

void Directory::lost(Backend& backend) {
  backend.connections.clear();
  if (backend.pool) backend.pool->router.replicas()[backend.endpoint].up = false;
  if (on_change) on_change(backend);
}

void Directory::read(Backend& backend, std::size_t rank, const engine::RankMetrics& metrics, Instant now) {
  backend.connections.retire_idle();
  if (!backend.pool) return;
  auto& replicas = backend.pool->router.replicas();
  const auto& ids = replicas[backend.endpoint].replicas;
  if (rank >= ids.size()) return;
  replicas.record(ids[rank], {.running = static_cast<int>(metrics.running),
                              .waiting = static_cast<int>(metrics.waiting),
                              .kv_used = metrics.kv_used,
                              .prefix_queries = metrics.prefix_queries,
                              .prefix_hits = metrics.prefix_hits,
                              .at = now});
}

}  // namespace lmw::gateway
