// Everything a person can set, with its default and unit, in one immutable value. Sources in rising order of
// precedence: the defaults here, `lmwarden.toml`, environment (LMWARDEN_*), flags. A new setting is a member
// here and a row of the table in settings.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lmw::config {

struct Engine {
  std::string name;                                // default: its URL
  std::string url;                                 // http://host[:port][/base]
  std::string api_key;                             // `vllm --api-key`; "" = none
  std::optional<int> ranks;                        // default: discovered from /metrics
  std::optional<int> max_num_seqs;                 // default: learnt, else 256 assumed
  std::optional<std::int64_t> kv_capacity_tokens;  // a replica; default: discovered
  std::optional<std::int64_t> host_kv_tokens;      // a replica's host tier; default: discovered
  double host_kv_rate = 83'000;                    // tokens/s that it brings back

  friend bool operator==(const Engine&, const Engine&) = default;
};

struct Model {
  std::string name;                    // as the engines serve it
  std::vector<std::string> engines;    // names or URLs; default: those that serve it
  std::vector<std::string> aliases;    // globs (`*`, `?`): other names clients may ask for
  std::optional<bool> affinity;        // default: Config::affinity
  std::optional<int> spill_threshold;  // default: Config::spill_threshold
  std::string admission;               // default: Config::admission
  std::optional<double> wait_share;    // default: Config::wait_share

  friend bool operator==(const Model&, const Model&) = default;
};

struct Timeouts {
  std::chrono::milliseconds head{10'000};         // client: a whole request head
  std::chrono::milliseconds body_idle{30'000};    // client: between two pieces of a request body
  std::chrono::milliseconds keep_alive{75'000};   // client: idle between requests
  std::chrono::milliseconds write_idle{120'000};  // client: takes no byte of the answer
  std::chrono::milliseconds heartbeat{45'000};    // client: a stream silent for so long gets a ping; 0: never
  std::chrono::milliseconds max_wait{
      120'000};  // a held turn that has waited so long gets the next room there is
  std::chrono::milliseconds max_hold{300'000};       // … and is refused when it has waited so long
  std::chrono::milliseconds connect{2'000};          // engine: TCP connect
  std::chrono::milliseconds first_byte{1'800'000};   // engine: response head (a long prefill, a long queue)
  std::chrono::milliseconds stream_idle{1'800'000};  // engine: between two pieces of a response
  std::chrono::milliseconds pool_idle{4'000};        // engine: an idle connection (vLLM closes it after 5 s)
  std::chrono::milliseconds scrape{5'000};           // engine: one read of /metrics

  friend bool operator==(const Timeouts&, const Timeouts&) = default;
};

struct Limits {
  std::uint64_t body_bytes = 64ull << 20;
  std::uint64_t head_bytes = 256ull << 10;
  std::uint64_t head_count = 256;
  std::uint64_t connections = 4096;
  std::uint64_t metrics_bytes = 16ull << 20;  // of an engine's /metrics; larger: no reading
  std::uint64_t conversations = 65'536;       // a pool
  std::uint64_t prompts = 8192;               // a pool
  std::uint64_t held = 1024;                  // turns that wait for room, a pool
  std::chrono::seconds conversation_idle{24 * 3600};

  friend bool operator==(const Limits&, const Limits&) = default;
};

struct Edits {
  bool ask_usage = true;        // ask a stream for its usage where the client does not, and hide it
  bool drop_billing = true;     // take Claude Code's billing line out of the system prompt
  bool decode_requests = true;  // undo the content codings of request bodies

  friend bool operator==(const Edits&, const Edits&) = default;
};

inline constexpr std::string_view no_data_dir = "none";

struct Config {
  std::string listen = "127.0.0.1:8080";        // the API; port 0: any
  std::string admin_listen = "127.0.0.1:8081";  // page, admin API and /metrics
  std::string page_dir;                         // the page's files while it is developed; "" = built in
  std::string admin_token;                      // what the page and the admin API need; "" = nothing
  std::string data_dir;                         // for what outlives a restart; "" = the default, or "none"
  std::string log_level = "info";               // trace, debug, info, warn, error
  double time_scale = 1.0;                      // engine seconds a wall second (beside `simulate --speed N`)
  std::chrono::milliseconds scrape_interval{5'000};
  bool affinity = true;                // of every model that does not say
  std::optional<int> spill_threshold;  // of every model that does not say; default: max(1, max_num_seqs / 4)
  std::string admission =
      "auto";                // turns wait for room in the KV cache: auto (where its size is known), on, off
  double wait_share = 0.45;  // of the turns that may wait then
  std::vector<Engine> engines;
  std::vector<Model> models;
  Timeouts timeouts;
  Limits limits;
  Edits edits;

  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace lmw::config
