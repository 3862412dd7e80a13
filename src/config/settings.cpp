#include "config/settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/text_checks.hpp"

namespace lmw::config {
namespace {

using namespace std::chrono_literals;

constexpr double kib = 1 << 10, mib = 1 << 20, gib = 1 << 30;

constexpr Rule any() { return {}; }
constexpr Rule between(double low, double high) { return {.low = low, .high = high}; }
constexpr Rule between(std::chrono::milliseconds low, std::chrono::milliseconds high) {
  return between(static_cast<double>(low.count()), static_cast<double>(high.count()));
}
constexpr Rule size(double low, double high) {
  return {.kind = "size", .low = low, .high = high, .is_size = true};
}
constexpr Rule text(std::string_view kind, Result<void> (*check)(std::string_view)) {
  return {.kind = kind, .check = check};
}
constexpr Rule secret(Result<void> (*check)(std::string_view)) { return {.check = check, .is_secret = true}; }

constexpr Rule timeout() { return between(1ms, 24h); }

// The member's path is the setting's name: it is written here and nowhere else.
#define LMW_SETTING(owner, path, ...)                                 \
  Setting<owner> {                                                    \
    {#path, __VA_ARGS__}, [](owner& it) -> Field { return &it.path; } \
  }

constexpr Setting<Config> config_table[] = {
    LMW_SETTING(Config, listen, "Where clients connect; port 0 takes any free port.",
                text("address", check_listen)),
    LMW_SETTING(Config, admin_listen, "Where the page, the admin API and `/metrics` are served.",
                text("address", check_listen)),
    LMW_SETTING(Config, page_dir,
                "A folder whose files are served as the page instead of the built-in ones, to develop it.",
                text("text", check_folder), "built in", "\"build/dev/ui\""),
    LMW_SETTING(
        Config, admin_token,
        "What the page and the admin API ask for, at least 16 characters. Needed where `admin_listen` "
        "is not on loopback.",
        secret(check_token), "none", "\"at-least-16-characters\""),
    LMW_SETTING(Config, data_dir,
                "A folder for what outlives a restart: the history behind the charts, stored reports. `none` keeps nothing.",
                text("text", check_folder),
                "`lmwarden` in `$STATE_DIRECTORY`, `$XDG_STATE_HOME` or `~/.local/state`",
                "\"/var/lib/lmwarden\""),
    LMW_SETTING(Config, log_level, "The least important messages that are still logged.",
                text(log_levels, check_log_level)),
    LMW_SETTING(Config, time_scale,
                "Engine seconds in a wall second, beside a simulator with the same `--speed`.",
                between(0.001, 10'000)),
    LMW_SETTING(Config, scrape_interval, "How often each engine's `/metrics` is read.",
                between(100ms, 10min)),
    LMW_SETTING(Config, affinity, "Keep each conversation on its replica; without it the engines balance.",
                any()),
    LMW_SETTING(Config, spill_threshold,
                "Turns in flight from which a replica's next turn goes to another one.", between(1, 100'000),
                "a quarter of the engine's `max_num_seqs`, at least 1", "8"),
    LMW_SETTING(Config, admission,
                "Let turns wait while their conversations would not fit in the KV cache: `auto` does where "
                "the engine "
                "tells its size.",
                text(admissions, check_admission)),
    LMW_SETTING(
        Config, wait_share,
        "The share of turns that may wait then: under 0.5 most turns are instant and few wait long; at 1 all "
        "wait alike.",
        between(0.05, 1)),

    LMW_SETTING(Config, timeouts.head, "Client: a whole request head.", timeout()),
    LMW_SETTING(Config, timeouts.body_idle, "Client: between two pieces of a request body.", timeout()),
    LMW_SETTING(Config, timeouts.keep_alive, "Client: idle between two requests.", timeout()),
    LMW_SETTING(Config, timeouts.write_idle, "Client: takes no byte of the answer.", timeout()),
    LMW_SETTING(Config, timeouts.heartbeat,
                "Client: a stream that has been silent for this long gets a ping; `0ms` for never.",
                between(0ms, 24h)),
    LMW_SETTING(Config, timeouts.max_wait, "A held turn that has waited so long gets the next room there is.",
                timeout()),
    LMW_SETTING(Config, timeouts.max_hold, "A held turn that has waited so long is refused.", timeout()),
    LMW_SETTING(Config, timeouts.connect, "Engine: the TCP connection is made.", timeout()),
    LMW_SETTING(Config, timeouts.first_byte,
                "Engine: the response head, after a long queue and a long prefill.", timeout()),
    LMW_SETTING(Config, timeouts.stream_idle, "Engine: between two pieces of a response.", timeout()),
    LMW_SETTING(Config, timeouts.pool_idle,
                "Engine: an idle connection is closed (vLLM closes it after 5 s).", timeout()),
    LMW_SETTING(Config, timeouts.scrape, "Engine: one read of `/metrics`.", timeout()),

    LMW_SETTING(Config, limits.body_bytes, "A request body, as it is sent and as it is decoded.",
                size(1 * kib, 4 * gib)),
    LMW_SETTING(Config, limits.head_bytes, "A request or response head.", size(1 * kib, 16 * mib)),
    LMW_SETTING(Config, limits.head_count, "Header lines of one head.", between(8, 10'000)),
    LMW_SETTING(Config, limits.connections, "Client connections at a time.", between(1, 1'000'000)),
    LMW_SETTING(Config, limits.metrics_bytes, "An engine's `/metrics`; a larger one counts as no reading.",
                size(1 * kib, 1 * gib)),
    LMW_SETTING(Config, limits.conversations,
                "Conversations remembered of a pool; the longest unused goes first.",
                between(1, 100'000'000)),
    LMW_SETTING(
        Config, limits.prompts,
        "Conversations of a pool whose last prompt is remembered, in hashes (at most 16 KiB each): they "
        "find clients without ids, forks, and where prompts change.",
        between(0, 1'000'000)),
    LMW_SETTING(Config, limits.held,
                "Turns of a pool that wait for room at a time; further ones are refused.",
                between(1, 1'000'000)),
    LMW_SETTING(Config, limits.conversation_idle, "A conversation without a turn for this long is forgotten.",
                between(1s, 8760h)),

    LMW_SETTING(Config, edits.ask_usage,
                "Ask a stream for its usage where the client does not, and hide the answer.", any()),
    LMW_SETTING(Config, edits.drop_billing,
                "Take Claude Code's billing line out of the system prompt: it differs between sessions.",
                any()),
    LMW_SETTING(Config, edits.decode_requests,
                "Decode request bodies that come as zstd, gzip, br or deflate; engines get them plain.",
                any()),
};

constexpr Setting<Engine> engine_table[] = {
    LMW_SETTING(Engine, name, "What models and the page call it.", text("text", check_name), "its URL",
                "\"gpu1\""),
    LMW_SETTING(Engine, url, "Its base URL, to which the paths that clients ask for are added.",
                text("URL http://host[:port][/base]", check_engine_url), "none, it is required",
                "\"http://127.0.0.1:8000\""),
    LMW_SETTING(Engine, api_key, "The key it was started with (`vllm serve --api-key`).", secret(check_key),
                "none", "\"secret\""),
    LMW_SETTING(Engine, ranks, "Its data-parallel replicas.", between(1, 4096),
                "discovered from its `/metrics`", "8"),
    LMW_SETTING(Engine, max_num_seqs, "Turns that one replica runs at a time (`--max-num-seqs`).",
                between(1, 1'000'000), "learnt, 256 until then", "256"),
    LMW_SETTING(Engine, kv_capacity_tokens, "Tokens that one replica's KV cache holds.", between(1, 1e12),
                "discovered from its `/metrics`", "1_000_000"),
    LMW_SETTING(Engine, host_kv_tokens,
                "Tokens in the host tier of one replica (`--kv-offloading-size`, in GiB, ÷ the bytes of a "
                "token's KV). "
                "See [overload.md](overload.md#host-memory).",
                between(0, 1e12), "discovered where the engine tells it, else none", "466_000"),
    LMW_SETTING(Engine, host_kv_rate,
                "Tokens a second that the host tier brings back (83,000: 147 KB each at 12 GB/s).",
                between(1, 1e9)),
};

constexpr Setting<Model> model_table[] = {
    LMW_SETTING(Model, name, "The name the engines serve it under.", text("text", check_name),
                "none, it is required", "\"org/model\""),
    LMW_SETTING(Model, engines, "Names or URLs of the engines to use.", text("list of texts", check_name),
                "those that serve it", "[\"gpu1\"]"),
    LMW_SETTING(Model, aliases,
                "Other names that clients may ask for; `*` is any text, `?` any one character.",
                text("list of texts", check_name), "none", "[\"claude-*\", \"gpt-5\"]"),
    LMW_SETTING(Model, affinity, "Of this model.", any(), "the top-level setting", "true"),
    LMW_SETTING(Model, spill_threshold, "Of this model.", between(1, 100'000), "the top-level setting", "8"),
    LMW_SETTING(Model, admission, "Of this model.", text(admissions, check_model_admission),
                "the top-level setting", "\"off\""),
    LMW_SETTING(Model, wait_share, "Of this model.", between(0.05, 1), "the top-level setting", "0.45"),
};

#undef LMW_SETTING

std::string spelt(std::string_view prefix, std::string_view setting, char separator, bool upper) {
  std::string result(prefix);
  for (const char c : setting) {
    if (c == '.' || c == '_') {
      result += separator;
    } else {
      result += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return result;
}

}  // namespace

std::string_view Spec::section() const {
  const auto dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

std::string_view Spec::key() const { return name.substr(name.find('.') + 1); }  // npos + 1 = 0

std::span<const Setting<Config>> settings() { return config_table; }
std::span<const Setting<Engine>> engine_settings() { return engine_table; }
std::span<const Setting<Model>> model_settings() { return model_table; }

std::string flag_name(std::string_view setting) { return spelt("--", setting, '-', false); }
std::string variable_name(std::string_view setting) { return spelt("LMWARDEN_", setting, '_', true); }

std::vector<Flag> flags() {
  std::vector<Flag> result;
  result.push_back({flag_name(engine_list), "An engine's base URL; give it once for each engine.", true});
  Config defaults;
  for (const auto& [spec, field] : settings()) {
    const auto at = field(defaults);
    const auto value = spec.unset.empty() ? to_toml(spec.rule, at).value_or("") : std::string(spec.unset);
    result.push_back(
        {flag_name(spec.name), fmt::format("{} [{}; {}]", spec.help, describe(spec.rule, at), value)});
  }
  return result;
}

}  // namespace lmw::config
