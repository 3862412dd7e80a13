// Which model is served by which engines. Models and engines come from the configuration, else from what the
// engines themselves say when they are found: engines that serve the same model form one pool.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "config/config.hpp"
#include "gateway/pool.hpp"

namespace lmw::gateway {

class Directory {
 public:
  // The configuration must be valid: its URLs parse. Config, clock and context must outlive it.
  Directory(net::asio::io_context& context, const config::Config& config, const EngineClock& clock);

  void start();
  void stop();

  struct Resolved {
    Pool* pool = nullptr;
    std::string upstream_name;  // the name to send; differs from the one asked for when that was an alias
  };
  // By the name itself, then by alias, then without a suffix such as "[1m]". Nothing: no pool knows it.
  std::optional<Resolved> resolve(std::string_view model) const;

  // The pool for requests that name no model: the only one there is.
  Pool* only_pool() const;
  // Engines that have never been found may serve what no pool knows yet.
  bool all_found() const;
  bool any_up() const;

  Pool* find_pool(std::string_view name) const;
  const std::vector<std::unique_ptr<Pool>>& pools() const { return pools_; }
  const std::vector<std::unique_ptr<Backend>>& backends() const { return backends_; }

  // Told of each engine that has been found or lost, for people to read.
  std::function<void(const Backend&)> on_change;

 private:
  void found(Backend& backend, const engine::Facts& told);
  void lost(Backend& backend);
  static void judge_responses(Backend& backend, const engine::Facts& facts);
  Pool& pool_for(const Backend& backend, const engine::Facts& facts);
  Pool& add_pool(const config::Model& model);
  static void read(Backend& backend, std::size_t rank, const engine::RankMetrics& metrics, Instant now);

  const config::Config& config_;
  const EngineClock& clock_;
  std::vector<std::unique_ptr<Pool>> pools_;
  std::vector<std::unique_ptr<Backend>> backends_;
};

}  // namespace lmw::gateway
