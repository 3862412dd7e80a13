#include "app/profile_file.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/workload_flags.hpp"

namespace lmw::app {

namespace {

using nlohmann::ordered_json;

double number(const ordered_json& from, const char* field, double least) {
  const double value = from.at(field).get<double>();
  if (!std::isfinite(value) || value < least)
    throw std::invalid_argument(fmt::format("{} is out of range", field));
  return value;
}

int whole(const ordered_json& from, const char* field) { return static_cast<int>(number(from, field, 1)); }

replica::Profile read(const ordered_json& from) {
  replica::Profile profile{.name = from.at("name").get<std::string>(),
                           .cost = {.base = number(from, "base_s", 0),
                                    .prefill = number(from, "prefill_s", 0),
                                    .attn = number(from, "attn_s", 0),
                                    .seq = number(from, "seq_s", 0),
                                    .kvread = number(from, "kvread_s", 0)},
                           .slow = from.value("slow", std::vector<double>{}),
                           .kv_tokens = static_cast<std::int64_t>(number(from, "kv_tokens", 16)),
                           .block_size = whole(from, "block_size"),
                           .max_num_seqs = whole(from, "max_num_seqs"),
                           .max_num_batched_tokens = whole(from, "max_num_batched_tokens"),
                           .max_model_len = whole(from, "max_model_len"),
                           .network = from_seconds(number(from, "network_s", 0)),
                           // Profiles of before it was measured have none.
                           .tokenize = from.contains("tokenize_s") ? number(from, "tokenize_s", 0) : 0};
  for (const double factor : profile.slow) {
    if (!std::isfinite(factor) || factor <= 0)
      throw std::invalid_argument("slow has a factor that is not above 0");
  }
  if (profile.cost.base + profile.cost.prefill <= 0) throw std::invalid_argument("steps would take no time");
  return profile;
}

}  // namespace

Result<replica::Profile> load_profile(const std::string& name_or_file) {
  if (const auto* known = replica::find_profile(name_or_file)) return *known;
  if (!std::filesystem::exists(name_or_file)) {
    return failure(fmt::format("there is no profile '{}', nor a file of that name; there are: {}",
                               name_or_file, names_of(replica::profiles())));
  }
  try {
    std::ifstream file(name_or_file);
    return read(ordered_json::parse(file));
  } catch (const std::exception& error) {
    return failure(fmt::format("{} is no profile: {}", name_or_file, error.what()));
  }
}

std::string profile_help() {
  return "hardware and model: " + names_of(replica::profiles()) + ", or a file of `calibrate`";
}

std::string profile_json(const replica::Profile& profile,
                         const std::vector<std::pair<std::string, std::string>>& about) {
  ordered_json out{{"name", profile.name},
                   {"base_s", profile.cost.base},
                   {"prefill_s", profile.cost.prefill},
                   {"attn_s", profile.cost.attn},
                   {"seq_s", profile.cost.seq},
                   {"kvread_s", profile.cost.kvread},
                   {"slow", profile.slow},
                   {"kv_tokens", profile.kv_tokens},
                   {"block_size", profile.block_size},
                   {"max_num_seqs", profile.max_num_seqs},
                   {"max_num_batched_tokens", profile.max_num_batched_tokens},
                   {"max_model_len", profile.max_model_len},
                   {"network_s", seconds(profile.network)},
                   {"tokenize_s", profile.tokenize},
                   {"measured", ordered_json::object()}};
  for (const auto& [name, value] : about) out["measured"][name] = value;
  return out.dump(2) + "\n";
}

}  // namespace lmw::app
