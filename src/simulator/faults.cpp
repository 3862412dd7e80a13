#include "simulator/faults.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmw::simulator {

namespace {
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> metrics_names{"none", "slow", "error",        "garbage",
                                                        "nan",  "huge", "missing_rank", "frozen"};
constexpr std::array<std::string_view, 5> turn_names{"none", "busy", "close_unanswered", "cut",
                                                     "cut_mid_event"};

template <class Fault, std::size_t N>
bool read_name(const Json& value, const std::array<std::string_view, N>& names, Fault& out) {
  for (std::size_t i = 0; i < N; ++i) {
    if (value != names[i]) continue;
    out = static_cast<Fault>(i);
    return true;
  }
  return false;
}

bool read_count(const Json& value, int below, int& out) {
  if (!value.is_number_integer() || value < 0 || value >= below) return false;
  out = value.get<int>();
  return true;
}

bool read_seconds(const Json& value, Duration& out) {
  if (!value.is_number() || value < 0.0 || value > 1e6) return false;
  out = from_seconds(value.get<double>());
  return true;
}

bool read_turns_left(const Json& value, std::optional<int>& out) {
  out.reset();
  if (value.is_null()) return true;
  return read_count(value, 1'000'000, out.emplace());
}

bool read_hung(const Json& value, int replicas, std::set<int>& out) {
  if (!value.is_array()) return false;
  out.clear();
  for (const auto& item : value) {
    int replica = 0;
    if (!read_count(item, replicas, replica)) return false;
    out.insert(replica);
  }
  return true;
}

bool read_death(const Json& value, std::optional<Death>& out) {
  if (!value.is_object()) return false;
  out.emplace();
  for (const auto& [key, item] : value.items()) {
    if (key != "down_s" || !read_seconds(item, out->down.emplace())) return false;
  }
  return true;
}

bool read_member(const std::string& key, const Json& value, int replicas, FaultOrder& order) {
  constexpr int any = 1'000'000;
  auto& faults = order.faults;
  if (key == "metrics") return read_name(value, metrics_names, faults.metrics);
  if (key == "metrics_delay_s") return read_seconds(value, faults.metrics_delay);
  if (key == "missing_rank") return read_count(value, replicas, faults.missing_rank);
  if (key == "turns") return read_name(value, turn_names, faults.turns);
  if (key == "after_events") return read_count(value, any, faults.after_events);
  if (key == "turns_left") return read_turns_left(value, faults.turns_left);
  if (key == "hung") return read_hung(value, replicas, faults.hung);
  if (key == "die") return read_death(value, order.death);
  return false;
}

}  // namespace

TurnFault Faults::take_turn_fault() {
  if (turns == TurnFault::none || !turns_left) return turns;
  if (*turns_left == 0) return TurnFault::none;
  --*turns_left;
  return turns;
}

Result<FaultOrder> read_fault_order(std::string_view text, const Faults& now, int replicas) {
  const auto json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return failure("faults must be a JSON object");
  FaultOrder order{now, std::nullopt};
  for (const auto& [key, value] : json.items()) {
    if (!read_member(key, value, replicas, order))
      return failure(fmt::format("`{}` is no fault, or has a value that it can't have", key));
  }
  return order;
}

std::string to_json(const Faults& faults) {
  return Json{{"metrics", metrics_names[static_cast<std::size_t>(faults.metrics)]},
              {"metrics_delay_s", seconds(faults.metrics_delay)},
              {"missing_rank", faults.missing_rank},
              {"turns", turn_names[static_cast<std::size_t>(faults.turns)]},
              {"after_events", faults.after_events},
              {"turns_left", faults.turns_left ? Json(*faults.turns_left) : Json()},
              {"hung", faults.hung}}
      .dump();
}

}  // namespace lmw::simulator
