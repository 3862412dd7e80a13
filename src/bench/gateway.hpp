// The gateway that a benchmark goes through, by its admin API: what it does with turns can be switched, and
// it tells what it did.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "engine/discovery.hpp"

namespace lmw::bench {

// A way of routing to compare. What is absent stays as the gateway is configured.
struct Arm {
  std::string_view name;
  std::string_view what;
  std::optional<bool> affinity{};
  std::string_view admission{};  // "" = as it is
  std::optional<double> wait_share{};

  bool changes_nothing() const { return !affinity; }
};

std::span<const Arm> arms();
// Null when there is none of that name.
const Arm* find_arm(std::string_view name);

// Since the gateway's start.
struct GatewayCounts {
  double sticky = 0;   // later turns that went home
  double rehomed = 0;  // those that did not: for good …
  double spilled = 0;  // … and for this turn alone
  double held = 0;
};

// What is at work on it now.
struct LiveBox {
  int replicas = 0;            // up
  std::int64_t kv_tokens = 0;  // the smallest replica's
  int conversations = 0;       // with a turn in the last hour
  int context = 0;             // tokens that nine in ten of these don't exceed; 0 without any
};

class Gateway {
 public:
  // The admin side, and the model whose turns are measured.
  Gateway(engine::Access admin, std::string model) : admin_(std::move(admin)), model_(std::move(model)) {}

  // Of its engines, as their own metrics are read there.
  net::awaitable<Result<std::vector<std::string>>> engine_urls() const;
  // Remembers what holds now, for restore().
  net::awaitable<Result<void>> remember();
  net::awaitable<Result<void>> apply(const Arm& arm) const;
  net::awaitable<Result<void>> restore() const;
  net::awaitable<Result<GatewayCounts>> counts() const;
  // An error where no replica is up, or one does not tell its KV capacity.
  net::awaitable<Result<LiveBox>> live_box() const;
  // The first model's name.
  static net::awaitable<Result<std::string>> first_model(engine::Access admin);

 private:
  net::awaitable<Result<nlohmann::json>> get(std::string path) const;
  net::awaitable<Result<void>> put(std::string body) const;
  std::string routing_path() const;

  engine::Access admin_;
  std::string model_;
  std::string before_;  // the settings to go back to, as JSON
};

}  // namespace lmw::bench
