#include "app/doctor.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/run_to_end.hpp"
#include "engine/discovery.hpp"
#include "engine/findings.hpp"
#include "engine/probe.hpp"

namespace lmw::app {

namespace {

constexpr auto probe_timeout = std::chrono::seconds(60);  // a busy engine queues it

struct Checkup {
  std::string url;
  std::string error;  // why there are no facts
  std::optional<engine::Facts> facts;
  std::vector<engine::Finding> findings;
};

net::awaitable<Checkup> examine(const DoctorOptions& options, std::string url) {
  Checkup checkup{.url = std::move(url)};
  const auto origin = parse_origin(checkup.url);
  if (!origin) {
    checkup.error = origin.error().message;
    co_return checkup;
  }
  engine::Access access{.origin = *origin, .api_key = options.api_key};
  auto facts = co_await engine::discover(access);
  if (!facts) {
    checkup.error = facts.error().message;
    co_return checkup;
  }
  engine::ProbeResult probe;
  if (options.probe) {
    access.timeout = probe_timeout;
    probe = co_await engine::probe(access, facts->models.front().id);
  }
  checkup.findings = engine::findings(*facts, probe);
  checkup.facts = std::move(*facts);
  co_return checkup;
}

Checkup check_up(const DoctorOptions& options, const std::string& url) {
  net::asio::io_context context(1);
  auto checkup = run_to_end(context, [&] { return examine(options, url); });
  if (!checkup.error.empty()) {
    checkup.findings.push_back({engine::Severity::problem, "engine", checkup.error,
                                "check that the engine runs, and its URL and key"});
  }
  return checkup;
}

nlohmann::ordered_json to_json(const Checkup& checkup) {
  using nlohmann::ordered_json;
  const auto maybe = [](const auto& value) { return value ? ordered_json(*value) : ordered_json(nullptr); };
  const engine::Facts facts = checkup.facts.value_or(engine::Facts{});
  auto models = ordered_json::array(), ranks = ordered_json::array();
  for (const auto& model : facts.models) {
    models.push_back({{"id", model.id}, {"max_model_len", maybe(model.max_model_len)}});
  }
  for (const auto& rank : facts.ranks) {
    ranks.push_back({{"label", rank.label},
                     {"kv_capacity_tokens", maybe(rank.kv_capacity_tokens)},
                     {"block_size", maybe(rank.block_size)}});
  }
  return {{"url", checkup.url},
          {"up", checkup.facts.has_value()},
          {"error", checkup.error},
          {"version", facts.version},
          {"models", models},
          {"replicas", facts.ranks.size()},
          {"ranks", ranks},
          {"max_num_seqs", maybe(facts.max_num_seqs)},
          {"findings", engine::to_json(checkup.findings)}};
}

// Names come from the engine: nothing in them may steer the terminal.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

std::string models_line(const engine::Facts& facts) {
  std::vector<std::string> names;
  for (const auto& model : facts.models) {
    std::string name = model.id;
    if (model.adapter) name += " (adapter)";
    if (model.max_model_len) name += fmt::format(" (context {})", *model.max_model_len);
    names.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void print(const Checkup& checkup, std::ostream& out) {
  out << printable(checkup.url) << (checkup.facts ? "\n" : "  is not usable\n");
  const auto line = [&](std::string_view severity, std::string_view topic, const std::string& text) {
    out << fmt::format("  {:<9}{:<16}{}\n", severity, topic, printable(text));
  };
  if (checkup.facts) line("", "models", models_line(*checkup.facts));
  for (const auto& finding : checkup.findings) {
    line(engine::describe(finding.severity), finding.topic, finding.text);
    if (!finding.advice.empty()) line("", "", "-> " + finding.advice);
  }
}

}  // namespace

int run_doctor(const DoctorOptions& options, std::ostream& out) {
  bool all_up = true;
  auto engines = nlohmann::ordered_json::array();
  for (const auto& url : options.urls) {
    const auto checkup = check_up(options, url);
    all_up = all_up && checkup.facts;
    if (options.json)
      engines.push_back(to_json(checkup));
    else
      print(checkup, out);
  }
  if (options.json) {
    const nlohmann::ordered_json report{{"engines", engines}};
    out << report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  }
  return all_up ? 0 : 1;
}

}  // namespace lmw::app
